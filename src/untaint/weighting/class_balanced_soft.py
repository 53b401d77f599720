r"""Class-balanced trimming with sigmoid weights.

.. math:: h_\lambda(l) = \min_w \; \sum_i w_i l_i + \sum_k n_k \log(K \pi_k)
          - \frac1\lambda \sum_i v_i H(w_i / v_i)

with H the binary entropy and the other symbols as in :mod:`~untaint.weighting.class_balanced`. At
the minimum :math:`w_i = v_i \sigma(\lambda (s_{y_i} - l_i))`, with class thresholds s_k such that

.. math:: s_k + \log n_k(s_k) = t, \qquad \textstyle\sum_k n_k(s_k) = n.

For lambda = 1 the weights are the posterior probabilities that labels are correct when a fraction
of them was drawn at random with the classes' frequencies; as lambda grows they tend to 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from scipy.special import expit

from .._typing import BoolArray, FloatArray, IntArray
from .class_balanced import ClassBalanced
from .softplus import weight_entropy

MAX_STEPS = 100
MAX_HALVINGS = 60


@final
@dataclass(frozen=True, eq=False)
class SoftClassBalanced(ClassBalanced):
    """Class-balanced trimming with sigmoids of width ``1 / smoothing`` around the thresholds.

    Parameters
    ----------
    contamination : float
        Share of the total sample weight that is trimmed, in [0, 1).
    groups : array of shape (n,), int
        Class of each sample, 0 to ``n_groups - 1``.
    n_groups : int
        Number of classes.
    smoothing : float
        The parameter lambda > 0, in units of 1 / loss.

    Examples
    --------
    >>> import numpy as np
    >>> rule = SoftClassBalanced(0.25, np.array([0, 0, 1, 1]), 2, smoothing=1.0)
    >>> rule.weights(np.array([0.0, 2.0, 0.0, 2.0]), np.ones(4)).round(2)
    array([0.91, 0.59, 0.91, 0.59])
    """

    smoothing: float = 1.0
    soft: ClassVar[bool] = True

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the weights ``v_i sigmoid(smoothing * (s_k - l_i))``, with k the class of i."""
        if self.contamination == 0:
            return np.array(sample_weight, dtype=float)
        thresholds = self.class_thresholds(losses, sample_weight)
        if not np.isfinite(thresholds).all():
            # A class keeps infinite losses: there is no finite threshold to smooth around.
            return super().weights(losses, sample_weight)
        return sample_weight * expit(self._below(thresholds, losses))

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the value of the hard rule minus the entropy of the weights over lambda."""
        entropy = weight_entropy(weights, sample_weight)
        return super().value_at(weights, losses, sample_weight) - entropy / self.smoothing

    def class_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the threshold s_k of each class, by Newton's method from the hard thresholds."""
        s = super().class_thresholds(losses, sample_weight)
        if self.contamination == 0 or not np.isfinite(s).all():
            return s
        kept = float(self.kept_total(sample_weight))
        present = self._class_sums(sample_weight) > 0
        max_step = 2.0 / self.smoothing + 1.0
        for _ in range(MAX_STEPS):
            part = expit(self._below(s, losses))
            n = np.maximum(self._class_sums(sample_weight * part), 1e-300)
            rise = self.smoothing * self._class_sums(sample_weight * part * (1.0 - part))
            rise = np.maximum(rise, 1e-12 * n)
            level, slope = s + np.log(n), 1.0 + rise / n
            fraction = np.where(present, rise / slope, 0.0)
            t = (kept - n[present].sum() + float(fraction @ level)) / max(fraction.sum(), 1e-290)
            step = np.where(present, (t - level) / slope, 0.0)
            s = s + np.clip(step, -max_step, max_step)
            if float(np.abs(step).max()) <= 1e-12 * (1.0 + float(np.abs(s).max())):
                return s
        return self._by_bisection(losses, sample_weight, kept, present)

    def _by_bisection(
        self, losses: FloatArray, sample_weight: FloatArray, kept: float, present: BoolArray
    ) -> FloatArray:
        """Return the class thresholds by nested bisection, if lambda is too large for Newton."""
        finite = losses[np.isfinite(losses)]
        margin = 40.0 / self.smoothing + 40.0
        ends = float(finite.min()) - margin, float(finite.max()) + margin

        def sums(s: FloatArray) -> FloatArray:
            return self._class_sums(sample_weight * expit(self._below(s, losses)))

        def at(t: float) -> FloatArray:
            low, high = (np.full(self.n_groups, end) for end in ends)
            for _ in range(MAX_HALVINGS):
                middle = 0.5 * (low + high)
                above = middle + np.log(np.maximum(sums(middle), 1e-300)) > t
                low, high = np.where(above, low, middle), np.where(above, middle, high)
            return 0.5 * (low + high)

        low, high = ends[0] + np.log(1e-300), ends[1] + np.log(float(sample_weight.sum()))
        for _ in range(MAX_HALVINGS):
            t = 0.5 * (low + high)
            low, high = (low, t) if sums(at(t)).sum() > kept else (t, high)
        return np.where(present, at(0.5 * (low + high)), 0.0)

    def over(self, groups: IntArray) -> SoftClassBalanced:
        """Return this rule for other samples, whose classes are ``groups``."""
        return SoftClassBalanced(self.contamination, groups, self.n_groups, self.smoothing)

    def _class_sums(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.groups, values, minlength=self.n_groups).astype(float)

    def _below(self, thresholds: FloatArray, losses: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return self.smoothing * (thresholds[self.groups] - losses)
