r"""TERM: tilted empirical risk minimisation, with negative tilt.

.. math:: \min_{g, b} \; \frac{n}{t} \log \frac{1}{n} \sum_i e^{t\, \ell(y_i, g(x_i) + b)}
          + \alpha \|g\|^2, \qquad t < 0

T. Li, A. Beirami, M. Sanjabi and V. Smith, *Tilted empirical risk minimization*, ICLR 2021,
kernelised. The tilted loss is a concave function of the losses (:mod:`untaint.weighting.tilted`),
so that weighting the rows by its gradient, as in Lemma 1 there, and refitting can only lower it.

A large tilt has many local minima, and two starts are compared. One follows a continuation path
from the plain minimum through growing tilts, so that badly fitted rows lose their weight gradually,
the worst ones first. The other begins with the full tilt: for targets at their median, so that
leverage points that the plain fit interpolates are recognised by their targets; for labels at zero,
where all rows have the same loss. The solution with the lower objective is kept.
"""

from typing import Any

from .._typing import FloatArray
from .._validation import check_at_most, check_count
from ..design.base import SystemDesign
from ..optim.base import Fit, Solution
from ..optim.c_steps import ExactRefits, c_steps
from ..weighting.tilted import Tilted
from .base import Baseline, BaselineFit, Refit
from .tasks import BaselineClassifier, BaselineRegressor

# Factor of the tilt from one stage to the next, and number of refits of a stage.
GROWTH = 4.0
REFITS = 2


class TiltedLearner(Baseline):
    """Base class of TERM: reweight by the tilted losses, refit, and increase the tilt."""

    def __init__(
        self,
        *,
        tilt: float = -1.0,
        kernel: Any = "rbf",
        gamma: float | str = "median",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        memory_limit: int | str = "auto",
        max_iter: int = 500,
        tol: float = 1e-6,
    ) -> None:
        self._set_parameters(locals())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_at_most("tilt", self.tilt, 0.0)
        check_count("max_iter", self.max_iter)

    def _estimate(self, design: SystemDesign, y: FloatArray) -> BaselineFit:
        _, refit = self._refits(design, y)
        tol = design.attainable(float(self.tol))
        rule, rows = Tilted(float(self.tilt)), design.sample_weight

        def descend(weights: FloatArray) -> Solution:
            data = (y, rows, weights, design.alpha)
            process = ExactRefits(refit, self._loss, rule, *data, tol, loose=0.0)
            return c_steps(process, max_iter=self.max_iter)

        weights, early = self._tilt_by_factors(refit, design, y, tol)
        found = [descend(weights)]
        if self.tilt < 0:
            found.append(descend(rule.weights(self._constant_losses(y, rows), rows)))
        best = min(found, key=lambda solution: solution.objective_path[-1])
        path = [*(early if best is found[0] else []), *best.objective_path]
        return BaselineFit(
            Solution(best.fit, best.weights, path, len(path), best.converged, best.remedy)
        )

    def _tilt_by_factors(
        self, refit: Refit, design: SystemDesign, y: FloatArray, tol: float
    ) -> tuple[FloatArray, list[float]]:
        """Return the weights under the full tilt, and the objectives of the smaller tilts."""
        weights = design.sample_weight
        fit = refit(weights, None, tol)
        path: list[float] = []
        for tilt in self._tilts(fit, y):
            rule = Tilted(tilt)
            for _ in range(REFITS):
                losses = self._loss.value(y, fit.predictions)
                weights = rule.weights(losses, design.sample_weight)
                fit = refit(weights, fit, tol)
                losses = self._loss.value(y, fit.predictions)
                value = rule.value_at(weights, losses, design.sample_weight)
                path.append(value + design.alpha * fit.squared_norm)
        losses = self._loss.value(y, fit.predictions)
        return Tilted(float(self.tilt)).weights(losses, design.sample_weight), path

    def _tilts(self, plain: Fit, y: FloatArray) -> list[float]:
        """Return the smaller tilts, from one with nearly equal weights."""
        losses = self._loss.value(y, plain.predictions)
        spread = float(losses.max() - losses.min())
        tilts: list[float] = []
        tilt = float(self.tilt) / GROWTH
        while -tilt * spread > 1.0:
            tilts.insert(0, tilt)
            tilt /= GROWTH
        return tilts


class TiltedRegressor(BaselineRegressor, TiltedLearner):
    """Kernel ridge regression with a tilted loss (TERM).

    Rows are weighted by the exponential of ``tilt`` times their squared residual: with a negative
    tilt, badly fitted rows have little weight. No row is trimmed, and the contamination need not be
    known.

    Parameters
    ----------
    tilt : float, default=-1.0
        Tilt t, at most 0, in units of one over the squared target. 0 is plain kernel ridge
        regression.
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
    max_iter : int, default=500
        Maximum number of refits at the final tilt.
    tol : float, default=1e-6
        Relative accuracy of the objective and of iterative refits.

    Attributes
    ----------
    inlier_mask_ : array of shape (n,), bool
        True for rows within three robust standard deviations of the fit.
    outlier_scores_ : array of shape (n,)
        Absolute residual of each row in robust standard deviations.
    contamination_ : float
        Share of the other rows.
    loss_threshold_ : float
        Squared residual that separates the two groups.
    objective_path_ : array
        Objective after each refit, in each stage with its own tilt.
    n_iter_ : int
        Number of refits.
    converged_ : bool
        Whether the fit converged within ``max_iter`` refits.
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
    T. Li, A. Beirami, M. Sanjabi and V. Smith. Tilted empirical risk minimization. ICLR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.baselines import TiltedRegressor
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel() + np.random.default_rng(0).normal(0, 0.2, size=60)
    >>> y[::6] += 20
    >>> model = TiltedRegressor(alpha=0.01).fit(X, y)
    >>> np.flatnonzero(~model.inlier_mask_)
    array([ 0,  6, 12, 18, 24, 30, 36, 42, 48, 54])
    """


class TiltedClassifier(BaselineClassifier, TiltedLearner):
    """Kernel logistic regression with a tilted loss (TERM), of two classes or several.

    Parameters
    ----------
    tilt : float, default=-1.0
        Tilt t, at most 0. 0 is plain kernel logistic regression.
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
    max_iter : int, default=500
        Maximum number of refits at the final tilt.
    tol : float, default=1e-6
        Relative accuracy of the objective and of iterative refits.

    Attributes
    ----------
    classes_ : array of shape (k,)
        Labels of the classes, sorted.
    inlier_mask_ : array of shape (n,), bool
        True for rows whose label is more probable than under equal probabilities of all classes.
    outlier_scores_ : array of shape (n,)
        Loss of each row over the loss under equal probabilities.
    contamination_ : float
        Share of the other rows.
    loss_threshold_ : float
        Loss under equal probabilities of all classes.
    objective_path_ : array
        Objective after each refit, in each stage with its own tilt.
    n_iter_ : int
        Number of refits.
    converged_ : bool
        Whether the fit converged within ``max_iter`` refits.
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
    T. Li, A. Beirami, M. Sanjabi and V. Smith. Tilted empirical risk minimization. ICLR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.baselines import TiltedClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["cat", "dog"], 50)
    >>> X = rng.normal(size=(100, 2)) + 4.0 * (y == "dog")[:, None]
    >>> y[:5] = "dog"
    >>> np.flatnonzero(~TiltedClassifier().fit(X, y).inlier_mask_)
    array([0, 1, 2, 3, 4])
    """
