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

from .._sums import total
from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_rate, check_real, check_share, in_double
from ..diagnostics import Diagnostics, diagnose
from ..exceptions import AmbiguousContaminationWarning
from ..kernels import Kernel
from ..learners import (
    PILOT_ROWS,
    Crowd,
    DualProblem,
    FeatureProblem,
    LocalCrowd,
    Problem,
    Sketch,
    columns,
    draw_rows,
    say_passes,
    say_stage,
    take,
)
from ..learners.audit import Judgement, audit_table, q_values
from ..learners.problem import DOUBLE_ROWS
from ..losses import Loss
from ..selection import Selection
from ..solvers import Fit, Solution, TrimmedProblem, alternate, projected_gradient, solve_in_ball
from ..solvers.alternating import LOOSE
from ..solvers.base import Report
from ..solvers.checkpoint import Checkpoint, Lasting
from ..solvers.poll import hear
from .campaign import Beginning, Campaign
from .key import fit_key
from .parameters import Parameters
from .trust import Trust

# What to do when the rows that are kept keep changing.
REMEDY = "raise max_iter, or alpha if the kept rows keep changing"

Solve = Callable[[FloatArray, float, Fit | None, float], Fit]


@dataclass(frozen=True)
class Stage:
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
    system: Lasting | None = None


@dataclass(frozen=True)
class Setting:
    """Kernel and ridge, and how far the rows are trusted if that came to light on the way."""

    kernel: Kernel
    ridge: float
    trust: Trust | None = None


