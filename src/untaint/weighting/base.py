r"""Base classes of the weighting rules: a concave function of the losses and its gradient.

A rule aggregates the losses l of n samples into one number h(l), concave and increasing in l. The
weights of the samples are its gradient w = h'(l). Because h is concave,

.. math:: h(l') \le h(l) + \sum_i w_i (l'_i - l_i)  \quad\text{for every } l',

a refit with the weights w cannot increase h: alternating weights and refits descends, for trimming
(the concentration step) and for its smooth forms.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._typing import FloatArray, IntArray


class WeightingRule(ABC):
    """A concave, increasing function h of the losses, whose gradient gives sample weights."""

    #: Whether weights vary smoothly with the losses; a hard rule gives all of a weight or none.
    soft: ClassVar[bool] = False
    #: Steepness lambda of a soft threshold; None for a hard one.
    smoothing: float | None = None

    @abstractmethod
    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the weights h'(l), proportional to ``sample_weight`` among equal losses."""

    def value(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the aggregate h(l)."""
        return self.value_at(self.weights(losses, sample_weight), losses, sample_weight)

    @abstractmethod
    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return h(l) for a caller that has already computed ``weights(losses, sample_weight)``."""


@dataclass(frozen=True)
class TrimmingRule(WeightingRule):
    """A rule that keeps the fraction ``1 - contamination`` of the samples with the smallest losses.

    Weights are at most the samples' own, and sum to :meth:`kept_total`: the ``contamination`` in
    [0, 1) is the share of the total weight that is trimmed.
    """

    contamination: float

    @abstractmethod
    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the loss t that separates kept from trimmed samples."""

    def among(self, rows: IntArray) -> TrimmingRule:
        """Return this rule restricted to the samples of the given indices."""
        return self

    def over(self, groups: IntArray) -> TrimmingRule:
        """Return this rule for other samples, whose classes are ``groups``."""
        return self

    def totals(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the kept weight of each class; all samples are one class unless overridden."""
        return np.array([self.kept_total(sample_weight)])

    def class_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the loss threshold of each class."""
        return np.array([self.threshold(losses, sample_weight)])

    def label_entropy(self, totals: FloatArray) -> float:
        """Return the term of h besides the kept losses, from the kept weight of each class."""
        return 0.0

    def kept_total(self, sample_weight: FloatArray) -> float:
        """Return the weight to keep, ``(1 - contamination) * sum(sample_weight)``.

        Of counts and equal weights, whole samples: a fraction of one outlier can ruin a fit.
        """
        kept = (1.0 - self.contamination) * float(sample_weight.sum())
        unit = unit_weight(sample_weight)
        if unit is None or self.contamination == 0:
            return kept
        # 0.55 * 100 is 55.00000000000001 here, and 0.8 * 10 may be rounded to less than 8.
        return max(1.0, np.floor(kept / unit + 1e-9)) * unit


def unit_weight(sample_weight: FloatArray) -> float | None:
    """Return the weight of one sample: 1 for counts, else the common weight, None without one."""
    if len(sample_weight) and (sample_weight == sample_weight[0]).all():
        sample_weight = sample_weight[:1]  # the usual case, without copies
    present = sample_weight[sample_weight > 0]
    if (present == np.floor(present)).all():
        return 1.0  # before the common weight: a weight of two is two copies of a sample
    return float(present[0]) if (present == present[0]).all() else None
