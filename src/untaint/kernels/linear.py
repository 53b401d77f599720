r"""The linear kernel.

.. math:: k(x, z) = \langle x, z \rangle
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy.typing as npt

from .arrays import Array, MatrixLike
from .base import TiledKernel
from .products import inner_products, squared_norms
from .tiles import Fill


@final
@dataclass(frozen=True)
class Linear(TiledKernel):
    """The linear kernel, the inner product of two samples.

    Products beyond the largest float saturate there.

    Examples
    --------
    >>> import numpy as np
    >>> Linear().matrix(np.array([[1.0, 2.0], [3.0, 0.0]]))
    array([[5., 3.],
           [3., 9.]])
    """

    name: ClassVar[str] = "linear"

    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        return inner_products(X, Z, dtype=dtype)

    def _exact_diagonal(self, X: MatrixLike) -> Array:
        return squared_norms(X)
