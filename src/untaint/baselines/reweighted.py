r"""STIR: stagewise truncated reweighting.

.. math:: s_i \leftarrow \min(1 / |r_i|, M), \qquad
          w \leftarrow \arg\min_w \sum_i s_i (y_i - \langle w, x_i \rangle)^2

until the fit moves by no more than :math:`2 / (\eta M)`; then M grows by the factor :math:`\eta`,
and so on. B. Mukhoty, G. Gopakumar, P. Jain and P. Kar, *Globally-convergent iteratively reweighted
least squares for robust regression problems*, AISTATS 2019, Algorithm 1, with an optional ridge.

Each stage lowers a Huber loss (:mod:`untaint.weighting.truncated`), whose bend 1 / M shrinks: from
least squares, the first M being one over the largest residual of that fit, towards least absolute
deviations. A fit moves by the root mean square of its change at the rows. M grows no more once the
bend is a hundredth of the median residual; without noise it grows as long as numbers allow.
"""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray
from .._validation import check_real
from ..design.base import SystemDesign
from ..optim.base import Solution
from ..screening.radius import weighted_median
from ..weighting.truncated import Truncated
from .base import Found
from .linear import LinearBaseline
from .tasks import rounding

# Of the median residual, or else of the first bend: what is gained by a sharper bend is lost in the
# noise, or in rounding errors.
SHARP = 0.01
LAST_BEND = 1e-13
# Accuracy of a refit.
SOLVED = 1e-10


class ReweightedRegressor(LinearBaseline):
    """Linear regression by truncated reweighting, in stages (STIR).

    No share has to be known: in the end the absolute residuals are minimised.

    Parameters
    ----------
    growth : float, default=2.0
        Factor by which the largest weight grows from stage to stage, above 1.
    alpha : float, default=0.0
        Strength of a ridge, against twice the sum of the absolute residuals.
    fit_intercept : bool, default=True
    max_iter : int, default=2000
        Refits in all stages together.
    tol : float, default=1e-3
        Part of the median residual that the fit moves by when it ends.

    Attributes
    ----------
    coef_ : array of shape (d,) or (k, d)
    intercept_ : float or array of shape (k,)
    inlier_mask_ : array of shape (n,), bool
        Rows within three robust standard deviations of the fit.
    outlier_scores_ : array of shape (n,)
        Size of each row's residual in robust standard deviations.
    contamination_ : float
        Share of the other rows.
    loss_threshold_, objective_path_, n_iter_, converged_, dual_coef_, X_fit_
        As in :class:`~untaint.SubquantileRegressor`; the objective never rises.

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
        super().__init__(alpha=alpha, fit_intercept=fit_intercept, max_iter=max_iter, tol=tol)
        self.growth = growth

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("growth", self.growth, low=1, inclusive=False)

    def _estimate(self, design: SystemDesign, y: FloatArray) -> Found:
        rows, alpha = design.sample_weight, design.alpha
        _, refit = self._refits(design, y)
        solved = design.attainable(SOLVED)
        weights = rows
        fit = refit(rows, None, solved)
        losses = self._loss.value(y, fit.predictions)
        first = float(np.sqrt(losses.max()))
        if first**2 <= rounding(y, rows):
            return Found(Solution(fit, rows, [alpha * fit.squared_norm], 1))
        path: list[float] = []
        bend = first
        while len(path) < self.max_iter:
            rule = Truncated(1.0 / bend)
            weights = rule.weights(losses, rows)
            if not (weights > 0).any():
                raise np.linalg.LinAlgError("residuals so large that no row has a weight")
            latest = refit(weights, fit, solved)
            moved = np.square(latest.predictions - fit.predictions).sum(axis=1)
            fit, losses = latest, self._loss.value(y, latest.predictions)
            path.append(rule.value_at(weights, losses, rows) + alpha * fit.squared_norm)
            step = float(np.sqrt(rows @ moved / rows.sum()))
            middle = float(np.sqrt(weighted_median(losses, rows)))
            sharp = bend <= SHARP * middle or bend <= LAST_BEND * first
            if sharp and step <= float(self.tol) * max(middle, LAST_BEND * first):
                return Found(Solution(fit, weights, path, len(path)))
            if not sharp and step <= 2.0 * bend / float(self.growth):
                bend /= float(self.growth)
        remedy = "raise max_iter or growth"
        return Found(Solution(fit, weights, path, len(path), converged=False, remedy=remedy))
