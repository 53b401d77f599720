r"""Selection between a numeric target and its logarithm.

Errors of prices, weights and concentrations grow with the value, and a slipped decimal point is a
factor. Where all targets are positive and span some orders, both scales are tried. The profile
likelihood decides, as in the transformations of Box and Cox: with residuals r on the scale g,

.. math:: \log \operatorname{spread}(r) - \operatorname{median} \log g'(y)

is smaller for the better one. The spread is the 70 % quantile of \|r\|, and the median stands for a
mean, so that the breakdown point of the criterion is 30 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from .._typing import FloatArray

Scale = Literal["plain", "log"]

# Ratio of the 99th to the first percentile above which the logarithm is tried.
WIDE = 4.0
# Quantile of the absolute residuals that measures their spread.
SCALE_QUANTILE = 0.7
# Gain that the logarithm must bring: residuals a tenth smaller.
MIN_GAIN = 0.1


def scales_to_try(y: FloatArray) -> list[Scale]:
    """Return the scales that are possible for these targets.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.target_scale import scales_to_try
    >>> scales_to_try(np.array([1.0, 10.0, 100.0])), scales_to_try(np.array([0.0, 1.0]))
    (['plain', 'log'], ['plain'])
    """
    if y.min() <= 0:
        return ["plain"]
    low, high = np.quantile(y, [0.01, 0.99])
    return ["plain", "log"] if high > WIDE * low else ["plain"]


def to_scale(y: FloatArray, scale: Scale) -> FloatArray:
    """Transform targets to the scale of the fit."""
    return np.log(y) if scale == "log" else y


def from_scale(y: FloatArray, scale: Scale) -> FloatArray:
    """Transform values on the scale of the fit back to units of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.target_scale import from_scale, to_scale
    >>> from_scale(to_scale(np.array([1.0, 10.0]), "log"), "log").round(9)
    array([ 1., 10.])
    """
    if scale == "plain":
        return y
    return np.exp(np.clip(y, -700.0, 700.0))


def profile_neg_log_likelihood(y: FloatArray, residuals: FloatArray, scale: Scale) -> float:
    """Return the profile negative log-likelihood of a scale, up to a common constant.

    Parameters
    ----------
    y : array of shape (n,)
        Targets of the table.
    residuals : array of shape (n,)
        Residuals of a fit on the scale.
    """
    spread = max(float(np.quantile(np.abs(residuals), SCALE_QUANTILE)), np.finfo(float).tiny)
    stretch = float(np.median(np.log(y))) if scale == "log" else 0.0
    return float(np.log(spread)) + stretch


def select_scale(neg_log_likelihoods: Mapping[Scale, float]) -> Scale:
    """Return the scale to fit on: the plain one, unless the logarithm is clearly better.

    Examples
    --------
    >>> from untaint.cleaning.target_scale import select_scale
    >>> select_scale({"plain": 1.0, "log": 0.95}), select_scale({"plain": 1.0, "log": 0.5})
    ('plain', 'log')
    """
    return (
        "log"
        if neg_log_likelihoods.get("log", np.inf) < neg_log_likelihoods["plain"] - MIN_GAIN
        else "plain"
    )
