r"""How many rows look wrong, when nobody says.

Scores are residuals in units of their own predictive deviation. The half of the rows that fits
best fixes the scale s, made consistent for Gaussian errors; a row is suspicious when its score
exceeds 3.5 s, which a Gaussian row does once in two thousand times.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from .._typing import FloatArray

CUT = 3.5
LARGEST_SHARE = 0.45


def estimate_share(scores: FloatArray, row_weights: FloatArray) -> float:
    """Share of the rows whose score is out of line with the best half.

    Parameters
    ----------
    scores : array of shape (n,)
        Non-negative, larger is worse, without the flattery of an in-sample fit.
    row_weights : array of shape (n,)

    Returns
    -------
    float
        Between 0 and 0.45.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.r_[np.linspace(0.0, 2.0, 80), np.full(20, 50.0)]
    >>> estimate_share(scores, np.ones(100))
    0.2
    """
    order = np.argsort(scores, kind="stable")
    cumulative = np.cumsum(row_weights[order])
    middle = order[np.searchsorted(cumulative, 0.5 * cumulative[-1])]
    scale = scores[middle] / norm.ppf(0.75)
    share = float(row_weights[scores > CUT * scale].sum() / cumulative[-1])
    return min(share, LARGEST_SHARE)
