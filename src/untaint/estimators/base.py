r"""The fit that all batch estimators share.

.. math:: \min_{g, b} \; h\bigl(\ell(y, g(X) + b)\bigr) + \alpha \|g\|^2, \qquad \|g\| \le R

A task says what the loss is, how rows are selected, where to begin and how to refit for given
weights; everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._policy import policy
from .._sums import total
from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_contamination, check_rate, check_real, in_double
from ..contamination.residual_mixture import OutlierPosterior
from ..design.base import FitDesign, Sketch
from ..design.features import FeatureDesign
from ..design.kernel_matrix import KernelMatrixDesign
from ..design.partitioned import InMemoryData, PartitionedData
from ..design.subsample import draw_rows
from ..diagnostics import Diagnostics, diagnose
from ..exceptions import AmbiguousContaminationWarning
from ..kernels import Kernel
from ..learners.base import as_2d, on_passes, on_stage, take
from ..losses import Loss
from ..optim.base import Callback, Fit, Solution
from ..optim.c_steps import LOOSE, alternate
from ..optim.checkpoint import Checkpoint, Stateful
from ..optim.norm_ball import solve_in_ball
from ..optim.oracle import evaluate_losses
from ..optim.projected_gradient import TrimmedProblem, projected_gradient
from ..outliers.audit import LooDiagnostics, audit_table, q_values
from ..weighting.base import TrimmingRule
from .fit_key import fit_key
from .large_scale import InitialState, LargeScaleFit
from .parameters import Parameters

# What to do when the rows that are kept keep changing.
REMEDY = "raise max_iter, or alpha if the kept rows keep changing"

Solve = Callable[[FloatArray, float, Fit | None, float], Fit]


@dataclass(frozen=True)
class SolverStage:
    """A way to refit for given weights, ridge, start and tolerance.

    Attributes
    ----------
    solve : callable
    loose : float
        Tolerance of refits whose rows are about to change.
    tol : float
        Tolerance that is tight enough, whatever was asked for.
    system : object
        What it solves with, if that has something for a checkpoint to remember.
    """

    solve: Solve
    loose: float
    tol: float = 0.0
    system: Stateful | None = None


@dataclass(frozen=True)
class Hyperparameters:
    """Kernel and ridge, and how far the rows are trusted if that came to light on the way."""

    kernel: Kernel
    alpha: float
    posterior: OutlierPosterior | None = None


class SubquantileEstimator(Parameters):
    """From rows to a fit and to verdicts on the rows."""

    @abstractmethod
    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, FloatArray, FloatArray]:
        """X, the targets of the loss in columns, and how many copies each row stands for."""

    def _class_weighted(self, counts: FloatArray) -> FloatArray:
        """What each row weighs in the fit, from how many copies it stands for."""
        return counts

    @property
    @abstractmethod
    def _loss(self) -> Loss: ...

    def _select(
        self,
        X: Any,
        y: FloatArray,
        counts: FloatArray,
        sample_weight: FloatArray,
        contamination: float | None,
    ) -> Hyperparameters:
        """Kernel and ridge. Scales are of the rows, however much they weigh in the fit."""
        return Hyperparameters(self._make_kernel(X, counts), float(self.alpha))

    @abstractmethod
    def _initialise(
        self,
        design: FitDesign,
        y: FloatArray,
        contamination: float | None,
        posterior: OutlierPosterior | None,
    ) -> InitialState:
        """Selection, and where to start; trust, if the rows have been judged already."""

    @abstractmethod
    def _stages(self, design: FitDesign, y: FloatArray, initial: InitialState) -> list[SolverStage]:
        """What refits. The last stage is the one that counts; others find better weights for it."""

    @abstractmethod
    def _store_outlier_attributes(
        self, losses: FloatArray, weighting: TrimmingRule, present: IntArray
    ) -> None:
        """Store what the losses say of each row."""

    #: Rows so many times farther out than the median row are given up unheard.
    _reach: float

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with self._transactional(), self._limited_threads(), self._reporting() as report:
            self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            X, targets, counts = self._check_data(X, y, sample_weight)
            targets = in_double(targets)
            contamination = check_contamination(self.contamination, counts)
            sample_weight = self._class_weighted(counts)
            present = np.flatnonzero(counts)
            rows = self._few_in_double(take(X, present, self._pairwise))
            y, weights = targets[present], sample_weight[present]
            saved = self._open_checkpoint(rows, y, weights)
            on_stage(report, "kernel and ridge")
            hyper = self._select_on_subsample(rows, y, counts[present], weights, contamination)
            design = self._make_design(
                hyper.kernel,
                rows,
                weights,
                hyper.alpha,
                targets.shape[1],
                saved.width if saved is not None else None,
            )
            self._keep_width(design, saved)
            on_passes(report, design)
            on_stage(report, "")
            with single_threaded_blas() if design.small_products else nullcontext():
                if isinstance(design, FeatureDesign) and design.subsample_rows is not None:
                    initial, solution = self._fit_many(design, y, contamination, report, saved)
                else:
                    initial = self._initialise(design, y, contamination, hyper.posterior)
                    solution = self._solve(design, y, initial, report, saved)
            self._store(X, targets, sample_weight, present, design, initial, solution)
            if saved is not None:
                saved.remove()
        self._warn_unless_converged(solution)
        self._warn_if_ambiguous(initial)

    def _few_in_double(self, X: Any) -> Any:
        """Few rows in double precision; many become double where, and as far as, they are used."""
        return (
            in_double(X)
            if X.shape[0] <= (policy().double_rows if self._pairwise else policy().subsample_rows)
            else X
        )

    def _select_on_subsample(
        self,
        X: Any,
        y: FloatArray,
        counts: FloatArray,
        sample_weight: FloatArray,
        contamination: float | None,
    ) -> Hyperparameters:
        """Kernel and ridge, from some rows that stand for all if these are many."""
        if X.shape[0] <= policy().subsample_rows or self._pairwise:
            return self._select(X, y, counts, sample_weight, contamination)
        rows = draw_rows(sample_weight, policy().subsample_rows)
        return self._select_for_total(
            in_double(X[rows]), y[rows], float(total(sample_weight)), contamination
        )

    def _select_for_total(
        self, X: Any, y: FloatArray, total: float, contamination: float | None
    ) -> Hyperparameters:
        """Kernel and ridge, from rows that stand for others of this weight in total."""
        weights = np.full(len(y), total / len(y))
        hyper = self._select(X, y, weights, weights, contamination)
        return Hyperparameters(hyper.kernel, hyper.alpha)

    def _fit_many(
        self,
        design: FeatureDesign,
        y: FloatArray,
        contamination: float | None,
        report: Callback,
        saved: Checkpoint | None,
    ) -> tuple[InitialState, Solution]:
        """A fit to some of many rows, improved by asking all of them."""
        data = InMemoryData(design, y, self._groups(y))
        large_scale = self._large_scale_fit(data, contamination, report)
        oracle = data.oracle(self._loss, large_scale.sample_filter)
        on_stage(report, f"all {len(y):,} rows")
        outcome = large_scale.run(
            oracle,
            norm_bound=self.norm_bound,
            tol=float(self.tol),
            max_iter=self._max_iter(),
            report=report,
            slot=None if saved is None else saved.at(0),
        )
        fit = replace(outcome.fit, predictions=oracle.predictions)
        groups, excluded = self._groups(y), oracle.excluded
        rows = evaluate_losses(
            self._loss, y, fit.predictions, design.sample_weight, groups, excluded
        )
        initial, weights = large_scale.final_state(outcome, rows)
        path = (outcome.path, outcome.n_iter, outcome.converged)
        return initial, Solution(fit, weights, *path, remedy=REMEDY)

    def _large_scale_fit(
        self, data: PartitionedData, contamination: float | None, report: Callback
    ) -> LargeScaleFit:
        """What a sample of the rows says of the fit to all of them."""
        first = self._initialise(data.subsample, data.y, contamination, None)
        on_stage(report, f"first {len(data.y):,} rows")
        found = self._solve(data.subsample, data.y, first, report)
        return LargeScaleFit(data, first, found, self._reach, self._loss)

    def _groups(self, y: FloatArray) -> IntArray:
        """Class of each row, from the loss's own targets; one for all where there is none."""
        return np.zeros(len(y), dtype=np.intp)

    def _solve(
        self,
        design: FitDesign,
        y: FloatArray,
        initial: InitialState,
        report: Callback,
        saved: Checkpoint | None = None,
    ) -> Solution:
        if self.solver == "gradient":
            assert isinstance(design, KernelMatrixDesign)
            return self._descend(design, y, initial.weighting, report)
        alpha, weights = design.alpha, initial.weights
        for number, stage in enumerate(self._stages(design, y, initial)):
            if saved is not None and saved.stage > number:
                continue  # its weights are those that the file goes on from
            systems = [] if stage.system is None else [stage.system]
            solution = alternate(
                self._in_ball(stage.solve, alpha),
                self._loss,
                initial.weighting,
                y,
                design.sample_weight,
                weights,
                alpha,
                tol=max(stage.tol, design.attainable(float(self.tol))),
                max_iter=self._max_iter(),
                loose=stage.loose,
                excluded=design.excluded_rows(initial.weighting, self._reach),
                report=report,
                slot=None if saved is None else saved.at(number, systems),
            )
            weights = solution.weights
        return solution

    def _open_checkpoint(self, X: Any, y: FloatArray, weights: FloatArray) -> Checkpoint | None:
        """The file of this fit, if one is wanted."""
        if self.checkpoint is None:
            return None
        parameters = {
            name: value
            for name, value in self.get_params().items()
            if name not in ("checkpoint", "verbose", "n_jobs", "memory_limit")
        }
        key = fit_key(type(self).__name__, parameters, X, y, weights)
        saved = Checkpoint(Path(self.checkpoint), key, self._seed)
        self._seed = saved.seed
        return saved

    def _keep_width(self, design: FitDesign, saved: Checkpoint | None) -> None:
        """However much memory there is when the fit goes on, its features stay as many."""
        if saved is not None and isinstance(design, FeatureDesign):
            saved.width = design.map.raw_width

    def _feature_stage(
        self, design: FeatureDesign, y: FloatArray, initial: InitialState
    ) -> SolverStage:
        """Refits on features."""
        newton = design.newton(self._loss, y)

        def solve(weights: FloatArray, alpha: float, start: Fit | None, tol: float) -> Fit:
            return newton.solve(weights, alpha, start, tol)

        loose = LOOSE if initial.weighting.contamination > 0 else 0.0
        return SolverStage(solve, loose, system=newton)

    def _in_ball(self, solve: Solve, alpha: float) -> Callable[..., Fit]:
        def refit(weights: FloatArray, start: Fit | None, tol: float) -> Fit:
            def at(alpha: float, start: Fit | None, tol: float) -> Fit:
                return solve(weights, alpha, start, tol)

            return solve_in_ball(at, alpha, self.norm_bound, start, tol)

        return refit

    def _descend(
        self, design: KernelMatrixDesign, y: FloatArray, weighting: TrimmingRule, report: Callback
    ) -> Solution:
        trimmed = TrimmedProblem(
            design.K,
            self._loss,
            weighting,
            y,
            design.sample_weight,
            design.alpha,
            self.fit_intercept,
            self.norm_bound,
        )
        coef = np.zeros(y.shape)
        if self.init == "random":
            # Algorithm 3 of the first version, line 1.
            width = np.sqrt(6.0 / len(y))
            coef = self._generator().uniform(-width, width, y.shape)
        return projected_gradient(
            trimmed,
            coef,
            acceleration=self.acceleration,  # type: ignore[arg-type]
            learning_rate=check_rate(self.learning_rate),
            momentum=float(self.momentum),
            tol=float(self.tol),
            max_iter=self._max_iter(),
            report=report,
        )

    def _store(
        self,
        X: Any,
        targets: FloatArray,
        sample_weight: FloatArray,
        present: IntArray,
        design: FitDesign,
        initial: InitialState,
        solution: Solution,
    ) -> None:
        weighting = initial.weighting
        self._store_function(X, targets, present, design, solution.fit, solution.weights)
        self.contamination_ = weighting.contamination
        self.contamination_interval_ = initial.interval or (self.contamination_,) * 2
        self.objective_path_ = np.asarray(solution.objective_path)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self._targets, self._sample_weight = targets, sample_weight
        # As they were for this fit, whatever the parameters are set to later.
        self._fitted: dict[str, Any] = {
            "weighting": weighting,
            "alpha": design.alpha,
            "norm_bound": self.norm_bound,
            "fit_intercept": bool(self.fit_intercept),
        }
        self._fit_weight = np.zeros(len(targets))
        self._fit_weight[present] = solution.weights
        losses = self._losses(solution.fit.predictions, present)
        lost = initial.excluded
        if lost is None:
            lost = design.excluded_rows(weighting, self._reach)
        losses[present[lost]] = np.inf
        self._store_outlier_attributes(losses, weighting, present)
        if initial.posterior is not None:
            self.outlier_scores_[present] = initial.posterior.scores

    def diagnostics(self) -> Diagnostics:
        """The theory's constants, evaluated on this fit.

        Returns
        -------
        Diagnostics
            Lipschitz and smoothness constants, step size, stationarity, worst-case gamma and
            effective dimension; see :class:`untaint.diagnostics.Diagnostics`.
        """
        check_is_fitted(self)
        if self._map is not None and not hasattr(self, "coef_"):
            raise ValueError(
                "diagnostics() evaluates the theory on the kernel matrix of all rows, which this "
                "fit did without: fit with approximation=None."
            )
        present = np.flatnonzero(self._sample_weight)
        return diagnose(
            K=take(self._fit_matrix(), present, True),
            y=self._targets[present].astype(float),
            coef=as_2d(self.dual_coef_)[present].astype(float),
            intercept=np.atleast_1d(self.intercept_).astype(float),
            sample_weight=self._sample_weight[present],
            loss=self._loss,
            **self._fitted,
        )

    def audit(self, fdr: float | None = None) -> Any:
        """What is wrong with which rows, the most suspicious first.

        Every row is judged by a fit to the others, whatever it was worth in the fit itself.

        Parameters
        ----------
        fdr : float, optional
            False-discovery rate, between 0 and 1: flag as many rows as can be flagged while at
            most this share of them are good rows, in expectation. None flags the rows that the fit
            gave up.

        Returns
        -------
        DataFrame, or a structured array without pandas
            One row a training row: ``row``, its position; ``score``, as ``outlier_scores_`` but
            under the fit to the others; ``kept``, and ``flagged``, its opposite; ``q_value``, the
            smallest ``fdr`` at which the row is flagged; ``observed`` and ``expected`` target;
            ``kind``, ``"target"``, ``"features"``, ``"both"`` or empty; ``features``, those that
            make the row odd; for classifiers ``suggested``, the label that the row should have.
        """
        check_is_fitted(self)
        check_real("fdr", fdr, low=0, inclusive=False, high=1, optional=True)
        screen = self._screened()
        feature_outlier = (
            np.zeros(len(self._targets), bool) if screen is None else screen.feature_outlier
        )
        diagnostics = self._loo_diagnostics(feature_outlier)
        good = np.where(feature_outlier, 0.0, diagnostics.inlier_probability)
        q = q_values(good, self._sample_weight)
        flagged = ~self.inlier_mask_ if fdr is None else q <= fdr
        score = diagnostics.score.copy()
        score[feature_outlier] = np.maximum(
            score[feature_outlier], score[~feature_outlier].max(initial=0.0)
        )
        return audit_table(
            screen=screen,
            flagged=flagged,
            score=score,
            observed=self._observed(),
            expected=diagnostics.expected,
            far_off=diagnostics.far_off,
            names=getattr(self, "feature_names_in_", None),
            q_value=q,
            more=self._more_columns(diagnostics),
        )

    @property
    def _many(self) -> bool:
        """Whether rows are so many that all of them are judged by features, in blocks."""
        return self._map is not None and len(self._sample_weight) > policy().subsample_rows

    def _training_features(self) -> FeatureDesign:
        """The training rows on the features of the fit."""
        return self._feature_design(self._fitted["alpha"], self._fitted["fit_intercept"])

    def _training_sketch(self) -> Sketch:
        """The training rows under the kernel of the fit."""
        return Sketch(
            self.kernel_,
            self._training_rows(),
            self._sample_weight,
            self._fitted["alpha"],
            self._fitted["fit_intercept"],
        )

    @abstractmethod
    def _loo_diagnostics(self, feature_outlier: BoolArray) -> LooDiagnostics:
        """Each row by the others."""

    @abstractmethod
    def _observed(self) -> NDArray[Any]:
        """Targets as the user gave them."""

    def _more_columns(self, diagnostics: LooDiagnostics) -> dict[str, NDArray[Any]]:
        """Of the audit, for one task."""
        return {}

    def _warn_if_ambiguous(self, initial: InitialState) -> None:
        with np.errstate(invalid="ignore"):  # readings that are both impossible
            ambiguity_message = (
                initial.posterior.ambiguity_message if initial.posterior is not None else ""
            )
        if ambiguity_message:
            warn(
                f'contamination="auto" cannot tell which rows are wrong: {ambiguity_message}. '
                "Pass contamination, or look at the rows that audit() lists.",
                AmbiguousContaminationWarning,
                stacklevel=4,
            )
