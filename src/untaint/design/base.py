"""Rows under a kernel: what can be searched and judged, whoever fits them.

A search looks at few rows and few features, in levels; a judgement at more of both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from .._policy import policy
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import in_double
from ..kernels import Kernel, Precomputed
from ..optim.low_rank import nystroem_features
from ..screening.radius import EXCLUSION_RADIUS, near_rows, radii, radii_of_matrix, representatives
from ..screening.screen import Screen, screen
from .subsample import Subset


class Design(ABC):
    """Rows under a kernel, with weights of their own: what can be searched and judged.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR of shape (n, d)
    sample_weight : array of shape (n,), positive
    alpha : float
        Strength of the penalty on the squared norm.
    fit_intercept : bool
    """

    def __init__(
        self, kernel: Kernel, X: Any, sample_weight: FloatArray, alpha: float, fit_intercept: bool
    ) -> None:
        self.kernel = kernel
        self.X = X
        self.sample_weight = sample_weight
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def with_alpha(self, alpha: float) -> Self:
        """Return the same rows and features for another alpha."""
        other = copy(self)
        other.alpha = alpha
        return other

    @property
    @abstractmethod
    def init_features(self) -> FloatArray:
        """Dense features, at most a few hundred, that show the rough shape of any fit."""

    @property
    @abstractmethod
    def loo_features(self) -> FloatArray:
        """Dense features, more of them: each row is judged by a fit to the others on these."""

    @property
    def size(self) -> float:
        """Number of rows, copies counted."""
        return max(float(self.sample_weight.sum()), float(len(self.sample_weight)))

    @cached_property
    def radius(self) -> FloatArray:
        """Distance of each row from the centre."""
        if isinstance(self.kernel, Precomputed):
            return radii_of_matrix(self.X, self.sample_weight)
        return radii(self.X, self.sample_weight)

    @cached_property
    def near(self) -> BoolArray:
        """Rows that may set scales and take part in first fits."""
        return near_rows(self.radius, self.sample_weight)

    @cached_property
    def screen(self) -> Screen:
        """What the features alone say of each row."""
        return screen(self.X, self.sample_weight)

    @property
    def feature_outlier(self) -> BoolArray:
        """Rows whose features are implausible."""
        if isinstance(self.kernel, Precomputed):
            return ~near_rows(self.radius, self.sample_weight, EXCLUSION_RADIUS)
        return self.screen.feature_outlier

    def representatives(self, count: int, within: IntArray | None = None) -> Subset:
        """At most so many plausible rows, spread over all of them, or over those within."""
        near = np.flatnonzero(self.near) if within is None else within
        weights = self.sample_weight[near]
        ties = None if isinstance(self.kernel, Precomputed) else self.X[near]
        rows, counts = representatives(ties, weights, self.radius[near], count)
        return Subset(near[rows], counts)

    @cached_property
    def levels(self) -> list[Subset]:
        """Few rows to scout on, more to search on, and all rows; fewer levels for few rows."""
        everything = Subset(np.arange(len(self.sample_weight)), self.sample_weight)
        levels = [everything]
        for count in (policy().init_rows, policy().coarse_rows):
            if max(levels[0].weights.sum(), len(levels[0].rows)) > count:
                within = levels[0].rows[self.near[levels[0].rows]]
                levels.insert(0, self.representatives(count, within))
        return levels


@final
class Sketch(Design):
    """Any kernel, by Nystroem features and without its matrix: enough to choose a setting by."""

    @cached_property
    def init_features(self) -> FloatArray:
        """Nystroem features of few landmarks."""
        return self._nystroem(policy().init_landmarks)

    @cached_property
    def loo_features(self) -> FloatArray:
        """Nystroem features of more landmarks, all rows if they are few."""
        return self._nystroem(policy().loo_landmarks)

    def _nystroem(self, count: int) -> FloatArray:
        landmarks = self.representatives(count).rows
        if isinstance(self.kernel, Precomputed):
            return nystroem_features(in_double(self.X[landmarks]), landmarks)
        values = self.kernel.matrix(self.X[landmarks], self.X, dtype=np.float64)
        return nystroem_features(values, landmarks)
