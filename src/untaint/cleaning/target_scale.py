r"""Whether a target is judged as it is, or by its logarithm.

Errors of prices, weights and concentrations grow with the amount, and a slipped decimal point is a
factor. Where all targets are positive and span some orders, both scales are tried. Likelihood
decides, as in the transformations of Box and Cox: with residuals r on the scale g,

.. math:: \log \operatorname{spread}(r) - \operatorname{median} \log g'(y)

is smaller for the better one. The spread is the 70 % quantile of \|r\|, and the median stands for a
mean, so that three rows in ten may be wrong without a say in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from .._typing import FloatArray

Scale = Literal["plain", "log"]

# Ratio of the 99th to the first percentile at which a logarithm is worth a try.
WIDE = 4.0
# Part of the rows that have a say.
HEARD = 0.7
# How much better a logarithm must be: residuals a tenth smaller.
CLEARLY = 0.1


def scales_to_try(y: FloatArray) -> list[Scale]:
    """Scales that suit these targets.

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
    """Targets on the scale that they are judged on."""
    return np.log(y) if scale == "log" else y


def from_scale(y: FloatArray, scale: Scale) -> FloatArray:
    """Back to the scale of the table.

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


def surprise(y: FloatArray, residuals: FloatArray, scale: Scale) -> float:
    """How badly a scale suits the targets, to be compared with other scales.

    Parameters
    ----------
    y : array of shape (n,)
        Targets of the table.
    residuals : array of shape (n,)
        On the scale.
    """
    spread = max(float(np.quantile(np.abs(residuals), HEARD)), np.finfo(float).tiny)
    stretch = float(np.median(np.log(y))) if scale == "log" else 0.0
    return float(np.log(spread)) + stretch


def least_surprising(surprises: Mapping[Scale, float]) -> Scale:
    """The scale to take: the plain one, unless a logarithm is clearly better.

    Examples
    --------
    >>> from untaint.cleaning.target_scale import least_surprising
    >>> least_surprising({"plain": 1.0, "log": 0.95}), least_surprising({"plain": 1.0, "log": 0.5})
    ('plain', 'log')
    """
    return "log" if surprises.get("log", np.inf) < surprises["plain"] - CLEARLY else "plain"
