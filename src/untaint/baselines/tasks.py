r"""Losses, cutoffs and outlier scores of the baselines, for regression and for classification.

A method that only reweights needs a cutoff to call rows inliers. In regression inliers lie within
three standard deviations: with k outputs, F the distribution function of :math:`\chi^2_k`, and the
scale from the median loss, their loss is at most

.. math:: t = \operatorname{median}(\ell) \, F^{-1}(0.9973) / F^{-1}(0.5).

In classification the label of an inlier is more probable than a guess: its loss is at most
:math:`\log K` for K classes.
"""

from typing import Any, ClassVar

import numpy as np
from scipy.stats import chi2

from .._typing import BoolArray, FloatArray
from .._validation import check_count
from ..design.base import SystemDesign
from ..learners.classification import KernelClassifier, likeliest
from ..learners.function import as_2d
from ..learners.regression import KernelRegressor
from ..optim.base import Fit, RidgeSystem
from ..optim.newton import Newton
from ..optim.newton_step import KernelSpace
from ..outliers.audit import beyond_range
from ..outliers.scores import outlier_scores
from ..screening.radius import weighted_median
from .base import Baseline, Refit

# Probability of three standard deviations.
INLIER_PROBABILITY = 0.9973
# Residuals that are so small relative to the targets' spread are rounding errors.
ROUNDING = 1e-9
MIN_THRESHOLD = 1e-12
# Relative accuracy of the targets themselves.
DIGITS = 1e-14


class BaselineRegressor(Baseline, KernelRegressor):
    """Base class of baselines for regression, which use the squared loss."""

    def _refits(self, design: SystemDesign, y: FloatArray) -> tuple[RidgeSystem, Refit]:
        system = design.system()

        def refit(weights: FloatArray, start: Fit | None, tol: float) -> Fit:
            return system.solve(y, weights, design.alpha, start, tol)

        return system, refit

    def _constant_losses(self, y: FloatArray, weights: FloatArray) -> FloatArray:
        return self._loss.value(y, np.broadcast_to(weighted_median(y, weights), y.shape))

    def _loss_cutoff(self, losses: FloatArray, weights: FloatArray) -> float:
        y = self._training.targets.astype(float)
        floor = max(rounding(y, weights), np.finfo(float).tiny)
        middle = max(float(weighted_median(losses, weights)), floor)
        return float(middle * chi2.ppf(INLIER_PROBABILITY, y.shape[1]) / chi2.ppf(0.5, y.shape[1]))

    def _scores(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        contamination = min(self.contamination_, 0.5)
        return outlier_scores(losses, weights, contamination, self._training.targets.shape[1])

    def _expected(self) -> Any:
        return self._raw(self.X_fit_)

    def _far_off(self, kept: BoolArray) -> BoolArray:
        return beyond_range(self._training.targets.astype(float), kept)


def rounding(y: FloatArray, weights: FloatArray) -> float:
    """Return the squared residual that counts as zero, relative to the spread of the targets.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([[-1.0], [0.0], [1.0], [1e12]])
    >>> bool(0 < rounding(y, np.ones(4)) < 1e-15)
    True
    """
    middle = weighted_median(y, weights)
    digits = float(np.square(DIGITS * middle).sum())  # accuracy of equal targets
    squares = np.square(y - middle).sum(axis=1)
    apart = (squares > 0) & (weights > 0)  # most targets may be equal
    if not apart.any():
        return digits
    return max(digits, ROUNDING**2 * float(weighted_median(squares[apart], weights[apart])))


class BaselineClassifier(Baseline, KernelClassifier):
    """Base class of baselines for classification, which use the log-loss."""

    def _refits(self, design: SystemDesign, y: FloatArray) -> tuple[RidgeSystem, Refit]:
        system = design.newton_systems(y.shape[1])[-1]
        newton = Newton(KernelSpace(system), self._loss, y)

        def refit(weights: FloatArray, start: Fit | None, tol: float) -> Fit:
            return newton.solve(weights, design.alpha, start, tol)

        return system, refit

    def _constant_losses(self, y: FloatArray, weights: FloatArray) -> FloatArray:
        return self._loss.value(y, np.zeros_like(y))

    def _loss_cutoff(self, losses: FloatArray, weights: FloatArray) -> float:
        return float(np.log(len(self.classes_)))

    def _scores(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            scores = losses / max(self.loss_threshold_, MIN_THRESHOLD)
        return np.minimum(scores, np.finfo(float).max)

    def _expected(self) -> Any:
        return self.classes_[likeliest(as_2d(self._raw(self.X_fit_)))]

    def _more_columns(self) -> dict[str, Any]:
        return {"suggested": self._expected()}


class LinearBaseline(BaselineRegressor):
    """Base class of linear baselines with an intercept and an optional ridge penalty."""

    kernel: ClassVar[Any] = "linear"
    gamma: ClassVar[Any] = None
    degree: ClassVar[int] = 1
    coef0: ClassVar[float] = 0.0
    shape: ClassVar[float] = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("max_iter", self.max_iter)
