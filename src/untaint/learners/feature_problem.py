"""Rows by explicit features, in blocks: any number of rows, in as much memory as there is.

Such a fit begins with a pilot, some thousand rows on which everything is tried that would take too
long on all of them, and goes on from there.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from .._validation import memory_bytes, readable_bytes
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
from .pilot import PILOT_PART, PILOT_ROWS, draw_rows, pilot_size
from .problem import EXACT_ROWS, PrimalProblem, Problem, preconditioner_size
from .rows import Rows, Sketch

# Rows up to which features are kept in double precision.
DOUBLE_ROWS = 4000
# A fit of p features to n rows leaves p / n of the noise to chance. Where rows are many, these
# parts of it may be left by a refit, and by the last steps of all.
REFIT_PART, SETTLED_PART = 0.01, 0.2
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
        self._inherited: list[FloatArray] = []

    @property
    def map(self) -> FeatureMap:
        """From rows to features."""
        return self.features.map

    def pilot(self) -> tuple[IntArray, FeatureProblem] | None:
        """Some of the rows, each of weight one, and the same problem for them.

        They are a part of very many rows, and then have a pilot of their own. None if rows are few.
        """
        if self.pilot_rows is None:
            return None
        enough, many = len(self.pilot_rows), len(self.row_weights) // PILOT_PART
        rows = draw_rows(self.row_weights, many if many > 2 * enough else enough)
        small = len(rows) <= enough
        part = len(rows) / float(self.row_weights.sum())
        plan, ones = self.features.plan, np.ones(len(rows))
        pilot = FeatureProblem(
            self.kernel,
            self.X[rows],
            ones,
            part * self.ridge,
            self.fit_intercept,
            self.map,
            Plan(min(plan.block_rows, len(rows)), min(plan.kept_rows, len(rows))),
            None if small else draw_rows(ones, enough),
            is_pilot=True,
            n_threads=self.features.n_threads,
        )
        pilot.features.tick = self.features.tick
        return rows, pilot

    def attainable(self, tol: float) -> float:
        """What single precision can give, and what is small beside chance."""
        if self.map.dtype == np.float32:
            tol = max(tol, SINGLE_TOL)
        # A tolerance leaves its 1.5th power of the objective.
        return max(tol, min((REFIT_PART * self._chance) ** (2 / 3), LOOSEST_TOL))

    @property
    def left_to_chance(self) -> float:
        """What is small beside chance."""
        return SETTLED_PART * self._chance

    @property
    def _chance(self) -> float:
        """Part of the noise that a fit of so many features follows; 0 where it is not looked at."""
        large = self.pilot_rows is not None or self.is_pilot
        return self.features.width / len(self.row_weights) if large else 0.0

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
            if self._gram_sample is not None:
                self._newton.inherit(self._inherited)
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

    def inherit(self, pilot: FeatureProblem) -> None:
        """Begin refits with what the pilot summed: its rows are like all others, only fewer."""
        grown = float(self.row_weights.sum()) / float(pilot.row_weights.sum())
        if pilot._newton is not None:
            self._inherited = [grown * sums for sums in pilot._newton.sums]

    def widened(self, fit: Fit) -> Fit:
        """A function found on the pilot, at all rows."""
        coef = fit.coef
        if self.fit_intercept:
            coef = np.vstack([coef, fit.intercept])
        return Fit(fit.coef, fit.intercept, self.features.values(coef), fit.squared_norm)

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
    look = X[rows] if many else X
    weights = np.ones(len(rows)) if many else row_weights
    sketch = Sketch(kernel, look, weights, ridge, fit_intercept)
    dtype = X.dtype
    if approximation == "columns":
        _affordable(X.shape[1], X.shape[1], X.shape[0], n_outputs, dtype, memory_limit)
        middle = _offset(look, weights) if fit_intercept else np.zeros(X.shape[1])
        feature_map: FeatureMap = ColumnMap(middle, dtype)
    else:
        count = n_components or _automatic(sketch, float(row_weights.sum()))
        single = X.dtype == np.float32 or float(row_weights.sum()) > DOUBLE_ROWS
        dtype = np.float32 if single else np.float64
        count = _affordable(count, n_components, X.shape[0], n_outputs, dtype, memory_limit)
        if approximation == "rff":
            middle = centre(look, weights)
            feature_map = WaveMap(kernel, X.shape[1], count, rng, middle, dtype)
        else:
            with single_threaded_blas():
                feature_map = _landmarks(sketch, count, float(row_weights.sum()), n_threads)
            dtype = feature_map.dtype
    plan = plan_blocks(
        X.shape[0],
        n_outputs,
        feature_map.raw_width,
        dtype,
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


def _offset(look: FloatArray, weights: FloatArray) -> FloatArray:
    """What to subtract from the columns, so that sums of squares are accurate: mostly nothing."""
    middle = centre(look, weights)
    spread = weighted_median(np.abs(look - middle), weights)
    return np.where(np.abs(middle) > FAR_FROM_ZERO * spread, middle, 0.0)


def _landmarks(sketch: Sketch, count: int, size: float, n_threads: int | None) -> LandmarkMap:
    """Of rows that are not far out; in single precision for many rows, where that is safe."""
    landmarks = sketch.X[sketch.representatives(count).rows]
    if sketch.X.dtype == np.float32:
        return LandmarkMap(sketch.kernel, landmarks, np.float32, n_threads)
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
