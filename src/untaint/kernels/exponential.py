r"""The exponential kernel, on the Euclidean distance.

.. math:: k(x, z) = \exp(-\gamma \|x - z\|_2)
"""

from dataclasses import dataclass
from typing import ClassVar, final

from .arrays import Distance
from .radial import RadialKernel


@final
@dataclass(frozen=True)
class Exponential(RadialKernel):
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

    name: ClassVar[str] = "exponential"
    distance: ClassVar[Distance | None] = "euclidean"
