r"""Fits, ridge systems and the result of an optimisation.

A ridge system minimises, over functions f = g + b with g in the kernel's space and b an intercept,

.. math:: \sum_i w_i (y_i - f(x_i))^2 + \alpha \|g\|^2

for given weights w. Targets are (n, k), one column for each output.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from .._typing import FloatArray
from ..losses import Hessian
from .oracle import PassResult

Precondition = Callable[[FloatArray], FloatArray]


def by_output(inverses: list[Precondition]) -> Precondition:
    """Return the map that applies to every column its own inverse, or to all the only one."""
    if len(inverses) == 1:
        return inverses[0]
    return lambda v: np.hstack([solve(v[:, j : j + 1]) for j, solve in enumerate(inverses)])


@dataclass(frozen=True)
class Fit:
    """A function, by its coefficients and by its values at the training rows.

    The coefficients are dual ones, (n, k), or those of features, (p, k). Predictions are values at
    every training row, those of weight zero included. The squared norm is that of the function
    without its intercept. ``dual`` are the dual coefficients, where they are known as well.
    """

    coef: FloatArray
    intercept: FloatArray
    predictions: FloatArray
    squared_norm: float
    dual: FloatArray | None = None

    @classmethod
    def on_features(cls, coef: FloatArray, intercept: FloatArray, predictions: FloatArray) -> Fit:
        """Return the function of primal coefficients, whose norm is theirs."""
        return cls(coef, intercept, predictions, float(np.vdot(coef, coef)))

    def shifted(self, shift: FloatArray) -> Fit:
        """Return the function plus a constant, (k,)."""
        intercept, predictions = self.intercept + shift, self.predictions + shift
        return replace(self, intercept=intercept, predictions=predictions)


class RidgeSystem(ABC):
    """A weighted ridge problem whose weights may change from call to call."""

    fit_intercept: bool

    def solve(
        self,
        y: FloatArray,
        weights: FloatArray,
        alpha: float,
        start: Fit | None = None,
        tol: float = 1e-8,
    ) -> Fit:
        """Return the minimiser for targets (n, k) and non-negative weights (n,).

        An iterative system starts at ``start``, and stops at a relative residual of ``tol``; others
        ignore both.
        """
        return self._solve(y, weights, alpha, start, tol)

    @abstractmethod
    def _solve(
        self, y: FloatArray, weights: FloatArray, alpha: float, start: Fit | None, tol: float
    ) -> Fit: ...

    @abstractmethod
    def times(self, dual: FloatArray) -> FloatArray:
        """Return K times dual coefficients, (n, k): the function's values at the rows."""

    @abstractmethod
    def newton_preconditioner(self, hessian: Hessian, n_outputs: int, alpha: float) -> Precondition:
        """Return the inverse of H K + alpha I, or an approximation to it."""

    def inner(self, a: Fit, b: Fit) -> float:
        """Return the inner product of two functions without their intercepts."""
        return float(np.vdot(a.coef, b.predictions - b.intercept))

    def from_dual(self, dual: FloatArray, smooth: FloatArray, intercept: FloatArray) -> Fit:
        """Return the fit of dual coefficients whose values without the intercept are known."""
        squared_norm = max(0.0, float(np.vdot(dual, smooth)))
        return Fit(dual, intercept, smooth + intercept, squared_norm, dual)

    def with_intercept(
        self, coef: FloatArray, smooth: FloatArray, y: FloatArray, weights: FloatArray
    ) -> Fit:
        """Return the fit of dual coefficients and the intercept that is best for the targets."""
        intercept = np.zeros(y.shape[1], dtype=smooth.dtype)
        if self.fit_intercept:
            kept = weights > 0
            d = np.sqrt(weights[kept]).astype(smooth.dtype)  # as in the system that was solved
            intercept[:] = (d * d) @ (y - smooth)[kept] / (d @ d)
        squared_norm = max(0.0, float(np.einsum("ij,ij->", coef, smooth)))
        return Fit(coef, intercept, smooth + intercept, squared_norm)

    def zero(self, y: FloatArray) -> Fit:
        """Return the zero function."""
        return self.from_dual(np.zeros(y.shape), np.zeros(y.shape), np.zeros(y.shape[1]))

    def interpolate(self, a: Fit, b: Fit, fraction: float) -> Fit:
        """Return a + fraction (b - a)."""
        rest = 1 - fraction
        squared_norm = rest**2 * a.squared_norm + fraction**2 * b.squared_norm
        squared_norm = max(0.0, squared_norm + 2 * fraction * rest * self.inner(a, b))

        def mix(x: FloatArray, y: FloatArray) -> FloatArray:
            return x + fraction * (y - x) if fraction != 1 else y

        coef, intercept = mix(a.coef, b.coef), mix(a.intercept, b.intercept)
        dual = None if a.dual is None or b.dual is None else mix(a.dual, b.dual)
        return Fit(coef, intercept, mix(a.predictions, b.predictions), squared_norm, dual)


@dataclass(frozen=True)
class Progress:
    """The state of a solver between two iterations, as callbacks receive it."""

    iteration: int
    max_iter: int
    objective: float
    n_changed: int


Callback = Callable[[Progress], None]


def no_callback(progress: Progress) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class Solution:
    """The result of an optimisation: a fit, its weights, and how it was reached.

    A weight is the sample weight of a row times the part of it that was kept. The path has the
    objective after each refit, and the remedy is advice where the fit did not converge. After
    passes over all samples ``result`` is the last, and the weights are those of the subsample.
    """

    fit: Fit
    weights: FloatArray
    objective_path: list[float] = field(default_factory=list)
    n_iter: int = 0
    converged: bool = True
    remedy: str = ""
    result: PassResult | None = None
