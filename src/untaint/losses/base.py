"""Base class of the losses.

A loss compares targets y and raw predictions f, both of shape (n, k), sample by sample. It never
sees X.
"""

from abc import ABC, abstractmethod

from .._typing import FloatArray
from .hessian import Hessian


class Loss(ABC):
    """A differentiable loss of the raw predictions, convex but for corrected log-losses.

    Attributes
    ----------
    curvature : float
        The largest eigenvalue of the Hessian, which bounds the step size of a gradient method.
    quadratic : bool
        Whether the Hessian is constant.
    convex : bool
        Whether the Hessian is positive semidefinite.
    of_differences : bool
        Whether the loss is a function of y - f, so that an intercept takes up a shift of y.
    """

    curvature: float
    quadratic: bool = False
    convex: bool = True
    of_differences: bool = False

    @abstractmethod
    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the loss of each sample, shape (n,)."""

    @abstractmethod
    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the gradient of each sample's loss in its raw predictions, shape (n, k)."""

    @abstractmethod
    def hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return the Hessian of each sample's loss, or a positive semidefinite substitute."""

    def exact_hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return the Hessian of each sample's loss, which may be indefinite."""
        return self.hessian(y, f)

    @abstractmethod
    def slope_bound(self, y: FloatArray, max_norm: FloatArray) -> FloatArray:
        """Return a bound of each gradient's norm over predictions of norm at most ``max_norm``."""
