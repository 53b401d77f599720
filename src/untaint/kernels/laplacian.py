r"""The Laplacian kernel, on the Manhattan distance as in scikit-learn.

.. math:: k(x, z) = \exp(-\gamma \|x - z\|_1)
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from .arrays import Array, Distance, MatrixLike
from .base import TiledKernel, positive
from .in_place import InPlace
from .manhattan import manhattan_distances
from .tiles import Fill


@final
@dataclass(frozen=True)
class Laplacian(TiledKernel):
    """The Laplacian kernel, whose functions are rough along the axes.

    Parameters
    ----------
    gamma : float
        Positive inverse scale of the Manhattan distance.

    Examples
    --------
    >>> import numpy as np
    >>> Laplacian(gamma=1.0).matrix(np.array([[0.0, 0.0], [1.0, 1.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    gamma: float
    name: ClassVar[str] = "laplacian"
    distance: ClassVar[Distance | None] = "manhattan"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))

    def profile(self, t: Any) -> Any:
        """Return ``exp(-t)`` for ``t = gamma * |x - z|_1``."""
        return (-t).exp()

    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        distances = manhattan_distances(X, Z)

        def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
            distances(rows, cols, out, work)
            np.multiply(out, self.gamma, out=out)
            self.profile(InPlace(out))

        return fill

    def _exact_diagonal(self, X: MatrixLike) -> Array:
        return np.ones(X.shape[0])
