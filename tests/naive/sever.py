"""SEVER with its gradients written out: one long vector a row, and a singular value decomposition.

Diakonikolas et al., Algorithm 1, with as many rows removed in each round as the experiments do.
"""

from __future__ import annotations

import math

import numpy as np

from .ridge import weighted_ridge


def explicit_features(K, fit_intercept=True):
    """Features whose linear kernel is K, and a column of ones for the intercept."""
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.column_stack([features, np.ones(len(K))]) if fit_intercept else features


def gradient_vectors(features, slopes):
    """Gradient of each row's loss in all coefficients: slope times feature, pair by pair."""
    n, k = slopes.shape
    vectors = np.zeros((n, k * features.shape[1]))
    for i in range(n):
        vectors[i] = np.outer(slopes[i], features[i]).ravel()
    return vectors


def projections(vectors, weights):
    """Squared projection of every centred gradient on the top right singular vector."""
    centred = vectors - weights @ vectors / weights.sum()
    direction = np.linalg.svd(np.sqrt(weights)[:, None] * centred)[2][0]
    return (centred @ direction) ** 2


def remove(scores, left, count):
    """Rows without those of the largest scores, until ``count`` are left."""
    return sorted(left, key=lambda row: scores[row])[:count]


def removals(n, contamination, n_rounds):
    """Return the numbers of removed rows after each of n_rounds equal rounds, rounded up."""
    return [math.ceil(n * contamination * r / n_rounds - 1e-9) for r in range(1, n_rounds + 1)]


def sever(K, y, contamination, n_rounds, fit, slope, fit_intercept=True):
    """Rows left and their fit, of ``fit(weights) -> predictions`` and ``slope(y, f)``."""
    n = len(y)
    features, left, history = explicit_features(K, fit_intercept), list(range(n)), []
    for gone in removals(n, contamination, n_rounds):
        weights = np.isin(np.arange(n), left).astype(float)
        vectors = gradient_vectors(features, slope(y, fit(weights)))
        left = remove(projections(vectors, weights), left, n - gone)
        history.append(sorted(left))
    weights = np.isin(np.arange(n), left).astype(float)
    return history, fit(weights)


def ridge_fit(K, y, ridge, fit_intercept=True):
    """What refits by the stationary equations."""

    def fit(weights):
        coef, intercept = weighted_ridge(K, y, weights, ridge, fit_intercept)
        return K @ coef + intercept

    return fit
