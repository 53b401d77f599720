r"""SEVER: remove the rows whose gradients stand out.

Each round fits, computes the gradient of every row's loss at the fit, centres the gradients, and
finds the direction v of their largest variance. The score of a row is

.. math:: \tau_i = \langle \nabla \ell_i - \overline{\nabla \ell}, v \rangle^2 .

The rows of largest score are removed and the rest is fitted again, for a few rounds.

I. Diakonikolas, G. Kamath, D. M. Kane, J. Li, J. Steinhardt and A. Stewart, *Sever: a robust
meta-algorithm for stochastic optimization*, ICML 2019, Algorithm 1, with a fixed number of rounds
and of rows, as in the experiments there, in place of a random threshold. They remove eps / 2 in
each round, more than eps in all; here each of r rounds removes ``contamination`` / r, so that the
requested fraction is the one that is removed.

Kernelised: a gradient is :math:`s_i \otimes \phi(x_i)`, with :math:`s_i` the derivative of the loss
in the raw predictions, so that inner products of gradients are :math:`\langle s_i, s_j \rangle
(k(x_i, x_j) + 1)`, the 1 being the intercept's. The penalty's gradient is the same for all rows and
vanishes when they are centred.
"""

from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from .._typing import FloatArray
from .._validation import check_count, check_known_contamination
from ..design.base import SystemDesign
from ..design.linear import LinearDesign
from ..optim.base import Fit, RidgeSystem, Solution
from ..optim.ridge_primal import PrimalRidge
from ..weighting.trimmed import Trimmed, keep_trimmed
from .base import Baseline, BaselineFit, objective
from .tasks import BaselineClassifier, BaselineRegressor

# Up to so many rows a dense eigendecomposition is as fast as ARPACK.
FEW_ROWS = 50
DIRECTION_TOL = 1e-6


class SeverLearner(Baseline):
    """Base class of SEVER: rounds of fitting, scoring the gradients and removing rows."""

    def __init__(
        self,
        *,
        contamination: float = 0.1,
        n_rounds: int = 4,
        kernel: Any = "rbf",
        gamma: float | str = "median",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        memory_limit: int | str = "auto",
        tol: float = 1e-6,
    ) -> None:
        self._set_parameters(locals())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_rounds", self.n_rounds, high=10**6)
        check_known_contamination(self.contamination)

    def _estimate(self, design: SystemDesign, y: FloatArray) -> BaselineFit:
        contamination = check_known_contamination(self.contamination, design.sample_weight)
        system, refit = self._refits(design, y)
        if isinstance(design, LinearDesign):  # its rows are centred to reduce rounding errors
            products: RidgeSystem = PrimalRidge(design.X, design.fit_intercept)
        else:
            products = system
        tol = design.attainable(float(self.tol))
        weights, fit = design.sample_weight, None
        path: list[float] = []
        for gone in np.linspace(0.0, contamination, self.n_rounds + 1):
            if fit is not None:
                slopes = self._loss.gradient(y, fit.predictions)
                scores = gradient_scores(products, slopes, weights, design.fit_intercept)
                left = Trimmed(float(gone)).kept_total(design.sample_weight)
                weights = keep_trimmed(np.where(weights > 0, scores, np.inf), weights, left)
            fit = refit(weights, fit, tol)
            losses = self._loss.value(y, fit.predictions)
            path.append(objective(losses, weights, design.alpha, fit))
            if contamination == 0:
                break
        assert isinstance(fit, Fit)
        return BaselineFit(Solution(fit, weights, path, len(path)), kept=weights)


def gradient_scores(
    system: RidgeSystem, slopes: FloatArray, weights: FloatArray, fit_intercept: bool
) -> FloatArray:
    """Return the squared projections of the centred gradients on their leading direction.

    Parameters
    ----------
    system : RidgeSystem
        Multiplies by the kernel matrix.
    slopes : array of shape (n, k)
        Derivatives of the losses in the raw predictions.
    weights : array of shape (n,)
        Weights of the remaining rows; rows of weight zero are scored but not used.
    fit_intercept : bool

    Returns
    -------
    array of shape (n,)
    """
    total, root = weights.sum(), np.sqrt(weights)

    def products(v: FloatArray) -> FloatArray:
        """Return inner products of the centred gradients with their combination by v."""
        block_sums = slopes * (v - weights * (v.sum() / total))[:, None]
        values = system.times(block_sums)
        if fit_intercept:
            values = values + block_sums.sum(axis=0)
        along = np.sum(slopes * values, axis=1)
        return along - weights @ along / total

    n = len(weights)
    size = np.abs(slopes[weights > 0]).max()
    if size == 0:
        return np.zeros(n)
    slopes = slopes / size  # keeps squares of tiny slopes from underflowing
    if n <= FEW_ROWS:
        covariance = np.column_stack([root * products(root * e) for e in np.eye(n)])
        value, vector = eigh(covariance, subset_by_index=[n - 1, n - 1])
    else:
        spread = LinearOperator(
            (n, n), matvec=lambda v: root * products(root * v.ravel()), dtype=float
        )
        start = root * products(root * np.linalg.norm(slopes, axis=1) * np.cos(np.arange(n)))
        if not start.any():
            return np.zeros(n)
        try:
            value, vector = eigsh(spread, k=1, v0=start, tol=DIRECTION_TOL)
        except ArpackNoConvergence:  # two directions tie, and either is a solution
            unit = start / np.linalg.norm(start)
            value, vector = np.array([unit @ spread.matvec(unit)]), unit[:, None]
    top = max(float(value[0]), np.finfo(float).tiny)
    with np.errstate(over="ignore", under="ignore"):
        return np.square(size * products(root * vector[:, 0]) / np.sqrt(top))


