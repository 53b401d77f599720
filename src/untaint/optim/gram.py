r"""The Gram matrix of weighted features, updated by the rows whose weights change.

.. math:: G = \Phi^T W \Phi

Few weights change between two concentration steps, so an update costs their number, not n. A
preconditioner needs G only approximately: with a tolerance, weights that changed little are left as
they were. Of very many rows a sample is enough for it: with m rows a feature, the spectrum of the
scaled Gram matrix of the sample is that of all rows to about :math:`1 \pm 2 / \sqrt m`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar, final

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .._threads import map_blocks
from .._typing import FloatArray, IntArray
from .base import Precondition

T = TypeVar("T")

# Share of changed rows beyond which a new sum is as quick, and free of drift.
REBUILD_SHARE = 0.3
# Share of rows that may change beyond the tolerance, where there is one, without an update.
FEW = 0.005
# Updates after which rounding errors are cleared by a new sum.
MAX_UPDATES = 50
# Part of its largest former value below which a diagonal entry has lost too many digits.
FORGET = 1e-6
# Columns from which sums of products are worth a copy of their rows.
WIDE = 100
# Multiplications beyond which a product has all cores, which are those of a block, and most blocks.
LARGE, MAX_BLOCKS = 10**8, 16
# Relative jitter of a factorisation without a penalty.
MIN_JITTER = 1e-12


@final
@dataclass(eq=False)
class IncrementalGram:
    """The Gram matrix for the last requested weights, exactly or within a tolerance.

    Features are dense or CSR, (n, p), or have a method ``gram(weights, rows)``. A change of a
    weight up to the tolerance, relative to the largest weight, is ignored; with 0 the matrix is
    exact, and drift by rounding is bounded. A sample of ``rows`` may stand for all, each for
    ``scale`` of them.
    """

    features: Any
    tolerance: float = 0.0
    rows: IntArray | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        self._bounds_drift = self.tolerance == 0
        self._weights: FloatArray | None = None
        self._G: FloatArray = np.zeros((0, 0))
        self._peak, self._updates = np.zeros(1), 0
        self._factor: tuple[FloatArray, Precondition] | None = None

    def at(self, weights: FloatArray) -> FloatArray:
        """Return G in float64 for weights of all rows; callers must not write to it."""
        own = weights if self.rows is None else weights[self.rows]
        if self._weights is None:
            self._rebuild(own)
            return self._G
        change = own - self._weights
        moved = np.flatnonzero(np.abs(change) > self.tolerance * float(own.max(initial=0.0)))
        if len(moved) > REBUILD_SHARE * len(own):
            self._rebuild(own)
        elif len(moved) > (FEW * len(own) if self.tolerance > 0 else 0):
            where = moved if self.rows is None else self.rows[moved]
            self._weights[moved] = own[moved]
            self._store(self._G + self._sum(change[moved], where))
            self._updates += 1
            lost = bool((np.diag(self._G) < FORGET * self._peak).any())
            if self._bounds_drift and (lost or self._updates > MAX_UPDATES):
                self._rebuild(own)  # rounding errors of the updates may matter
        return self._G

    def inverse(self, weights: FloatArray, penalty: FloatArray) -> Precondition:
        """Return a solver of (G + diag(penalty)) x = v."""
        G = self.at(weights)
        if self._factor is None or not np.array_equal(self._factor[0], penalty):
            self._factor = (penalty.copy(), factorised(G, penalty))
        return self._factor[1]

    def state_dict(self) -> dict[str, FloatArray]:
        """Return G, the weights that it belongs to, and the tolerance."""
        if self._weights is None:
            return {}
        weights, tolerance = self._weights.copy(), np.array(self.tolerance)
        return {"sums": self._G, "weights": weights, "tolerance": tolerance}

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self._weights, self.tolerance = state["weights"], float(state["tolerance"])
        self._store(state["sums"])

    def _rebuild(self, own: FloatArray) -> None:
        self._weights, self._updates, self._peak = own.copy(), 0, np.zeros(1)
        self._store(self._sum(own, self.rows))

    def _store(self, G: FloatArray) -> None:
        self._G, self._factor = G, None
        self._peak = np.maximum(self._peak, np.diag(G))

    def _sum(self, weights: FloatArray, rows: IntArray | None) -> FloatArray:
        """Return the scaled sum over all rows, or over some with as many weights."""
        if hasattr(self.features, "gram"):
            return np.asarray(self.scale * self.features.gram(weights, rows), dtype=float)
        inside = np.flatnonzero(weights)
        if len(inside) < len(weights):
            rows, weights = inside if rows is None else rows[inside], weights[inside]
        part = self.features if rows is None else self.features[rows]
        return np.asarray(self.scale * weighted_gram(part, weights), dtype=float)


def weighted_gram(features: Any, weights: FloatArray) -> FloatArray:
    """Return Phi^T W Phi in the precision of the features, for weights of any sign."""
    weights = weights.astype(features.dtype)
    if sparse.issparse(features):
        return np.asarray((features.T @ features.multiply(weights[:, None])).toarray())
    if (weights == 1).all():
        return features.T @ features
    if (weights >= 0).all():
        return self_product(features * np.sqrt(weights)[:, None])
    if (weights <= 0).all():
        return -weighted_gram(features, -weights)
    if features.shape[1] < WIDE:
        return features.T @ (features * weights[:, None])
    # Two matrices times their own transposes, of all rows together: half of the work, too.
    negative = weights < 0
    return weighted_gram(features[~negative], weights[~negative]) - weighted_gram(
        features[negative], -weights[negative]
    )


def self_product(A: FloatArray) -> FloatArray:
    """Return A^T A, which is half of the work of a general product, by several threads if large."""
    return reduce(np.add, by_blocks(lambda rows: A[rows].T @ A[rows], *A.shape))


def by_blocks(function: Callable[[slice], T], n_rows: int, width: int) -> list[T]:
    """Return the results of a function of blocks of a matrix, by several threads if it is large."""
    count = min(max(n_rows * width**2 // LARGE, 1), MAX_BLOCKS)
    return map_blocks(function, n_rows, max(-(-n_rows // count), 1))


def factorised(G: FloatArray, penalty: FloatArray) -> Precondition:
    """Return a solver of (G + diag(penalty)) x = v."""
    jitter = MIN_JITTER * max(float(np.diag(G).max(initial=0.0)), np.finfo(float).tiny)
    factor = jittered_cholesky(G, penalty, jitter)
    return lambda v: cho_solve(factor, v, check_finite=False)


def jittered_cholesky(
    A: FloatArray, penalty: FloatArray | float, jitter: float
) -> tuple[FloatArray, bool]:
    """Factorise A plus a diagonal penalty and as much jitter as it takes."""
    while True:
        B = A.copy()
        B.flat[:: len(B) + 1] += penalty + jitter
        try:
            return cho_factor(B, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:  # in single precision eigenvalues may be below zero
            jitter *= 100.0
