"""Newton's equations and their objective as they stand: dense matrices, one unknown a number."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def step(K, gradient, matrices, ridge, coef, fit_intercept=True):
    """Solve (H K + ridge) da + H 1 db = -(G + ridge a) and 1'(G + H (K da + 1 db)) = 0.

    ``matrices`` are the rows' Hessians in full, (n, k, k). Of several intercepts, the least.
    """
    n, k = gradient.shape
    left = np.zeros(((n + 1) * k, (n + 1) * k))
    right = np.zeros((n + 1) * k)
    last = slice(n * k, None)
    for i in range(n):
        own = slice(i * k, (i + 1) * k)
        for j in range(n):
            left[own, j * k : (j + 1) * k] = matrices[i] * K[i, j] + ridge * (i == j) * np.eye(k)
            left[last, j * k : (j + 1) * k] += matrices[i] * K[i, j]
        left[own, last] = matrices[i]
        left[last, last] += matrices[i]
        right[own] = -(gradient[i] + ridge * coef[i])
        right[last] -= gradient[i]
    if not fit_intercept:
        left[last], right[last] = 0.0, 0.0
        left[last, last] = np.eye(k)
    solution = np.linalg.lstsq(left, right, rcond=1e-13)[0].reshape(n + 1, k)
    return solution[:n], solution[n]


def second_order(K, gradient, matrices, ridge, coef, move, shift):
    """Change of the objective when coefficients and intercept move, to second order."""
    df = K @ move + shift
    bent = np.einsum("ij,ijk,ik->", df, matrices, df)
    pull = np.sum(coef * (K @ move))
    return np.sum(gradient * df) + 0.5 * bent + ridge * (pull + 0.5 * np.sum(move * (K @ move)))


def minimiser(loss, K, y, weights, ridge, fit_intercept=True):
    """Predictions and objective of the best fit, by a general optimiser on features of K."""
    values, vectors = np.linalg.eigh(K)
    keep = values > 1e-10 * values.max()
    F = vectors[:, keep] * np.sqrt(values[keep])
    p, k = F.shape[1], y.shape[1]

    def predictions(x):
        beta = x.reshape(p + 1, k)
        return F @ beta[:p] + fit_intercept * beta[p]

    def objective(x):
        f, beta = predictions(x), x.reshape(p + 1, k)
        slopes = weights[:, None] * loss.gradient(y, f)
        total = weights @ loss.value(y, f) + ridge * np.sum(beta[:p] ** 2)
        by_coef = F.T @ slopes + 2 * ridge * beta[:p]
        return total, np.vstack([by_coef, fit_intercept * slopes.sum(axis=0)]).ravel()

    found = minimize(
        objective,
        np.zeros((p + 1) * k),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-9, "maxiter": 5000},
    )
    return predictions(found.x), float(found.fun)
