r"""The fit that all batch estimators share.

.. math:: \min_{g, b} \; h\bigl(\ell(y, g(X) + b)\bigr) + \alpha \|g\|^2, \qquad \|g\| \le R

A task says what the loss is, how rows are selected, where to begin and how to refit for given
weights; everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from .._progress import ProgressLine
from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import (
    check_matrix_memory,
    check_query_data,
    check_rate,
    check_real,
    check_share,
)
from ..diagnostics import Diagnostics, diagnose
from ..exceptions import AmbiguousContaminationWarning
from ..kernels import Kernel, Linear, Precomputed
from ..losses import Loss
from ..screening import Screen, screen
from ..selection import Selection
from ..solvers import Fit, Solution, TrimmedProblem, alternate, projected_gradient, solve_in_ball
from ..solvers.base import Report, silent
from .audit import Judgement, kinds, odd_feature_names, q_values, table
from .parameters import Parameters
from .problem import DualProblem, PrimalProblem, Problem, Sketch
from .trust import Trust

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
    """

    solve: Solve
    loose: float
    tol: float = 0.0


@dataclass(frozen=True)
class Setting:
    """Kernel and ridge, and how far the rows are trusted if that came to light on the way."""

    kernel: Kernel
    ridge: float
    trust: Trust | None = None


