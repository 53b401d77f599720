"""Rows by explicit features, in blocks: any number of rows, in as much memory as there is.

Such a fit begins with a pilot, some thousand rows on which everything is tried that would take too
long on all of them, and goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
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
from ..optim.base import Fit, RidgeSystem
from ..optim.feature_newton import FeatureNewton
from ..optim.leverage import leverages
from ..optim.low_rank import nystroem_features
from ..optim.ridge_primal import PrimalRidge
from ..screening.by_subsample import screen_by_sample
from ..screening.radius import centre, distances_from, weighted_median
from ..screening.screen import Screen
from .base import Design, FitDesign, Sketch
from .blocked import BlockedFeatures
from .kernel_matrix import preconditioner_size
from .linear import LinearDesign
from .memory_plan import Plan, least_bytes, plan_blocks
from .subsample import draw_rows, subsample_size

# A fit of p features to n rows leaves p / n of the noise to chance: this part of it may be left by
# the refits of a pilot.
REFIT_PART = 0.01
SINGLE_TOL, LOOSEST_TOL = 1e-5, 1e-3
# Features up to which sums over all rows cost no more than the passes that they save; beyond, rows
# of a sample for each feature.
# Columns so many deviations away from zero are moved there.
FAR_FROM_ZERO = 10.0
# Fewest features that are worth fitting on.
LEAST_COMPONENTS = 20
FEW_FEATURES = 128
ROWS_A_FEATURE = 25


@final
class FeatureDesign(FitDesign):
    """Any kernel, by features of a map.

    Parameters
    ----------
    kernel, X, sample_weight, ridge, fit_intercept
        As in :class:`Problem`.
    feature_map : FeatureMap
    plan : Plan
    subsample_rows : array of indices, optional
        Some thousand rows that stand for all; None if there are few rows anyway.
    is_subsample : bool
        Whether these rows stand for more of them.
    n_threads : int, optional
    """

    iterative = True
    # Blocks have threads of their own, and BLAS with several rounds otherwise than with one.
    small_products = True

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        sample_weight: FloatArray,
        alpha: float,
        fit_intercept: bool,
        feature_map: FeatureMap,
        plan: Plan,
        subsample_rows: IntArray | None = None,
        is_subsample: bool = False,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(kernel, X, sample_weight, alpha, fit_intercept)
        self.features = BlockedFeatures(feature_map, X, fit_intercept, plan, n_threads)
        self.subsample_rows = subsample_rows
        self.is_subsample = is_subsample
        self._newton: FeatureNewton | None = None

    @property
    def map(self) -> FeatureMap:
        """From rows to features."""
        return self.features.map

    def subsample(self) -> tuple[IntArray, FeatureDesign]:
        """Some of many rows, each of weight one, and the same problem for them."""
        rows = self.subsample_rows
        assert rows is not None
        plan = self.features.plan
        return rows, subsample_design(
            self.kernel,
            in_double(self.X[rows]),
            float(total(self.sample_weight)),
            self.alpha,
            self.fit_intercept,
            self.map,
            Plan(min(plan.block_rows, len(rows)), min(plan.kept_rows, len(rows))),
            self.features.n_threads,
        )

    def attainable(self, tol: float) -> float:
        """What single precision can give, and what is small beside chance."""
        if self.map.dtype == np.float32:
            tol = max(tol, SINGLE_TOL)
        # A tolerance leaves its 1.5th power of the objective.
        chance = self.features.width / len(self.sample_weight) if self.is_subsample else 0.0
        return max(tol, min((REFIT_PART * chance) ** (2 / 3), LOOSEST_TOL))

    @cached_property
    def radius(self) -> FloatArray:
        """Distance of each row from the pilot's centre."""
        if self.subsample_rows is None:
            return super().radius
        middle = centre(self.X[self.subsample_rows], np.ones(len(self.subsample_rows)))
        return distances_from(self.X, middle, self.features.plan.block_rows)

    @cached_property
    def screen(self) -> Screen:
        """Rows whose features are implausible, by what a sample says is plausible."""
        if self.subsample_rows is None:
            return super().screen
        return screen_by_sample(self.X, self.sample_weight, self.subsample_rows)

    @cached_property
    def _view(self) -> Design:
        """How the rows are searched and judged."""
        parts = (self.kernel, self.X, self.sample_weight, self.alpha, self.fit_intercept)
        identity = isinstance(self.map, IdentityMap)
        return LinearDesign(*parts) if identity else Sketch(*parts)

    @property
    def init_features(self) -> FloatArray:
        """Few."""
        return self._view.init_features

    @property
    def loo_features(self) -> FloatArray:
        """More."""
        return self._view.loo_features

    def newton(self, loss: Loss, y: FloatArray) -> FeatureNewton:
        """What refits, the same for the same targets."""
        if self._newton is None or self._newton.y is not y:
            self._newton = FeatureNewton(self.features, loss, y, self._gram_sample)
        return self._newton

    @cached_property
    def _gram_sample(self) -> IntArray | None:
        """Rows whose sums stand for those of all."""
        n, count = len(self.sample_weight), ROWS_A_FEATURE * self.features.width
        if self.features.width <= FEW_FEATURES or 2 * count > n:
            return None
        return draw_rows(np.ones(n), count)

    def leverages(self, weights: FloatArray, *, exact: bool = False) -> FloatArray:
        """How much each row bends its own prediction."""
        return leverages(self.features, weights, self.alpha, self._gram_sample, exact=exact)

    def low_rank_system(self) -> RidgeSystem | None:
        """Cheap stand-in, as for a kernel matrix of as many rows; None where it is not cheaper."""
        n = len(self.sample_weight)
        size = preconditioner_size(n)
        if self.subsample_rows is not None or n <= policy().exact_rows or self.map.width <= size:
            return None
        landmarks = self.representatives(size).rows
        values = self.kernel.matrix(self.X[landmarks], self.X, dtype=self.map.dtype)
        return PrimalRidge(nystroem_features(values, landmarks), self.fit_intercept)

    def primal_coef(self, fit: Fit) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the columns as given, and the intercept that goes with them."""
        assert isinstance(self.map, IdentityMap)
        return fit.coef, fit.intercept - self.map.centre @ fit.coef

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Of the linear kernel: any combination of the kept rows that gives the coefficients."""
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
) -> FeatureDesign:
    """Features that suit the kernel, the approximation and the memory.

    Parameters
    ----------
    kernel, X, sample_weight, ridge, fit_intercept
        As in :class:`Problem`.
    approximation : {"columns", "nystroem", "rff"}
    n_components : int or None
        None is as many as the kernel and the memory ask for.
    memory_limit : int or str
    n_outputs : int
    rng : Generator
        Draws the frequencies of ``"rff"``.
    n_threads : int, optional
    """
    rows = draw_rows(sample_weight, policy().subsample_rows)
    many = len(rows) < X.shape[0]
    sketch = Sketch(
        kernel,
        in_double(X[rows] if many else X),
        np.ones(len(rows)) if many else sample_weight,
        alpha,
        fit_intercept,
    )

    def affordable(count: int, asked: int | None, dtype: Any) -> int:
        return _affordable(count, asked, X.shape[0], n_outputs, dtype, memory_limit)

    weight = float(total(sample_weight))
    feature_map = make_map(sketch, weight, approximation, n_components, affordable, rng, n_threads)
    plan = plan_blocks(
        X.shape[0],
        n_outputs,
        feature_map.raw_width,
        feature_map.dtype,
        memory_bytes(memory_limit),
        keep=not feature_map.cheap,
    )
    few = draw_rows(sample_weight, subsample_size(feature_map.width, memory_bytes(memory_limit)))
    return FeatureDesign(
        kernel,
        X,
        sample_weight,
        alpha,
        fit_intercept,
        feature_map,
        plan,
        few if many else None,
        n_threads=n_threads,
    )


