r"""Trimmed kernel ridge regression.

.. math:: \min_{g, b} \; \min_w \; \sum_i w_i \|y_i - g(x_i) - b\|^2 + \alpha \|g\|^2,
          \qquad \|g\| \le R

with weights w that keep the share :math:`1-\epsilon` of the rows, or that are posterior inlier
probabilities. Subquantile Minimization, first version, 3.3, second version, Algorithm 1.

The CV class selects kernel scale, alpha and contamination jointly
(:mod:`untaint.model_selection.joint`), and before them a transformation of the targets
(:mod:`untaint.model_selection.target_transform`).
"""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_choice
from ..contamination.residual_mixture import OutlierPosterior
from ..design.base import measured_from
from ..kernels import Linear
from ..learners.function import as_2d
from ..learners.regression import KernelRegressor
from ..model_selection.grid import ALPHA_FACTORS, LINEAR_ALPHA_FACTORS
from ..model_selection.joint import FEWEST_ROWS, JointSelection, select_hyperparameters
from ..model_selection.target_transform import (
    CHOICES,
    TransformData,
    confirms,
    fit_target_scale,
    select_target_transform,
)
from ..optim.leave_one_out import deletion_residuals, leave_one_out_residuals
from ..target_transform import STATISTICS
from .base import SubquantileEstimator
from .engine import target_origin
from .regression_task import RegressionTask
from .search import check_grids, fitted_attributes, make_grid, tuning_designs
from .state import Hyperparameters
from .task import Task


