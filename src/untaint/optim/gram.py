r"""The Gram matrix of weighted features, kept up to date by the rows that change.

.. math:: G = \Phi^T W \Phi, \qquad s = \Phi^T w

Between two concentration steps few weights change, so G follows at a cost of their number, not n.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, final

import numpy as np
from scipy import sparse

from .._threads import all_blas_threads
from .._typing import FloatArray

# Share of changed rows beyond which building anew is as quick, and free of drift.
REBUILD_SHARE = 0.25
MAX_UPDATES = 50
# Part of a column's former size below which too many of its digits are lost.
FORGET = 1e-6
# Multiplications that several threads do faster than one.
LARGE = 10**8


@final
class IncrementalGram:
    """G and s for the weights last asked for.

    Parameters
    ----------
    features : dense or CSR of shape (n, p)

    Examples
    --------
    >>> import numpy as np
    >>> gram = IncrementalGram(np.array([[1.0], [2.0]]))
    >>> gram.at(np.array([1.0, 1.0]))
    (array([[5.]]), array([3.]))
    """

    def __init__(self, features: Any) -> None:
        self.features = features
        self._weights: FloatArray | None = None
        self._peak: FloatArray = np.zeros(0)
        self._updates = 0

    def at(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """G and s in float64; callers must not write to them."""
        if self._weights is None:
            self._rebuild(weights)
        else:
            changed = np.flatnonzero(weights != self._weights)
            many = len(changed) > REBUILD_SHARE * len(weights)
            if many or self._updates >= MAX_UPDATES:
                self._rebuild(weights)
            elif len(changed):
                self._add(changed, weights[changed] - self._weights[changed])
                self._updates += 1
                if (np.diag(self._G) < FORGET * self._peak).any():
                    self._rebuild(weights)  # what was taken away had drowned what is left
                self._peak = np.maximum(self._peak, np.diag(self._G))
        self._weights = weights.copy()
        return self._G, self._s

    def fresh(self, weights: FloatArray) -> FloatArray:
        """G for weights of one sign, and no memory of them."""
        sign = -1.0 if (weights < 0).any() else 1.0
        return sign * _weighted_gram(self.features, np.abs(weights))

    def _rebuild(self, weights: FloatArray) -> None:
        rows = np.flatnonzero(weights)
        width = self.features.shape[1]
        self._G, self._s, self._updates = np.zeros((width, width)), np.zeros(width), 0
        if len(rows) == len(weights):
            self._accumulate(self.features, weights)
        else:
            self._add(rows, weights[rows])
        self._peak = np.diag(self._G).copy()

    def _add(self, rows: np.ndarray, weights: FloatArray) -> None:
        self._accumulate(self.features[rows], weights)

    def _accumulate(self, part: Any, weights: FloatArray) -> None:
        self._G += _weighted_gram(part, weights)
        self._s += part.T @ weights.astype(part.dtype)


def _weighted_gram(part: Any, weights: FloatArray) -> FloatArray:
    weights = weights.astype(part.dtype)
    if sparse.issparse(part):
        dense: FloatArray = (part.T @ part.multiply(weights[:, None])).toarray()
        return dense
    if (weights == 1).all():
        return part.T @ part
    if (weights >= 0).all():
        scaled = part * np.sqrt(weights)[:, None]
        with all_blas_threads() if part.size * part.shape[1] > LARGE else nullcontext():
            return scaled.T @ scaled  # a matrix times its own transpose: half of the work
    return part.T @ (part * weights[:, None])
