"""Regret on the clean losses against the best fixed predictor of a ball in hindsight.

    regret = sum_t (<w_t, x_t> - y_t)^2 - min_{|u| <= R} sum_t (<u, x_t> - y_t)^2

w_t is what the learner holds before round t. The minimum solves (X'X + m I) u = X'y with the
smallest m >= 0 that lets u into the ball.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from .streams import Stream

Array: TypeAlias = NDArray[np.float64]

# Of the largest eigenvalue: what is smaller is zero but for rounding.
ROUNDING = 1e-12


def best_in_ball(X: Array, y: Array, radius: float) -> Array:
    """Return the least-squares coefficients in a ball.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.noisy.regret import best_in_ball
    >>> best_in_ball(np.eye(2), np.array([3.0, 4.0]), 5.0).round(6).tolist()
    [3.0, 4.0]
    >>> best_in_ball(np.eye(2), np.array([3.0, 4.0]), 1.0).round(6).tolist()
    [0.6, 0.8]
    """
    values, vectors = np.linalg.eigh(X.T @ X)
    keep = values > ROUNDING * values[-1]
    values, vectors = values[keep], vectors[:, keep]
    target = vectors.T @ (X.T @ y)

    def excess(m: float) -> float:
        return float(np.linalg.norm(target / (values + m)) - radius)

    # |u| is at most |X'y| / m.
    far = np.linalg.norm(target) / radius
    m = brentq(excess, 0.0, far, rtol=1e-12) if excess(0.0) > 0 else 0.0
    return vectors @ (target / (values + m))


def loss(predictions: Array, y: Array) -> float:
    """Sum of squared errors."""
    return float(np.sum(np.square(predictions - y)))


def play(model: Any, stream: Stream, *, two: bool) -> Array:
    """Return a learner's prediction of each clean row before it has seen that round."""
    found = np.zeros(len(stream.y))
    rounds = zip(*(map(_as_dict, X) for X in (stream.X, stream.A, stream.B)), strict=True)
    for t, (clean, row, copy) in enumerate(rounds):
        found[t] = model.predict_one(clean)
        model.learn_one(row, float(stream.y[t]), x_copy=copy if two else None)
    return found


def _as_dict(row: Array) -> dict[int, float]:
    return dict(enumerate(row.tolist()))


def kernel_features(X: Array, gamma: float, n_landmarks: int) -> Array:
    """Return Nystroem features of exp(-gamma r^2): inner products are the kernel on their span."""
    Z = X[:n_landmarks]
    values, vectors = np.linalg.eigh(_gaussian(Z, Z, gamma))
    keep = values > ROUNDING * values[-1]
    return _gaussian(X, Z, gamma) @ (vectors[:, keep] / np.sqrt(values[keep]))


def _gaussian(X: Array, Z: Array, gamma: float) -> Array:
    squares = np.sum(X**2, axis=1)[:, np.newaxis] + np.sum(Z**2, axis=1) - 2.0 * X @ Z.T
    return np.exp(-gamma * np.maximum(squares, 0.0))
