r"""Posterior probability that a label is right, under a noise matrix that is itself uncertain.

With class probabilities p of a row, noise matrix T and label y the true class has the posterior

.. math:: \gamma_k = T_{ky}\, p_k \Big/ \sum_j T_{jy}\, p_j .

Noise as such has the probability :math:`\rho`, and without it every label is right: the label is
right with probability :math:`1 - \rho\, (1 - \gamma_y)`.
"""

import numpy as np

from .._typing import FloatArray, IntArray

# A label as likely wrong as right has the score 1.
HALF = np.log(2.0)


def true_class_posterior(
    probabilities: FloatArray, codes: IntArray, noise_matrix: FloatArray
) -> FloatArray:
    """Return the posterior of the true class of each row, shape (n, K).

    Examples
    --------
    >>> import numpy as np
    >>> noise_matrix = np.array([[0.9, 0.1], [0.0, 1.0]])  # errors of the first class alone
    >>> true_class_posterior(np.array([[0.5, 0.5]]), np.array([1]), noise_matrix).round(2)
    array([[0.09, 0.91]])
    """
    joint = probabilities * noise_matrix.T[codes]
    total = joint.sum(axis=1, keepdims=True)
    # A label that the noise matrix makes impossible gives no information about the class.
    return np.divide(joint, total, out=np.array(probabilities, dtype=float), where=total > 0)


def uncertain_class_posterior(
    probabilities: FloatArray, codes: IntArray, noise_matrix: FloatArray, noise: float
) -> FloatArray:
    """Return the posterior of the true class, shape (n, K); ``noise`` is that of any noise."""
    labels = np.eye(probabilities.shape[1])[codes]
    return labels + noise * (true_class_posterior(probabilities, codes, noise_matrix) - labels)


def wrong_label_scores(right: FloatArray) -> FloatArray:
    """Return -log2 of the probability that a label is right: above 1 it is probably wrong."""
    return -np.log(np.maximum(right, np.finfo(float).tiny)) / HALF


def shares_of_labels(
    true: IntArray, codes: IntArray, sample_weight: FloatArray, k: int
) -> FloatArray:
    """Return the shares of labels among the rows of each true class."""
    counts = np.bincount(k * true + codes, sample_weight, k * k).reshape(k, k)
    totals = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, totals, out=np.eye(k), where=totals > 0)
