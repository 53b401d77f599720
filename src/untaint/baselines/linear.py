"""Parameters that the baselines for linear regression share."""

from typing import Any, ClassVar

from .._validation import check_count
from .tasks import BaselineRegressor


class LinearBaseline(BaselineRegressor):
    """Base class of linear baselines with an intercept and an optional ridge penalty."""

    kernel: ClassVar[Any] = "linear"
    gamma: ClassVar[Any] = None
    degree: ClassVar[int] = 1
    coef0: ClassVar[float] = 0.0
    shape: ClassVar[float] = 1.0

    def __init__(self, *, alpha: float, fit_intercept: bool, max_iter: int, tol: float) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("max_iter", self.max_iter)
