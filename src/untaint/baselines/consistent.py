r"""CRR: consistent robust regression, which corrects targets instead of weighting rows.

.. math:: y = X w^* + b^* + \text{noise}, \qquad b^* \text{ sparse}

The method alternates a fit to the corrected targets with hard thresholding, which takes the k
largest residuals for the corruption:

.. math:: w \leftarrow \arg\min_w \|y - b - X w\|^2, \qquad b \leftarrow \mathrm{HT}_k(y - X w)

from b = 0. K. Bhatia, P. Jain, P. Kamalaruban and P. Kar, *Consistent robust regression*, NeurIPS
2017, Algorithm 1, with an optional ridge. Both steps lower :math:`\|y - b - X w\|^2`. All rows
enter every fit, the corrupted ones with their corrected targets, so that CRR takes many small steps
where TORRENT takes a few large ones.
"""

import numpy as np

from .._typing import FloatArray
from .._validation import check_known_contamination
from ..design.base import SystemDesign
from ..optim.base import Solution
from ..weighting.trimmed import Trimmed
from .base import BaselineFit, objective
from .tasks import LinearBaseline, rounding


class ConsistentRegressor(LinearBaseline):
    """Linear regression that estimates the corruption of each target (CRR).

    Parameters
    ----------
    contamination : float, default=0.1
        Share of wrong rows, in [0, 0.5); it should be at least the true one.
    alpha : float, default=0.0
        Ridge strength, in the units of :class:`~sklearn.linear_model.Ridge`.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    max_iter : int, default=2000
        Maximum number of iterations.
    tol : float, default=1e-10
        Change of the corruption, relative to its size, at which the fit ends.

    Attributes
    ----------
    corruption_ : array of shape (n,) or (n, k)
        Estimated corruption of each target; zero for inliers.
    coef_ : array of shape (d,) or (k, d)
        Slopes.
    intercept_ : float or array of shape (k,)
        Intercept of each output.
    inlier_mask_ : array of shape (n,), bool
        True for rows whose targets were not corrected.
    outlier_scores_ : array of shape (n,)
        Absolute residual of each row in robust standard deviations.
    contamination_ : float
        Share of corrected rows.
    loss_threshold_ : float
        Loss that separates the other rows from corrected ones.
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
    K. Bhatia, P. Jain, P. Kamalaruban and P. Kar. Consistent robust regression. NeurIPS 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.baselines import ConsistentRegressor
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> y = X @ [1.0, -2.0] + 3.0
    >>> y[:10] += 100.0
    >>> model = ConsistentRegressor(contamination=0.2).fit(X, y)
    >>> model.coef_.round(6), float(model.corruption_[0].round(6))
    (array([ 1., -2.]), 100.0)
    """

    def __init__(
        self,
        *,
        contamination: float = 0.1,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 2000,
        tol: float = 1e-10,
    ) -> None:
        self._set_parameters(locals())

    def _store_corrections(self, corrections: FloatArray) -> None:
        self.corruption_ = self._shaped_dual(corrections)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_known_contamination(self.contamination)

    def _estimate(self, design: SystemDesign, y: FloatArray) -> BaselineFit:
        rows = design.sample_weight
        rule = Trimmed(check_known_contamination(self.contamination, rows))
        system, tol = design.system(), design.attainable(float(self.tol))
        corruption, path = np.zeros(y.shape), [np.inf]
        kept, least = rows, rounding(y, rows)
        for iteration in range(1, self.max_iter + 1):
            fit = system.solve(y - corruption, rows, design.alpha, None, tol)
            left = self._loss.value(y - corruption, fit.predictions)
            path.append(objective(left, rows, design.alpha, fit))
            losses = self._loss.value(y, fit.predictions)
            losses[losses <= least] = 0.0  # rows that fit exactly tie
            kept = rule.weights(losses, rows)
            # A row on the threshold, kept in part, is corrected in part.
            residuals = np.where(losses[:, None] == 0, 0.0, y - fit.predictions)
            latest = (1.0 - kept / rows)[:, None] * residuals
            change = float(np.abs(latest - corruption).max())
            fitted, corruption = corruption, latest
            if change <= tol * max(float(np.abs(latest).max()), np.finfo(float).tiny):
                solution = Solution(fit, rows, path[1:], iteration)
                return BaselineFit(solution, kept=kept, targets=y - fitted)
        remedy = "raise max_iter, or contamination if more rows may be wrong"
        solution = Solution(fit, rows, path[1:], self.max_iter, converged=False, remedy=remedy)
        return BaselineFit(solution, kept=kept, targets=y - fitted)