class SeverRegressor(BaselineRegressor, SeverLearner):
    """Kernel ridge regression without the rows whose gradients stand out (SEVER).

    Parameters
    ----------
    contamination : float, default=0.1
        Share of rows that is removed, in [0, 0.5).
    n_rounds : int, default=4
        Number of filtering rounds; each removes ``contamination / n_rounds`` of the rows.
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
    memory_limit : int or str, default="auto"
        Bytes that the kernel matrix may take, or a string such as ``"4GB"``; ``"auto"`` is half of
        the free memory.
    tol : float, default=1e-6
        Relative accuracy of iterative refits.

    Attributes
    ----------
    inlier_mask_ : array of shape (n,), bool
        True for rows that were not removed.
    outlier_scores_ : array of shape (n,)
        Absolute residual of each row in robust standard deviations.
    contamination_ : float
        Share of removed rows.
    loss_threshold_ : float
        Loss that separates kept from removed rows.
    objective_path_ : array
        Objective after each refit.
    n_iter_ : int
        Number of refits.
    converged_ : bool
        Whether the last refit converged.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the kernel expansion.
    intercept_ : float or array of shape (k,)
        Intercept of each output.
    coef_ : array of shape (d,) or (k, d)
        Slopes; only for the linear kernel.
    X_fit_ : array or CSR matrix of shape (n, d)
        Training rows.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    References
    ----------
    I. Diakonikolas, G. Kamath, D. M. Kane, J. Li, J. Steinhardt and A. Stewart. Sever: a robust
    meta-algorithm for stochastic optimization. ICML 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.baselines import SeverRegressor
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel()
    >>> y[::6] += 20
    >>> model = SeverRegressor(contamination=1 / 6).fit(X, y)
    >>> np.flatnonzero(~model.inlier_mask_)
    array([ 0,  6, 12, 18, 24, 30, 36, 42, 48, 54])
    """


class SeverClassifier(BaselineClassifier, SeverLearner):
    """Kernel logistic regression without the rows whose gradients stand out (SEVER).

    Parameters
    ----------
    contamination : float, default=0.1
        Share of rows that is removed, in [0, 0.5).
    n_rounds : int, default=4
        Number of filtering rounds; each removes ``contamination / n_rounds`` of the rows.
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
        Ridge strength. For the linear kernel ``alpha`` is ``1 / (2 C)`` of
        :class:`~sklearn.linear_model.LogisticRegression`.
    fit_intercept : bool, default=True
        Whether to fit an intercept for each class, which is not penalised.
    memory_limit : int or str, default="auto"
        Bytes that the kernel matrix may take, or a string such as ``"4GB"``; ``"auto"`` is half of
        the free memory.
    tol : float, default=1e-6
        Relative accuracy of iterative refits.

    Attributes
    ----------
    classes_ : array of shape (k,)
        Labels of the classes, sorted.
    inlier_mask_ : array of shape (n,), bool
        True for rows that were not removed.
    outlier_scores_ : array of shape (n,)
        Loss of each row over the threshold.
    contamination_ : float
        Share of removed rows.
    loss_threshold_ : float
        Loss that separates kept from removed rows.
    objective_path_ : array
        Objective after each refit.
    n_iter_ : int
        Number of refits.
    converged_ : bool
        Whether the last refit converged.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the kernel expansion, one column for two classes.
    intercept_ : array of shape (1,) or (k,)
        Intercept of each class.
    coef_ : array of shape (1, d) or (k, d)
        Slopes; only for the linear kernel.
    X_fit_ : array or CSR matrix of shape (n, d)
        Training rows.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    References
    ----------
    I. Diakonikolas, G. Kamath, D. M. Kane, J. Li, J. Steinhardt and A. Stewart. Sever: a robust
    meta-algorithm for stochastic optimization. ICML 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.baselines import SeverClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["cat", "dog"], 50)
    >>> X = rng.normal(size=(100, 2)) + 4.0 * (y == "dog")[:, None]
    >>> y[:5] = "dog"
    >>> model = SeverClassifier(contamination=0.05).fit(X, y)
    >>> np.flatnonzero(~model.inlier_mask_)
    array([0, 1, 2, 3, 4])
    """
