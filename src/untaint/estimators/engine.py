r"""The robust fit that all batch estimators share, as functions.

.. math:: \min_{g, b} \; h\bigl(\ell(y, g(X) + b)\bigr) + \alpha \|g\|^2, \qquad \|g\| \le R

:func:`fit_robust` is the table of contents: select hyperparameters, build the design, find where to
start and how many rows are outliers, solve. A task (:mod:`~untaint.estimators.task`) supplies the
loss, the weighting rule and the solvers.

Targets that lie far from zero are measured from their median where an intercept takes it up: sums
of squares of targets such as 1e9 + 0.1 would keep none of the digits in which they differ.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from .._policy import policy
from .._sums import total
from .._threads import single_threaded_blas
from .._typing import FloatArray
from .._validation import check_rate, in_double, memory_bytes
from ..design.base import FitDesign, measured_from
from ..design.features import FeatureDesign, make_feature_design
from ..design.kernel_matrix import KernelMatrixDesign, make_design, matrix_dtype
from ..design.partitioned import InMemoryDesign, PartitionedDesign
from ..design.subsample import draw_rows
from ..feature_maps.fourier import FOURIER_KERNELS
from ..kernels import Kernel, Linear, Precomputed
from ..learners.base import on_passes, on_stage
from ..optim.base import Callback, Fit, Progress, Solution
from ..optim.c_steps import ExactRefits, c_steps
from ..optim.checkpoint import Checkpoint
from ..optim.norm_ball import solve_in_ball
from ..optim.projected_gradient import TrimmedProblem, projected_gradient
from ..screening.radius import offset
from ..weighting.fixed import FixedWeights
from .large_scale import fit_large_scale
from .state import Hyperparameters, InitialState, RobustFit, SolverStage, TrainingData
from .task import Task

if TYPE_CHECKING:
    from .base import SubquantileEstimator


def fit_robust(
    task: Task, data: TrainingData, callback: Callback, saved: Checkpoint | None
) -> RobustFit:
    """Fit to rows of which some are wrong; of the estimator, its parameters alone are read."""
    on_stage(callback, "kernel and alpha")
    hyper = select_on_subsample(task, data)
    data = data.transformed(hyper.transform)
    width = None if saved is None else saved.width
    design = build_design(task, hyper, data, width)
    if saved is not None and isinstance(design, FeatureDesign):
        saved.width = design.map.raw_width  # whatever memory is free when the fit goes on
    on_passes(callback, design)
    on_stage(callback, "")
    with single_threaded_blas() if design.small_products else nullcontext():
        if isinstance(design, FeatureDesign) and design.subsample_rows is not None:
            initial, solution = fit_many_rows(task, design, data.y, callback, saved)
        else:
            initial, solution = fit_rows(task, design, data.y, hyper, callback, saved)
    return RobustFit(data, design, initial, solution, hyper)


def select_on_subsample(task: Task, data: TrainingData) -> Hyperparameters:
    """Select kernel and alpha, on a subsample if the rows are many."""
    params, rows = task.params, data.rows
    if rows.shape[0] <= policy().subsample_rows or params._pairwise:
        return params._select(task, rows, data.y, data.counts, data.weights)
    chosen = draw_rows(data.weights, policy().subsample_rows)
    X, weight = in_double(rows[chosen]), float(total(data.weights))
    return select_for_total(task, X, data.y[chosen], weight)


def select_for_total(task: Task, X: Any, y: FloatArray, total: float) -> Hyperparameters:
    """Select kernel and alpha on rows that represent others of this weight in total."""
    weights = np.full(len(y), total / len(y))
    # A posterior is of these rows alone, and the fit has others.
    return task.params._select(task, X, y, weights, weights)._replace(posterior=None)


def build_design(
    task: Task, hyper: Hyperparameters, data: TrainingData, n_components: int | None
) -> FitDesign:
    """Return the design that suits kernel, solver, approximation and memory."""
    params = task.params
    parts = (hyper.kernel, data.rows, data.weights, hyper.alpha, params.fit_intercept)
    iterative = None if params.solver in params._by_size else params.solver == "iterative"
    features = explicit_features(params, hyper.kernel, data.rows, iterative)
    if features is None:
        return make_design(
            *parts,
            iterative=iterative,
            matrix=params.solver == "gradient",
            memory_limit=params.memory_limit,
            otherwise='approximation="nystroem"',
            n_threads=params._n_threads,
        )
    if not isinstance(params.n_components, str):
        n_components = params.n_components
    return make_feature_design(
        *parts,
        approximation=features,
        n_components=n_components,
        memory_limit=params.memory_limit,
        n_outputs=data.y.shape[1],
        rng=task.rng(),
        n_threads=params._n_threads,
        rows_per_feature=task.rows_per_feature,
    )


def explicit_features(
    params: SubquantileEstimator, kernel: Kernel, X: Any, iterative: bool | None
) -> str | None:
    """Return which features to fit on; None for a kernel matrix, or for few columns."""
    n, d = X.shape
    asked = params.approximation if params.approximation != "auto" else None
    if asked is not None:
        check_approximation(params, kernel, asked)
    if isinstance(kernel, Precomputed) or params.solver == "gradient":
        return None
    if isinstance(kernel, Linear) and d <= n:
        return "columns" if n > policy().subsample_rows and not sparse.issparse(X) else None
    if asked is not None or params.approximation is None:
        return asked
    needed = n**2 * np.dtype(matrix_dtype(n, iterative)).itemsize
    return "nystroem" if needed > memory_bytes(params.memory_limit) else None


def check_approximation(params: SubquantileEstimator, kernel: Kernel, asked: str) -> None:
    """Raise an error if an approximation does not suit the kernel and the solver."""
    if isinstance(kernel, Precomputed):
        raise ValueError(
            'approximation must be None or "auto" for kernel="precomputed", whose rows nobody '
            f"knows, got {asked!r}."
        )
    if params.solver == "gradient":
        raise ValueError(
            'approximation must be None or "auto" for solver="gradient", which is defined by '
            f"the kernel matrix, got {asked!r}."
        )
    if asked == "rff" and kernel.name not in FOURIER_KERNELS:
        raise ValueError(
            f'approximation="rff" needs a kernel of the difference of two rows, one of '
            f'{", ".join(FOURIER_KERNELS)}, got {kernel.name!r}: use "nystroem".'
        )


def target_origin(task: Task, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the point, (k,), that targets are measured from: their weighted median, or zero.

    It is zero for targets that do not lie far from zero, without an intercept, and where the first
    step depends on the size of the targets.
    """
    params = task.params
    absorbed = params.fit_intercept and task.loss.of_differences
    if not absorbed or params.solver == "gradient" or params.init == "zeros":
        return np.zeros(y.shape[1])
    return offset(y, weights)


