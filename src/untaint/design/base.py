"""Base classes of designs: samples, their kernel and weights, and the features of a fit.

The hierarchy, by what a design provides:

* :class:`Design`: features of the initial search and of leave-one-out fits, screening of X,
  representative subsamples.

  * :class:`Sketch`: nothing else; no kernel matrix is built.
  * :class:`FitDesign`: a fit to all samples, with its dual coefficients and attainable tolerance.

    * :class:`SystemDesign`: the fit solves linear systems.

      * :class:`~untaint.design.kernel_matrix.KernelMatrixDesign`: any kernel, by its matrix.
      * :class:`~untaint.design.linear.LinearDesign`: the linear kernel, by the columns of X.

    * :class:`~untaint.design.features.FeatureDesign`: any kernel, by blocks of explicit features.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from .._policy import policy
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import in_double
from ..kernels import Kernel, Linear, Precomputed
from ..optim.base import Fit, RidgeSystem
from ..optim.gram import IncrementalGram
from ..optim.low_rank import nystroem_features
from ..screening.radius import (
    EXCLUSION_RADIUS,
    near_rows,
    offset,
    radii,
    radii_of_matrix,
    representatives,
)
from ..screening.screen import Screen, screen
from ..weighting.base import TrimmingRule
from .subsample import Subset

#: Smallest relative tolerance that a solver attains with a matrix in single precision.
SINGLE_TOL = 1e-5


@dataclass(eq=False, repr=False)
class Design(ABC):
    """A design: samples under a kernel, with positive weights, for searches and diagnostics.

    ``X`` is an array or CSR of shape (n, d); the ridge parameter ``alpha`` is the factor of the
    squared norm in the objective.
    """

    kernel: Kernel
    X: Any
    sample_weight: FloatArray
    alpha: float
    fit_intercept: bool

    @abstractmethod
    def dense_features(self, count: int) -> FloatArray:
        """Return at most ``count`` dense features, Nystroem features if the kernel has more."""

    @cached_property
    def init_features(self) -> FloatArray:
        """The dense features of the initial search."""
        return self.dense_features(policy().init_landmarks)

    @cached_property
    def loo_features(self) -> FloatArray:
        """The dense features of leave-one-out fits, more of them where the samples are many."""
        if self.size <= policy().init_landmarks:
            return self.init_features
        return self.dense_features(policy().loo_landmarks)

    @cached_property
    def coarse_features(self) -> FloatArray:
        """The dense features of the first leave-one-out fits: fewer where that saves much."""
        count = policy().coarse_landmarks
        return self.loo_features if self.size <= 1.5 * count else self.dense_features(count)

    def with_alpha(self, alpha: float) -> Self:
        """Return the same rows and features for another alpha."""
        other = copy(self)
        other.alpha = alpha
        return other

    @property
    def size(self) -> float:
        """The number of samples, a weight of k counted as k copies."""
        return max(float(self.sample_weight.sum()), float(len(self.sample_weight)))

    @cached_property
    def radius(self) -> FloatArray:
        """The distance of each sample from the centre of X."""
        if isinstance(self.kernel, Precomputed):
            return radii_of_matrix(self.X, self.sample_weight)
        return radii(self.X, self.sample_weight)

    @cached_property
    def centre(self) -> FloatArray:
        """The point that rows are measured from: an offset of X that an intercept absorbs."""
        return absorbed_offset(self.kernel, self.X, self.sample_weight, self.fit_intercept)

    @cached_property
    def near(self) -> BoolArray:
        """The mask of the samples that take part in estimating scales and in initial fits."""
        return near_rows(self.radius, self.sample_weight)

    @cached_property
    def screen(self) -> Screen:
        """The screening of X for feature outliers."""
        return screen(self.X, self.sample_weight)

    @property
    def feature_outlier(self) -> BoolArray:
        """The mask of the feature outliers."""
        if isinstance(self.kernel, Precomputed):
            return ~near_rows(self.radius, self.sample_weight, EXCLUSION_RADIUS)
        return self.screen.feature_outlier

    def representatives(self, count: int, within: IntArray | None = None) -> Subset:
        """Return at most ``count`` representatives of the samples ``within``, else of the near."""
        pool = np.flatnonzero(self.near) if within is None else within
        ties = None if isinstance(self.kernel, Precomputed) else taken(self.X, pool)
        rows, counts = representatives(ties, self.sample_weight[pool], self.radius[pool], count)
        return Subset(pool[rows], counts)

    @cached_property
    def levels(self) -> list[Subset]:
        """Nested subsets of the initial search, the smallest first and all samples last."""
        levels = [Subset(np.arange(len(self.sample_weight)), self.sample_weight)]
        for count in (policy().init_rows, policy().coarse_rows):
            if max(levels[0].weights.sum(), len(levels[0].rows)) > count:
                within = levels[0].rows[self.near[levels[0].rows]]
                levels.insert(0, self.representatives(count, within))
        return levels


def absorbed_offset(
    kernel: Kernel, X: Any, sample_weight: FloatArray, fit_intercept: bool
) -> FloatArray:
    """Return the offset of X if the kernel is linear and an intercept absorbs it, else zero."""
    if isinstance(kernel, Linear) and fit_intercept:
        return offset(X, sample_weight)
    return np.zeros(X.shape[1])


def measured_from(point: FloatArray, X: Any) -> Any:
    """Return the rows of X minus a point, or X itself if that is zero."""
    return X - point if point.any() else X


def taken(X: Any, rows: IntArray) -> Any:
    """Return rows of X at ascending positions, X itself if these are all."""
    return X if len(rows) == X.shape[0] else X[rows]


@final
class Sketch(Design):
    """A design of Nystroem features without kernel matrix, sufficient for model selection."""

    def with_kernel(self, kernel: Kernel) -> Sketch:
        """Return the same rows, whose radii need not be computed again, under another kernel."""
        other = Sketch(kernel, self.X, self.sample_weight, self.alpha, self.fit_intercept)
        other.radius, other.near = self.radius, self.near
        return other

    def sample(self, count: int) -> Any:
        """Return the rows of X of at most ``count`` representatives."""
        return taken(self.X, self.representatives(count).rows)

    def dense_features(self, count: int) -> FloatArray:
        """Return Nystroem features of at most ``count`` landmarks."""
        landmarks = self.representatives(count).rows
        if isinstance(self.kernel, Precomputed):
            return nystroem_features(in_double(self.X[landmarks]), landmarks)
        X = measured_from(self.centre, self.X)
        if len(landmarks) == len(self.sample_weight):  # symmetric, at half the cost
            return nystroem_features(self.kernel.matrix(X, dtype=np.float64), landmarks)
        values = self.kernel.matrix(X, X[landmarks], dtype=np.float64)
        return nystroem_features(values.T, landmarks)


class FitDesign(Design):
    """A design to which a weighted fit of all samples can be made."""

    #: Whether refits use conjugate gradients, to a tolerance, rather than a factorisation.
    iterative = False
    #: Whether the matrix products of a fit are too small to profit from more than one thread.
    small_products = False

    @abstractmethod
    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the dual coefficients of a fit, shape (n, n_outputs)."""

    def low_rank_system(self) -> RidgeSystem | None:
        """Return a low-rank system for the first concentration steps, None if it saves nothing."""
        return None

    def attainable(self, tol: float) -> float:
        """Return ``tol``, or the smallest tolerance that the precision allows if that is larger."""
        return tol

    def excluded_rows(self, weighting: TrimmingRule, reach: float = EXCLUSION_RADIUS) -> BoolArray:
        """Return the mask of the samples beyond ``reach`` median radii, excluded a priori.

        None is excluded if together they weigh more than the rule may trim.
        """
        if weighting.contamination == 0:
            return np.zeros(len(self.sample_weight), dtype=bool)
        near = near_rows(self.radius, self.sample_weight, reach)
        enough = float(self.sample_weight[near].sum()) >= weighting.kept_total(self.sample_weight)
        return ~near if enough else np.zeros_like(near)


class SystemDesign(FitDesign):
    """A design whose weighted fits are solutions of linear systems."""

    features: Any

    @cached_property
    def gram(self) -> IncrementalGram:
        """The weighted Gram matrix of the features, updated incrementally."""
        return IncrementalGram(self.features)

    @abstractmethod
    def system(self) -> RidgeSystem:
        """Return the system of a weighted ridge fit."""

    @abstractmethod
    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """Return the systems of Newton steps, a low-rank one first where it pays."""
