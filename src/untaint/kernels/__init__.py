"""Kernels and their matrices.

``make_kernel`` returns the :class:`Kernel` of a name, a function or a kernel; ``resolve_gamma``
returns the number for ``"median"`` and ``"scale"``.
"""

from .bandwidth import resolve_gamma
from .base import Kernel
from .callable import CallableKernel
from .exponential import Exponential
from .laplacian import Laplacian
from .linear import Linear
from .make import gamma_distance, make_kernel
from .polynomial import Polynomial
from .precomputed import Precomputed
from .rational_quadratic import RationalQuadratic
from .rbf import RBF

__all__ = [
    "RBF",
    "CallableKernel",
    "Exponential",
    "Kernel",
    "Laplacian",
    "Linear",
    "Polynomial",
    "Precomputed",
    "RationalQuadratic",
    "gamma_distance",
    "make_kernel",
    "resolve_gamma",
]
