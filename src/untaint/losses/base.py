"""What every loss offers.

A loss compares targets and raw predictions, both of shape (n, k), row by row. It never sees X.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .._typing import FloatArray
from .hessian import Hessian


class Loss(ABC):
    """A convex, differentiable loss of the raw predictions.

    Attributes
    ----------
    curvature : float
        The largest second derivative in any one direction: what bounds the step of a gradient
        method.
    quadratic : bool
        Whether the second derivatives are the same everywhere.
    """

    curvature: float
    quadratic: bool = False

    @abstractmethod
    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Loss of each row, shape (n,)."""

    @abstractmethod
    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Derivative of each row's loss in its raw predictions, shape (n, k)."""

    @abstractmethod
    def hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Second derivatives of each row's loss in its raw predictions."""

    @abstractmethod
    def slope_bound(self, y: FloatArray, reach: FloatArray) -> FloatArray:
        """Largest size of each row's gradient over predictions of at most that size, (n,)."""
