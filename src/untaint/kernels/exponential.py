r"""The exponential kernel, on the Euclidean distance.

.. math:: k(x, z) = \exp(-\gamma \|x - z\|_2)
"""

from dataclasses import dataclass
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
class Exponential(TiledKernel):
    """The exponential kernel: isotropic, with rougher functions than the Gaussian kernel.

    Parameters
    ----------
    gamma : float
        Positive inverse scale of the Euclidean distance (not of its square).

    Examples
    --------
    >>> import numpy as np
    >>> Exponential(gamma=1.0).matrix(np.array([[0.0, 0.0], [3.0, 4.0]])).round(4)
    array([[1.    , 0.0067],
           [0.0067, 1.    ]])
    """

    gamma: float
    name: ClassVar[str] = "exponential"
    distance: ClassVar[Distance | None] = "euclidean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))

    def profile(self, t: Any) -> Any:
        """Return ``exp(-t)`` for ``t = gamma * |x - z|``."""
        return (-t).exp()

    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        distances = SquaredDistances(X, Z, root=self.gamma, dtype=dtype, rooted=True)

        def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
            distances(rows, cols, out, work)
            np.sqrt(out, out=out)
            self.profile(InPlace(out))

        return fill

    def _exact_diagonal(self, X: MatrixLike) -> Array:
        return np.ones(X.shape[0])
