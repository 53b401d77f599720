r"""Trimmed kernel ridge regression.

.. math:: \min_{g, b} \; \sum_{(1-\epsilon) \text{ share of smallest}} (y_i - g(x_i) - b)^2
          + \alpha \|g\|^2, \qquad \|g\| \le R

Subquantile Minimization, second version, eq. (8) with Algorithm 1, in kernel ridge's units.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from .._validation import (
    check_matrix_memory,
    check_query_data,
    check_rate,
    check_share,
    check_training_data,
)
from ..diagnostics import Diagnostics, diagnose
from ..kernels import Linear, Precomputed
from ..losses import SquaredLoss
from ..selection import Selection, Smallest, estimate_share
from ..solvers import (
    Fit,
    RidgeSystem,
    Search,
    Solution,
    TrimmedProblem,
    alternate,
    leave_one_out_residuals,
    projected_gradient,
    solve_in_ball,
)
from ..solvers.alternating import LOOSE
from ..solvers.base import Report
from .base import SubquantileEstimator
from .problem import DualProblem, PrimalProblem, Problem
from .verdict import outlier_scores

# Share given up while the share itself is being estimated.
CAUTIOUS_SHARE = 0.45
# Fewest rows from which a share can be estimated.
FEWEST_ROWS = 10


class SubquantileRegressor(MultiOutputMixin, RegressorMixin, SubquantileEstimator):
    """Kernel ridge regression on the rows that can be trusted.

    Minimises the summed squared error over the share ``1 - contamination`` of the rows that fit
    best, plus ``alpha`` times the squared norm of the function. The other rows have no say.

    Parameters
    ----------
    contamination : float or "auto", default="auto"
        Share of corrupted rows, in [0, 0.5). ``"auto"`` estimates it from the data.
    kernel : str, callable or Kernel, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"`` (Manhattan distance),
        ``"exponential"`` (Euclidean distance), ``"rational_quadratic"``, ``"precomputed"``, a
        function of two sets of rows, or an object of :mod:`untaint.kernels`.
    gamma : float, "median" or "scale", default="median"
        Inverse scale of the kernel. ``"median"`` is one over the median distance between two
        rows, in the distance that the kernel uses, unmoved by outlying rows; ``"scale"`` is as
        in :class:`~sklearn.svm.SVC`.
    degree, coef0 : int, float, default=3, 1.0
        Of the polynomial kernel.
    shape : float, default=1.0
        Of the rational quadratic kernel.
    alpha : float, default=1.0
        Ridge strength, in the units of :class:`~sklearn.kernel_ridge.KernelRidge`.
    norm_bound : float, optional
        Radius of the ball that the function must stay in; None means no ball.
    fit_intercept : bool, default=True
        Whether to add an intercept, which is not penalised.
    solver : {"auto", "exact", "iterative", "newton", "gradient"}, default="auto"
        ``"exact"`` factorises, ``"iterative"`` uses preconditioned conjugate gradients, ``"auto"``
        chooses by size. ``"gradient"`` is the papers' projected functional gradient method.
        ``"newton"`` is the same as ``"exact"`` here: the loss is quadratic.
    init : {"auto", "zeros", "random"}, default="auto"
        Where to begin. ``"auto"`` searches for rows that agree; ``"zeros"`` begins with the rows
        whose targets are smallest in size and ``"random"`` with random ones. ``solver="gradient"``
        begins with zero coefficients, or with random ones as the papers do.
    acceleration : {None, "momentum", "nesterov"}, default=None
        Of ``solver="gradient"``.
    learning_rate : float, callable or "auto", default="auto"
        Step of ``solver="gradient"``, possibly a function of the iteration; ``"auto"`` is one over
        the smoothness constant.
    momentum : float, default=0.9
        Of the accelerations.
    smoothing : float, optional
        Softplus parameter lambda: rows get weights ``sigmoid(lambda * (t - loss))`` in place of 0
        and 1. None is the limit of large lambda.
    memory_limit : int or str, default="auto"
        Bytes that the kernel matrix may take, or a string such as ``"4GB"``; ``"auto"`` is half of
        the memory that is free.
    n_starts : int, default=6
        Starting points of the search.
    max_iter : int, optional
        By default 200, and 2000 for ``solver="gradient"``.
    tol : float, default=1e-8
        Relative accuracy of iterative refits and of the objective.
    random_state : int, RandomState or None, default=None
        Used by ``init="random"`` and by starts beyond the sixth.
    verbose : int, default=0
        1 shows a progress line.
    n_jobs : int, optional
        Threads; None or -1 means all. The result does not depend on it beyond rounding.

    Attributes
    ----------
    inlier_mask_ : array of shape (n,), bool
        The rows kept; a row kept in part counts if at least half of it is.
    outlier_scores_ : array of shape (n,)
        Size of each row's residual in robust standard deviations.
    contamination_ : float
        The share used, given or estimated.
    loss_threshold_ : float
        The loss that separates kept from trimmed rows.
    objective_path_ : array
        Objective after each refit; never rises under exact solves.
    n_iter_ : int
    converged_ : bool
    dual_coef_ : array of shape (n,) or (n, k)
        Zero for the rows trimmed.
    intercept_ : float or array of shape (k,)
    coef_ : array of shape (d,) or (k, d)
        Of the linear kernel.
    X_fit_ : array or CSR of shape (n, d)
    kernel_ : Kernel
        With the scale that was used.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    sklearn.kernel_ridge.KernelRidge : What this is with ``contamination=0`` and
        ``fit_intercept=False``.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel()
    >>> y[::6] += 20  # every sixth value is wrong
    >>> model = SubquantileRegressor(contamination=1 / 6, alpha=0.01).fit(X, y)
    >>> np.flatnonzero(~model.inlier_mask_)
    array([ 0,  6, 12, 18, 24, 30, 36, 42, 48, 54])
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.01)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SubquantileRegressor:
        """Fit to rows of which some are wrong.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            The kernel matrix of shape (n, n) if ``kernel="precomputed"``.
        y : array of shape (n,) or (n, k)
        sample_weight : array of shape (n,), optional
            A weight of k means k copies of the row, exactly.

        Returns
        -------
        SubquantileRegressor
            The estimator itself.
        """
        self._check_parameters()
        with self._all_or_nothing(), self._limited_threads(), self._reporting() as report:
            X, y, row_weights = check_training_data(
                self, X, y, sample_weight, pairwise=self._pairwise
            )
            share = check_share(self.contamination, row_weights)
            present = np.flatnonzero(row_weights)
            rows, targets = _take(X, present, self._pairwise), _columns(y)[present]
            kernel = self._make_kernel(rows, row_weights[present])
            problem = self._make_problem(kernel, rows, row_weights[present])
            with single_threaded_blas() if problem.small_products else nullcontext():
                share, start = self._choose_rows(problem, targets, share)
                selection = self._make_selection(share)
                solution = self._solve(problem, targets, selection, start, report)
            self._store(X, y, row_weights, present, problem, selection, solution)
        self._warn_unless_converged(solution)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predict targets.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)
            The kernel with the training rows, of shape (m, n), if ``kernel="precomputed"``.

        Returns
        -------
        array of shape (m,) or (m, k)
        """
        check_is_fitted(self)
        pairwise = isinstance(self.kernel_, Precomputed)
        X = check_query_data(self, X, pairwise=pairwise, n_fit=self.X_fit_.shape[0])
        return self._predict(X)

    def leave_one_out_residuals(self) -> FloatArray:
        """Residual of each training row under the fit to the other kept rows.

        Closed form, with the kept rows held fixed; a trimmed row's residual stands as it is. A row
        cannot flatter itself here, which makes these the residuals to choose ``alpha`` and
        ``gamma`` by. With ``norm_bound`` the ball is left out of account.

        Returns
        -------
        array of shape (n,) or (n, k)
        """
        check_is_fitted(self)
        residuals = leave_one_out_residuals(
            self._fit_matrix(),
            self._targets.astype(float),
            self._kept_weights,
            max(self._fitted["ridge"], 1e-12),
            fit_intercept=self._fitted["fit_intercept"],
        )
        return residuals[:, 0] if self.dual_coef_.ndim == 1 else residuals

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
            coef=_columns(self.dual_coef_).astype(float),
            intercept=np.atleast_1d(self.intercept_).astype(float),
            row_weights=self._row_weights,
            loss=SquaredLoss(),
            **self._fitted,
        )

    def _choose_rows(
        self, problem: Problem, y: FloatArray, share: float | None
    ) -> tuple[float, FloatArray]:
        """Share to give up, and the weights to begin with."""
        rng = self._generator()

        def search(contamination: float) -> Search:
            ridge = float(self.alpha)
            return problem.search(y, contamination, ridge, self.n_starts, rng)

        if share is None:
            share = 0.0
            if problem.size >= FEWEST_ROWS:
                costs = search(CAUTIOUS_SHARE).costs
                share = estimate_share(np.sqrt(costs), problem.row_weights)
        if share == 0 or self.solver == "gradient":
            return share, problem.row_weights
        if self.init == "auto":
            return share, search(share).weights
        scores = SquaredLoss().value(y, np.zeros_like(y))
        if self.init == "random":
            scores = rng.random(len(y))
        return share, Smallest(share).weights(scores, problem.row_weights)

    def _solve(
        self,
        problem: Problem,
        y: FloatArray,
        selection: Selection,
        start: FloatArray,
        report: Report,
    ) -> Solution:
        if self.solver == "gradient":
            assert isinstance(problem, DualProblem)
            return self._descend(problem, y, selection, report)
        if isinstance(problem, DualProblem) and problem.iterative and selection.contamination > 0:
            cheap = problem.low_rank_system()
            start = self._concentrate(cheap, problem, y, selection, start, report).weights
        return self._concentrate(problem.system(), problem, y, selection, start, report)

    def _concentrate(
        self,
        system: RidgeSystem,
        problem: Problem,
        y: FloatArray,
        selection: Selection,
        start: FloatArray,
        report: Report,
    ) -> Solution:
        ridge = float(self.alpha)

        def refit(weights: FloatArray, fit: Fit | None, tol: float) -> Fit:
            return solve_in_ball(system, y, weights, ridge, self.norm_bound, fit, tol)

        return alternate(
            refit,
            SquaredLoss(),
            selection,
            y,
            problem.row_weights,
            start,
            ridge,
            tol=self._tolerance(problem),
            max_iter=self._max_iter(),
            loose=LOOSE if problem.iterative else 0.0,
            hopeless=problem.hopeless(selection),
            report=report,
        )

    def _tolerance(self, problem: Problem) -> float:
        """What was asked for, or what single precision can give."""
        single = isinstance(problem, DualProblem) and problem.K.dtype == np.float32
        return max(float(self.tol), 1e-5) if single else float(self.tol)

    def _descend(
        self, problem: DualProblem, y: FloatArray, selection: Selection, report: Report
    ) -> Solution:
        trimmed = TrimmedProblem(
            problem.K,
            SquaredLoss(),
            selection,
            y,
            problem.row_weights,
            float(self.alpha),
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
        y: FloatArray,
        row_weights: FloatArray,
        present: IntArray,
        problem: Problem,
        selection: Selection,
        solution: Solution,
    ) -> None:
        fit, dtype = solution.fit, X.dtype
        targets = _columns(y)
        self.__dict__.pop("coef_", None)  # an earlier fit may have had another kernel
        self.kernel_ = problem.kernel
        self.X_fit_ = X
        self.contamination_ = selection.contamination
        self.objective_path_ = np.asarray(solution.objective_path)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        intercept = fit.intercept
        if isinstance(problem, PrimalProblem):
            coef, intercept = problem.primal_coef(fit)
            self.coef_ = _squeeze(coef, y).T.astype(dtype)
        dual = np.zeros(targets.shape)
        dual[present] = problem.dual_coef(fit, targets[present], solution.weights)
        self.dual_coef_ = _squeeze(dual, y).astype(dtype)
        if isinstance(problem, DualProblem) and isinstance(problem.kernel, Linear):
            self.coef_ = _squeeze(np.asarray(X.T @ dual), y).T.astype(dtype)
        self.intercept_ = intercept.astype(dtype) if y.ndim == 2 else dtype.type(intercept[0])
        self._targets, self._row_weights = targets, row_weights
        # As they were for this fit, whatever the parameters are set to later.
        self._fitted: dict[str, Any] = {
            "selection": selection,
            "ridge": float(self.alpha),
            "norm_bound": self.norm_bound,
            "fit_intercept": bool(self.fit_intercept),
        }
        self._kept_weights = np.zeros(len(targets))
        self._kept_weights[present] = solution.weights
        self._store_verdicts(problem, selection, solution, present)

    def _store_verdicts(
        self, problem: Problem, selection: Selection, solution: Solution, present: IntArray
    ) -> None:
        """Losses of all rows, and what follows from them."""
        loss, weights = SquaredLoss(), self._row_weights[present]
        losses = np.empty(len(self._row_weights))
        losses[present] = loss.value(self._targets[present], solution.fit.predictions)
        hopeless = present[problem.hopeless(selection)]
        losses[hopeless] = np.inf
        absent = np.flatnonzero(self._row_weights == 0)
        if len(absent):
            # Not part of the fit, but judged by it.
            predictions = _columns(self._predict(self.X_fit_[absent]))
            losses[absent] = loss.value(self._targets[absent], predictions)
        t = selection.threshold(losses[present], weights)
        self.loss_threshold_ = float(t if np.isfinite(t) else losses[present].max())
        self.inlier_mask_ = losses <= self.loss_threshold_
        self.inlier_mask_[present] = solution.weights >= 0.5 * weights
        self.outlier_scores_ = outlier_scores(
            losses, self._row_weights, self.contamination_, self._targets.shape[1]
        )
        # Beyond reach there is no residual to speak of: as suspicious as the worst row.
        finite = self.outlier_scores_[np.isfinite(self.outlier_scores_)]
        self.outlier_scores_[hopeless] = finite.max(initial=0.0)

    def _fit_matrix(self) -> FloatArray:
        check_matrix_memory(self.X_fit_.shape[0], np.float64, self.memory_limit)
        return self.kernel_.matrix(self.X_fit_, dtype=np.float64, n_threads=self._n_threads)

    def _predict(self, X: Any) -> FloatArray:
        if hasattr(self, "coef_"):
            return np.asarray(X @ self.coef_.T.astype(X.dtype)) + self.intercept_
        used = np.flatnonzero(_columns(self.dual_coef_).any(axis=1))
        if isinstance(self.kernel_, Precomputed):
            return X[:, used] @ self.dual_coef_[used] + self.intercept_
        K = self.kernel_.matrix(X, self.X_fit_[used], n_threads=self._n_threads)
        return K @ self.dual_coef_[used].astype(K.dtype) + self.intercept_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._pairwise
        tags.input_tags.pairwise = self._pairwise
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "inlier_mask_")


def _columns(y: FloatArray) -> FloatArray:
    """One column an output."""
    return y[:, None] if y.ndim == 1 else y


def _squeeze(values: FloatArray, y: FloatArray) -> FloatArray:
    """One-dimensional again if the targets were."""
    return values[:, 0] if y.ndim == 1 else values


def _take(X: Any, rows: Any, pairwise: bool) -> Any:
    """Rows of X, and columns too if X is a kernel matrix."""
    if len(rows) == X.shape[0]:
        return X
    return X[np.ix_(rows, rows)] if pairwise else X[rows]