def make_map(
    sketch: Sketch,
    total: float,
    approximation: str,
    n_components: int | None,
    affordable: Callable[[int, int | None, Any], int],
    rng: np.random.Generator,
    n_threads: int | None = None,
) -> FeatureMap:
    """Features that suit a kernel and rows, of which some are at hand.

    Parameters
    ----------
    sketch : Sketch
        Rows that stand for all.
    total : float
        Weight of all rows.
    approximation, n_components, rng, n_threads
        As in :func:`make_feature_design`.
    affordable : callable (count, asked for, dtype) -> int
        As many features as memory allows.
    """
    X, kernel = sketch.X, sketch.kernel
    if approximation == "columns":
        affordable(X.shape[1], X.shape[1], np.float64)
        none = np.zeros(X.shape[1])
        middle = _offset(X, sketch.sample_weight) if sketch.fit_intercept else none
        return IdentityMap(middle, np.float64)
    count = n_components or _automatic(sketch, total)
    dtype = np.float32 if total > policy().double_rows else np.float64
    count = affordable(count, n_components, dtype)
    if approximation == "rff":
        middle = centre(X, sketch.sample_weight)
        return FourierFeatures(kernel, X.shape[1], count, rng, middle, dtype)
    with single_threaded_blas():
        return _landmarks(sketch, count, total, n_threads)