@dataclass(frozen=True)
class Beginning:
    """How rows are selected, which to begin with, and what they may be predicted to be.

    ``trust`` is there if the share was estimated by judging each row; ``interval`` is of the share.
    """

    selection: Selection
    weights: FloatArray
    predictions: FloatArray | None = None
    trust: Trust | None = None
    interval: tuple[float, float] | None = None


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
            X, targets, copies = self._check_data(X, y, sample_weight)
            share = check_share(self.contamination, copies)
            row_weights = self._fit_weights(copies)
            present = np.flatnonzero(copies)
            rows = take(X, present, self._pairwise)
            setting = self._setting(
                rows, targets[present], copies[present], row_weights[present], share
            )
            problem = self._make_problem(setting.kernel, rows, row_weights[present], setting.ridge)
            with single_threaded_blas() if problem.small_products else nullcontext():
                beginning = self._begin(problem, targets[present], share, setting.trust)
                solution = self._solve(problem, targets[present], beginning, report)
            self._store(X, targets, row_weights, present, problem, beginning, solution)
        self._warn_unless_converged(solution)
        self._warn_of_doubt(beginning)

    def _solve(
        self, problem: Problem, y: FloatArray, beginning: Beginning, report: Report
    ) -> Solution:
        if self.solver == "gradient":
            assert isinstance(problem, DualProblem)
            return self._descend(problem, y, beginning.selection, report)
        ridge, weights = problem.ridge, beginning.weights
        for stage in self._stages(problem, y, beginning):
            solution = alternate(
                self._in_ball(stage.solve, ridge),
                self._loss,
                beginning.selection,
                y,
                problem.row_weights,
                weights,
                ridge,
                tol=max(stage.tol, self._tolerance(problem)),
                max_iter=self._max_iter(),
                loose=stage.loose,
                hopeless=problem.hopeless(beginning.selection, self._reach),
                report=report,
            )
            weights = solution.weights
        return solution

    def _in_ball(self, solve: Solve, ridge: float) -> Callable[..., Fit]:
        def refit(weights: FloatArray, start: Fit | None, tol: float) -> Fit:
            def at(ridge: float, start: Fit | None, tol: float) -> Fit:
                return solve(weights, ridge, start, tol)

            return solve_in_ball(at, ridge, self.norm_bound, start, tol)

        return refit

    def _tolerance(self, problem: Problem) -> float:
        """What was asked for, or what single precision can give."""
        single = isinstance(problem, DualProblem) and problem.K.dtype == np.float32
        return max(float(self.tol), 1e-5) if single else float(self.tol)

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
        fit, selection, dtype = solution.fit, beginning.selection, X.dtype
        self.__dict__.pop("coef_", None)  # an earlier fit may have had another kernel
        self.kernel_ = problem.kernel
        self.X_fit_ = X
        self.contamination_ = selection.contamination
        self.contamination_interval_ = beginning.interval or (self.contamination_,) * 2
        self.objective_path_ = np.asarray(solution.objective_path)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        intercept = fit.intercept
        dual = np.zeros(targets.shape)
        dual[present] = problem.dual_coef(fit, targets[present], solution.weights)
        dual[present[solution.weights == 0]] = 0.0  # what an iterative solver has left of them
        if isinstance(problem, PrimalProblem):
            coef, intercept = problem.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T.astype(dtype))
        elif isinstance(problem.kernel, Linear):
            self.coef_ = self._shaped_coef(np.asarray(X.T @ dual).T.astype(dtype))
        self.dual_coef_ = self._shaped_dual(dual.astype(dtype))
        self.intercept_ = self._shaped_intercept(intercept.astype(dtype))
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
        losses[present[problem.hopeless(selection, self._reach)]] = np.inf
        self._verdict(losses, selection, present)
        if beginning.trust is not None:
            self.outlier_scores_[present] = beginning.trust.scores

    def _losses(self, predictions: FloatArray, present: IntArray) -> FloatArray:
        """Of all rows; those of weight zero had no part in the fit, but are judged by it."""
        losses = np.empty(len(self._row_weights))
        losses[present] = self._loss.value(self._targets[present], predictions)
        absent = np.flatnonzero(self._row_weights == 0)
        if len(absent):
            losses[absent] = self._loss.value(
                self._targets[absent], columns(self._raw(self.X_fit_[absent]))
            )
        return losses

    def _shaped_coef(self, coef: FloatArray) -> FloatArray:
        return coef

    def _shaped_dual(self, dual: FloatArray) -> FloatArray:
        return dual[:, 0] if dual.shape[1] == 1 else dual

    def _shaped_intercept(self, intercept: FloatArray) -> Any:
        return intercept

    def diagnostics(self) -> Diagnostics:
        """The theory's constants, evaluated on this fit.

        Returns
        -------
        Diagnostics
            Lipschitz and smoothness constants, step size, stationarity, worst-case gamma and
            effective dimension; see :class:`untaint.diagnostics.Diagnostics`.
        """
        check_is_fitted(self)
        return diagnose(
            K=self._fit_matrix(),
            y=self._targets.astype(float),
            coef=columns(self.dual_coef_).astype(float),
            intercept=np.atleast_1d(self.intercept_).astype(float),
            row_weights=self._row_weights,
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
        names = getattr(self, "feature_names_in_", None)
        score = judged.score.copy()
        score[wild] = np.maximum(score[wild], score[~wild].max(initial=0.0))
        columns_: dict[str, Any] = {
            "row": np.arange(len(good)),
            "score": score,
            "kept": ~flagged,
            "flagged": flagged,
            "q_value": q,
            "observed": self._observed(),
            "expected": judged.expected,
            "kind": kinds(flagged, wild & flagged, judged.far_off),
            "features": odd_feature_names(screen, len(good), names),
        }
        columns_ |= self._more_columns(judged)
        return table(columns_, np.lexsort((-score, ~flagged)))

    def _screened(self) -> Screen | None:
        """What the features alone say; nothing is known of a precomputed kernel's."""
        if isinstance(self.kernel_, Precomputed):
            return None
        return screen(self.X_fit_, self._row_weights)

    def _judged_rows(self) -> Sketch:
        """The training rows under the kernel of the fit."""
        return Sketch(
            self.kernel_,
            self.X_fit_,
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

    def _fit_matrix(self) -> FloatArray:
        check_matrix_memory(self.X_fit_.shape[0], np.float64, self.memory_limit)
        return self.kernel_.matrix(self.X_fit_, dtype=np.float64, n_threads=self._n_threads)

    def _query(self, X: Any) -> FloatArray:
        """Raw predictions of what a user passes."""
        check_is_fitted(self)
        pairwise = isinstance(self.kernel_, Precomputed)
        return self._raw(check_query_data(self, X, pairwise=pairwise, n_fit=self.X_fit_.shape[0]))

    def _raw(self, X: Any) -> FloatArray:
        if hasattr(self, "coef_"):
            return np.asarray(X @ self.coef_.T.astype(X.dtype)) + self.intercept_
        used = np.flatnonzero(columns(self.dual_coef_).any(axis=1))
        if isinstance(self.kernel_, Precomputed):
            return X[:, used] @ self.dual_coef_[used] + self.intercept_
        K = self.kernel_.matrix(X, self.X_fit_[used], n_threads=self._n_threads)
        return K @ self.dual_coef_[used].astype(K.dtype) + self.intercept_

    @contextmanager
    def _limited_threads(self) -> Iterator[None]:
        if self._n_threads is None:
            yield
        else:
            with threadpool_limits(self._n_threads):
                yield

    @contextmanager
    def _reporting(self) -> Iterator[Report]:
        if not self.verbose:
            yield silent
            return
        line = ProgressLine(type(self).__name__)

        try:
            yield line
        finally:
            line.close()

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Leave the estimator as it was if the fit does not come to its end."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _warn_unless_converged(self, solution: Solution) -> None:
        if not solution.converged:
            warn(
                f"{type(self).__name__} stopped after {solution.n_iter} iterations without "
                f"converging: {solution.remedy}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _warn_of_doubt(self, beginning: Beginning) -> None:
        doubt = beginning.trust.doubt if beginning.trust is not None else ""
        if doubt:
            warn(
                f'contamination="auto" cannot tell which rows are wrong: {doubt}. '
                "Pass contamination, or look at the rows that audit() lists.",
                AmbiguousContaminationWarning,
                stacklevel=4,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._pairwise
        tags.input_tags.pairwise = self._pairwise
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "inlier_mask_")


def columns(y: FloatArray) -> FloatArray:
    """One column an output."""
    return y[:, None] if y.ndim == 1 else y


def take(X: Any, rows: Any, pairwise: bool) -> Any:
    """Rows of X, and columns too if X is a kernel matrix."""
    if len(rows) == X.shape[0]:
        return X
    return X[np.ix_(rows, rows)] if pairwise else X[rows]
