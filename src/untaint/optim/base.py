r"""What solvers take and give.

Every solver minimises, over functions f = g + b with g in the kernel's space and b an intercept,

.. math:: \sum_i w_i (y_i - f(x_i))^2 + \alpha \|g\|^2

for weights w that somebody else has chosen. Targets are (n, k), one column an output.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .._typing import FloatArray
from ..losses import Hessian
from .oracle import PassResult

Precondition = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Fit:
    """A function, by its coefficients and by its values at the training rows.

    Attributes
    ----------
    coef : array of shape (n, k) or (p, k)
        Dual coefficients, one a row, or primal ones, one a feature.
    intercept : array of shape (k,)
    predictions : array of shape (n, k)
        At every training row, weighted or not.
    squared_norm : float
        Squared norm of the function without its intercept.
    dual : array of shape (n, k), optional
        Dual coefficients, where they are known besides others.
    """

    coef: FloatArray
    intercept: FloatArray
    predictions: FloatArray
    squared_norm: float
    dual: FloatArray | None = None


class RidgeSystem(ABC):
    """A weighted ridge problem whose weights may change from call to call.

    Attributes
    ----------
    fit_intercept : bool
    """

    fit_intercept: bool

    @abstractmethod
    def solve(
        self,
        y: FloatArray,
        weights: FloatArray,
        alpha: float,
        start: Fit | None = None,
        tol: float = 1e-8,
    ) -> Fit:
        """Minimiser for these weights.

        Parameters
        ----------
        y : array of shape (n, k)
        weights : array of shape (n,), non-negative
        alpha : float
            alpha above.
        start : Fit, optional
            Where an iterative system begins; others ignore it.
        tol : float
            Relative residual at which an iterative system stops; others ignore it.
        """

    @abstractmethod
    def times(self, dual: FloatArray) -> FloatArray:
        """K times dual coefficients, (n, k): the function's values at the rows."""

    @abstractmethod
    def newton_preconditioner(self, hessian: Hessian, n_outputs: int, alpha: float) -> Precondition:
        """Inverse of H K + ridge I, or nearly."""

    @abstractmethod
    def inner(self, a: Fit, b: Fit) -> float:
        """Inner product of two functions without their intercepts."""

    def from_dual(self, dual: FloatArray, smooth: FloatArray, intercept: FloatArray) -> Fit:
        """The fit of these dual coefficients, whose values without the intercept are known."""
        squared_norm = max(0.0, float(np.vdot(dual, smooth)))
        return Fit(dual, intercept, smooth + intercept, squared_norm, dual)

    def zero(self, y: FloatArray) -> Fit:
        """The zero function."""
        zero = np.zeros(y.shape)
        return self.from_dual(zero, zero, np.zeros(y.shape[1]))

    def interpolate(self, a: Fit, b: Fit, fraction: float) -> Fit:
        """a + share (b - a)."""
        squared_norm = (
            (1 - fraction) ** 2 * a.squared_norm
            + fraction**2 * b.squared_norm
            + 2 * fraction * (1 - fraction) * self.inner(a, b)
        )

        def mix(x: FloatArray, y: FloatArray) -> FloatArray:
            return x + fraction * (y - x) if fraction != 1 else y

        known = a.dual is not None and b.dual is not None
        return Fit(
            mix(a.coef, b.coef),
            mix(a.intercept, b.intercept),
            mix(a.predictions, b.predictions),
            max(0.0, squared_norm),
            mix(a.dual, b.dual) if known else None,  # type: ignore[arg-type]
        )


@dataclass(frozen=True)
class Progress:
    """What a solver says of itself between two iterations."""

    iteration: int
    max_iter: int
    objective: float
    n_changed: int


Callback = Callable[[Progress], None]


def no_callback(progress: Progress) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Solution:
    """A fit, the weights it belongs to, and how it was reached.

    Attributes
    ----------
    fit : Fit
    weights : array of shape (n,)
        Part of each row's weight that was kept.
    objective_path : list of float
        Objective after each refit.
    n_iter : int
    converged : bool
    remedy : str
        What to do about it when not converged.
    result : PassResult, optional
        The last pass over all samples, where the fit made passes; ``weights`` are then those of the
        subsample.
    """

    fit: Fit
    weights: FloatArray
    objective_path: list[float] = field(default_factory=list)
    n_iter: int = 0
    converged: bool = True
    remedy: str = ""
    result: PassResult | None = None