def subsample_design(
    kernel: Kernel,
    X: Any,
    total: float,
    alpha: float,
    fit_intercept: bool,
    feature_map: FeatureMap,
    plan: Plan,
    n_threads: int | None,
) -> FeatureDesign:
    """The problem of many rows, of this weight in total, for a few of them."""
    return FeatureDesign(
        kernel,
        X,
        np.ones(X.shape[0]),
        X.shape[0] / total * alpha,
        fit_intercept,
        feature_map,
        plan,
        is_subsample=True,
        n_threads=n_threads,
    )


def _offset(reference: FloatArray, weights: FloatArray) -> FloatArray:
    """What to subtract from the columns, so that sums of squares are accurate: mostly nothing."""
    middle = centre(reference, weights)
    spread = weighted_median(np.abs(reference - middle), weights)
    return np.where(np.abs(middle) > FAR_FROM_ZERO * spread, middle, 0.0)


def _landmarks(sketch: Sketch, count: int, size: float, n_threads: int | None) -> NystroemMap:
    """Of rows that are not far out; in single precision for many rows, where that is safe."""
    landmarks = sketch.X[sketch.representatives(count).rows]
    double = NystroemMap(sketch.kernel, landmarks, np.float64, n_threads)
    if size <= policy().double_rows:
        return double
    reference = sketch.X[sketch.representatives(SPECTRUM_ROWS).rows]
    return double.in_single(reference, size / reference.shape[0], sketch.alpha) or double


def _automatic(sketch: Sketch, size: float) -> int:
    sample = sketch.X[sketch.representatives(SPECTRUM_ROWS).rows]
    return components_for(sketch.kernel, sample, size, sketch.alpha)


def _affordable(
    count: int, asked: int | None, n_rows: int, n_outputs: int, dtype: Any, memory_limit: Any
) -> int:
    """As many features as memory allows, or an error if more were asked for."""
    limit = memory_bytes(memory_limit)
    while asked is None and count > LEAST_COMPONENTS:
        if least_bytes(n_rows, n_outputs, count, dtype) <= limit:
            break
        count = max(LEAST_COMPONENTS, int(0.8 * count))
    needed = least_bytes(n_rows, n_outputs, count, dtype)
    if needed > limit:
        raise MemoryLimitError(
            f"memory_limit must be at least {readable_bytes(1.01 * needed)} for {n_rows:,} rows "
            f"and {count:,} components, got {memory_limit!r} ({readable_bytes(limit)})"
            + (": raise it, or lower n_components." if asked is not None else ".")
        )
    return count
