r"""The density of the targets of all samples: that of a target which belongs to another sample.

.. math:: g(y) = \sum_i v_i\, \phi_h(y - y_i) / \sum_i v_i

with a Gaussian kernel :math:`\phi_h`, less what one sample contributes at its own target: that of
another one has to be near. The bandwidth is Silverman's, but at least the noise: where
many targets are equal, a finer density would explain these better than any regression.

References
----------
Silverman (1986), Density Estimation for Statistics and Data Analysis.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import FloatArray
from ..weighting.trimmed import loss_reached

# Points of the grid, and the smallest density relative to that of a uniform one.
N_POINTS = 512
MIN_DENSITY = 1e-4


@final
@dataclass(frozen=True)
class TargetDensity:
    """A density on a grid, interpolated linearly in its logarithm, and constant beyond it."""

    points: FloatArray
    log_density: FloatArray

    def __call__(self, y: FloatArray) -> FloatArray:
        """Return the log-density at each target."""
        return np.interp(y, self.points, self.log_density)


def fit_target_density(y: FloatArray, weights: FloatArray, noise: float) -> TargetDensity | None:
    """Return the density of targets, (n,), of known noise; None for targets without spread."""
    inside = weights > 0
    if not inside.any():  # the squares of residuals are beyond what floating point holds
        return None
    y, weights = y[inside], weights[inside]
    total = float(weights.sum())
    middle = loss_reached(y, weights, 0.5 * total)
    spread = loss_reached(np.abs(y - middle), weights, 0.5 * total) / 0.6745
    bandwidth = max(noise, 0.9 * spread * total**-0.2)
    if not 0 < bandwidth < np.inf:
        return None
    # Targets far beyond the others have no other near: the density is that of the bulk.
    low, high = max(y.min(), middle - 20 * spread), min(y.max(), middle + 20 * spread)
    points = np.linspace(low - 3 * bandwidth, high + 3 * bandwidth, N_POINTS)
    width = points[1] - points[0]
    edges = np.append(points, points[-1] + width) - 0.5 * width
    if not (np.diff(edges) > 0).all():  # the noise is below the rounding of the targets
        return None
    counts, _ = np.histogram(y, edges, weights=weights)
    reach = int(np.ceil(4 * bandwidth / width))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * width / bandwidth) ** 2)
    density = np.convolve(counts, kernel / kernel.sum(), "full")[reach : reach + N_POINTS]
    density = density - 1.0 / kernel.sum()
    density = np.maximum(density, MIN_DENSITY * total / N_POINTS)
    return TargetDensity(points, np.log(density / (density.sum() * width)))
