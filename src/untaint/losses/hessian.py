r"""Hessians of a loss at every sample, as one linear map of (n, k) arrays.

The Hessian of a sample is a k x k matrix, stored so that a product with it takes O(k) operations:

* diagonal, :math:`H = \mathrm{diag}(h)`;
* that of the softmax loss at probabilities p, :math:`H = w\,(\mathrm{diag}(p) - p p^T)`;
* a difference of two.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np

from .._typing import FloatArray


class Hessian(ABC):
    """The Hessians H of all samples; in some, the entries of every row sum to zero."""

    sums_to_zero: bool = False

    @abstractmethod
    def times(self, f: FloatArray) -> FloatArray:
        """Return H f of each sample, shape (n, k)."""

    @abstractmethod
    def entry(self, j: int, k: int) -> FloatArray:
        """Return the entry (j, k) of each sample's Hessian, shape (n,)."""

    @abstractmethod
    def weighted(self, weights: FloatArray) -> Hessian:
        """Return the Hessians of the losses times ``weights``."""

    @abstractmethod
    def among(self, rows: slice) -> Hessian:
        """Return the Hessians of some of the samples."""

    @abstractmethod
    def total(self) -> FloatArray:
        """Return the sum of the Hessians, shape (k, k)."""


@final
class DiagonalHessian(Hessian):
    """Diagonal Hessians, with entries h of shape (n, k).

    Examples
    --------
    >>> import numpy as np
    >>> DiagonalHessian(np.array([[2.0], [3.0]])).total()
    array([[5.]])
    """

    def __init__(self, h: FloatArray) -> None:
        self.h = h

    def times(self, f: FloatArray) -> FloatArray:
        """Return h f, elementwise."""
        return self.h * f

    def entry(self, j: int, k: int) -> FloatArray:
        """Return h_j if j equals k, else zeros."""
        return self.h[:, j] if j == k else np.zeros(len(self.h))

    def weighted(self, weights: FloatArray) -> DiagonalHessian:
        """Return the Hessians of the losses times ``weights``."""
        return DiagonalHessian(weights[:, None] * self.h)

    def among(self, rows: slice) -> DiagonalHessian:
        """Return the Hessians of some of the samples."""
        return DiagonalHessian(self.h[rows])

    def total(self) -> FloatArray:
        """Return the sum of the Hessians, a diagonal matrix."""
        return np.diag(self.h.sum(axis=0))


@final
class SoftmaxHessian(Hessian):
    """Hessians of the softmax loss.

    Parameters
    ----------
    p : array of shape (n, k)
        Class probabilities.
    weights : array of shape (n,), optional
        Factors of the losses, 1 by default.
    """

    sums_to_zero = True

    def __init__(self, p: FloatArray, weights: FloatArray | None = None) -> None:
        self.p = p
        self.weights = np.ones(len(p)) if weights is None else weights

    def times(self, f: FloatArray) -> FloatArray:
        """Return w (p f - p p^T f) of each sample."""
        mean = np.einsum("ij,ij->i", self.p, f)
        return self.weights[:, None] * self.p * (f - mean[:, None])

    def entry(self, j: int, k: int) -> FloatArray:
        """Return w p_j (1 - p_j) if j equals k, else -w p_j p_k."""
        weighted = self.weights * self.p[:, j]
        return weighted * (1.0 - self.p[:, k]) if j == k else -weighted * self.p[:, k]

    def weighted(self, weights: FloatArray) -> SoftmaxHessian:
        """Return the Hessians of the losses times ``weights``."""
        return SoftmaxHessian(self.p, self.weights * weights)

    def among(self, rows: slice) -> SoftmaxHessian:
        """Return the Hessians of some of the samples."""
        return SoftmaxHessian(self.p[rows], self.weights[rows])

    def total(self) -> FloatArray:
        """Return diag(sum w p) - sum w p p^T."""
        weighted = self.weights[:, None] * self.p
        return np.diag(weighted.sum(axis=0)) - self.p.T @ weighted


@final
class HessianDifference(Hessian):
    """The difference of two Hessians."""

    def __init__(self, first: Hessian, second: Hessian) -> None:
        self.first, self.second = first, second
        self.sums_to_zero = first.sums_to_zero and second.sums_to_zero

    def times(self, f: FloatArray) -> FloatArray:
        """Return the difference of the products."""
        return self.first.times(f) - self.second.times(f)

    def entry(self, j: int, k: int) -> FloatArray:
        """Return the difference of the entries."""
        return self.first.entry(j, k) - self.second.entry(j, k)

    def weighted(self, weights: FloatArray) -> HessianDifference:
        """Return the Hessians of the losses times ``weights``."""
        return HessianDifference(self.first.weighted(weights), self.second.weighted(weights))

    def among(self, rows: slice) -> HessianDifference:
        """Return the Hessians of some of the samples."""
        return HessianDifference(self.first.among(rows), self.second.among(rows))

    def total(self) -> FloatArray:
        """Return the difference of the sums."""
        return self.first.total() - self.second.total()
