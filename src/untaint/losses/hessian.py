r"""Second derivatives of a loss at every row, as one linear map of (n, k) arrays.

A row's Hessian is a k x k matrix, but of a kind that multiplies in O(k):

* one number a row and output, :math:`H = \mathrm{diag}(h)`;
* the softmax at probabilities p, :math:`H = w\,(\mathrm{diag}(p) - p p^T)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np

from .._typing import FloatArray


class Hessian(ABC):
    """H of every row."""

    @abstractmethod
    def times(self, f: FloatArray) -> FloatArray:
        """H f, row by row."""

    @abstractmethod
    def entry(self, j: int, k: int) -> FloatArray:
        """Entry (j, k) of every row's matrix, shape (n,)."""

    @abstractmethod
    def weighted(self, weights: FloatArray) -> Hessian:
        """The Hessian of the rows' losses times weights."""

    @abstractmethod
    def among(self, rows: slice) -> Hessian:
        """The Hessian of some of the rows."""

    @abstractmethod
    def total(self) -> FloatArray:
        """Sum over the rows, shape (k, k)."""


@final
class DiagonalHessian(Hessian):
    """One number a row and output.

    Examples
    --------
    >>> import numpy as np
    >>> DiagonalHessian(np.array([[2.0], [3.0]])).total()
    array([[5.]])
    """

    def __init__(self, h: FloatArray) -> None:
        self.h = h

    def times(self, f: FloatArray) -> FloatArray:
        """Elementwise."""
        return self.h * f

    def entry(self, j: int, k: int) -> FloatArray:
        """Zero between two outputs."""
        return self.h[:, j] if j == k else np.zeros(len(self.h))

    def weighted(self, weights: FloatArray) -> DiagonalHessian:
        """Elementwise."""
        return DiagonalHessian(weights[:, None] * self.h)

    def among(self, rows: slice) -> DiagonalHessian:
        """Some of the numbers."""
        return DiagonalHessian(self.h[rows])

    def total(self) -> FloatArray:
        """Diagonal."""
        return np.diag(self.h.sum(axis=0))


@final
class SoftmaxHessian(Hessian):
    """Of the softmax.

    Parameters
    ----------
    p : array of shape (n, k)
        Probabilities.
    weights : array of shape (n,), optional

    Examples
    --------
    >>> import numpy as np
    >>> SoftmaxHessian(np.full((1, 2), 0.5)).total()
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """

    def __init__(self, p: FloatArray, weights: FloatArray | None = None) -> None:
        self.p = p
        self.weights = np.ones(len(p)) if weights is None else weights

    def times(self, f: FloatArray) -> FloatArray:
        """w (p f - p p^T f)."""
        mean = np.einsum("ij,ij->i", self.p, f)
        return self.weights[:, None] * self.p * (f - mean[:, None])

    def entry(self, j: int, k: int) -> FloatArray:
        """p_j (1 - p_j), or - p_j p_k."""
        weighted = self.weights * self.p[:, j]
        return weighted * (1.0 - self.p[:, k]) if j == k else -weighted * self.p[:, k]

    def weighted(self, weights: FloatArray) -> SoftmaxHessian:
        """More of the same."""
        return SoftmaxHessian(self.p, self.weights * weights)

    def among(self, rows: slice) -> SoftmaxHessian:
        """Some of the probabilities."""
        return SoftmaxHessian(self.p[rows], self.weights[rows])

    def total(self) -> FloatArray:
        """diag(sum p) - sum p p^T."""
        weighted = self.weights[:, None] * self.p
        return np.diag(weighted.sum(axis=0)) - self.p.T @ weighted
