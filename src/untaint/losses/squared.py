r"""The squared loss, summed over outputs.

.. math:: \ell(y, f) = \sum_j (y_j - f_j)^2, \qquad \partial\ell / \partial f_j = 2 (f_j - y_j)

Subquantile Minimization, second version, eq. (11).
"""

from __future__ import annotations

from typing import final

import numpy as np

from .._typing import FloatArray
from .base import Loss
from .hessian import DiagonalHessian, Hessian


@final
class SquaredLoss(Loss):
    """Squared error of a row, over all its outputs.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredLoss().value(np.array([[1.0], [2.0]]), np.array([[0.0], [2.0]]))
    array([1., 0.])
    """

    curvature = 2.0
    quadratic = True

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Squared distance of each row of y from its prediction."""
        # Overflow is an answer here: a target beyond reach is a loss beyond all others.
        with np.errstate(over="ignore"):
            return np.einsum("ij,ij->i", y - f, y - f)

    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Twice the signed error."""
        return 2 * (f - y)

    def hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Two."""
        return DiagonalHessian(np.full(f.shape, 2.0))

    def slope_bound(self, y: FloatArray, reach: FloatArray) -> FloatArray:
        """Twice the largest error."""
        return 2 * (reach + np.linalg.norm(y, axis=1))
