r"""Columns on a common scale that almost half of the rows cannot move.

.. math:: x \mapsto \frac{x - m}{s}, \qquad m = \operatorname{median} x, \quad
          s = \max(1.4826 \operatorname{median} d,\; u / 10), \quad d = |x - m|

with 1.4826 the factor that makes s the standard deviation of Gaussian values. When half of the rows
or more share one value, the median deviation is zero (0/1 columns, counts, sparse columns), and
s = u, the typical size of the deviations that are *not* zero:

.. math:: u = \operatorname{median}\{d_i : 0 < d_i \le 10\, q\}, \qquad
          q = \text{the first decile of the } d_i > 0.

Why u and not another? The mean deviation, and any quantile of all rows that is high enough not to
be zero, breaks down under a few outliers. Only the rows off the centre carry information on the
scale, and where most of them disagree no rule can be right in every case: 3 % ones and 30 %
outliers may as well be a quantity with a few odd values. But outliers are far, so u uses the near
rows: it holds as long as the inliers are a tenth of those off the centre. The price is that it
vanishes if a tenth of these lies next to the centre and not on it; differences due to rounding are
therefore counted as zero. A column of 0 and 1 stays as it is. There is no factor 1.4826: where the
rest is Gaussian, u is half its standard deviation, and that of the whole column if 3/4 of it are
zeros.

The bound u / 10 is for columns just short of that, such as 49 % zeros, whose median deviation is
that of a few rows next to the centre. It is idle, and s the usual median deviation, unless four
ninths of the rows share one value: else q is at most the median deviation, and u at most 10 q.
"""

import numpy as np

from .._typing import FloatArray
from .radius import SCREEN_RADIUS, weighted_median

# Median deviation of a standard Gaussian variable, inverted.
CONSISTENT = 1.4826022185056018
# Fraction of the rows off the centre that defines q.
NEAREST = 0.1
# Fraction of the rows that must share one value for u to matter: less than 4/9.
SHARED = 0.4
# Deviations of so many units in the median's last place are rounding.
ROUNDING = 10.0


def median_and_scale(values: FloatArray) -> tuple[float, float]:
    """Return m and s of values that are finite.

    Examples
    --------
    >>> import numpy as np
    >>> median_and_scale(np.array([1.0, 2.0, 3.0, 4.0, 1e6]))
    (3.0, 1.4826022185056018)
    """
    unit = ROUNDING * float(np.finfo(float).eps)
    return center_and_scale(values, np.ones(len(values)), unit)


def center_and_scale(x: FloatArray, weights: FloatArray, unit: float) -> tuple[float, float]:
    """Return m and s of one column, whose numbers are accurate to ``unit``."""
    if len(x) == 0:
        return 0.0, 1.0
    center = float(weighted_median(x, weights))
    with np.errstate(over="ignore"):
        d = np.abs(x - center)
        d[d <= unit * abs(center)] = 0.0
        if not d.any():
            return center, 1.0
        scale = CONSISTENT * float(weighted_median(d, weights))
        on_center = d == 0
        if weights[on_center].sum() > SHARED * weights.sum():
            u = _typical(d[~on_center], weights[~on_center])
            scale = max(scale, u / SCREEN_RADIUS) if scale > 0 else u
    return center, min(scale, float(np.finfo(float).max))


def _typical(d: FloatArray, weights: FloatArray) -> float:
    """Return u, of the deviations that are not zero."""
    order = np.argsort(d)
    reached = np.cumsum(weights[order])
    q = d[order[np.searchsorted(reached, NEAREST * reached[-1])]]
    near = d <= SCREEN_RADIUS * q
    return float(weighted_median(d[near], weights[near]))
