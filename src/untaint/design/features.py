"""The design of any kernel by explicit features in blocks, for any number of samples.

Hyperparameters and initial fit are found on a subsample of a few thousand samples; the fit to all
samples continues from there, within a memory limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, final

import numpy as np

from .._policy import policy
from .._sums import total
from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from .._validation import in_double, memory_bytes, readable_bytes
from ..exceptions import MemoryLimitError
from ..feature_maps.base import FeatureMap
from ..feature_maps.effective_dimension import SPECTRUM_ROWS, components_for
from ..feature_maps.fourier import FourierFeatures
from ..feature_maps.identity import IdentityMap
from ..feature_maps.nystroem import NystroemMap
from ..kernels import Kernel
from ..losses import Loss
from ..optim.base import Fit
from ..optim.feature_newton import FeatureSpace
from ..optim.leverage import leverages
from ..optim.newton import Newton
from ..screening.by_subsample import screen_by_sample
from ..screening.radius import centre, distances_from, offset
from ..screening.screen import Screen
from .base import SINGLE_TOL, Design, FitDesign, Sketch
from .blocked import BlockedFeatures
from .linear import LinearDesign
from .memory_plan import Plan, min_bytes, plan_blocks
from .subsample import ROWS_PER_FEATURE, draw_rows, subsample_size

# The variance of a fit of p features to n samples is p / n of that of the noise: the refits of a
# subsample are solved to this fraction of it, and to a tolerance of at most MAX_TOL.
REFIT_FRACTION = 0.01
MAX_TOL = 1e-3
# Smallest number of features that a memory limit may reduce the automatic number to.
MIN_COMPONENTS = 20
# Up to so many features Gram matrices are sums over all samples, which cost no more than the
# passes that they save; beyond, sums over a subsample of so many samples per feature.
FEW_FEATURES = 128
ROWS_A_FEATURE = 25


@final
@dataclass(eq=False, repr=False)
class FeatureDesign(FitDesign):
    """The design of any kernel by the features of an explicit map.

    ``subsample_rows`` holds the indices of the subsample, None if there are few samples anyway;
    ``is_subsample`` says whether these samples are themselves a subsample of a larger design.
    """

    map: FeatureMap
    plan: Plan
    subsample_rows: IntArray | None = None
    is_subsample: bool = False
    n_threads: int | None = None

    iterative = True
    # Blocks have their own threads, and BLAS rounds differently with several threads than with one.
    small_products = True

    def __post_init__(self) -> None:
        self.features = BlockedFeatures(
            self.map, self.X, self.fit_intercept, self.plan, self.n_threads
        )
        self._newton: Newton[FeatureSpace] | None = None

    def subsample(self) -> tuple[IntArray, FeatureDesign]:
        """Return the indices of the subsample, and its design with weights of one."""
        rows = self.subsample_rows
        assert rows is not None
        n = len(rows)
        alpha = n / float(total(self.sample_weight)) * self.alpha
        return rows, self._part(in_double(self.X[rows]), np.ones(n), alpha)

    def among(self, rows: IntArray) -> FeatureDesign:
        """Return the design of some rows of a subsample, with alpha in proportion."""
        alpha = self.alpha * len(rows) / len(self.sample_weight)
        return self._part(self.X[rows], self.sample_weight[rows], alpha)

    def _part(self, X: Any, sample_weight: FloatArray, alpha: float) -> FeatureDesign:
        """Return the design of some samples on the same features."""
        n = len(sample_weight)
        plan = Plan(min(self.plan.block_rows, n), min(self.plan.kept_rows, n))
        parts = (self.kernel, X, sample_weight, alpha, self.fit_intercept)
        return FeatureDesign(*parts, self.map, plan, None, True, self.n_threads)

    def attainable(self, tol: float) -> float:
        """Return ``tol``, or more if the precision or the variance of a subsample demands it."""
        if self.map.dtype == np.float32:
            tol = max(tol, SINGLE_TOL)
        # The excess of the objective at a tolerance is of the order of its power 3/2.
        variance = self.features.width / len(self.sample_weight) if self.is_subsample else 0.0
        return max(tol, min((REFIT_FRACTION * variance) ** (2 / 3), MAX_TOL))

    @cached_property
    def radius(self) -> FloatArray:
        """The distance of each sample from the centre of the subsample."""
        if self.subsample_rows is None:
            return super().radius
        middle = centre(self.X[self.subsample_rows], np.ones(len(self.subsample_rows)))
        return distances_from(self.X, middle, self.plan.block_rows)

    @cached_property
    def screen(self) -> Screen:
        """The screening of X for feature outliers, fitted to the subsample if there is one."""
        if self.subsample_rows is None:
            return super().screen
        return screen_by_sample(self.X, self.subsample_rows)

    @cached_property
    def _dense(self) -> Design:
        """The design of X that provides dense features, independent of the map."""
        kind = LinearDesign if isinstance(self.map, IdentityMap) else Sketch
        return kind(self.kernel, self.X, self.sample_weight, self.alpha, self.fit_intercept)

    def dense_features(self, count: int) -> FloatArray:
        """Return at most ``count`` dense features of a linear design or a sketch of X."""
        return self._dense.dense_features(count)

    def newton(self, loss: Loss, y: FloatArray) -> Newton[FeatureSpace]:
        """Return the Newton solver of the refits, the same one for the same targets."""
        if self._newton is None or self._newton.y is not y:
            self._newton = Newton(FeatureSpace(self.features, self._gram_sample), loss, y)
        return self._newton

    @cached_property
    def _gram_sample(self) -> IntArray | None:
        """The samples whose sums represent those of all, None for all of them."""
        n, count = len(self.sample_weight), ROWS_A_FEATURE * self.features.width
        if self.features.width <= FEW_FEATURES or 2 * count > n:
            return None
        return draw_rows(np.ones(n), count)

    def leverages(self, weights: FloatArray, *, exact: bool = False) -> FloatArray:
        """Return the leverage of each sample under these weights."""
        return leverages(self.features, weights, self.alpha, self._gram_sample, exact=exact)

    def primal_coef(self, fit: Fit) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the uncentred columns, and their intercept."""
        assert isinstance(self.map, IdentityMap)
        return fit.coef, fit.intercept - self.map.centre @ fit.coef

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return a combination of the kept samples that gives the coefficients; linear only."""
        coef = fit.coef
        if self.fit_intercept:
            coef = np.vstack([coef, np.zeros(coef.shape[1])])
        inner = np.linalg.lstsq(self.features.gram(weights), coef, rcond=None)[0]
        return weights[:, None] * self.features.values(inner)


def make_feature_design(
    kernel: Kernel,
    X: Any,
    sample_weight: FloatArray,
    alpha: float,
    fit_intercept: bool,
    *,
    approximation: str,
    n_components: int | None,
    memory_limit: Any,
    n_outputs: int,
    rng: np.random.Generator,
    n_threads: int | None = None,
    rows_per_feature: int = ROWS_PER_FEATURE,
) -> FeatureDesign:
    """Return a design of features that suit the kernel, the approximation and the memory limit.

    ``approximation`` is "columns", "nystroem", or "rff", whose frequencies ``rng`` draws;
    ``n_components=None`` chooses the number of features by effective dimension and memory limit.
    The subsample of many rows has ``rows_per_feature``, within limits.
    """
    n, limit = X.shape[0], memory_bytes(memory_limit)
    rows = draw_rows(sample_weight, policy().subsample_rows)
    many = len(rows) < n
    sample = (X[rows], np.ones(len(rows))) if many else (X, sample_weight)
    sketch = Sketch(kernel, in_double(sample[0]), sample[1], alpha, fit_intercept)

    affordable = partial(_affordable, n, n_outputs, memory_limit)
    weight = float(total(sample_weight))
    feature_map = make_map(sketch, weight, approximation, n_components, affordable, rng, n_threads)
    width, dtype, keep = feature_map.raw_width, feature_map.dtype, feature_map.cacheable
    plan = plan_blocks(n, n_outputs, width, dtype, limit, keep=keep)
    size = subsample_size(feature_map.width, limit, rows_per_feature)
    few = draw_rows(sample_weight, size) if many else None
    parts = (kernel, X, sample_weight, alpha, fit_intercept, feature_map, plan, few)
    return FeatureDesign(*parts, n_threads=n_threads)


def make_map(
    sketch: Sketch,
    total: float,
    approximation: str,
    n_components: int | None,
    affordable: Callable[[int, int | None, Any], int],
    rng: np.random.Generator,
    n_threads: int | None = None,
) -> FeatureMap:
    """Return the feature map for the kernel and the representative samples of a sketch.

    ``total`` is the weight of all samples; ``affordable(count, n_components, dtype)`` reduces a
    number of features to what memory allows.
    """
    X, weights, kernel = sketch.X, sketch.sample_weight, sketch.kernel
    if approximation == "columns":
        affordable(X.shape[1], X.shape[1], np.float64)
        return IdentityMap(offset(X, weights) if sketch.fit_intercept else np.zeros(X.shape[1]))
    count = n_components
    if count is None:
        count = components_for(kernel, sketch.sample(SPECTRUM_ROWS), total, sketch.alpha)
    dtype = np.float32 if total > policy().double_rows else np.float64
    count = affordable(count, n_components, dtype)
    if approximation == "rff":
        return FourierFeatures(kernel, X.shape[1], count, rng, centre(X, weights), dtype)
    with single_threaded_blas():
        double = NystroemMap(kernel, sketch.sample(count), np.float64, n_threads)
        if dtype == np.float64:
            return double
        sample = sketch.sample(SPECTRUM_ROWS)
        return double.in_single(sample, total / sample.shape[0], sketch.alpha) or double


def _affordable(
    n_rows: int, n_outputs: int, memory_limit: Any, count: int, asked: int | None, dtype: Any
) -> int:
    """Return at most ``count`` features that fit in memory; raise if ``asked`` ones do not."""
    limit = memory_bytes(memory_limit)
    while (needed := min_bytes(n_rows, n_outputs, count, dtype)) > limit:
        if asked is not None or count <= MIN_COMPONENTS:
            raise MemoryLimitError(
                f"memory_limit must be at least {readable_bytes(1.01 * needed)} for {n_rows:,} "
                f"rows and {count:,} components, got {memory_limit!r} ({readable_bytes(limit)})"
                + (": raise it, or lower n_components." if asked is not None else ".")
            )
        count = max(MIN_COMPONENTS, int(0.8 * count))
    return count
