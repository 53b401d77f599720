r"""The density of honest residuals: a normal body and a tail as long as the column's own.

Of the residuals over their scale, 85 % lie within u. Beyond, the density falls as a power,

.. math:: P(|z| > t) = 0.15\, (t / u)^{-\alpha}, \qquad t > u,

whose exponent is estimated from these but for the highest third, where wrong cells would be
(type II censoring). Skewed, uneven or badly predicted columns
have long tails, which excuse their far cells. The scale varies with the prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import ndtr, ndtri

from .._typing import FloatArray

# Part of the residuals in the tail, and part of those that is left out of its estimate.
TAIL, CENSORED = 0.15, 0.35
# That part of a normal distribution lies beyond so many deviations.
EDGE = float(ndtri(1 - TAIL / 2))
# The exponent is shrunk to that of a normal distribution, which weighs as so many residuals.
NORMAL_EXPONENT, PRIOR_RESIDUALS = 3.6, 4.0
MIN_EXPONENT, MAX_EXPONENT = 0.5, 6.0
# Rows of a window along the predictions, windows at most, and what their scales are shrunk by.
WINDOW_ROWS, MAX_WINDOWS, PRIOR_ROWS = 40, 10, 20
# A scale is at least this part of the spread of the column.
MIN_SCALE = 0.003
MAD = 1.4826


@final
@dataclass(frozen=True)
class NullDensity:
    """The density of honest residuals given a prediction."""

    knots: FloatArray
    log_scales: FloatArray
    edge: float
    exponent: float

    def scale(self, predicted: FloatArray, floor: FloatArray) -> FloatArray:
        """Return the scale of residuals at predictions; rounding alone makes that of ``floor``."""
        own = np.exp(np.interp(predicted, self.knots, self.log_scales))
        return np.sqrt(own**2 + floor**2)

    def log_density(self, residuals: FloatArray, scale: FloatArray) -> FloatArray:
        """Return the log-density of residuals."""
        size, u = np.abs(residuals) / scale, self.edge
        sigma = u / EDGE
        body = np.log1p(-TAIL) - 0.5 * (size / sigma) ** 2 - np.log(sigma * np.sqrt(2 * np.pi))
        body -= np.log(2 * ndtr(u / sigma) - 1)
        far = np.maximum(size, u) / u
        tail = np.log(0.5 * TAIL * self.exponent / u) - (self.exponent + 1) * np.log(far)
        return np.where(size <= u, body, tail) - np.log(scale)


def fit_null_density(residuals: FloatArray, predicted: FloatArray) -> NullDensity:
    """Return the density of residuals of predictions, most of which are honest.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> f, r = rng.normal(size=1000), rng.normal(size=1000)
    >>> found = fit_null_density(r, f)
    >>> at = found.log_density(np.array([0.0, 9.0]), found.scale(f[:2], np.zeros(2)))
    >>> bool(-1.2 < at[0] < -0.7), bool(-14 < at[1] < -8)
    (True, True)
    """
    order = np.argsort(predicted, kind="stable")
    parts = np.array_split(order, int(np.clip(len(order) // WINDOW_ROWS, 1, MAX_WINDOWS)))
    whole = max(MAD * float(np.median(np.abs(residuals))), MIN_SCALE)
    own = np.array([MAD * float(np.median(np.abs(residuals[part]))) for part in parts])
    sizes = np.array([len(part) for part in parts], dtype=float)
    logs = np.log(np.maximum(own, MIN_SCALE))
    logs = (sizes * logs + PRIOR_ROWS * np.log(whole)) / (sizes + PRIOR_ROWS)
    knots = np.array([float(np.median(predicted[part])) for part in parts])
    scale = np.exp(np.interp(predicted, knots, logs))
    size = np.sort(np.abs(residuals) / scale)
    n_tail = max(int(np.ceil(TAIL * len(size))), 2)
    edge = float(max(size[-n_tail - 1] if len(size) > n_tail else size[0], 1.0))
    kept = max(int(np.ceil((1 - CENSORED) * n_tail)), 1)
    excess = np.log(np.maximum(size[-n_tail:], edge) / edge)
    total = excess[:kept].sum() + (n_tail - kept) * excess[kept - 1]
    exponent = (kept + PRIOR_RESIDUALS) / (total + PRIOR_RESIDUALS / NORMAL_EXPONENT)
    return NullDensity(knots, logs, edge, float(np.clip(exponent, MIN_EXPONENT, MAX_EXPONENT)))
