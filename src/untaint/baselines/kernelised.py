"""Parameters of the baselines that work with any kernel."""

from typing import Any

from .base import Baseline


class KernelBaseline(Baseline):
    """Base class of baselines with a kernel, its scale and a ridge penalty."""

    def __init__(
        self,
        *,
        kernel: Any,
        gamma: float | str,
        degree: int,
        coef0: float,
        shape: float,
        alpha: float,
        fit_intercept: bool,
        memory_limit: int | str,
        tol: float,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.shape = shape
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.memory_limit = memory_limit
        self.tol = tol
