r"""Trimmed kernel ridge regression.

.. math:: \min_{g, b} \; \min_w \; \sum_i w_i \|y_i - g(x_i) - b\|^2 + \alpha \|g\|^2,
          \qquad \|g\| \le R

with weights w that keep the share :math:`1-\epsilon` of the rows, or that are posterior inlier
probabilities. Subquantile Minimization, first version, 3.3, second version, Algorithm 1.
"""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from ..learners.function import as_2d
from ..learners.regression import KernelRegressor
from ..optim.leave_one_out import deletion_residuals, leave_one_out_residuals
from .base import SubquantileEstimator
from .regression_task import RegressionTask


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

    gamma: float | str
    alpha: float

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
