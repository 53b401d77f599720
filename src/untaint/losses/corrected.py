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

from typing import NamedTuple, final

import numpy as np
from scipy.special import expit, log_softmax

from .._typing import FloatArray, IntArray
from .base import Loss
from .hessian import DiagonalHessian, Hessian, HessianDifference, SoftmaxHessian
from .softmax import class_codes

# Smallest part of the log-loss's second derivative that is left of it.
MIN_CURVATURE = 0.1
# Likelihoods below are computed by their logarithms.
LEAST_LIKELIHOOD = 1e-250


class Expansion(NamedTuple):
    """Losses (n,), and probabilities and posteriors of the classes that have a score, (n, k)."""

    value: FloatArray
    p: FloatArray
    posterior: FloatArray

    def diagonal(self, *, exact: bool) -> FloatArray:
        """Return the diagonal of each row's Hessian, (n, k), or of a positive bound of it."""
        complete = self.p * (1.0 - self.p)
        curvature = complete - self.posterior * (1.0 - self.posterior)
        if exact:
            return curvature
        return np.maximum(curvature, MIN_CURVATURE * complete) if self.two_classes else complete

    def dense_hessian(self, *, exact: bool) -> FloatArray:
        """Return the Hessian of each row, (n, k, k), or a positive semidefinite bound of it."""
        if self.two_classes:
            return self.diagonal(exact=exact)[:, :, None]
        bound = _multinomial(self.p)
        return bound - _multinomial(self.posterior) if exact else bound

    def times(self, f: FloatArray, *, exact: bool) -> FloatArray:
        """Return the products of these Hessians with values (n, k)."""
        if self.two_classes:
            return self.diagonal(exact=exact) * f
        product = self.p * (f - np.einsum("ij,ij->i", self.p, f)[:, None])
        if exact:
            mean = np.einsum("ij,ij->i", self.posterior, f)[:, None]
            product -= self.posterior * (f - mean)
        return product

    @property
    def two_classes(self) -> bool:
        """Whether there is one score, the log-odds of the second class."""
        return self.p.shape[1] == 1


@final
class CorrectedLogLoss(Loss):
    """The negative log-likelihood of a label under a noise matrix.

    Parameters
    ----------
    noise_matrix : array of shape (K, K)
        Probability of each label (column) for each true class (row).
    """

    convex = False

    def __init__(self, noise_matrix: FloatArray) -> None:
        self.noise_matrix = np.asarray(noise_matrix, dtype=float)
        self.curvature = 0.25 if len(self.noise_matrix) == 2 else 0.5
        with np.errstate(divide="ignore"):
            self._log_rates = np.log(self.noise_matrix)

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return minus the logarithm of the probability of the label."""
        return self.expand(y, f).value

    def gradient(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the probabilities less their posterior given the label."""
        at = self.expand(y, f)
        return at.p - at.posterior

    def expand(self, y: FloatArray, f: FloatArray) -> Expansion:
        """Return losses, probabilities and posteriors, from the same exponentials."""
        scores, codes = np.asarray(f, dtype=float), class_codes(y)
        if scores.shape[1] == 1:
            return self._expand_two(scores, codes)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        total = powers.sum(axis=1)
        joint = powers * self.noise_matrix.T[codes]
        likelihood = joint.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(total) - np.log(likelihood)
            posterior = joint / likelihood[:, None]
        tiny = np.flatnonzero(~(likelihood > LEAST_LIKELIHOOD))
        if len(tiny):
            logs = log_softmax(scores[tiny], axis=1) + self._log_rates.T[codes[tiny]]
            value[tiny] = -np.logaddexp.reduce(logs, axis=1)
            posterior[tiny] = np.exp(logs + value[tiny, None])
        return Expansion(value, powers / total[:, None], posterior)

    def _expand_two(self, scores: FloatArray, codes: IntArray) -> Expansion:
        """Return the expansion for two classes, which have one score."""
        first, second = (np.take(rates, codes)[:, None] for rates in self.noise_matrix)
        # Class probabilities, in units of the larger one, and theirs jointly with the label.
        one, other = np.exp(-np.maximum(scores, 0.0)), np.exp(np.minimum(scores, 0.0))
        joint, rest = second * other, (1.0 - first) * one + (1.0 - second) * other
        total = first * one + joint
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            value, posterior = np.log1p(rest / total), joint / total
        tiny = np.flatnonzero(~(total > LEAST_LIKELIHOOD))
        if len(tiny):
            f, (first, second) = scores[tiny], self._log_rates[:, codes[tiny]][:, :, None]
            value[tiny] = np.logaddexp(0.0, f) - np.logaddexp(first, f + second)
            posterior[tiny] = expit(f + second - first)
        return Expansion(value[:, 0], other / (one + other), posterior)

    def hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return a positive Hessian that leads to the same minimum."""
        if f.shape[1] == 1:
            return DiagonalHessian(np.maximum(*self.curvatures(y, f)))
        value, p, posterior = self.expand(y, f)
        # A variance under the posterior is at most that under p times the largest ratio of the two.
        ratio = self.noise_matrix.max(axis=0)[class_codes(y)] / np.exp(-value)
        part = np.minimum(1.0, (1.0 - MIN_CURVATURE) / ratio)
        return HessianDifference(SoftmaxHessian(p), SoftmaxHessian(posterior, part))

    def exact_hessian(self, y: FloatArray, f: FloatArray) -> Hessian:
        """Return the Hessian of the log-loss at p less that at the posterior."""
        if f.shape[1] == 1:
            return DiagonalHessian(self.curvatures(y, f)[0])
        _, p, posterior = self.expand(y, f)
        return HessianDifference(SoftmaxHessian(p), SoftmaxHessian(posterior))

    def curvatures(self, y: FloatArray, f: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return second derivatives in each score, and positive lower bounds of the log-loss's.

        The first are p (1 - p) less that of the posterior, in the shape of f, and may be negative.
        """
        _, p, posterior = self.expand(y, f)
        complete = p * (1.0 - p)
        return complete - posterior * (1.0 - posterior), MIN_CURVATURE * complete

    def slope_bound(self, y: FloatArray, max_norm: FloatArray) -> FloatArray:
        """Return the bound of the log-loss: probabilities and posteriors differ by as much."""
        return np.full(len(y), 1.0 if y.shape[1] == 1 else np.sqrt(2.0))


def _multinomial(p: FloatArray) -> FloatArray:
    """Return diag(p) - p p^T of each row."""
    matrices = -p[:, :, None] * p[:, None, :]
    diagonal = np.arange(p.shape[1])
    matrices[:, diagonal, diagonal] += p
    return matrices
