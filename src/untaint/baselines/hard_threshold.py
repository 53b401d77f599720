r"""TORRENT: regression by hard thresholding.

.. math:: w \leftarrow \text{update on the rows } S, \qquad
          S \leftarrow (1 - \epsilon) n \text{ rows of smallest } |y_i - \langle w, x_i \rangle|

from w = 0 and all rows. The update is

* corrective: least squares on S (TORRENT-FC);
* gradient: one step down the squared error of S (TORRENT-GD);
* hybrid: corrective when few rows have changed, else a gradient step (TORRENT-HYB).

K. Bhatia, P. Jain and P. Kar, *Robust regression via hard thresholding*, NeurIPS 2015, Algorithms
1 to 4, with an optional ridge. The intercept is always optimal for S. Without other noise the true
w is recovered exactly up to some contamination, even if an adversary with access to X and w chose
the corrupted rows and their targets.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from .._typing import FloatArray
from .._validation import check_choice, check_known_contamination
from ..design.base import SystemDesign
from ..optim.base import Fit, RidgeSystem, Solution
from ..weighting.trimmed import Trimmed
from .base import BaselineFit
from .tasks import LinearBaseline, rounding

STEPS = ("corrective", "gradient", "hybrid")
# Fraction of rows that may change before a hybrid takes gradient steps.
FEW_CHANGES = 0.05


class HardThresholdRegressor(LinearBaseline):
    """Linear regression on the rows of smallest residual (TORRENT).

    Parameters
    ----------
    contamination : float, default=0.1
        Share of rows that is trimmed, in [0, 0.5); it should be at least the true one.
    step : {"corrective", "gradient", "hybrid"}, default="corrective"
        Update of the coefficients: a refit, a gradient step, or gradient steps until few rows
        change and refits from then on. Gradient steps are cheap, but many are needed.
    alpha : float, default=0.0
        Ridge strength, in the units of :class:`~sklearn.linear_model.Ridge`.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=1e-10
        Relative change of the objective at which the fit ends.

    Attributes
    ----------
    coef_ : array of shape (d,) or (k, d)
        Slopes.
    intercept_ : float or array of shape (k,)
        Intercept of each output.
    inlier_mask_ : array of shape (n,), bool
        True for rows that were kept.
    outlier_scores_ : array of shape (n,)
        Absolute residual of each row in robust standard deviations.
    contamination_ : float
        Share of trimmed rows.
    loss_threshold_ : float
        Loss that separates kept from trimmed rows.
    objective_path_ : array
        Objective after each refit.
    n_iter_ : int
        Number of refits.
    converged_ : bool
        Whether the fit converged within ``max_iter`` refits.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the rows: ``coef_`` is their weighted sum.
    X_fit_ : array or CSR matrix of shape (n, d)
        Training rows.
    kernel_ : Kernel
        The linear kernel.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    References
    ----------
    K. Bhatia, P. Jain and P. Kar. Robust regression via hard thresholding. NeurIPS 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.baselines import HardThresholdRegressor
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> y = X @ [1.0, -2.0] + 3.0
    >>> y[:10] += 100.0
    >>> model = HardThresholdRegressor(contamination=0.2).fit(X, y)
    >>> model.coef_.round(6), float(model.intercept_.round(6))
    (array([ 1., -2.]), 3.0)
    """

    def __init__(
        self,
        *,
        contamination: float = 0.1,
        step: str = "corrective",
        alpha: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-10,
    ) -> None:
        self._set_parameters(locals())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("step", self.step, STEPS)
        check_known_contamination(self.contamination)

    def _estimate(self, design: SystemDesign, y: FloatArray) -> BaselineFit:
        rule = Trimmed(check_known_contamination(self.contamination, design.sample_weight))
        system, refit = self._refits(design, y)
        tol = design.attainable(float(self.tol))
        descend, least = Descent(system, y, design), rounding(y, design.sample_weight)
        total = float(design.sample_weight.sum())
        weights, fit, moved = design.sample_weight, system.zero(y), 0.0
        path = [np.inf]
        for _ in range(self.max_iter):
            exact = self.step == "corrective" or (self.step == "hybrid" and moved <= FEW_CHANGES)
            fit = refit(weights, None, tol) if exact else descend(fit, weights)
            losses = self._loss.value(y, fit.predictions)
            losses[losses <= least] = 0.0  # exactly fitted rows tie
            chosen = rule.weights(losses, design.sample_weight)
            value = rule.value_at(chosen, losses, design.sample_weight)
            path.append(value + design.alpha * fit.squared_norm)
            moved = float(np.abs(chosen - weights).sum()) / total
            if self._settled(path, moved, exact):
                used = weights if exact else design.sample_weight  # steps used all rows
                return BaselineFit(Solution(fit, used, path[1:], len(path) - 1), kept=weights)
            fitted, weights = weights, chosen
        remedy = "raise max_iter, or choose step='corrective'"
        used = fitted if exact else design.sample_weight
        solution = Solution(fit, used, path[1:], self.max_iter, converged=False, remedy=remedy)
        return BaselineFit(solution, kept=fitted)

    def _settled(self, path: list[float], moved: float, exact: bool) -> bool:
        """Return whether the same rows were kept twice or the objective no longer decreases."""
        still = path[-2] - path[-1] <= float(self.tol) * path[-1]
        return (exact and moved == 0) or still


@dataclass(eq=False)
class Descent:
    """Gradient steps on half of the weighted squared error plus the ridge, intercept optimal."""

    system: RidgeSystem
    y: FloatArray
    design: SystemDesign

    def __call__(self, fit: Fit, weights: FloatArray) -> Fit:
        """Take one step with these weights from any fit, also one without dual coefficients."""
        slopes = weights[:, None] * (fit.predictions - self.y)
        intercept = np.zeros(self.y.shape[1])
        pull = self.system.from_dual(slopes, self.system.times(slopes), intercept)
        shrunk = 1.0 - self.rate * self.design.alpha
        coef = shrunk * fit.coef - self.rate * pull.coef
        smooth = shrunk * (fit.predictions - fit.intercept) - self.rate * pull.predictions
        if self.design.fit_intercept:
            intercept = weights @ (self.y - smooth) / weights.sum()
        latest = Fit(coef, intercept, smooth + intercept, 0.0)
        return replace(latest, squared_norm=max(0.0, self.system.inner(latest, latest)))

    @cached_property
    def rate(self) -> float:
        """The reciprocal of the largest curvature over all choices of rows."""
        n, root = len(self.y), np.sqrt(self.design.sample_weight)

        def times(v: FloatArray) -> FloatArray:
            return root * self.system.times((root * v.ravel())[:, None])[:, 0]

        start = np.cos(np.arange(n))
        if not times(start).any():
            largest = 0.0  # ARPACK refuses a zero matrix
        elif n > 2:
            operator = LinearOperator((n, n), matvec=times, dtype=float)
            largest = float(eigsh(operator, k=1, v0=start, return_eigenvectors=False)[0])
        else:
            largest = sum(float(times(e) @ e) for e in np.eye(n))
        curvature = largest + self.design.alpha
        return 1.0 / curvature if curvature > 0 else 0.0
