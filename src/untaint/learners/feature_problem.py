"""Rows by explicit features, in blocks: any number of rows, in as much memory as there is.

Such a fit begins with a pilot, some thousand rows on which everything is tried that would take too
long on all of them, and goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, final

import numpy as np

from .._sums import total
from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from .._validation import in_double, memory_bytes, readable_bytes
from ..exceptions import MemoryLimitError
from ..features import (
    BlockedFeatures,
    ColumnMap,
    FeatureMap,
    LandmarkMap,
    Plan,
    WaveMap,
    components_for,
    plan_blocks,
)
from ..features.dimension import SPECTRUM_ROWS
from ..features.plan import least_bytes
from ..kernels import Kernel
from ..losses import Loss
from ..screening import Screen, centre, distances_from, screen_by_sample, weighted_median
from ..solvers import (
    FeatureNewton,
    Fit,
    PrimalRidge,
    RidgeSystem,
    leverages,
    nystroem_features,
)
from .pilot import PILOT_ROWS, draw_rows, pilot_size
from .problem import EXACT_ROWS, PrimalProblem, Problem, preconditioner_size
from .rows import Rows, Sketch

# Rows up to which features are kept in double precision.
DOUBLE_ROWS = 4000
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
class FeatureProblem(Problem):
    """Any kernel, by features of a map.

    Parameters
    ----------
    kernel, X, row_weights, ridge, fit_intercept
        As in :class:`Problem`.
    feature_map : FeatureMap
    plan : Plan
    pilot_rows : array of indices, optional
        Some thousand rows that stand for all; None if there are few rows anyway.
    is_pilot : bool
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
        row_weights: FloatArray,
        ridge: float,
        fit_intercept: bool,
        feature_map: FeatureMap,
        plan: Plan,
        pilot_rows: IntArray | None = None,
        is_pilot: bool = False,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(kernel, X, row_weights, ridge, fit_intercept)
        self.features = BlockedFeatures(feature_map, X, fit_intercept, plan, n_threads)
        self.pilot_rows = pilot_rows
        self.is_pilot = is_pilot
        self._newton: FeatureNewton | None = None

    @property
    def map(self) -> FeatureMap:
        """From rows to features."""
        return self.features.map

    def pilot(self) -> tuple[IntArray, FeatureProblem]:
        """Some of many rows, each of weight one, and the same problem for them."""
        rows = self.pilot_rows
        assert rows is not None
        plan = self.features.plan
        return rows, pilot_problem(
            self.kernel,
            in_double(self.X[rows]),
            float(total(self.row_weights)),
            self.ridge,
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
        chance = self.features.width / len(self.row_weights) if self.is_pilot else 0.0
        return max(tol, min((REFIT_PART * chance) ** (2 / 3), LOOSEST_TOL))

    @cached_property
    def radius(self) -> FloatArray:
        """Distance of each row from the pilot's centre."""
        if self.pilot_rows is None:
            return super().radius
        middle = centre(self.X[self.pilot_rows], np.ones(len(self.pilot_rows)))
        return distances_from(self.X, middle, self.features.plan.block_rows)

    @cached_property
    def screen(self) -> Screen:
        """Rows whose features are implausible, by what a sample says is plausible."""
        if self.pilot_rows is None:
            return super().screen
        return screen_by_sample(self.X, self.row_weights, self.pilot_rows)

    @cached_property
    def _view(self) -> Rows:
        """How the rows are searched and judged."""
        parts = (self.kernel, self.X, self.row_weights, self.ridge, self.fit_intercept)
        columns = isinstance(self.map, ColumnMap)
        return PrimalProblem(*parts) if columns else Sketch(*parts)

    @property
    def search_features(self) -> FloatArray:
        """Few."""
        return self._view.search_features

    @property
    def judging_features(self) -> FloatArray:
        """More."""
        return self._view.judging_features

    def newton(self, loss: Loss, y: FloatArray) -> FeatureNewton:
        """What refits, the same for the same targets."""
        if self._newton is None or self._newton.y is not y:
            self._newton = FeatureNewton(self.features, loss, y, self._gram_sample)
        return self._newton

    @cached_property
    def _gram_sample(self) -> IntArray | None:
        """Rows whose sums stand for those of all."""
        n, count = len(self.row_weights), ROWS_A_FEATURE * self.features.width
        if self.features.width <= FEW_FEATURES or 2 * count > n:
            return None
        return draw_rows(np.ones(n), count)

    def leverages(self, weights: FloatArray, *, exact: bool = False) -> FloatArray:
        """How much each row bends its own prediction."""
        return leverages(self.features, weights, self.ridge, self._gram_sample, exact=exact)

    def low_rank_system(self) -> RidgeSystem | None:
        """Cheap stand-in, as for a kernel matrix of as many rows; None where it is not cheaper."""
        n = len(self.row_weights)
        size = preconditioner_size(n)
        if self.pilot_rows is not None or n <= EXACT_ROWS or self.map.width <= size:
            return None
        landmarks = self.representatives(size).rows
        values = self.kernel.matrix(self.X[landmarks], self.X, dtype=self.map.dtype)
        return PrimalRidge(nystroem_features(values, landmarks), self.fit_intercept)

    def primal_coef(self, fit: Fit) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the columns as given, and the intercept that goes with them."""
        assert isinstance(self.map, ColumnMap)
        return fit.coef, fit.intercept - self.map.centre @ fit.coef

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Of the linear kernel: any combination of the kept rows that gives the coefficients."""
        coef = fit.coef
        if self.fit_intercept:
            coef = np.vstack([coef, np.zeros(coef.shape[1])])
        inner = np.linalg.lstsq(self.features.gram(weights), coef, rcond=None)[0]
        return weights[:, None] * self.features.values(inner)


def make_feature_problem(
    kernel: Kernel,
    X: Any,
    row_weights: FloatArray,
    ridge: float,
    fit_intercept: bool,
    *,
    approximation: str,
    n_components: int | None,
    memory_limit: Any,
    n_outputs: int,
    rng: np.random.Generator,
    n_threads: int | None = None,
) -> FeatureProblem:
    """Features that suit the kernel, the approximation and the memory.

    Parameters
    ----------
    kernel, X, row_weights, ridge, fit_intercept
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
    rows = draw_rows(row_weights, PILOT_ROWS)
    many = len(rows) < X.shape[0]
    sketch = Sketch(
        kernel,
        in_double(X[rows] if many else X),
        np.ones(len(rows)) if many else row_weights,
        ridge,
        fit_intercept,
    )

    def affordable(count: int, asked: int | None, dtype: Any) -> int:
        return _affordable(count, asked, X.shape[0], n_outputs, dtype, memory_limit)

    weight = float(total(row_weights))
    feature_map = make_map(sketch, weight, approximation, n_components, affordable, rng, n_threads)
    plan = plan_blocks(
        X.shape[0],
        n_outputs,
        feature_map.raw_width,
        feature_map.dtype,
        memory_bytes(memory_limit),
        keep=not feature_map.cheap,
    )
    few = draw_rows(row_weights, pilot_size(feature_map.width, memory_bytes(memory_limit)))
    return FeatureProblem(
        kernel,
        X,
        row_weights,
        ridge,
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
        As in :func:`make_feature_problem`.
    affordable : callable (count, asked for, dtype) -> int
        As many features as memory allows.
    """
    X, kernel = sketch.X, sketch.kernel
    if approximation == "columns":
        affordable(X.shape[1], X.shape[1], np.float64)
        none = np.zeros(X.shape[1])
        middle = _offset(X, sketch.row_weights) if sketch.fit_intercept else none
        return ColumnMap(middle, np.float64)
    count = n_components or _automatic(sketch, total)
    dtype = np.float32 if total > DOUBLE_ROWS else np.float64
    count = affordable(count, n_components, dtype)
    if approximation == "rff":
        middle = centre(X, sketch.row_weights)
        return WaveMap(kernel, X.shape[1], count, rng, middle, dtype)
    with single_threaded_blas():
        return _landmarks(sketch, count, total, n_threads)


def pilot_problem(
    kernel: Kernel,
    X: Any,
    total: float,
    ridge: float,
    fit_intercept: bool,
    feature_map: FeatureMap,
    plan: Plan,
    n_threads: int | None,
) -> FeatureProblem:
    """The problem of many rows, of this weight in total, for a few of them."""
    return FeatureProblem(
        kernel,
        X,
        np.ones(X.shape[0]),
        X.shape[0] / total * ridge,
        fit_intercept,
        feature_map,
        plan,
        is_pilot=True,
        n_threads=n_threads,
    )


def _offset(look: FloatArray, weights: FloatArray) -> FloatArray:
    """What to subtract from the columns, so that sums of squares are accurate: mostly nothing."""
    middle = centre(look, weights)
    spread = weighted_median(np.abs(look - middle), weights)
    return np.where(np.abs(middle) > FAR_FROM_ZERO * spread, middle, 0.0)


def _landmarks(sketch: Sketch, count: int, size: float, n_threads: int | None) -> LandmarkMap:
    """Of rows that are not far out; in single precision for many rows, where that is safe."""
    landmarks = sketch.X[sketch.representatives(count).rows]
    double = LandmarkMap(sketch.kernel, landmarks, np.float64, n_threads)
    if size <= DOUBLE_ROWS:
        return double
    look = sketch.X[sketch.representatives(SPECTRUM_ROWS).rows]
    return double.in_single(look, size / look.shape[0], sketch.ridge) or double


def _automatic(sketch: Sketch, size: float) -> int:
    sample = sketch.X[sketch.representatives(SPECTRUM_ROWS).rows]
    return components_for(sketch.kernel, sample, size, sketch.ridge)


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
