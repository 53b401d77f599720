r"""Predictions in the target's own units, from those of a fit on a transformed scale.

With f the prediction of T(y), the median of y is :math:`T^{-1}(f)`. The mean is Duan's smearing
estimate: the average over quantiles :math:`e_k` of the residuals, relative to a noise scale s(f)
that may vary with the prediction,

.. math:: \hat y = \frac{1}{K} \sum_{k=1}^K T^{-1}\bigl(f + s(f)\, e_k\bigr),

which is :math:`e^f` times the mean of :math:`e^{e_k}` for the logarithm and a constant noise scale.
Predictions f are bounded by the range of the kept targets, extended by half of it on either side:
an exponential function would make nonsense of an extrapolation.

References
----------
Duan (1983), Smearing estimate: a nonparametric retransformation method.
"""

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from .._typing import FloatArray
from ..portable import ArrayArithmetic, Value
from ..weighting.trimmed import loss_reached
from .transforms import TargetTransform

Statistic = Literal["mean", "median"]
STATISTICS: tuple[Statistic, ...] = ("mean", "median")
# Quantiles of the residuals that a mean is taken over.
N_QUANTILES = 31
# The range of the targets is extended by this part of it on either side.
BEYOND = 0.5
# Predictions that are transformed at a time.
BLOCK = 1 << 16


@final
@dataclass(frozen=True, eq=False)
class BackTransform:
    """Maps predictions on the scale of the fit to the units of the targets.

    Attributes
    ----------
    transform : TargetTransform
    shifts : array of shape (K,)
        The quantiles e_k of the relative residuals; one zero for the median.
    low, high : float
        Bounds of the predictions f.
    knots, log_scales : array of shape (m,)
        The logarithm of s(f) is linear between knots; without knots s is one.
    """

    transform: TargetTransform
    shifts: FloatArray
    low: float
    high: float
    knots: FloatArray
    log_scales: FloatArray

    def __call__(self, raw: Any) -> FloatArray:
        """Return predictions of any shape in the targets' units."""
        raw = np.asarray(raw, dtype=np.float64)
        column, arithmetic = raw.reshape(-1, 1), ArrayArithmetic(np, np.float64)
        out = np.empty_like(column)
        for start in range(0, len(column), BLOCK):
            part = slice(start, start + BLOCK)
            out[part] = self.formula(arithmetic.value(column[part])).data
        return out.reshape(raw.shape)

    def formula(self, raw: Value) -> Value:
        """Return predictions, a column, of any array library or of a graph."""
        middle, half = 0.5 * (self.low + self.high), 0.5 * (self.high - self.low)
        f = (raw.wide() - middle).clip(half) + middle
        shifts = self.shifts[None, :]
        moved = f + (self._log_scale(f).exp() * shifts if len(self.knots) else shifts)
        means = np.full((len(self.shifts), 1), 1.0 / len(self.shifts))
        return self.transform.inverse(moved) @ means

    def _log_scale(self, f: Value) -> Value:
        """Return log s(f), a sum of ramps between the knots."""
        middles = 0.5 * (self.knots[1:] + self.knots[:-1])
        halves = 0.5 * np.diff(self.knots)
        slopes = np.diff(self.log_scales) / (2.0 * halves)
        ramps = (f - middles[None, :]).clip(halves[None, :]) + halves[None, :]
        return ramps @ slopes[:, None] + self.log_scales[0]


def fit_back_transform(
    transform: TargetTransform,
    statistic: Statistic,
    targets: FloatArray,
    residuals: FloatArray,
    weights: FloatArray,
    knots: FloatArray,
    log_scales: FloatArray,
) -> BackTransform:
    """Fit the way back to leave-one-out residuals of transformed targets, both of shape (n,).

    The weights are those that the inliers have, and the noise scale is a function of the
    predictions.
    """
    kept = weights > 0
    targets, residuals, weights = targets[kept], residuals[kept], weights[kept]
    low, high = float(targets.min()), float(targets.max())
    shifts = np.zeros(1)
    if statistic == "mean":
        scales = np.ones(len(targets))
        if len(knots):
            scales = np.exp(np.interp(targets - residuals, knots, log_scales))
        relative, total = residuals / scales, float(weights.sum())
        levels = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
        shifts = np.array([loss_reached(relative, weights, level * total) for level in levels])
    margin = BEYOND * (high - low)
    return BackTransform(transform, shifts, low - margin, high + margin, knots, log_scales)
