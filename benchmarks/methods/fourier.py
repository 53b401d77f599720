"""Ridge regression on random Fourier features, tuned by rows held out: what takes X for clean.

    phi(x) = (cos <w_i, x>, sin <w_i, x>)_i,   w_i = sqrt(2 gamma) z_i,   z_i ~ N(0, I)

Settings are scored on the last quarter of the rows and the best is fitted to all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.drawn import Array

# Of the mean squared error; in units of features of variance one half.
ALPHAS = np.logspace(-9.0, 0.0, 19)


@dataclass(frozen=True)
class FourierModel:
    """A fitted model with random Fourier features."""

    gamma: float
    alpha: float
    frequencies: Array
    coef: Array
    intercept: float

    def predict(self, X: Array) -> Array:
        """Return <coef, phi(x)> + intercept."""
        return features(X, self.frequencies) @ self.coef + self.intercept


def fit_fourier(X: Array, y: Array, gammas: Sequence[float], normal: Array) -> FourierModel:
    """Choose gamma and alpha for frequencies in proportion to these, and fit."""
    cut = 3 * len(y) // 4
    best, lowest = (gammas[0], float(ALPHAS[-1])), np.inf
    for gamma in gammas:
        Phi = features(X, np.sqrt(2.0 * gamma) * normal)
        coefs, intercepts = ridge_fits(Phi[:cut], y[:cut], ALPHAS)
        errors = np.mean(np.square(Phi[cut:] @ coefs + intercepts - y[cut:, np.newaxis]), axis=0)
        if errors.min() < lowest:
            best, lowest = (gamma, float(ALPHAS[errors.argmin()])), float(errors.min())
    frequencies = np.sqrt(2.0 * best[0]) * normal
    coefs, intercepts = ridge_fits(features(X, frequencies), y, np.array([best[1]]))
    return FourierModel(best[0], best[1], frequencies, coefs[:, 0], float(intercepts[0]))


def features(X: Array, frequencies: Array) -> Array:
    """Return cosines and sines of the rows."""
    phases = X @ frequencies.T
    return np.concatenate([np.cos(phases), np.sin(phases)], axis=1)


def ridge_fits(Phi: Array, y: Array, alphas: Array) -> tuple[Array, Array]:
    """Return coefficients and intercepts, a column for each alpha."""
    n, means, level = len(y), Phi.mean(axis=0), y.mean()
    S = Phi.T @ Phi / n - np.outer(means, means)
    values, vectors = np.linalg.eigh(S)
    along = vectors.T @ (Phi.T @ y / n - means * level)
    damped = along[:, np.newaxis] / (np.maximum(values, 0.0)[:, np.newaxis] + alphas)
    coefs = vectors @ damped
    return coefs, level - means @ coefs