class SubquantileEstimator(Parameters):
    """From rows to a fit and to verdicts on the rows."""

    @abstractmethod
    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, FloatArray, FloatArray]:
        """X, the targets of the loss in columns, and how many copies each row stands for."""

    def _fit_weights(self, copies: FloatArray) -> FloatArray:
        """What each row weighs in the fit, from how many copies it stands for."""
        return copies

    @property
    @abstractmethod
    def _loss(self) -> Loss: ...

    def _setting(
        self,
        X: Any,
        y: FloatArray,
        copies: FloatArray,
        row_weights: FloatArray,
        share: float | None,
    ) -> Setting:
        """Kernel and ridge. Scales are of the rows, however much they weigh in the fit."""
        return Setting(self._make_kernel(X, copies), float(self.alpha))

    @abstractmethod
    def _begin(
        self, problem: Problem, y: FloatArray, share: float | None, trust: Trust | None
    ) -> Beginning:
        """Selection, and where to start; trust, if the rows have been judged already."""

    @abstractmethod
    def _stages(self, problem: Problem, y: FloatArray, beginning: Beginning) -> list[Stage]:
        """What refits. The last stage is the one that counts; others find better weights for it."""

    @abstractmethod
    def _verdict(self, losses: FloatArray, selection: Selection, present: IntArray) -> None:
        """Store what the losses say of each row."""

    #: Rows so many times farther out than the median row are given up unheard.
    _reach: float

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with self._all_or_nothing(), self._limited_threads(), self._reporting() as report:
            self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            X, targets, copies = self._check_data(X, y, sample_weight)
            targets = in_double(targets)
            share = check_share(self.contamination, copies)
            row_weights = self._fit_weights(copies)
            present = np.flatnonzero(copies)
            rows = self._few_in_double(take(X, present, self._pairwise))
            y, weights = targets[present], row_weights[present]
            saved = self._open_checkpoint(rows, y, weights)
            say_stage(report, "kernel and ridge")
            setting = self._setting_by_few(rows, y, copies[present], weights, share)
            problem = self._make_problem(
                setting.kernel,
                rows,
                weights,
                setting.ridge,
                targets.shape[1],
                saved.width if saved is not None else None,
            )
            self._keep_width(problem, saved)
            say_passes(report, problem)
            say_stage(report, "")
            with single_threaded_blas() if problem.small_products else nullcontext():
                if isinstance(problem, FeatureProblem) and problem.pilot_rows is not None:
                    beginning, solution = self._fit_many(problem, y, share, report, saved)
                else:
                    beginning = self._begin(problem, y, share, setting.trust)
                    solution = self._solve(problem, y, beginning, report, saved)
            self._store(X, targets, row_weights, present, problem, beginning, solution)
            if saved is not None:
                saved.remove()
        self._warn_unless_converged(solution)
        self._warn_of_doubt(beginning)

    def _few_in_double(self, X: Any) -> Any:
        """Few rows in double precision; many become double where, and as far as, they are used."""
        return in_double(X) if X.shape[0] <= (DOUBLE_ROWS if self._pairwise else PILOT_ROWS) else X

    def _setting_by_few(
        self,
        X: Any,
        y: FloatArray,
        copies: FloatArray,
        row_weights: FloatArray,
        share: float | None,
    ) -> Setting:
        """Kernel and ridge, from some rows that stand for all if these are many."""
        if X.shape[0] <= PILOT_ROWS or self._pairwise:
            return self._setting(X, y, copies, row_weights, share)
        rows = draw_rows(row_weights, PILOT_ROWS)
        return self._setting_of(in_double(X[rows]), y[rows], float(total(row_weights)), share)

    def _setting_of(self, X: Any, y: FloatArray, total: float, share: float | None) -> Setting:
        """Kernel and ridge, from rows that stand for others of this weight in total."""
        weights = np.full(len(y), total / len(y))
        setting = self._setting(X, y, weights, weights, share)
        return Setting(setting.kernel, setting.ridge)

    def _fit_many(
        self,
        problem: FeatureProblem,
        y: FloatArray,
        share: float | None,
        report: Report,
        saved: Checkpoint | None,
    ) -> tuple[Beginning, Solution]:
        """A fit to some of many rows, improved by asking all of them."""
        crowd = LocalCrowd(problem, y, self._groups(y))
        campaign = self._campaign(crowd, share, report)
        poll = crowd.poll(self._loss, campaign.gate)
        say_stage(report, f"all {len(y):,} rows")
        outcome = campaign.run(
            poll,
            norm_bound=self.norm_bound,
            tol=float(self.tol),
            max_iter=self._max_iter(),
            report=report,
            slot=None if saved is None else saved.at(0),
        )
        fit = replace(outcome.fit, predictions=poll.predictions)
        groups, shunned = self._groups(y), poll.shunned
        rows = hear(self._loss, y, fit.predictions, problem.row_weights, groups, shunned)
        beginning, weights = campaign.verdict(outcome, rows)
        path = (outcome.path, outcome.n_iter, outcome.converged)
        return beginning, Solution(fit, weights, *path, remedy=REMEDY)

    def _campaign(self, crowd: Crowd, share: float | None, report: Report) -> Campaign:
        """What a sample of the rows says of the fit to all of them."""
        first = self._begin(crowd.pilot, crowd.y, share, None)
        say_stage(report, f"first {len(crowd.y):,} rows")
        found = self._solve(crowd.pilot, crowd.y, first, report)
        return Campaign(crowd, first, found, self._reach, self._loss)

    def _groups(self, y: FloatArray) -> IntArray:
        """Class of each row, from the loss's own targets; one for all where there is none."""
        return np.zeros(len(y), dtype=np.intp)

    def _solve(
        self,
        problem: Problem,
        y: FloatArray,
        beginning: Beginning,
        report: Report,
        saved: Checkpoint | None = None,
    ) -> Solution:
        if self.solver == "gradient":
            assert isinstance(problem, DualProblem)
            return self._descend(problem, y, beginning.selection, report)
        ridge, weights = problem.ridge, beginning.weights
        for number, stage in enumerate(self._stages(problem, y, beginning)):
            if saved is not None and saved.stage > number:
                continue  # its weights are those that the file goes on from
            systems = [] if stage.system is None else [stage.system]
            solution = alternate(
                self._in_ball(stage.solve, ridge),
                self._loss,
                beginning.selection,
                y,
                problem.row_weights,
                weights,
                ridge,
                tol=max(stage.tol, problem.attainable(float(self.tol))),
                max_iter=self._max_iter(),
                loose=stage.loose,
                hopeless=problem.hopeless(beginning.selection, self._reach),
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

    def _keep_width(self, problem: Problem, saved: Checkpoint | None) -> None:
        """However much memory there is when the fit goes on, its features stay as many."""
        if saved is not None and isinstance(problem, FeatureProblem):
            saved.width = problem.map.raw_width

    def _feature_stage(self, problem: FeatureProblem, y: FloatArray, beginning: Beginning) -> Stage:
        """Refits on features."""
        newton = problem.newton(self._loss, y)

        def solve(weights: FloatArray, ridge: float, start: Fit | None, tol: float) -> Fit:
            return newton.solve(weights, ridge, start, tol)

        loose = LOOSE if beginning.selection.contamination > 0 else 0.0
        return Stage(solve, loose, system=newton)

    def _in_ball(self, solve: Solve, ridge: float) -> Callable[..., Fit]:
        def refit(weights: FloatArray, start: Fit | None, tol: float) -> Fit:
            def at(ridge: float, start: Fit | None, tol: float) -> Fit:
                return solve(weights, ridge, start, tol)

            return solve_in_ball(at, ridge, self.norm_bound, start, tol)

        return refit

    def _descend(
        self, problem: DualProblem, y: FloatArray, selection: Selection, report: Report
    ) -> Solution:
        trimmed = TrimmedProblem(
            problem.K,
            self._loss,
            selection,
            y,
            problem.row_weights,
            problem.ridge,
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
        row_weights: FloatArray,
        present: IntArray,
        problem: Problem,
        beginning: Beginning,
        solution: Solution,
    ) -> None:
        selection = beginning.selection
        self._store_function(X, targets, present, problem, solution.fit, solution.weights)
        self.contamination_ = selection.contamination
        self.contamination_interval_ = beginning.interval or (self.contamination_,) * 2
        self.objective_path_ = np.asarray(solution.objective_path)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self._targets, self._row_weights = targets, row_weights
        # As they were for this fit, whatever the parameters are set to later.
        self._fitted: dict[str, Any] = {
            "selection": selection,
            "ridge": problem.ridge,
            "norm_bound": self.norm_bound,
            "fit_intercept": bool(self.fit_intercept),
        }
        self._kept_weights = np.zeros(len(targets))
        self._kept_weights[present] = solution.weights
        losses = self._losses(solution.fit.predictions, present)
        lost = beginning.shunned
        if lost is None:
            lost = problem.hopeless(selection, self._reach)
        losses[present[lost]] = np.inf
        self._verdict(losses, selection, present)
        if beginning.trust is not None:
            self.outlier_scores_[present] = beginning.trust.scores

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
        present = np.flatnonzero(self._row_weights)
        return diagnose(
            K=take(self._fit_matrix(), present, True),
            y=self._targets[present].astype(float),
            coef=columns(self.dual_coef_)[present].astype(float),
            intercept=np.atleast_1d(self.intercept_).astype(float),
            row_weights=self._row_weights[present],
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
        wild = np.zeros(len(self._targets), bool) if screen is None else screen.wild
        judged = self._judge(wild)
        good = np.where(wild, 0.0, judged.good)
        q = q_values(good, self._row_weights)
        flagged = ~self.inlier_mask_ if fdr is None else q <= fdr
        score = judged.score.copy()
        score[wild] = np.maximum(score[wild], score[~wild].max(initial=0.0))
        return audit_table(
            screen=screen,
            flagged=flagged,
            score=score,
            observed=self._observed(),
            expected=judged.expected,
            far_off=judged.far_off,
            names=getattr(self, "feature_names_in_", None),
            q_value=q,
            more=self._more_columns(judged),
        )

    @property
    def _many(self) -> bool:
        """Whether rows are so many that all of them are judged by features, in blocks."""
        return self._map is not None and len(self._row_weights) > PILOT_ROWS

    def _fitted_features(self) -> FeatureProblem:
        """The training rows on the features of the fit."""
        return self._feature_problem(self._fitted["ridge"], self._fitted["fit_intercept"])

    def _judged_rows(self) -> Sketch:
        """The training rows under the kernel of the fit."""
        return Sketch(
            self.kernel_,
            self._training_rows(),
            self._row_weights,
            self._fitted["ridge"],
            self._fitted["fit_intercept"],
        )

    @abstractmethod
    def _judge(self, wild: BoolArray) -> Judgement:
        """Each row by the others."""

    @abstractmethod
    def _observed(self) -> NDArray[Any]:
        """Targets as the user gave them."""

    def _more_columns(self, judged: Judgement) -> dict[str, NDArray[Any]]:
        """Of the audit, for one task."""
        return {}

    def _warn_of_doubt(self, beginning: Beginning) -> None:
        with np.errstate(invalid="ignore"):  # readings that are both impossible
            doubt = beginning.trust.doubt if beginning.trust is not None else ""
        if doubt:
            warn(
                f'contamination="auto" cannot tell which rows are wrong: {doubt}. '
                "Pass contamination, or look at the rows that audit() lists.",
                AmbiguousContaminationWarning,
                stacklevel=4,
            )
