r"""STIR: stagewise truncated reweighting.

.. math:: s_i \leftarrow \min(1 / |r_i|, M), \qquad
          w \leftarrow \arg\min_w \sum_i s_i (y_i - \langle w, x_i \rangle)^2

until the fit moves by no more than :math:`2 / (\eta M)`; then M grows by the factor :math:`\eta`,
and the next stage begins. B. Mukhoty, G. Gopakumar, P. Jain and P. Kar, *Globally-convergent
iteratively reweighted least squares for robust regression problems*, AISTATS 2019, Algorithm 1,
with an optional ridge.

Each stage lowers a Huber loss (:mod:`untaint.weighting.truncated`) with threshold 1 / M. The
thresholds decrease from the largest residual of least squares to nearly zero, which is least
absolute deviations. The movement of a fit is the root mean square of its change at the rows. M
stops growing once the threshold is a hundredth of the median residual; without noise it grows as
long as rounding allows.
"""

import numpy as np

from .._typing import FloatArray
from .._validation import check_real
from ..design.base import SystemDesign
from ..optim.base import Solution
from ..screening.radius import weighted_median
from ..weighting.truncated import Truncated
from .base import BaselineFit
from .tasks import LinearBaseline, rounding

# Smallest Huber threshold, relative to the median residual and to the first threshold: the gain of
# a smaller one is lost in the noise, or in rounding errors.
SMALL_THRESHOLD = 0.01
MIN_THRESHOLD = 1e-13
# Relative accuracy of a refit.
REFIT_TOL = 1e-10


class ReweightedRegressor(LinearBaseline):
    """Linear regression by truncated reweighting, in stages (STIR).

    The contamination need not be known: the last stage minimises the absolute residuals.

    Parameters
    ----------
    growth : float, default=2.0
        Factor by which the largest weight grows from stage to stage, above 1.
    alpha : float, default=0.0
        Ridge strength, relative to twice the sum of the absolute residuals.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    max_iter : int, default=2000
        Maximum number of refits in all stages together.
    tol : float, default=1e-3
        Movement of the fit, relative to the median residual, at which the fit ends.

    Attributes
    ----------
    coef_ : array of shape (d,) or (k, d)
        Slopes.
    intercept_ : float or array of shape (k,)
        Intercept of each output.
    inlier_mask_ : array of shape (n,), bool
        True for rows within three robust standard deviations of the fit.
    outlier_scores_ : array of shape (n,)
        Absolute residual of each row in robust standard deviations.
    contamination_ : float
        Share of the other rows.
    loss_threshold_ : float
        Squared residual that separates the two groups.
    objective_path_ : array
        Objective after each refit; it never increases.
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
    B. Mukhoty, G. Gopakumar, P. Jain and P. Kar. Globally-convergent iteratively reweighted least
    squares for robust regression problems. AISTATS 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.baselines import ReweightedRegressor
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> y = X @ [1.0, -2.0] + 3.0
    >>> y[:10] += 100.0
    >>> ReweightedRegressor().fit(X, y).coef_.round(6)
    array([ 1., -2.])
    """

    def __init__(
        self,
        *,
        growth: float = 2.0,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 2000,
        tol: float = 1e-3,
    ) -> None:
        self._set_parameters(locals())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("growth", self.growth, low=1, inclusive=False)

    def _estimate(self, design: SystemDesign, y: FloatArray) -> BaselineFit:
        rows, alpha = design.sample_weight, design.alpha
        _, refit = self._refits(design, y)
        refit_tol = design.attainable(REFIT_TOL)
        weights = rows
        fit = refit(rows, None, refit_tol)
        losses = self._loss.value(y, fit.predictions)
        first = float(np.sqrt(losses.max()))
        if first**2 <= rounding(y, rows):
            return BaselineFit(Solution(fit, rows, [alpha * fit.squared_norm], 1))
        path: list[float] = []
        threshold = first
        while len(path) < self.max_iter:
            rule = Truncated(1.0 / threshold)
            weights = rule.weights(losses, rows)
            if not (weights > 0).any():
                raise np.linalg.LinAlgError("residuals so large that no row has a weight")
            latest = refit(weights, fit, refit_tol)
            moved = np.square(latest.predictions - fit.predictions).sum(axis=1)
            fit, losses = latest, self._loss.value(y, latest.predictions)
            path.append(rule.value_at(weights, losses, rows) + alpha * fit.squared_norm)
            step = float(np.sqrt(rows @ moved / rows.sum()))
            middle = float(np.sqrt(weighted_median(losses, rows)))
            last_stage = threshold <= SMALL_THRESHOLD * middle or threshold <= MIN_THRESHOLD * first
            if last_stage and step <= float(self.tol) * max(middle, MIN_THRESHOLD * first):
                return BaselineFit(Solution(fit, weights, path, len(path)))
            if not last_stage and step <= 2.0 * threshold / float(self.growth):
                threshold /= float(self.growth)
        remedy = "raise max_iter or growth"
        return BaselineFit(Solution(fit, weights, path, len(path), converged=False, remedy=remedy))