class SubquantileRegressor(SubquantileEstimator, KernelRegressor):
    """Outlier-robust kernel ridge regression: wrong rows are trimmed or down-weighted.

    With ``contamination="auto"`` a mixture model of leave-one-out residuals gives each row a
    posterior probability of being right, which is its weight in the fit. With a number the fit is
    trimmed: it minimises the summed squared error over the share ``1 - contamination`` of the rows
    that fit best, plus ``alpha`` times the squared norm of the function, and the remaining rows
    have zero weight. This subquantile minimisation is least trimmed squares in the space of a
    kernel.

    Parameters
    ----------
    contamination : float or "auto", default="auto"
        Share of wrong rows, in [0, 0.5), which is trimmed. ``"auto"`` estimates it by a mixture
        model of leave-one-out residuals and weights each row by its posterior probability of being
        right. An :class:`~untaint.exceptions.AmbiguousContaminationWarning` names both explanations
        where the data allow two.
    kernel : str, callable or Kernel, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"`` (Manhattan distance), ``"exponential"``
        (Euclidean distance), ``"rational_quadratic"``, ``"precomputed"``, a function of two sets of
        rows, or an object of :mod:`untaint.kernels`.
    gamma : float, "median" or "scale", default="median"
        Inverse scale of the kernel. ``"median"`` is one over the median distance between two rows,
        in the distance that the kernel uses, which outlying rows do not change; ``"scale"`` is that
        of :class:`~sklearn.svm.SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Constant term of the polynomial kernel.
    shape : float, default=1.0
        Shape parameter of the rational quadratic kernel.
    alpha : float, default=1.0
        Ridge strength, in the units of :class:`~sklearn.kernel_ridge.KernelRidge`.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    approximation : {"auto", "nystroem", "rff", None}, default="auto"
        ``"nystroem"`` fits on Nystroem features from landmark rows, and ``"rff"`` on random Fourier
        features, which kernels of a distance have (all but the linear and polynomial ones). None is
        exact. ``"auto"`` is exact while the kernel matrix fits in ``memory_limit``, and
        ``"nystroem"`` beyond. The linear kernel needs no approximation for any number of rows.
    n_components : int or "auto", default="auto"
        Number of landmarks or random features. ``"auto"`` is twice the effective dimension of the
        kernel at this ridge, between 100 and 1,000, or what ``memory_limit`` allows.
    memory_limit : int or str, default="auto"
        Bytes that a fit may use in addition to the rows, or a string such as ``"4GB"``; ``"auto"``
        is half of the free memory. Arrays that do not fit are recomputed in blocks.
    random_state : int, RandomState or None, default=None
        Seed of ``init="random"`` and of starting points beyond the sixth.
    verbose : int, default=0
        1 shows a progress line.
    n_jobs : int, optional
        Number of threads; None or -1 means all. The result does not depend on it beyond rounding.

    Other Parameters
    ----------------
    norm_bound : float, optional
        Radius of the ball in the RKHS that the function is projected onto; None means no ball.
    solver : {"auto", "exact", "iterative", "newton", "gradient"}, default="auto"
        ``"exact"`` factorises the kernel matrix, ``"iterative"`` uses preconditioned conjugate
        gradients, and ``"auto"`` chooses by size. ``"gradient"`` is the papers' projected
        functional gradient method. ``"newton"`` equals ``"exact"`` here, because the loss is
        quadratic.
    init : {"auto", "zeros", "random"}, default="auto"
        Starting point. ``"auto"`` searches for inliers; ``"zeros"`` begins with the rows whose
        targets are smallest in size, and ``"random"`` with random rows. ``solver="gradient"``
        begins with zero coefficients, or with random ones as the papers do.
    acceleration : {None, "momentum", "nesterov"}, default=None
        Acceleration of ``solver="gradient"``.
    learning_rate : float, callable or "auto", default="auto"
        Step size of ``solver="gradient"``: a number, a function of the iteration, or ``"auto"``,
        which is one over the smoothness constant.
    momentum : float, default=0.9
        Momentum coefficient, for either ``acceleration``.
    smoothing : float, optional
        Softplus parameter lambda: rows get weights ``sigmoid(lambda * (t - loss))`` in place of 0
        and 1. None is the limit of large lambda.
    checkpoint : path, optional
        File to which a long fit saves its progress every few seconds. A fit to the same rows with
        the same parameters that finds the file continues from it, and removes it when it is done.
    n_starts : int, default=6
        Number of starting points of the search for inliers.
    max_iter : int, optional
        Maximum number of iterations: by default 200, and 2000 for ``solver="gradient"``.
    tol : float, default=1e-8
        Relative accuracy of iterative refits and of the objective.

    Attributes
    ----------
    inlier_mask_ : array of shape (n,), bool
        True for the rows that were kept: those whose weight in the fit is at least one half.
    inlier_probability_ : array of shape (n,)
        Posterior probability that a row is right; 1 or 0 if the contamination was given.
    outlier_scores_ : array of shape (n,)
        Absolute residual of each row in units of its noise.
    noise_scale_ : array of shape (n,)
        Noise scale of each row's target; the same for all rows if the contamination was given.
    contamination_ : float
        The contamination used, given or estimated.
    contamination_interval_ : tuple of float
        95 % interval of the contamination; ``(contamination, contamination)`` if it was given.
    loss_threshold_ : float
        Loss that separates kept from trimmed rows.
    objective_path_ : array
        Objective after each refit; it never increases under exact solves.
    n_iter_ : int
        Number of iterations of the solver.
    converged_ : bool
        Whether the solver converged within ``max_iter`` iterations.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the kernel expansion; zero for trimmed rows.
    intercept_ : float or array of shape (k,)
        Intercept of each output.
    coef_ : array of shape (d,) or (k, d)
        Slopes; only for the linear kernel.
    X_fit_ : array or CSR matrix of shape (n, d)
        Rows of the kernel expansion: the training rows, or the landmarks.
    feature_map_ : FeatureMap
        Random Fourier features; only for ``approximation="rff"``, in place of ``X_fit_``.
    feature_coef_ : array of shape (p,) or (p, k)
        Coefficients of these features, in place of ``dual_coef_``.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    See Also
    --------
    sklearn.kernel_ridge.KernelRidge : The estimator that this is with ``contamination=0`` and
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

    def __init__(
        self,
        *,
        contamination: float | str = "auto",
        kernel: Any = "rbf",
        gamma: float | str = "median",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        alpha: float = 1.0,
        norm_bound: float | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        init: str = "auto",
        acceleration: str | None = None,
        learning_rate: Any = "auto",
        momentum: float = 0.9,
        smoothing: float | None = None,
        approximation: str | None = "auto",
        n_components: int | str = "auto",
        memory_limit: int | str = "auto",
        checkpoint: Any = None,
        n_starts: int = 6,
        max_iter: int | None = None,
        tol: float = 1e-8,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _task(self, contamination: float | None, seed: int = 0) -> RegressionTask:
        return RegressionTask(self, contamination, seed)

    def leave_one_out_residuals(self) -> FloatArray:
        """Return the residual of each training row under the fit to the other kept rows.

        The weights of the fit are held fixed, which gives a closed form; the residual of a trimmed
        row is that of the fit itself. These residuals serve to select ``alpha`` and ``gamma``.
        ``norm_bound`` is not taken into account. Where :class:`SubquantileRegressorCV` transformed
        the targets, residuals are still in the targets' own units: the target minus the prediction
        that ``predict`` would return.

        Returns
        -------
        array of shape (n,) or (n, k)
        """
        check_is_fitted(self)
        record = self._record()
        y, weights = record.targets.astype(float), record.fit_weight
        if record.feature_map is not None:
            design = record.feature_design(self.memory_limit, self._n_threads)
            q = design.leverages(weights, exact=True)
            residuals = y - as_2d(self._raw(record.X))
            residuals, _ = deletion_residuals(residuals, weights, record.sample_weight, q)
        else:
            alpha = max(record.alpha, 1e-12)
            residuals = leave_one_out_residuals(
                self._fit_matrix(), y, weights, alpha, fit_intercept=record.fit_intercept
            )
        if record.observed is not None:
            residuals = record.observed - self._to_own_units(y - residuals)
        return self._shaped_dual(residuals)


class SubquantileRegressorCV(SubquantileEstimator, KernelRegressor):
    """Outlier-robust kernel ridge regression with automatic kernel scale, ridge and contamination.

    The fit alternates two steps until they agree: it chooses ``gamma`` and ``alpha`` by
    leave-one-out errors under the present weights of the rows, and computes weights from the
    leave-one-out residuals of the chosen setting. With ``contamination="auto"`` a weight is the
    posterior probability of being right under a mixture model of these residuals; with a number,
    the fit is trimmed as in :class:`SubquantileRegressor`.

    Parameters
    ----------
    alphas : "auto" or sequence of float, default="auto"
        Ridge strengths to choose from; ``"auto"`` adapts them to the kernel and to the number of
        rows.
    gammas : "auto" or sequence of float, default="auto"
        Inverse kernel scales to choose from; ``"auto"`` takes multiples of one over the median
        distance between two rows, leverage points excluded.
    contamination : float or "auto", default="auto"
        Share of wrong rows, in [0, 0.5). ``"auto"`` estimates it by a mixture model of
        leave-one-out residuals and weights each row by its posterior probability of being right. A
        number is trimmed; 0 selects by ordinary leave-one-out errors.
    target_transform : {"auto", "log", "power", None}, default="auto"
        Scale of the targets on which the function is fitted. Prices, wages and counts are skewed
        and vary more where they are larger, while their logarithms do not. ``"log"`` needs positive
        targets. ``"power"`` is the transformation of Yeo and Johnson of the targets minus their
        median, with an exponent chosen from the data, for targets of any sign. ``"auto"`` tries the
        logarithm of positive targets that span orders of magnitude, and uses it if the
        leave-one-out predictive likelihood increases clearly and the squared error of predictions
        hardly; otherwise, and for several outputs, targets are not transformed.
    target_statistic : {"mean", "median"}, default="mean"
        What ``predict`` returns if the targets were transformed, in the targets' own units: the
        conditional mean of the target, by Duan's smearing estimate, or its median.
    kernel : str, callable or Kernel, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"`` (Manhattan distance), ``"exponential"``
        (Euclidean distance), ``"rational_quadratic"``, ``"precomputed"``, a function of two sets of
        rows, or an object of :mod:`untaint.kernels`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Constant term of the polynomial kernel.
    shape : float, default=1.0
        Shape parameter of the rational quadratic kernel.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    approximation : {"auto", "nystroem", "rff", None}, default="auto"
        ``"nystroem"`` fits on Nystroem features from landmark rows, and ``"rff"`` on random Fourier
        features, which kernels of a distance have (all but the linear and polynomial ones). None is
        exact. ``"auto"`` is exact while the kernel matrix fits in ``memory_limit``, and
        ``"nystroem"`` beyond. The linear kernel needs no approximation for any number of rows.
    n_components : int or "auto", default="auto"
        Number of landmarks or random features. ``"auto"`` is twice the effective dimension of the
        kernel at this ridge, between 100 and 1,000, or what ``memory_limit`` allows.
    memory_limit : int or str, default="auto"
        Bytes that a fit may use in addition to the rows, or a string such as ``"4GB"``; ``"auto"``
        is half of the free memory. Arrays that do not fit are recomputed in blocks.
    random_state : int, RandomState or None, default=None
        Seed of ``init="random"`` and of starting points beyond the sixth.
    verbose : int, default=0
        1 shows a progress line.
    n_jobs : int, optional
        Number of threads; None or -1 means all. The result does not depend on it beyond rounding.

    Other Parameters
    ----------------
    norm_bound : float, optional
        Radius of the ball in the RKHS that the function is projected onto; None means no ball.
    solver : {"auto", "exact", "iterative", "newton", "gradient"}, default="auto"
        ``"exact"`` factorises the kernel matrix, ``"iterative"`` uses preconditioned conjugate
        gradients, and ``"auto"`` chooses by size. ``"gradient"`` is the papers' projected
        functional gradient method. ``"newton"`` equals ``"exact"`` here, because the loss is
        quadratic.
    init : {"auto", "zeros", "random"}, default="auto"
        Starting point. ``"auto"`` searches for inliers; ``"zeros"`` begins with the rows whose
        targets are smallest in size, and ``"random"`` with random rows. ``solver="gradient"``
        begins with zero coefficients, or with random ones as the papers do.
    acceleration : {None, "momentum", "nesterov"}, default=None
        Acceleration of ``solver="gradient"``.
    learning_rate : float, callable or "auto", default="auto"
        Step size of ``solver="gradient"``: a number, a function of the iteration, or ``"auto"``,
        which is one over the smoothness constant.
    momentum : float, default=0.9
        Momentum coefficient, for either ``acceleration``.
    smoothing : float, optional
        Softplus parameter lambda: rows get weights ``sigmoid(lambda * (t - loss))`` in place of 0
        and 1. None is the limit of large lambda.
    checkpoint : path, optional
        File to which a long fit saves its progress every few seconds. A fit to the same rows with
        the same parameters that finds the file continues from it, and removes it when it is done.
    n_starts : int, default=6
        Number of starting points of the search for inliers.
    max_iter : int, optional
        Maximum number of iterations: by default 200, and 2000 for ``solver="gradient"``.
    tol : float, default=1e-8
        Relative accuracy of iterative refits and of the objective.

    Attributes
    ----------
    alpha_ : float
        The ridge strength chosen.
    gamma_ : float or None
        The inverse kernel scale chosen; None for a kernel without a scale.
    cv_results_ : dict
        One entry for each setting: ``params``, ``param_alpha``, ``param_gamma``,
        ``rank_test_score`` and ``mean_test_score``, which is minus the mean squared leave-one-out
        error on the scale of the fit, under the final weights for kernels near the chosen one, and
        on fewer features, under those of an earlier round, for others.
    target_transform_ : {None, "log", "power"}
        The transformation used. Coefficients, losses and scores are those of transformed targets;
        predictions, and the targets of ``audit()``, are in the targets' own units.
    target_transformer_ : LogTransform, PowerTransform or None
        The transformation as an object: ``forward(y)`` returns targets on the scale of the fit.
    inlier_mask_ : array of shape (n,), bool
        True for the rows that were kept: those whose weight in the fit is at least one half.
    inlier_probability_ : array of shape (n,)
        Posterior probability that a row is right; 1 or 0 if the contamination was given.
    outlier_scores_ : array of shape (n,)
        Absolute residual of each row in units of its noise.
    noise_scale_ : array of shape (n,)
        Noise scale of each row's target; the same for all rows if the contamination was given.
    contamination_ : float
        The contamination used, given or estimated.
    contamination_interval_ : tuple of float
        95 % interval of the contamination; ``(contamination, contamination)`` if it was given.
    loss_threshold_ : float
        Loss that separates kept from trimmed rows.
    objective_path_ : array
        Objective after each refit; it never increases under exact solves.
    n_iter_ : int
        Number of iterations of the solver.
    converged_ : bool
        Whether the solver converged within ``max_iter`` iterations.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the kernel expansion; zero for trimmed rows.
    intercept_ : float or array of shape (k,)
        Intercept of each output.
    coef_ : array of shape (d,) or (k, d)
        Slopes; only for the linear kernel.
    X_fit_ : array or CSR matrix of shape (n, d)
        Rows of the kernel expansion: the training rows, or the landmarks.
    feature_map_ : FeatureMap
        Random Fourier features; only for ``approximation="rff"``, in place of ``X_fit_``.
    feature_coef_ : array of shape (p,) or (p, k)
        Coefficients of these features, in place of ``dual_coef_``.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    See Also
    --------
    SubquantileRegressor : The estimator for one given setting.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(200, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=200)
    >>> y[:40] = rng.normal(5, 5, size=40)  # every fifth target is wrong
    >>> model = SubquantileRegressorCV().fit(X, y)
    >>> round(model.contamination_, 1)
    0.2
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.1)
    True

    The noise of wages is multiplicative, so the function is fitted to their logarithms. The
    conditional mean is then larger than the median.

    >>> wages = np.exp(3 + np.sin(X[:, 0]) + 0.4 * rng.normal(size=200))
    >>> model = SubquantileRegressorCV().fit(X, wages)
    >>> model.target_transform_, model.contamination_
    ('log', 0.0)
    >>> median = SubquantileRegressorCV(target_statistic="median").fit(X, wages)
    >>> ratio = model.predict(X) / median.predict(X)
    >>> bool(np.allclose(ratio, np.exp(0.4**2 / 2), atol=0.03))
    True
    """

    def __init__(
        self,
        *,
        alphas: Any = "auto",
        gammas: Any = "auto",
        contamination: float | str = "auto",
        target_transform: str | None = "auto",
        target_statistic: str = "mean",
        kernel: Any = "rbf",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        norm_bound: float | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        init: str = "auto",
        acceleration: str | None = None,
        learning_rate: Any = "auto",
        momentum: float = 0.9,
        smoothing: float | None = None,
        approximation: str | None = "auto",
        n_components: int | str = "auto",
        memory_limit: int | str = "auto",
        checkpoint: Any = None,
        n_starts: int = 6,
        max_iter: int | None = None,
        tol: float = 1e-8,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    _task = SubquantileRegressor._task
    leave_one_out_residuals = SubquantileRegressor.leave_one_out_residuals

    def _check_hyperparameters(self) -> None:
        check_grids(self)
        check_choice("target_transform", self.target_transform, CHOICES)
        check_choice("target_statistic", self.target_statistic, STATISTICS)

    def _select(
        self, task: Task, X: Any, y: FloatArray, counts: FloatArray, sample_weight: FloatArray
    ) -> Hyperparameters:
        linear = self.kernel == "linear" or isinstance(self.kernel, Linear)
        grid = make_grid(self, X, counts, LINEAR_ALPHA_FACTORS if linear else ALPHA_FACTORS)
        sample, part, designs = tuning_designs(self, grid, X, sample_weight)
        contamination = task.contamination
        if contamination is None and designs[0].size < FEWEST_ROWS:
            contamination = 0.0
        alphas, search = part * grid.alphas, (contamination, self.n_starts)
        asked = self._transform_asked(y)
        tuning = (y[sample.rows, 0], designs, alphas, *search, task.rng(), grid.first)
        transform = select_target_transform(asked, TransformData(*tuning))

        def select(z: FloatArray) -> tuple[JointSelection, OutlierPosterior | None]:
            shifted = measured_from(target_origin(task, z, sample_weight), z)[sample.rows]
            parts = (designs, alphas, shifted, *search, task.rng(), grid.first)
            return select_hyperparameters(*parts)

        z = y if transform is None else transform.forward(y)
        found, posterior = select(z)
        if transform is not None and asked == "auto":
            plain = select(y)
            rows = (y[sample.rows, 0], sample.weights)
            if not confirms(transform, *rows, plain, (found, posterior)):
                transform, (found, posterior) = None, plain
        attributes = fitted_attributes(grid, found.kernel, found.alpha, found.errors)
        back = None
        if transform is not None:
            back = fit_target_scale(transform, self.target_statistic, z[sample.rows, 0], found)
        attributes["target_transform_"] = None if transform is None else transform.name
        attributes["target_transformer_"], attributes["_back_transform"] = transform, back
        if len(sample.rows) < len(y):
            posterior = None  # it is that of these rows alone
        kernel = grid.kernels[found.kernel]
        return Hyperparameters(kernel, attributes["alpha_"], posterior, None, attributes, transform)

    def _transform_asked(self, y: FloatArray) -> str | None:
        """Return the parameter ``target_transform``, after a check that it suits the targets."""
        asked = self.target_transform
        if y.shape[1] == 1 and not (asked == "log" and y.min() <= 0):
            return asked
        if asked in (None, "auto"):
            return None
        found = f"{y.shape[1]} outputs" if y.shape[1] > 1 else f"the smallest target {y.min():.6g}"
        needed = "one output" if y.shape[1] > 1 else "positive targets"
        raise ValueError(f"target_transform={asked!r} needs {needed}, got {found}.")
