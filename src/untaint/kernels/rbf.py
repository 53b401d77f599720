r"""The Gaussian (radial basis function) kernel.

.. math:: k(x, z) = \exp(-\gamma \|x - z\|_2^2)

Subquantile Minimization, first version, eq. (84).
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from .arrays import Array, Distance, MatrixLike
from .base import TiledKernel, positive
from .distances import SquaredDistances
from .in_place import InPlace
from .tiles import Fill


@final
@dataclass(frozen=True)
class RBF(TiledKernel):
    """The Gaussian kernel.

    Parameters
    ----------
    gamma : float
        Positive inverse scale of the squared Euclidean distance.

    Examples
    --------
    >>> import numpy as np
    >>> RBF(gamma=0.5).matrix(np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    gamma: float
    name: ClassVar[str] = "rbf"
    distance: ClassVar[Distance | None] = "sqeuclidean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))

    def profile(self, t: Any) -> Any:
        """Return ``exp(-t)`` for ``t = gamma * |x - z|^2``."""
        return (-t).exp()

    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        distances = SquaredDistances(X, Z, root=sqrt(self.gamma), dtype=dtype)

        def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
            distances(rows, cols, out, work)
            self.profile(InPlace(out))

        return fill

    def _exact_diagonal(self, X: MatrixLike) -> Array:
        return np.ones(X.shape[0])
