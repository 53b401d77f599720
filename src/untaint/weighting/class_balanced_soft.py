r"""Trimming of labelled rows with a soft edge.

.. math:: h_\lambda(l) = \min_w \; \sum_i w_i l_i + \sum_k n_k \log(K \pi_k)
          - \frac1\lambda \sum_i v_i H(w_i / v_i)

with H the entropy of a coin and the weights as in :mod:`~untaint.weighting.class_balanced`. At the
minimum :math:`w_i = v_i \sigma(\lambda (s_{y_i} - l_i))`, and the classes' thresholds meet at a t:

.. math:: s_k + \log n_k(s_k) = t, \qquad \textstyle\sum_k n_k(s_k) = n.

For lambda = 1 the weights are the probability that a row is right when a share of the rows has
labels drawn at random with the labels' own frequencies; as lambda grows they tend to 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from scipy.special import entr, expit

from .._typing import BoolArray, FloatArray, IntArray
from .class_balanced import ClassBalanced

MAX_STEPS = 100
MAX_HALVINGS = 60


@final
@dataclass(frozen=True, eq=False)
class SoftClassBalanced(ClassBalanced):
    """Sigmoid weights of width ``1 / smoothing`` around each class's threshold.

    Parameters
    ----------
    contamination, groups, n_groups
        As in :class:`~untaint.weighting.class_balanced.ClassBalanced`.
    smoothing : float
        lambda > 0.

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
        """Sigmoid of how far each loss lies below its class's threshold."""
        if self.contamination == 0:
            return np.array(sample_weight, dtype=float)
        thresholds = self.class_thresholds(losses, sample_weight)
        if not np.isfinite(thresholds).all():
            # More losses of a class are infinite than it gives up: no edge to soften.
            return super().weights(losses, sample_weight)
        return sample_weight * expit(self._below(thresholds, losses))

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """As in the hard rule, less the entropy of the weights."""
        kept = weights > 0
        part = weights[kept] / sample_weight[kept]
        entropy = float(sample_weight[kept] @ (entr(part) + entr(1.0 - part)))
        return (
            float(weights[kept] @ losses[kept])
            + self._label_entropy(weights)
            - entropy / self.smoothing
        )

    def class_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """s_k of each class, by Newton's method from the hard rule's."""
        s = super().class_thresholds(losses, sample_weight)
        if self.contamination == 0 or not np.isfinite(s).all():
            return s
        kept = float(self.kept_total(sample_weight))
        sizes = self._class_sums(sample_weight)
        present = sizes > 0
        longest = 2.0 / self.smoothing + 1.0
        for _ in range(MAX_STEPS):
            part = expit(self._below(s, losses))
            n = np.maximum(self._class_sums(sample_weight * part), 1e-300)
            rise = np.maximum(
                self.smoothing * self._class_sums(sample_weight * part * (1.0 - part)), 1e-12 * n
            )
            level = s + np.log(n)
            slope = 1.0 + rise / n
            fraction = np.where(present, rise / slope, 0.0)
            t = (kept - n[present].sum() + float(fraction @ level)) / max(fraction.sum(), 1e-290)
            step = np.where(present, (t - level) / slope, 0.0)
            s = s + np.clip(step, -longest, longest)
            if float(np.abs(step).max()) <= 1e-12 * (1.0 + float(np.abs(s).max())):
                return s
        return self._by_halving(losses, sample_weight, kept, present)

    def _by_halving(
        self, losses: FloatArray, sample_weight: FloatArray, kept: float, present: BoolArray
    ) -> FloatArray:
        """The same for edges too sharp for Newton's method: t, and s_k for every t, by halving."""
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
        """The same classes, other rows."""
        return SoftClassBalanced(self.contamination, groups, self.n_groups, self.smoothing)

    def _class_sums(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.groups, values, minlength=self.n_groups).astype(float)

    def _below(self, thresholds: FloatArray, losses: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return self.smoothing * (thresholds[self.groups] - losses)