def fit_rows(
    task: Task,
    design: FitDesign,
    y: FloatArray,
    hyper: Hyperparameters,
    callback: Callback,
    saved: Checkpoint | None = None,
    slack: float = 0.0,
) -> tuple[InitialState, Solution]:
    """Find where to start, and minimise the robust objective from there up to some slack."""
    origin = target_origin(task, y, design.sample_weight)
    y = measured_from(origin, y)
    initial = task.initialise(design, y, hyper)
    solution = solve(task, design, y, initial, callback, saved, slack)
    if origin.any():
        solution = replace(solution, fit=solution.fit.shifted(origin))
    return initial, solution


def solve(
    task: Task,
    design: FitDesign,
    y: FloatArray,
    initial: InitialState,
    callback: Callback,
    saved: Checkpoint | None = None,
    slack: float = 0.0,
) -> Solution:
    """Minimise the robust objective from an initial state, up to some slack."""
    params = task.params
    if params.solver == "gradient":
        assert isinstance(design, KernelMatrixDesign)
        return _descend(task, design, y, initial, callback)
    if isinstance(initial.weighting, FixedWeights):
        return _solve_once(task, design, y, initial, callback)
    excluded = design.excluded_rows(initial.weighting, task.exclusion_radius)
    weights = initial.weights
    for number, stage in enumerate(task.stages(design, y, initial)):
        if saved is not None and saved.stage > number:
            continue  # the checkpoint was written after this stage
        systems = [] if stage.system is None else [stage.system]
        refit = _in_ball(stage, design.alpha, params.norm_bound)
        data = (y, design.sample_weight, weights, design.alpha)
        tol = max(stage.tol, design.attainable(float(params.tol)))
        rest = (tol, stage.loose, excluded, slack)
        process = ExactRefits(refit, task.fit_loss(initial), initial.weighting, *data, *rest)
        slot = None if saved is None else saved.at(number, systems)
        solution = c_steps(process, max_iter=params._max_iter(), callback=callback, slot=slot)
        weights = solution.weights
    return solution


