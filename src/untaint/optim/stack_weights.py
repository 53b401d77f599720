r"""Mixtures of learners by weights that are not negative and sum to one.

Given out-of-fold predictions :math:`F` of several learners, and inlier weights w of the rows,

.. math:: \min_{v \ge 0,\, \sum v = 1} \sum_i w_i (y_i - \textstyle\sum_j v_j F_{ij})^2
          \quad\text{or}\quad \max \sum_i w_i \log \textstyle\sum_j v_j p_{ij},

selects the stack weights v; the second form is for probabilities p of the observed labels. As
weights sum to one, the first sum is :math:`v^T G v`, with G the products of the learners' errors.
Where no weight is zero, :math:`v \propto G^{-1} 1`; learners are few, so that all choices of those
whose weights are zero can be tried.
"""

from itertools import combinations

import numpy as np

from .._typing import FloatArray

# What is added to the diagonal of G, relative to its mean: learners may predict the same.
JITTER = 1e-12
EM_STEPS = 50


def convex_weights(predictions: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weights (m,) of learners whose predictions (n, k, m) are closest to y (n, k)."""
    root = np.sqrt(weights)[:, None]
    differences = (predictions - y[:, :, None]) * root[:, :, None]
    errors = differences.reshape(-1, predictions.shape[-1])
    size, m = float(np.sqrt(np.mean(errors**2))) or 1.0, errors.shape[1]
    G = (errors / size).T @ (errors / size)
    G[np.diag_indices(m)] += JITTER * (float(np.trace(G)) / m or 1.0)
    best, least = np.full(m, 1.0 / m), np.inf
    for count in range(1, m + 1):
        for members in map(list, combinations(range(m), count)):
            v = np.linalg.solve(G[np.ix_(members, members)], np.ones(count))
            objective = 1.0 / v.sum()  # of v / sum(v)
            if v.min() >= 0 and objective < least:
                best, least = np.zeros(m), objective
                best[members] = v * objective
    return best


def adds(simple: FloatArray, other: FloatArray, y: FloatArray, gain: float) -> bool:
    """Return whether mixing in other predictions (n, k) lowers the error of simple ones enough.

    Of normal errors, n times its relative decrease is twice the gain in log-likelihood; that has to
    exceed the given one.
    """
    parts = np.stack([simple, other], axis=-1)
    mixed = parts @ convex_weights(parts, y, np.ones(len(y)))
    before, after = float(np.square(y - simple).sum()), float(np.square(y - mixed).sum())
    return len(y) * (before - after) > gain * before


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
