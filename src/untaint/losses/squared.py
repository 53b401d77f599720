r"""The squared loss, summed over outputs.

.. math:: \ell(y, f) = \sum_j (y_j - f_j)^2, \qquad \partial\ell / \partial f_j = 2 (f_j - y_j)

Subquantile Minimization, second version, eq. (11).
"""

from typing import final

import numpy as np

from .._typing import FloatArray
from .base import Loss
from .hessian import DiagonalHessian, Hessian


@final
class SquaredLoss(Loss):
    """The squared error of a sample, summed over its outputs.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredLoss().value(np.array([[1.0], [2.0]]), np.array([[0.0], [2.0]]))
    array([1., 0.])
    """

    curvature = 2.0
    quadratic = True
    of_differences = True

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the squared distance of each target from its prediction."""
        # An overflow to infinity is valid: the sample has the largest loss and is trimmed first.
        with np.errstate(over="ignore"):
            difference = y - f
            return np.einsum("ij,ij->i", difference, difference)

    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return 2 (f - y)."""
        return 2 * (f - y)

    def hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return 2 for each sample and output."""
        return DiagonalHessian(np.full(f.shape, 2.0))

    def slope_bound(self, y: FloatArray, max_norm: FloatArray) -> FloatArray:
        """Return twice the sum of ``max_norm`` and the norm of each target."""
        return 2 * (max_norm + np.linalg.norm(y, axis=1))