def fit_many_rows(
    task: Task, design: FeatureDesign, y: FloatArray, callback: Callback, saved: Checkpoint | None
) -> tuple[InitialState, Solution]:
    """Fit to a subsample, then take concentration steps on all rows in memory."""
    rows = InMemoryDesign(design, task.loss, y, task.groups(y))
    initial, start = fit_subsample(task, rows, callback)
    on_stage(callback, f"all {len(y):,} rows")
    return fit_large_scale(
        rows.with_loss(task.fit_loss(initial)),
        initial,
        start,
        max_radius=task.exclusion_radius,
        norm_bound=task.params.norm_bound,
        tol=float(task.params.tol),
        max_iter=task.params._max_iter(),
        callback=callback,
        slot=None if saved is None else saved.at(0),
    ).for_all_samples()


def fit_subsample(
    task: Task, rows: PartitionedDesign, callback: Callback
) -> tuple[InitialState, Solution]:
    """Fit to the subsample of many rows, at the hyperparameters of the fit to all of them."""
    subsample = rows.subsample
    hyper = Hyperparameters(subsample.kernel, subsample.alpha)
    on_stage(callback, f"first {len(rows.y):,} rows")
    each = float(subsample.sample_weight.mean())
    slack = task.sampling_slack * each * subsample.features.width * rows.y.shape[1]
    return fit_rows(task, subsample, rows.y, hyper, callback, slack=slack)


def _solve_once(
    task: Task, design: FitDesign, y: FloatArray, initial: InitialState, callback: Callback
) -> Solution:
    """Solve for weights that do not depend on the losses.

    In single precision a rough solve goes first: the second one starts from its residual, which is
    one step of iterative refinement.
    """
    params, stage = task.params, task.stages(design, y, initial)[-1]
    tol = max(stage.tol, design.attainable(float(params.tol)))
    refit = _in_ball(stage, design.alpha, params.norm_bound)
    refined = tol > params.tol and stage.loose > tol
    start = refit(initial.weights, None, stage.loose) if refined else None
    fit = refit(initial.weights, start, tol)
    losses = task.fit_loss(initial).value(y, fit.predictions)
    value = initial.weighting.value_at(initial.weights, losses, design.sample_weight)
    value += design.alpha * fit.squared_norm
    callback(Progress(1, 1, value, 0))
    return Solution(fit, initial.weights, [value], 1 + refined)


def _in_ball(stage: SolverStage, alpha: float, norm_bound: float | None) -> Any:
    """Return a solver over the norm ball: (weights, start, tol) -> Fit."""

    def refit(weights: FloatArray, start: Fit | None, tol: float) -> Fit:
        def at(alpha: float, start: Fit | None, tol: float) -> Fit:
            return stage.solve(weights, alpha, start, tol)

        return solve_in_ball(at, alpha, norm_bound, start, tol)

    return refit


def _descend(
    task: Task, design: KernelMatrixDesign, y: FloatArray, initial: InitialState, callback: Callback
) -> Solution:
    """Run the papers' projected functional gradient method."""
    rule, rows = initial.weighting, (y, design.sample_weight, design.alpha)
    params = task.params
    settings = (params.fit_intercept, params.norm_bound)
    trimmed = TrimmedProblem(design.K, task.fit_loss(initial), rule, *rows, *settings)
    coef = np.zeros(y.shape)
    if params.init == "random":
        # Algorithm 3 of the first version, line 1.
        width = np.sqrt(6.0 / len(y))
        coef = task.rng().uniform(-width, width, y.shape)
    return projected_gradient(
        trimmed,
        coef,
        acceleration=params.acceleration,
        learning_rate=check_rate(params.learning_rate),
        momentum=float(params.momentum),
        tol=float(params.tol),
        max_iter=params._max_iter(),
        callback=callback,
    )
