r"""The softmax loss of several classes.

.. math:: \ell(y, f) = \log \textstyle\sum_j e^{f_j} - y^T f, \qquad \nabla\ell = p - y, \qquad
          \nabla^2\ell = \mathrm{diag}(p) - p p^T, \qquad p = \mathrm{softmax}(f)

with y the indicator of the class. Subquantile Minimization, first version, eq. (56).
"""

from typing import final

import numpy as np
from scipy.special import expit, softmax

from .._typing import FloatArray, IntArray
from .base import Loss
from .hessian import Hessian, SoftmaxHessian


@final
class SoftmaxLoss(Loss):
    """The negative log-likelihood of a class, given as an indicator vector, at the scores f.

    Examples
    --------
    >>> import numpy as np
    >>> SoftmaxLoss().value(np.array([[0.0, 1.0]]), np.array([[1e6, 0.0]]))
    array([1000000.])
    """

    # The largest eigenvalue of diag(p) - p p^T is reached by two classes of one half each.
    curvature = 0.5

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return log sum_j e^f_j - y^T f."""
        # Relative to the score of the class, so that the loss tends to exactly 0 without
        # cancellation.
        relative = np.asarray(f, dtype=float) - np.einsum("ij,ij->i", y, f)[:, None]
        top = relative.max(axis=1)
        return top + np.log(np.exp(relative - top[:, None]).sum(axis=1))

    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the probabilities minus the indicator vector."""
        return softmax(np.asarray(f, dtype=float), axis=1) - y

    def hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return diag(p) - p p^T."""
        return SoftmaxHessian(softmax(np.asarray(f, dtype=float), axis=1))

    def slope_bound(self, y: FloatArray, max_norm: FloatArray) -> FloatArray:
        """Return the square root of 2, attained with probability 1 for a wrong class."""
        return np.full(len(y), np.sqrt(2.0))


def class_codes(y: FloatArray) -> IntArray:
    """Return the class of each row, from the 0 and 1 or the indicators that a log-loss takes.

    Examples
    --------
    >>> import numpy as np
    >>> class_codes(np.array([[1.0], [0.0]])), class_codes(np.eye(3))
    (array([1, 0]), array([0, 1, 2]))
    """
    return y[:, 0].astype(np.intp) if y.shape[1] == 1 else y.argmax(axis=1)


def class_probabilities(scores: FloatArray) -> FloatArray:
    """Return class probabilities (n, K) from log-odds in one column or scores in several."""
    if scores.shape[1] == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    return np.asarray(softmax(scores, axis=1))
