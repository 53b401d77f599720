r"""The rational quadratic kernel.

.. math:: k(x, z) = (1 + \gamma \|x - z\|_2^2 / shape)^{-shape}

It is a mixture of Gaussian kernels of many widths, and tends to the one of width gamma as the
shape grows.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

from .arrays import Array, Distance
from .base import positive
from .in_place import InPlace
from .radial import RadialKernel


@final
@dataclass(frozen=True)
class RationalQuadratic(RadialKernel):
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

    shape: float = 1.0
    name: ClassVar[str] = "rational_quadratic"
    distance: ClassVar[Distance | None] = "sqeuclidean"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "shape", positive("shape", self.shape))

    def profile(self, t: Any) -> Any:
        """Return ``(1 + t / shape)**-shape`` for ``t = gamma * |x - z|^2``."""
        if self.shape == 1.0:
            return 1.0 / (1.0 + t)
        return (-self.shape * (t / self.shape).log1p()).exp()  # a power takes twice as long

    def _in_place(self, tile: Array) -> InPlace:
        # The power magnifies the rounding of 1 + t by the shape, which does no harm if small.
        return InPlace(tile, fast_log=self.shape <= 4.0)
