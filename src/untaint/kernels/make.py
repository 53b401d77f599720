"""Construction of kernel objects from names, functions or kernels."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from .arrays import Distance
from .base import Kernel
from .callable import CallableKernel
from .exponential import Exponential
from .laplacian import Laplacian
from .linear import Linear
from .polynomial import Polynomial
from .precomputed import Precomputed
from .rational_quadratic import RationalQuadratic
from .rbf import RBF

_CLASSES: dict[str, type[Kernel]] = {
    kind.name: kind
    for kind in (Linear, Polynomial, RBF, Laplacian, Exponential, RationalQuadratic, Precomputed)
}

KernelLike = str | Kernel | Callable[[Any, Any], Any]


def make_kernel(
    kernel: KernelLike,
    *,
    gamma: float | None = None,
    degree: int = 3,
    coef0: float = 1.0,
    shape: float = 1.0,
) -> Kernel:
    """Return the kernel object of a name, a function or a kernel.

    Parameters
    ----------
    kernel : str, callable or Kernel
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"``, ``"exponential"``,
        ``"rational_quadratic"`` or ``"precomputed"``; a function, which is wrapped in
        :class:`CallableKernel`; or a kernel, which is returned as it is.
    gamma : float
        Inverse scale as a number; see :func:`resolve_gamma`. Required by all kernels but the
        linear and precomputed ones.
    degree : int
        Degree of the polynomial kernel.
    coef0 : float
        Constant term of the polynomial kernel.
    shape : float
        Shape parameter of the rational quadratic kernel.

    Examples
    --------
    >>> make_kernel("rbf", gamma=0.5)
    RBF(gamma=0.5)
    >>> make_kernel("linear")
    Linear()
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        kind = _named(kernel)
        offered = {"gamma": gamma, "degree": degree, "coef0": coef0, "shape": shape}
        wanted = getattr(kind, "__dataclass_fields__", {})
        return kind(**{name: value for name, value in offered.items() if name in wanted})
    if callable(kernel):
        return CallableKernel(kernel)
    raise ValueError(f"kernel must be a name, a function or a Kernel, got {kernel!r}.")


def gamma_distance(kernel: KernelLike) -> Distance | None:
    """Return the distance that the kernel's gamma refers to, None without gamma to resolve.

    A kernel object already has its gamma, and a function has none.

    Examples
    --------
    >>> gamma_distance("laplacian")
    'manhattan'
    >>> gamma_distance("linear") is None
    True
    """
    return _named(kernel).distance if isinstance(kernel, str) else None


def _named(name: str) -> type[Kernel]:
    if name in _CLASSES:
        return _CLASSES[name]
    close = get_close_matches(name.lower(), _CLASSES, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    known = ", ".join(repr(known) for known in _CLASSES)
    raise ValueError(f"kernel must be one of {known}, a function or a Kernel, got {name!r}.{hint}")
