"""Small problems that several tests set their solvers."""

from __future__ import annotations

import numpy as np

from naive import kernels


def rbf(X, gamma=0.5):
    """Gaussian kernel matrix."""
    return kernels.matrix(kernels.rbf, X, gamma=gamma)


def smooth_problem(rng, n=30, d=2, outputs=1, noise=0.1):
    """Kernel matrix and smooth targets."""
    X = rng.normal(size=(n, d))
    y = np.column_stack([np.sin(X.sum(axis=1) + j) for j in range(outputs)])
    return rbf(X), y + noise * rng.normal(size=y.shape)


def spoilt_problem(rng, n=20, bad=4, **options):
    """The same, the first few targets far off."""
    K, y = smooth_problem(rng, n, **options)
    y[:bad] += rng.choice([-1.0, 1.0], size=(bad, y.shape[1])) * (5.0 + 5.0 * rng.random((bad, 1)))
    return K, y


def fractional_weights(rng, n):
    """Some zeros, some fractions, some above one."""
    weights = rng.random(n) * 3
    weights[rng.permutation(n)[: n // 4]] = 0.0
    weights[rng.permutation(n)[: n // 4]] = 1.0
    return weights


def root(K):
    """Features whose linear kernel is K."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def refits(system, y, weights):
    """What solve_in_ball asks for: the minimiser for a ridge, a start and a tolerance."""
    return lambda ridge, start, tol: system.solve(y, weights, ridge, start, tol)
