r"""The sums :math:`\Phi^T D \Phi` for weights that change: what a fit is preconditioned by.

Weights that hardly moved are left as they were, since conjugate gradients make up for it; rows that
entered, left or moved are added and taken away; only when most of them moved is the sum built anew.
Of very many rows a sample is enough: with m rows a feature, the spectrum of
the sample's sums is that of all to about :math:`1 \pm 2 / \sqrt m`.
"""

from __future__ import annotations

from typing import Protocol, final

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .._typing import FloatArray, IntArray
from .base import Precondition

# Weights that moved by less than this part of the largest are left alone.
STALE = 0.1
# Part of the rows that may have moved and be left alone all the same.
FEW = 0.005
# Share of moved rows beyond which building anew is as quick.
REBUILD_SHARE = 0.3
# Relative ridge that keeps a factorisation going where there is none.
MIN_ALPHA = 1e-12


class Sums(Protocol):
    """Who can sum products of features over rows."""

    @property
    def width(self) -> int:
        """Number of features."""

    def gram(self, weights: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Weighted sums of products over all rows, or over some."""


@final
class TolerantGram:
    """Sums of products for the weights last asked for, or nearly.

    Parameters
    ----------
    features : Sums
    rows : array of indices, optional
        The sample; None is all rows.
    scale : float
        How many rows each one of the sample stands for.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.feature_maps import BlockedFeatures, IdentityMap, Plan
    >>> X = np.array([[1.0], [2.0]])
    >>> features = BlockedFeatures(IdentityMap(np.zeros(1)), X, False, Plan(2, 0))
    >>> TolerantGram(features).at(np.array([1.0, 1.0]))
    array([[5.]])
    """

    def __init__(self, features: Sums, rows: IntArray | None = None, scale: float = 1.0) -> None:
        self.features = features
        self.rows = rows
        self.scale = scale
        self.tolerance = STALE
        self._weights: FloatArray | None = None
        self._G: FloatArray = np.zeros((0, 0))
        self._factor: tuple[FloatArray, Precondition] | None = None

    def at(self, weights: FloatArray) -> FloatArray:
        """The sums for about these weights of all rows; callers must not write to them."""
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
            self._G = self._G + self.scale * self.features.gram(change[moved], where)
            self._weights[moved] = own[moved]
            self._factor = None
        return self._G

    def inverse(self, weights: FloatArray, penalty: FloatArray) -> Precondition:
        """A solver of (G + diag(penalty)) x = v, for about these weights."""
        G = self.at(weights)
        if self._factor is None or not np.array_equal(self._factor[0], penalty):
            self._factor = (penalty.copy(), factorised(G, penalty))
        return self._factor[1]

    def follow_exactly(self) -> None:
        """Sums that are nearly right cost more than they save."""
        self.tolerance = 0.0

    def state_dict(self) -> dict[str, FloatArray]:
        """Sums, the weights that they are of, and how closely these are followed."""
        if self._weights is None:
            return {}
        return {"sums": self._G, "weights": self._weights.copy(), "stale": np.array(self.tolerance)}

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on with such sums."""
        self._G, self._weights = state["sums"], state["weights"]
        self.tolerance = float(state["stale"])
        self._factor = None

    def _rebuild(self, own: FloatArray) -> None:
        self._G = self.scale * self.features.gram(own, self.rows)
        self._weights = own.copy()
        self._factor = None


def factorised(G: FloatArray, penalty: FloatArray) -> Precondition:
    """A solver of (G + diag(penalty)) x = v."""
    diagonal = np.diag(G)
    least = MIN_ALPHA * max(float(diagonal.max(initial=0.0)), np.finfo(float).tiny)
    while True:
        A = G.copy()
        A.flat[:: len(A) + 1] += penalty + least
        try:
            factor = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            # Sums in single precision may leave small directions below zero.
            least *= 100.0
            continue
        return lambda v: cho_solve(factor, v, check_finite=False)
