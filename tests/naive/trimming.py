"""Trimmed kernel ridge by plain loops, one output, whole rows."""

from __future__ import annotations

import numpy as np

from .ridge import norm, weighted_ridge


def best_rows(y, predictions, count):
    """0/1 weights of the rows that are fitted best."""
    weights = np.zeros(len(y))
    weights[np.argsort(((y - predictions) ** 2).sum(axis=1))[:count]] = 1.0
    return weights


def concentrate(K, y, weights, count, ridge, fit_intercept=True):
    """Refit and reselect until the same rows come back."""
    while True:
        coef, intercept = weighted_ridge(K, y, weights, ridge, fit_intercept)
        chosen = best_rows(y, K @ coef + intercept, count)
        if (chosen == weights).all():
            return weights, coef, intercept
        weights = chosen


def gradient_method(
    K, y, count, ridge, rate, steps, *, acceleration=None, momentum=0.9, radius=None, shift=False
):
    """Coefficients and intercept after each step, from zero.

    ``shift``: with an intercept, which is set to the mean error of the rows kept before each step.
    """

    def settle(coef, intercept):
        size = norm(K, coef)
        if radius is not None and size > radius:
            coef = coef * radius / size
        if shift:
            kept = best_rows(y, K @ coef + intercept, count) > 0
            intercept = (y - K @ coef)[kept].mean(axis=0)
        return coef, intercept

    def gradient(coef, intercept):
        predictions = K @ coef + intercept
        kept = best_rows(y, predictions, count)
        return 2 * kept[:, None] * (predictions - y) + 2 * ridge * coef

    coef, intercept = settle(np.zeros(y.shape), np.zeros(y.shape[1]))
    previous, velocity, path = coef, np.zeros(y.shape), []
    for _ in range(steps):
        if acceleration == "nesterov":
            ahead, level = settle((1 + momentum) * coef - momentum * previous, intercept)
            target = ahead - rate * gradient(ahead, level)
        else:
            velocity = gradient(coef, intercept) + (
                momentum * velocity if acceleration == "momentum" else 0.0
            )
            target, level = coef - rate * velocity, intercept
        previous = coef
        coef, intercept = settle(target, level)
        path.append((coef, intercept))
    return path
