r"""Trimmed kernel ridge regression.

.. math:: \min_{g, b} \; \sum_{(1-\epsilon) \text{ share of smallest}} (y_i - g(x_i) - b)^2
          + \alpha \|g\|^2, \qquad \|g\| \le R

Subquantile Minimization, second version, eq. (8) with Algorithm 1, in kernel ridge's units.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.loo_diagnostics import loo_diagnostics, loo_diagnostics_blocked
from ..contamination.residual_mixture import OutlierPosterior
from ..contamination.two_groups import MAX_CONTAMINATION
from ..design.base import FitDesign, SystemDesign
from ..design.features import FeatureDesign
from ..initialization.multistart import find_inliers
from ..learners.base import as_2d
from ..learners.regression import RegressionMixin
from ..losses import SquaredLoss
from ..model_selection.joint import FEWEST_ROWS, estimate_posterior
from ..optim.base import RidgeSystem
from ..optim.c_steps import LOOSE
from ..optim.leave_one_out import leave_one_out_residuals
from ..optim.leverage import deletion_residuals
from ..outliers.audit import LooDiagnostics, beyond_range
from ..outliers.scores import outlier_scores
from ..screening.radius import EXCLUSION_RADIUS
from ..weighting.base import TrimmingRule
from ..weighting.fixed import FixedWeights
from ..weighting.softplus import Softplus
from ..weighting.trimmed import Trimmed
from .base import SolverStage, SubquantileEstimator
from .large_scale import InitialState


class SubquantileRegressor(RegressionMixin, SubquantileEstimator):
    """Kernel ridge regression on the rows that can be trusted.

    Minimises the summed squared error over the share ``1 - contamination`` of the rows that fit
    best, plus ``alpha`` times the squared norm of the function. The other rows have no say.

    Parameters
    ----------
    contamination : float or "auto", default="auto"
        Share of corrupted rows, in [0, 0.5), which is given up. ``"auto"`` estimates it: each row
        is judged by a fit to the others and counts as much as it is likely to be good; a warning
        says so where the data allow two readings.
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
    approximation : {"auto", "nystroem", "rff", None}, default="auto"
        ``"nystroem"`` fits on the kernel's values with some of the rows, ``"rff"`` on random waves,
        which the kernels of a distance have (all but the linear and polynomial ones); None is
        exact. ``"auto"`` is exact while the kernel matrix fits in ``memory_limit`` and
        ``"nystroem"`` beyond. The linear kernel needs no approximation, of however many rows.
    n_components : int or "auto", default="auto"
        Landmarks or random features. ``"auto"`` is twice the effective dimension of the kernel at
        this ridge, between 100 and 1,000, or what ``memory_limit`` allows.
    memory_limit : int or str, default="auto"
        Bytes that a fit may take besides the rows, or a string such as ``"4GB"``; ``"auto"`` is
        half of the memory that is free. What does not fit is made again in blocks.
    checkpoint : path, optional
        File to which a long fit writes every few seconds how far it is. A fit to the same rows with
        the same parameters that finds the file goes on from there, and removes it when it is done.
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
    contamination_interval_ : tuple of float
        Where the share lies, at 95 %, if it was estimated; else that share twice.
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
        self._fit(X, y, sample_weight)
        return self

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
        y, weights = self._targets.astype(float), self._fit_weight
        if self._map is not None:
            q = self._training_features().leverages(weights, exact=True)
            left = y - as_2d(self._raw(self._training_rows()))
            residuals, _ = deletion_residuals(left, weights, self._sample_weight, q)
        else:
            residuals = leave_one_out_residuals(
                self._fit_matrix(),
                y,
                weights,
                max(self._fitted["alpha"], 1e-12),
                fit_intercept=self._fitted["fit_intercept"],
            )
        return residuals[:, 0] if self._flat else residuals

    _reach = EXCLUSION_RADIUS

    def _initialise(
        self,
        design: FitDesign,
        y: FloatArray,
        contamination: float | None,
        posterior: OutlierPosterior | None,
    ) -> InitialState:
        rng = self._generator()

        interval = None
        if contamination is None and design.size < FEWEST_ROWS:
            contamination, interval = 0.0, (0.0, MAX_CONTAMINATION)
        if contamination is None:
            posterior = posterior or estimate_posterior(design, y, self.n_starts, rng)
            contamination, interval = posterior.contamination, posterior.interval
            if self.init == "auto" and self.smoothing is None:
                weights = posterior.inlier_probability * design.sample_weight
                return InitialState(
                    FixedWeights(contamination, posterior.inlier_probability),
                    weights,
                    None,
                    posterior,
                    interval,
                )
        weighting = self._make_weighting(contamination)
        if contamination == 0 or self.solver == "gradient":
            return InitialState(weighting, design.sample_weight, None, posterior, interval)
        if self.init == "auto":
            found = find_inliers(design, y, contamination, self.n_starts, rng)
            return InitialState(weighting, found.weights, None, posterior, interval)
        scores = SquaredLoss().value(y, np.zeros_like(y))
        if self.init == "random":
            scores = rng.random(len(y))
        start = Trimmed(contamination).weights(scores, design.sample_weight)
        return InitialState(weighting, start, None, posterior, interval)

    def _make_weighting(self, contamination: float) -> TrimmingRule:
        if self.smoothing is None:
            return Trimmed(contamination)
        return Softplus(contamination, float(self.smoothing))

    def _stages(self, design: FitDesign, y: FloatArray, initial: InitialState) -> list[SolverStage]:
        loose = LOOSE if design.iterative else 0.0
        weighting = initial.weighting
        trimmed = weighting.contamination > 0 and not isinstance(weighting, FixedWeights)

        def stage(system: RidgeSystem) -> SolverStage:
            return SolverStage(
                lambda weights, alpha, start, tol: system.solve(y, weights, alpha, start, tol),
                loose,
            )

        if isinstance(design, FeatureDesign):
            stages = [self._feature_stage(design, y, initial)]
        else:
            assert isinstance(design, SystemDesign)
            stages = [stage(design.system())]
        rough = design.low_rank_system()
        return [stage(rough), *stages] if trimmed and rough is not None else stages

    def _store_outlier_attributes(
        self, losses: FloatArray, weighting: TrimmingRule, present: IntArray
    ) -> None:
        weights = self._sample_weight[present]
        t = weighting.threshold(losses[present], weights)
        finite = np.isfinite(losses)
        self.loss_threshold_ = float(t if np.isfinite(t) else losses[finite].max(initial=0.0))
        self.inlier_mask_ = losses <= self.loss_threshold_
        self.inlier_mask_[present] = self._fit_weight[present] >= 0.5 * weights
        self.outlier_scores_ = outlier_scores(
            losses, self._sample_weight, self.contamination_, self._targets.shape[1]
        )
        # Beyond reach there is no residual to speak of: as suspicious as the worst row.
        known = np.isfinite(self.outlier_scores_)
        self.outlier_scores_[~known] = self.outlier_scores_[known].max(initial=0.0)

    def _loo_diagnostics(self, feature_outlier: BoolArray) -> LooDiagnostics:
        y = self._targets.astype(float)
        kept = np.where(feature_outlier, 0.0, self._fit_weight)
        if self._many:
            predictions = as_2d(self._raw(self._training_rows()))
            residuals, diagnostics = loo_diagnostics_blocked(
                self._training_features(), y, predictions, kept, feature_outlier
            )
        else:
            residuals, diagnostics = loo_diagnostics(
                self._training_sketch(), y, kept, feature_outlier
            )
        expected = y - residuals
        # Nothing is known of the place where a wild row lies.
        expected[feature_outlier] = kept @ y / kept.sum()
        score = np.abs(diagnostics.residuals) / diagnostics.scale
        return LooDiagnostics(
            np.minimum(score, np.finfo(float).max),
            diagnostics.inlier_probability,
            expected[:, 0] if self._flat else expected,
            beyond_range(y, kept > 0),
        )
