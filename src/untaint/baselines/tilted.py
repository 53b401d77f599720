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

from __future__ import annotations

from typing import Any

from .._typing import FloatArray
from .._validation import check_at_most, check_count
from ..design.base import SystemDesign
from ..optim.base import Fit, Solution
from ..optim.c_steps import ExactRefits, c_steps
from ..weighting.tilted import Tilted
from .base import BaselineFit, Refit
from .kernelised import KernelBaseline
from .tasks import BaselineClassifier, BaselineRegressor

# Factor of the tilt from one stage to the next, and number of refits of a stage.
GROWTH = 4.0
REFITS = 2


class TiltedLearner(KernelBaseline):
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
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            shape=shape,
            alpha=alpha,
            fit_intercept=fit_intercept,
            memory_limit=memory_limit,
            tol=tol,
        )
        self.tilt = tilt
        self.max_iter = max_iter

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
        t, at most 0, in units of one over the squared target. 0 is plain kernel ridge regression.
    kernel : str, callable or Kernel, default="rbf"
        As in :class:`~untaint.SubquantileRegressor`, like the next four.
    gamma : float, "median" or "scale", default="median"
    degree, coef0, shape : int, float, float, default=3, 1.0, 1.0
    alpha : float, default=1.0
        Ridge strength, in the units of :class:`~sklearn.kernel_ridge.KernelRidge`.
    fit_intercept : bool, default=True
    memory_limit : int or str, default="auto"
        Bytes that the kernel matrix may take.
    max_iter : int, default=500
        Refits at the final tilt.
    tol : float, default=1e-6
        Relative accuracy of the objective and of iterative refits.

    Attributes
    ----------
    inlier_mask_ : array of shape (n,), bool
        Rows within three robust standard deviations of the fit.
    outlier_scores_ : array of shape (n,)
        Size of each row's residual in robust standard deviations.
    contamination_ : float
        Fraction of the other rows.
    loss_threshold_ : float
        Squared residual that separates the two.
    objective_path_ : array
        Objective after each refit, in each stage with its own tilt.
    n_iter_, converged_, dual_coef_, intercept_, coef_, X_fit_, kernel_
        As in :class:`~untaint.SubquantileRegressor`.

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
        t, at most 0. 0 is plain kernel logistic regression.
    kernel, gamma, degree, coef0, shape, alpha, fit_intercept, memory_limit, max_iter, tol
        As in :class:`TiltedRegressor`.

    Attributes
    ----------
    inlier_mask_ : array of shape (n,), bool
        Rows whose label is more probable than a guess.
    outlier_scores_ : array of shape (n,)
        Loss over the loss of a guess.
    contamination_ : float
        Fraction of the other rows.
    loss_threshold_ : float
        Loss of a guess.
    classes_, n_iter_, converged_, objective_path_, dual_coef_, intercept_, coef_, X_fit_, kernel_
        As in :class:`~untaint.SubquantileClassifier`.

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
