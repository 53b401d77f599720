r"""The Laplacian kernel, on the Manhattan distance as in scikit-learn.

.. math:: k(x, z) = \exp(-\gamma \|x - z\|_1)
"""

from dataclasses import dataclass
from typing import ClassVar, final

from .arrays import Distance
from .radial import RadialKernel


@final
@dataclass(frozen=True)
class Laplacian(RadialKernel):
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

    name: ClassVar[str] = "laplacian"
    distance: ClassVar[Distance | None] = "manhattan"
