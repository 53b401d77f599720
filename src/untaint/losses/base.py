"""What every loss offers.

A loss compares targets and raw predictions, both of shape (n, k), row by row. It never sees X.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .._typing import FloatArray


class Loss(ABC):
    """A convex, differentiable loss of the raw predictions.

    Attributes
    ----------
    curvature : float
        The largest second derivative in any one raw prediction: what bounds the step of a
        gradient method.
    """

    curvature: float

    @abstractmethod
    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Loss of each row, shape (n,)."""

    @abstractmethod
    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Derivative of each row's loss in its raw predictions, shape (n, k)."""
