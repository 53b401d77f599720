r"""The log-loss of labels that are seen through known noise: the forward correction.

With :math:`T_{kj}` the probability that a sample of class k is labelled j, and p the class
probabilities at the scores f (the logistic function of one score, or the softmax),

.. math:: \ell(y, f) = -\log \sum_k T_{ky}\, p_k, \qquad
          \nabla\ell = p - \gamma, \qquad \gamma_k = T_{ky}\, p_k \Big/ \sum_j T_{jy}\, p_j,

where :math:`\gamma` is the posterior probability of the true class given the label. The loss is
bounded where every label can be wrong. It is not convex: its Hessian is that of the log-loss at p
less that at :math:`\gamma`. Where that is not positive, less is subtracted: a tenth of the first
part is left.

Natarajan et al. (2013), Learning with noisy labels; Patrini et al. (2017), Making deep neural
networks robust to label noise.
"""

from __future__ import annotations

from typing import final

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

from .._typing import FloatArray
from .base import Loss
from .hessian import DiagonalHessian, Hessian, HessianDifference, SoftmaxHessian
from .softmax import class_codes

# Smallest part of the log-loss's second derivative that is left of it.
MIN_CURVATURE = 0.1


@final
class CorrectedLogLoss(Loss):
    """The negative log-likelihood of a label under a noise matrix.

    Parameters
    ----------
    noise_matrix : array of shape (K, K)
        Probability of each label (column) for each true class (row).

    Examples
    --------
    >>> import numpy as np
    >>> loss = CorrectedLogLoss(np.array([[0.9, 0.1], [0.0, 1.0]]))
    >>> y, f = np.array([[1.0], [0.0]]), np.array([[-1e6], [1e6]])
    >>> loss.value(y, f).round(1)  # a label of 1 may be wrong, one of 0 may not
    array([2.3000000e+00, 1.0000001e+06])
    """

    convex = False

    def __init__(self, noise_matrix: FloatArray) -> None:
        self.noise_matrix = np.asarray(noise_matrix, dtype=float)
        self.curvature = 0.25 if len(self.noise_matrix) == 2 else 0.5
        with np.errstate(divide="ignore"):
            self._log_rates = np.log(self.noise_matrix)

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return minus the logarithm of the probability of the label."""
        return -np.asarray(np.logaddexp.reduce(self._joint(y, f), axis=1))

    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the probabilities less their posterior given the label."""
        p, posterior = self._in_columns(y, f)
        return p - posterior

    def hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return a positive Hessian that leads to the same minimum."""
        if f.shape[1] == 1:
            return DiagonalHessian(np.maximum(*self.curvatures(y, f)))
        p, posterior = self._in_columns(y, f)
        # A variance under the posterior is at most that under p times the largest ratio of the two.
        ratio = self.noise_matrix.max(axis=0)[class_codes(y)] / np.exp(-self.value(y, f))
        part = np.minimum(1.0, (1.0 - MIN_CURVATURE) / ratio)
        return HessianDifference(SoftmaxHessian(p), SoftmaxHessian(posterior, part))

    def exact_hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return the Hessian of the log-loss at p less that at the posterior."""
        if f.shape[1] == 1:
            return DiagonalHessian(self.curvatures(y, f)[0])
        p, posterior = self._in_columns(y, f)
        return HessianDifference(SoftmaxHessian(p), SoftmaxHessian(posterior))

    def curvatures(self, y: FloatArray, f: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return second derivatives in each score, and positive lower bounds of the log-loss's.

        The first are p (1 - p) less that of the posterior, in the shape of f, and may be negative.
        """
        p, posterior = self._in_columns(y, f)
        complete = p * (1.0 - p)
        return complete - posterior * (1.0 - posterior), MIN_CURVATURE * complete

    def dense_hessian(self, y: FloatArray, f: FloatArray, *, exact: bool = True) -> FloatArray:
        """Return the Hessian of each row, (n, k, k), or a positive semidefinite bound of it."""
        if f.shape[1] == 1:
            curvature, least = self.curvatures(y, f)
            return (curvature if exact else np.maximum(curvature, least))[:, :, None]
        p, posterior = self._in_columns(y, f)
        return _multinomial(p) - _multinomial(posterior) if exact else _multinomial(p)

    def posterior(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the probabilities of the true class given the label, shape (n, K)."""
        return np.asarray(softmax(self._joint(y, f), axis=1))

    def slope_bound(self, y: FloatArray, max_norm: FloatArray) -> FloatArray:
        """Return the bound of the log-loss: probabilities and posteriors differ by as much."""
        return np.full(len(y), 1.0 if y.shape[1] == 1 else np.sqrt(2.0))

    def _in_columns(self, y: FloatArray, f: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return probabilities and posteriors of the classes that have a score, (n, k)."""
        scores, posterior = np.asarray(f, dtype=float), self.posterior(y, f)
        if scores.shape[1] == 1:
            return expit(scores), posterior[:, 1:]
        return softmax(scores, axis=1), posterior

    def _joint(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities of class and label together, (n, K)."""
        scores = np.asarray(f, dtype=float)
        if scores.shape[1] == 1:
            logs = np.column_stack([log_expit(-scores), log_expit(scores)])
        else:
            logs = log_softmax(scores, axis=1)
        return logs + self._log_rates.T[class_codes(y)]


def _multinomial(p: FloatArray) -> FloatArray:
    """Return diag(p) - p p^T of each row."""
    return np.einsum("nk,kj->nkj", p, np.eye(p.shape[1])) - np.einsum("nk,nj->nkj", p, p)
