r"""The polynomial kernel.

.. math:: k(x, z) = (\gamma \langle x, z \rangle + c_0)^{degree}

Subquantile Minimization, first version, eq. (79). Its features are the monomials up to the degree,
with multinomial weights.
"""

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from .arrays import Array, Distance, MatrixLike
from .base import TiledKernel, checked_number, positive
from .in_place import InPlace
from .products import inner_products, squared_norms
from .tiles import Fill


@final
@dataclass(frozen=True)
class Polynomial(TiledKernel):
    """The polynomial kernel, positive semi-definite for ``coef0 >= 0``.

    Values beyond the largest float saturate there.

    Parameters
    ----------
    gamma : float
        Positive factor of the inner product.
    degree : int
        Non-negative power.
    coef0 : float
        Constant added to the product.

    Examples
    --------
    >>> import numpy as np
    >>> Polynomial(gamma=1.0, degree=2, coef0=1.0).matrix(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    gamma: float
    degree: int = 3
    coef0: float = 1.0
    name: ClassVar[str] = "poly"
    distance: ClassVar[Distance | None] = "sqeuclidean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))
        whole = ("degree", self.degree, lambda n: n >= 0.0 and n.is_integer())
        object.__setattr__(self, "degree", int(checked_number(*whole, "a non-negative integer")))
        coef0 = checked_number("coef0", self.coef0, isfinite, "a finite number")
        object.__setattr__(self, "coef0", coef0)

    def profile(self, t: Any) -> Any:
        """Return ``t**degree`` for ``t = gamma * <x, z> + coef0``, by fast squaring."""
        if self.degree == 0:
            return t.ones()
        base = t.copy() if self.degree > 2 else t
        for bit in f"{self.degree:b}"[1:]:
            t = t * t
            if bit == "1":
                t = t * base
        return t

    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        with np.errstate(over="ignore"):
            scaled = X.astype(np.float64) * self.gamma
        products = inner_products(scaled, Z, dtype=dtype, offset=self.coef0, degree=self.degree)

        def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
            products(rows, cols, out, work)
            self.profile(InPlace(out, work))

        return fill

    def _exact_diagonal(self, X: MatrixLike) -> Array:
        base = self.gamma * squared_norms(X) + self.coef0
        return self.profile(InPlace(base)).data
