r"""A noise scale that varies with the prediction.

Prices, counts and concentrations scatter more where they are larger. The relative scale at a
prediction f is the median of the absolute residuals of the samples whose predictions are nearest,

.. math:: s(f) = \operatorname{median} \{ |r_j| : f_j \text{ near } f \},

smoothed, bounded from below, and divided by its median. Residuals over s(f) have one scale. A
window in which less than half of the samples are outliers has a bounded scale.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import FloatArray

# A window holds this fraction of the samples, and so many at least.
WINDOW, MIN_WINDOW = 0.2, 30.0
# Windows along the predictions.
N_KNOTS = 40
# Fewest samples, in windows, for a scale that varies.
MIN_WINDOWS = 1.5
# Smallest relative scale.
MIN_RELATIVE = 0.25


@final
@dataclass(frozen=True)
class NoiseScale:
    """Relative noise scale as a function of the prediction: linear between knots in its logarithm.

    Without knots it is one for all predictions.
    """

    knots: FloatArray
    log_scales: FloatArray

    @property
    def varies(self) -> bool:
        """Whether the scale depends on the prediction."""
        return len(self.knots) > 0

    @property
    def smallest(self) -> float:
        """The smallest relative scale at any prediction."""
        return float(np.exp(self.log_scales.min())) if self.varies else 1.0

    def __call__(self, predictions: FloatArray) -> FloatArray:
        """Return the relative scale at each prediction."""
        if not self.varies:
            return np.ones(len(predictions))
        return np.exp(np.interp(predictions, self.knots, self.log_scales))


CONSTANT = NoiseScale(np.empty(0), np.empty(0))


def fit_noise_scale(
    residuals: FloatArray, predictions: FloatArray, weights: FloatArray
) -> NoiseScale:
    """Fit the scale to residuals; a constant for few samples or equal predictions."""
    inside = np.flatnonzero((weights > 0) & np.isfinite(residuals) & np.isfinite(predictions))
    sizes = np.abs(residuals)
    order = inside[np.lexsort((sizes[inside], predictions[inside]))]
    f, sizes, weights = predictions[order], sizes[order], weights[order]
    total = float(weights.sum())
    width = max(WINDOW * total, MIN_WINDOW)
    if total < MIN_WINDOWS * width or f[0] == f[-1]:
        return CONSTANT
    knots, scales = _windows(f, sizes, weights, width)
    middle = float(np.median(scales))
    if not 0 < middle < np.inf:
        return CONSTANT
    logs = np.log(np.maximum(scales / middle, MIN_RELATIVE))
    logs = _running_mean(logs, round(0.5 * width / (total - width) * N_KNOTS))
    knots, places = np.unique(knots, return_index=True)
    return NoiseScale(knots, logs[places] - np.median(logs))


def _windows(
    f: FloatArray, sizes: FloatArray, weights: FloatArray, width: float
) -> tuple[FloatArray, FloatArray]:
    """Return mean prediction and median size of windows of this weight, along the predictions.

    A sample at the edge of a window counts as far as its weight lies within.
    """
    after = np.cumsum(weights)
    before = after - weights
    low = np.linspace(0.0, after[-1] - width, N_KNOTS)
    first = np.searchsorted(after, low, side="right")
    last = np.searchsorted(before, low + width)
    # The windows are rows of arrays, filled up with samples of no weight and infinite size.
    rows = first[:, None] + np.arange((last - first).max())
    within = rows < last[:, None]
    rows = np.minimum(rows, len(f) - 1)
    upper, lower = low[:, None] + width, low[:, None]
    inside = np.minimum(after[rows], upper) - np.maximum(before[rows], lower)
    inside = np.where(within, inside, 0.0)
    knots = np.einsum("kn,kn->k", inside, f[rows]) / inside.sum(axis=1)
    return knots, _medians(np.where(within, sizes[rows], np.inf), inside)


def _medians(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted median of each row."""
    order = np.argsort(values, axis=1)  # the order of equal values is immaterial
    reached = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    half = 0.5 * reached[:, -1:] * (1 - 1e-12)
    ranks = np.minimum((reached < half).sum(axis=1), values.shape[1] - 1)
    return np.take_along_axis(values, np.take_along_axis(order, ranks[:, None], 1), 1)[:, 0]


def _running_mean(values: FloatArray, width: int) -> FloatArray:
    """Return means over ``width`` neighbours to either side."""
    n = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    low = np.maximum(np.arange(n) - width, 0)
    high = np.minimum(np.arange(n) + width + 1, n)
    return np.asarray((sums[high] - sums[low]) / (high - low))
