"""Competitors on streams that change, without intercepts, at their best setting in hindsight.

leader    least squares with all noise removed from the moments, refitted after every round
rls       recursive least squares on the noisy rows, w = argmin sum_s f^(t - s) (y_s - <w, x_s>)^2
sgd       river's linear regression with stochastic gradient descent
adagrad   the same with AdaGrad
printed   Algorithm 1 for two copies, with the second moments of Theorem 1 and its cross term

Each returns the predictions of the clean rows before they were learnt, of the setting with the
smallest loss: the forgetting factor f, or the step size. No learner can know it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..data.drawn import Array
from ..data.streams import TARGET_NOISE, Stream

FORGETTING = (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 1.0)
RATES = (0.01, 0.05, 0.2)
RIDGE = 0.1
# Rounds before which the leader does not correct: the moments of few rows are not definite.
FIRST_CORRECTED = 30


def loss(predictions: Array, y: Array) -> float:
    """Return the sum of squared errors."""
    return float(np.sum(np.square(predictions - y)))


def leader(stream: Stream, radius: float) -> Array:
    """Return predictions of the corrected leader, moved into the ball."""
    T, d = stream.X.shape
    gram, products, found = np.eye(d), np.zeros(d), np.zeros(T)
    for t in range(T):
        noise = stream.noise_cov * t if t >= FIRST_CORRECTED else 0.0
        w = np.linalg.solve(gram - noise * np.eye(d), products)
        found[t] = stream.X[t] @ w * min(1.0, radius / max(float(np.linalg.norm(w)), 1e-300))
        gram += np.outer(stream.A[t], stream.A[t])
        products += stream.y[t] * stream.A[t]
    return found


def rls(stream: Stream, radius: float) -> Array:
    """Return predictions of recursive least squares with the best forgetting."""
    T, d = stream.X.shape
    factors = np.array(FORGETTING)[:, np.newaxis, np.newaxis]
    gram = np.zeros((len(factors), d, d))
    products, w = np.zeros((len(factors), d, 1)), np.zeros((len(factors), d))
    found = np.zeros((len(factors), T))
    for t, a in enumerate(stream.A):
        found[:, t] = w @ stream.X[t]
        gram = factors * gram + np.outer(a, a)
        products = factors * products + stream.y[t] * a[:, np.newaxis]
        w = np.linalg.solve(gram + RIDGE * np.eye(d), products)[..., 0]
    return min(found, key=lambda predictions: loss(predictions, stream.y))


def river_optimiser(name: str) -> Callable[[Stream, float], Array]:
    """Return predictions of river's linear regression with an optimiser and the best rate."""

    def play(stream: Stream, radius: float) -> Array:
        from river import linear_model, optim

        tried = []
        clean, noisy = ([dict(enumerate(x.tolist())) for x in X] for X in (stream.X, stream.A))
        for rate in RATES:
            model: Any = linear_model.LinearRegression(getattr(optim, name)(rate), intercept_lr=0.0)
            found = np.zeros(len(stream.y))
            for t, target in enumerate(stream.y.tolist()):
                found[t] = model.predict_one(clean[t])
                model.learn_one(noisy[t], target)
            tried.append(found)
        return min(tried, key=lambda predictions: loss(predictions, stream.y))

    return play


def printed_bound(stream: Stream, radius: float) -> float:
    """Return B sqrt(G T) with the moments of these streams, |x| = 1 and |w_t| = 1."""
    T, d = stream.X.shape
    B_x = np.sqrt(1.0 + d * stream.noise_cov)
    B_y = np.sqrt(1.0 / d + TARGET_NOISE**2)
    return float(radius * 2.0 * (radius * B_x + B_y) * B_x * np.sqrt(T))


def printed(stream: Stream, radius: float) -> Array:
    """Return predictions of Algorithm 1 for two copies with Theorem 1's step."""
    T, d = stream.X.shape
    step = radius**2 / printed_bound(stream, radius)
    w, found = np.zeros(d), np.zeros(T)
    for t in range(T):
        found[t] = stream.X[t] @ w
        w = w - step * 2.0 * (w @ stream.A[t] - stream.y[t]) * stream.B[t]
        w *= min(1.0, radius / max(float(np.linalg.norm(w)), 1e-300))
    return found


COMPETITORS: dict[str, Callable[[Stream, float], Any]] = {
    "leader": leader,
    "rls": rls,
    "sgd": river_optimiser("SGD"),
    "adagrad": river_optimiser("AdaGrad"),
    "printed": printed,
}
NEEDS_RIVER = ("sgd", "adagrad")
