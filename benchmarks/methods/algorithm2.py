"""Algorithm 2 as the paper prints it, with nothing saved: O(t^2) in round t.

    g_t = 2 (sum_{i<t} a_i k(x_i, x'_t) - y_t),   a_t = -eta g_t
    r_t = sum_{i,j<=t} a_i a_j k(x_i, x_j),       a <- a W / sqrt(r_t)  if r_t > W^2

with the surrogate k(x, z) = R^2 exp(-|x - z|^2 / (s^2 - 2 sigma^2)), R^4 = (s^2 / (s^2 - 2
sigma^2))^d, for Gaussian noise of one variance sigma^2 in all d features.
"""

from __future__ import annotations

import numpy as np

from ..data.drawn import Array


def algorithm2(
    A: Array, B: Array, y: Array, *, gamma: float, noise: float, eta: float, W: float
) -> Array:
    """Return coefficients of the kernels at the rows of A after all rounds; s^2 = 1 / gamma."""
    alpha = np.zeros(len(y))
    for t in range(len(y)):
        before, now = slice(0, t), slice(t, t + 1)
        prediction = alpha[before] @ surrogate(A[before], B[now], gamma, noise)[:, 0]
        alpha[t] = -eta * 2.0 * (prediction - y[t])
        past = slice(0, t + 1)
        r = alpha[past] @ surrogate(A[past], A[past], gamma, noise) @ alpha[past]
        if r > W**2:
            alpha[past] *= W / np.sqrt(r)
    return alpha


def surrogate(X: Array, Z: Array, gamma: float, noise: float) -> Array:
    """Return the kernel whose mean over the noise of one argument is exp(-gamma |x - z|^2)."""
    narrowed = gamma / (1.0 - 2.0 * gamma * noise)
    squares = np.square(X[:, np.newaxis] - Z).sum(axis=-1)
    return (narrowed / gamma) ** (X.shape[1] / 2.0) * np.exp(-narrowed * squares)
