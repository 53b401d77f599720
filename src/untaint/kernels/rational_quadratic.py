r"""The rational quadratic kernel.

.. math:: k(x, z) = (1 + \gamma \|x - z\|_2^2 / shape)^{-shape}

It is a mixture of Gaussian kernels of many widths, and tends to the one of width gamma as the
shape grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from .arrays import Array, Distance, MatrixLike
from .base import TiledKernel, positive
from .distances import SquaredDistances
from .tiles import Fill


@final
@dataclass(frozen=True)
class RationalQuadratic(TiledKernel):
    """The rational quadratic kernel.

    Parameters
    ----------
    gamma : float
        Positive inverse scale of the squared Euclidean distance.
    shape : float
        Positive shape parameter; the smaller it is, the heavier the tail of the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> RationalQuadratic(gamma=1.0, shape=1.0).matrix(np.array([[0.0], [3.0]]))
    array([[1. , 0.1],
           [0.1, 1. ]])
    """

    gamma: float
    shape: float = 1.0
    name: ClassVar[str] = "rational_quadratic"
    distance: ClassVar[Distance | None] = "sqeuclidean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))
        object.__setattr__(self, "shape", positive("shape", self.shape))

    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        distances = SquaredDistances(X, Z, root=sqrt(self.gamma), dtype=dtype)

        def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
            distances(rows, cols, out, work)
            if self.shape != 1.0:
                np.divide(out, self.shape, out=out)
            self._decay(out)

        return fill

    def _decay(self, t: Array) -> None:
        """Replace t by (1 + t) ** -shape in place; np.power would take twice as long."""
        if self.shape == 1.0:
            np.add(t, 1.0, out=t)
            np.divide(1.0, t, out=t)
            return
        if t.dtype == np.float32 and self.shape <= 4.0:
            # NumPy has a vectorised float32 log but no log1p; the power magnifies the rounding
            # of 1 + t by the shape, which is harmless while that is small.
            np.add(t, 1.0, out=t)
            np.log(t, out=t)
        else:
            np.log1p(t, out=t)
        np.multiply(t, -self.shape, out=t)
        np.exp(t, out=t)

    def _exact_diagonal(self, X: MatrixLike) -> Array:
        return np.ones(X.shape[0])
