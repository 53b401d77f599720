r"""Second derivatives of a trimmed objective, with the samples that cross its threshold.

The gradient of a trimmed objective is the sum of the gradients :math:`g_i` of the kept samples. As
the function moves, samples cross the threshold t, so that the Hessian of the objective is not that
of the kept samples, H, but

.. math:: J = H - B, \qquad
          B = \rho \, \operatorname{Cov}(g_i \mid \ell_i = t),

with :math:`\rho` the density of the losses at t. (The covariance and not the second moment, since
the threshold moves along, so that as many samples are kept as before.) A concentration step solves
with H; its error therefore shrinks only by the largest eigenvalue of :math:`H^{-1} B` at a time.

Let :math:`H = L L^T` and :math:`L^{-1} B L^{-T} = Q \Lambda Q^T`. Then

.. math:: J^{-1} = L^{-T} Q (1 - \Lambda)^{-1} Q^T L^{-1},

where :math:`\Lambda` is bounded: B is estimated from few samples of a subsample, and J may be
indefinite away from a minimum.

A pass uses predicted thresholds. If it finds that these were too large by e, it kept about
:math:`\rho e` samples too many, whose gradients are subtracted: their mean is that at t.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import eigh, solve_triangular

from .._typing import FloatArray, IntArray
from .feature_newton import BlockFeatures

# Part of a group of samples that counts as near its threshold, and the least number.
NEAR_SHARE, MIN_NEAR = 0.1, 30
# The largest eigenvalue that is believed: steps are at most 1 / (1 - it) times as long.
MAX_RATE = 0.7


@final
@dataclass(frozen=True)
class Crossing:
    """The samples of a subsample near the thresholds of their groups.

    ``density`` (m,) is the part of each in the density of the losses at the threshold of its group,
    ``groups`` (m,) the group, and ``excess`` (K,) by how much a pass used larger thresholds than
    those that it found.
    """

    density: FloatArray
    groups: IntArray
    excess: FloatArray

    def sums(self, features: BlockFeatures, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return B, (p, p), and the gradient of the samples that were kept in excess, (p, 1).

        The slopes, (m,), are the derivatives of the losses with respect to the predictions.
        """
        B = features.gram(self.density * slopes**2)
        surplus = np.zeros((len(B), 1))
        for k in np.unique(self.groups[self.density > 0]):
            own = np.where(self.groups == k, self.density, 0.0)
            total = features.rmatvec((own * slopes)[:, None])
            B -= total @ total.T / own.sum()
            surplus += self.excess[k] * total
        return B, surplus


def samples_near(
    losses: FloatArray, groups: IntArray, thresholds: FloatArray, used: FloatArray
) -> Crossing | None:
    """Find the samples near the thresholds; None if a used threshold is far from that found.

    The samples with the nearest losses have the density 1 / (2 b), where b is the largest distance
    among them, and the others 0.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.optim.trimmed_hessian import samples_near
    >>> losses = np.linspace(0.0, 2.0, 1001)  # 500 losses in a unit
    >>> one = np.array([1.0])
    >>> round(float(samples_near(losses, np.zeros(1001, dtype=int), one, one).density.sum()))
    500
    """
    density, excess = np.zeros(len(losses)), np.zeros(len(thresholds))
    for k, t in enumerate(thresholds):
        rows = np.flatnonzero((groups == k) & np.isfinite(losses))
        count = max(int(NEAR_SHARE * len(rows)), MIN_NEAR)
        if not np.isfinite(t) or count > len(rows):
            continue
        distance = np.abs(losses[rows] - t)
        near = np.argpartition(distance, count - 1)[:count]
        width = float(distance[near].max())
        excess[k] = used[k] - t
        if not abs(excess[k]) <= width:
            return None
        if width > 0:
            density[rows[near]] = 0.5 / width
    return Crossing(density, groups, excess)


def newton_direction(hessian: FloatArray, crossing: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return -(H - B)^{-1} times the gradient (p, k), with the spectrum of H^{-1} B bounded.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.optim.trimmed_hessian import newton_direction
    >>> newton_direction(2 * np.eye(2), np.diag([1.0, 0.0]), np.ones((2, 1))).ravel()
    array([-1. , -0.5])
    """
    L = np.linalg.cholesky(hessian)
    half = solve_triangular(L, crossing, lower=True)
    rates, Q = eigh(solve_triangular(L, half.T, lower=True))
    scaled = Q.T @ solve_triangular(L, gradient, lower=True)
    scaled /= (1.0 - np.clip(rates, 0.0, MAX_RATE))[:, None]
    return -solve_triangular(L, Q @ scaled, lower=True, trans="T")
