r"""The density of inlier residuals: a normal body and a tail as long as the column's own.

Of the residuals over their scale, 85 % lie within u. Beyond, the density falls as a power,

.. math:: P(|z| > t) = 0.15\, (t / u)^{-\alpha}, \qquad t > u,

whose exponent is estimated from these but for the highest third, where wrong cells would be
(type II censoring). Skewed, uneven or poorly predicted columns have long tails, so that large
residuals are not unusual in them. The scale varies with the prediction.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import ndtr, ndtri

from .._typing import FloatArray

# Part of the residuals in the tail, and part of those that is left out of its estimate.
TAIL, CENSORED = 0.15, 0.35
# That part of a normal distribution lies beyond so many deviations.
EDGE = float(ndtri(1 - TAIL / 2))
# The part of it that lies within.
BODY = float(2 * ndtr(EDGE) - 1)
# The exponent is shrunk to that of a normal distribution, which weighs as so many residuals.
NORMAL_EXPONENT, PRIOR_RESIDUALS = 3.6, 4.0
MIN_EXPONENT, MAX_EXPONENT = 0.5, 10.0
# Rows of a window along the predictions, windows at most, and what their scales are shrunk by.
WINDOW_ROWS, MAX_WINDOWS, PRIOR_ROWS = 40, 10, 20
# Either side has a tail of its own, which is shrunk to that of both by so many rows.
PRIOR_SIDE = 100.0
# A scale is at least this part of the spread of the column.
MIN_SCALE = 0.003
MAD = 1.4826


@final
@dataclass(frozen=True)
class NullDensity:
    """The density of inlier residuals given a prediction."""

    knots: FloatArray
    log_scales: FloatArray
    edges: FloatArray
    exponents: FloatArray

    def scale(self, predicted: FloatArray, floor: FloatArray) -> FloatArray:
        """Return the scale of residuals at predictions; rounding alone makes that of ``floor``."""
        own = np.exp(np.interp(predicted, self.knots, self.log_scales))
        return np.sqrt(own**2 + floor**2)

    def edge(self, residuals: FloatArray) -> FloatArray:
        """Return where the tail begins on the side of each residual, in scales."""
        return self.edges[(residuals > 0).astype(np.intp)]

    def log_density(self, residuals: FloatArray, scale: FloatArray) -> FloatArray:
        """Return the log-density of residuals."""
        size, above = np.abs(residuals) / scale, residuals > 0
        edges, exponents = self.edges, self.exponents
        # Constants of either side: where the tail begins, and log-densities there.
        heights = np.log1p(-TAIL) - np.log(edges / EDGE * np.sqrt(2 * np.pi)) - np.log(BODY)
        ends = np.log(0.5 * TAIL * exponents / edges)
        u = np.where(above, edges[1], edges[0])
        size /= u
        found = np.where(above, heights[1], heights[0]) - (0.5 * EDGE**2) * size**2
        far = ~(size <= 1.0)
        side = above[far].astype(np.intp)
        found[far] = ends[side] - (exponents[side] + 1) * np.log(size[far])
        return np.asarray(found - np.log(scale))


def fit_null_density(
    residuals: FloatArray, predicted: FloatArray, weights: FloatArray, censored: float = CENSORED
) -> NullDensity:
    """Return the density of residuals of predictions, most of which are inliers.

    Parameters
    ----------
    residuals, predicted : array of shape (n,)
    weights : array of shape (n,)
        Probability that a residual is an inlier.
    censored : float
        Part of the tail that is left out of its estimate.
    """
    size = np.abs(residuals)
    knots, logs = _scales(size, predicted, weights)
    size = size / np.exp(np.interp(predicted, knots, logs))
    both = np.log(_tail(size, weights, censored))
    sides = []
    for own in (residuals <= 0, residuals > 0):
        total = weights[own].sum()
        tail = np.log(_tail(size[own], weights[own], censored)) if own.any() else both
        sides.append(np.exp((total * tail + PRIOR_SIDE * both) / (total + PRIOR_SIDE)))
    edges, exponents = np.transpose(sides)
    return NullDensity(knots, logs, edges, exponents)


def _scales(
    size: FloatArray, predicted: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the median prediction and the log-scale of the residuals of windows."""
    order = np.argsort(predicted, kind="stable")
    parts = np.array_split(order, int(np.clip(len(order) // WINDOW_ROWS, 1, MAX_WINDOWS)))
    whole = max(MAD * _quantile(size, weights, 0.5)[0], MIN_SCALE)
    own = np.array([MAD * _quantile(size[part], weights[part], 0.5)[0] for part in parts])
    total = np.array([weights[part].sum() for part in parts])
    logs = np.log(np.maximum(own, MIN_SCALE))
    logs = (total * logs + PRIOR_ROWS * np.log(whole)) / (total + PRIOR_ROWS)
    return np.array([float(np.median(predicted[part])) for part in parts]), logs


def _tail(size: FloatArray, weights: FloatArray, censored: float) -> tuple[float, float]:
    """Return where the tail of scaled residuals begins, and its exponent."""
    edge, last = _quantile(size, weights, 1 - TAIL, 1 - TAIL * censored)
    edge = max(edge, 1.0)
    last = max(last, edge)
    total = weights.sum()
    excess = np.log(np.clip(size, edge, last) / edge)
    number = (1 - censored) * TAIL * total
    inside = float(weights @ excess)
    exponent = (number + PRIOR_RESIDUALS) / (inside + PRIOR_RESIDUALS / NORMAL_EXPONENT)
    return edge, float(np.clip(exponent, MIN_EXPONENT, MAX_EXPONENT))


def _quantile(values: FloatArray, weights: FloatArray, *q: float) -> list[float]:
    """Return weighted quantiles: the least values that a part q of the weight does not exceed."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    places = np.searchsorted(total, np.array(q) * total[-1])
    return values[order[np.minimum(places, len(order) - 1)]].tolist()
