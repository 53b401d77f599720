r"""Kernels that are functions of a distance: k(x, z) = profile(t).

.. math:: t = \gamma \|x - z\|_2^2, \; \gamma \|x - z\|_2 \; \text{or} \; \gamma \|x - z\|_1
"""

from abc import ABC
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import Array, MatrixLike
from .base import TiledKernel, positive
from .distances import SquaredDistances
from .in_place import InPlace
from .manhattan import manhattan_distances
from .tiles import Fill


@dataclass(frozen=True)
class RadialKernel(TiledKernel, ABC):
    """A kernel that is a function of gamma times the ``distance`` of two samples."""

    gamma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))

    def profile(self, t: Any) -> Any:
        """Return ``exp(-t)`` for t, gamma times the distance."""
        return (-t).exp()

    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        distances = self._distances(X, Z, dtype)

        def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
            distances(rows, cols, out, work)
            if self.distance == "euclidean":
                np.sqrt(out, out=out)
            elif self.distance == "manhattan":
                np.multiply(out, self.gamma, out=out)
            self.profile(self._in_place(out))

        return fill

    def _distances(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        """Return the tile function of t, of its square, or of t without gamma."""
        if self.distance == "manhattan":
            return manhattan_distances(X, Z)
        rooted = self.distance == "euclidean"
        root = self.gamma if rooted else sqrt(self.gamma)
        return SquaredDistances(X, Z, root=root, dtype=dtype, rooted=rooted)

    def _in_place(self, tile: Array) -> InPlace:
        return InPlace(tile)

    def _exact_diagonal(self, X: MatrixLike) -> Array:
        return np.ones(X.shape[0])
