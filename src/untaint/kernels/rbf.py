r"""The Gaussian (radial basis function) kernel.

.. math:: k(x, z) = \exp(-\gamma \|x - z\|_2^2)

Subquantile Minimization, first version, eq. (84).
"""

from dataclasses import dataclass
from typing import ClassVar, final

from .arrays import Distance
from .radial import RadialKernel


@final
@dataclass(frozen=True)
class RBF(RadialKernel):
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

    name: ClassVar[str] = "rbf"
    distance: ClassVar[Distance | None] = "sqeuclidean"
