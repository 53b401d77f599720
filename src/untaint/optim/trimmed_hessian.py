r"""Second derivatives of a trimmed objective, with the samples that cross its threshold.

The gradient of a trimmed objective is the sum of the gradients :math:`g_i` of the kept samples. As
the function moves, samples cross the threshold t, so that the Hessian of the objective is not that
of the kept samples, H, but

.. math:: J = H - B, \qquad
          B = \rho \, \operatorname{Cov}(g_i \mid \ell_i = t),

with :math:`\rho` the density of the losses at t. (The covariance and not the second moment, since
the threshold moves along, so that as many samples are kept as before.) A concentration step solves
with H; its error therefore shrinks only by the largest eigenvalue of :math:`H^{-1} B` at a time.

No matrix B is needed. Under the concentration step d, the losses of samples near the threshold
change by :math:`\delta_i = g_i^T d`, and

.. math:: B d = \sum_i \rho_i\, g_i\, (\delta_i - \bar\delta),

where :math:`\rho_i` is the part of a sample in the density, and the mean is that of its group. Two
steps of Lanczos' method from d give the best step :math:`J^{-1} H d` in the span of d and
:math:`w = H^{-1} B d`. There the eigenvalues of :math:`H^{-1} B` are bounded: B is estimated from
few samples of a subsample, and J may be indefinite away from a minimum.

A pass uses predicted thresholds. The histogram of its losses tells how many samples it kept too
many, or too few: as many times the mean gradient at t are subtracted.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import FloatArray, IntArray

# Part of a group of samples that counts as near its threshold, and the least number.
NEAR_SHARE, MIN_NEAR = 0.1, 30
# The largest eigenvalue that is believed: steps are at most 1 / (1 - it) times as long.
MAX_RATE = 0.5


@final
@dataclass(frozen=True)
class Crossing:
    """The samples of a subsample near the thresholds of their groups.

    ``density`` (m,) is the part of each in the density of the losses at the threshold of its group,
    ``groups`` (m,) the group, and ``excess`` (K,) the weight of the subsample's part of the samples
    that a pass kept in excess.
    """

    density: FloatArray
    groups: IntArray
    excess: FloatArray

    def excess_slopes(self, slopes: FloatArray) -> FloatArray:
        """Return the slopes (m, k) of the losses, times the excess of samples that each stands for.

        Their products with the features sum to the gradient of the samples kept in excess.
        """
        each = self.excess / np.maximum(self._totals, np.finfo(float).tiny)
        return (self.density * each[self.groups])[:, None] * slopes

    def slopes_of(self, slopes: FloatArray, step: FloatArray) -> FloatArray:
        """Return u with B d = Phi^T u, of shape (m, k), for the values (m, k) of a step d.

        The slopes are the derivatives of the losses with respect to the predictions.
        """
        change = np.einsum("ij,ij->i", slopes, step)
        sums = np.bincount(self.groups, self.density * change, len(self.excess))
        mean = sums / np.maximum(self._totals, np.finfo(float).tiny)
        return (self.density * (change - mean[self.groups]))[:, None] * slopes

    @property
    def _totals(self) -> FloatArray:
        return np.asarray(np.bincount(self.groups, self.density, len(self.excess)), dtype=float)


def samples_near(
    losses: FloatArray, groups: IntArray, thresholds: FloatArray, excess: FloatArray
) -> Crossing | None:
    """Find the samples near the thresholds; None if they are fewer than were kept in excess.

    With b the largest distance among the samples of nearest losses, one at the distance a has the
    density (1 - a / b) / b; others have 0.
    """
    density = np.zeros(len(losses))
    for k, t in enumerate(thresholds):
        rows = np.flatnonzero((groups == k) & np.isfinite(losses))
        count = max(int(NEAR_SHARE * len(rows)), MIN_NEAR)
        if not np.isfinite(t) or count > len(rows):
            count = 0
        if not abs(excess[k]) <= 0.5 * count:
            return None
        if count:
            distance = np.abs(losses[rows] - t)
            near = np.argpartition(distance, count - 1)[:count]
            width = float(distance[near].max())
            if width > 0:
                density[rows[near]] = (1.0 - distance[near] / width) / width
    return Crossing(density, groups, excess)


def lanczos_weights(size: float, products: FloatArray) -> tuple[float, float]:
    """Return the parts of d and w = H^{-1} B d in the step J^{-1} H d.

    ``size`` is d^T H d, and ``products`` holds (d, w)^T B (d, w).
    """
    first = products[0, 0] / size
    left = products[0, 1] - first * products[0, 0]
    if left <= 1e-12 * abs(products[0, 1]):
        return 1.0 / (1.0 - float(np.clip(first, 0.0, MAX_RATE))), 0.0
    beside = np.sqrt(left / size)
    second = products[1, 1] - 2.0 * first * products[0, 1] + first**2 * products[0, 0]
    rates, Q = np.linalg.eigh(np.array([[first, beside], [beside, second / left]]))
    one, two = Q @ (Q[0] / (1.0 - np.clip(rates, 0.0, MAX_RATE)))
    return float(one - two * first / beside), float(two / beside)
