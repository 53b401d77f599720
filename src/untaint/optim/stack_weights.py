r"""Mixtures of learners by weights that are not negative and sum to one.

Given out-of-fold predictions :math:`F` of several learners, and inlier weights w of the rows,

.. math:: \min_{v \ge 0,\, \sum v = 1} \sum_i w_i (y_i - \textstyle\sum_j v_j F_{ij})^2
          \quad\text{or}\quad \max \sum_i w_i \log \textstyle\sum_j v_j p_{ij},

selects the stack weights v; the second form is for probabilities p of the observed labels.
"""

import numpy as np
from scipy.optimize import nnls

from .._typing import FloatArray

# Weight of the equation that makes weights sum to one, relative to all others.
SUM_TO_ONE = 1e3
EM_STEPS = 50


def convex_weights(predictions: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weights (m,) of learners whose predictions (n, k, m) are closest to y (n, k).

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([[0.0], [1.0], [2.0]])
    >>> convex_weights(np.stack([y, 1 - y], axis=-1), y, np.ones(3)).round(3)
    array([1., 0.])
    """
    root = np.sqrt(weights)[:, None]
    differences = (predictions - y[:, :, None]) * root[:, :, None]
    rows = differences.reshape(-1, predictions.shape[-1])
    size = float(np.sqrt(np.mean(rows**2))) or 1.0
    last = np.full((1, rows.shape[1]), SUM_TO_ONE * np.sqrt(len(rows)))
    found, _ = nnls(np.vstack([rows / size, last]), np.r_[np.zeros(len(rows)), last[0, 0]])
    total = found.sum()
    return found / total if total > 0 else np.full(len(found), 1.0 / len(found))


def mixture_weights(likelihoods: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weights (m,) of learners under which what was observed is likeliest.

    The likelihoods (n, m) are the probabilities of each label by each learner.
    """
    found = np.full(likelihoods.shape[1], 1.0 / likelihoods.shape[1])
    for _ in range(EM_STEPS):
        joint = likelihoods * found
        total = np.maximum(joint.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        found = weights @ (joint / total) / weights.sum()
    return found
