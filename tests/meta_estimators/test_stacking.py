"""Weights of stacked learners, against slow searches."""

import numpy as np
from scipy.optimize import minimize

from untaint.optim.stack_weights import convex_weights, mixture_weights


def on_simplex(cost, m):
    start = np.full(m, 1.0 / m)
    whole = {"type": "eq", "fun": lambda v: v.sum() - 1.0}
    found = minimize(cost, start, bounds=[(0, 1)] * m, constraints=[whole], options={"ftol": 1e-14})
    return found.x


def test_convex_weights_minimise_the_weighted_squares(rng):
    y = rng.normal(size=(60, 2))
    predictions = y[:, :, None] + rng.normal(size=(60, 2, 3)) * [0.5, 1.0, 2.0]
    weights = rng.random(60)

    def cost(v):
        return float(weights @ np.square(y - predictions @ v).sum(axis=1))

    found = convex_weights(predictions, y, weights)
    np.testing.assert_allclose(found, on_simplex(cost, 3), atol=1e-3)


def test_mixture_weights_maximise_the_likelihood(rng):
    likelihoods, weights = rng.random((200, 3)) ** [1.0, 2.0, 3.0], rng.random(200)

    def cost(v):
        return -float(weights @ np.log(likelihoods @ v))

    np.testing.assert_allclose(
        mixture_weights(likelihoods, weights), on_simplex(cost, 3), atol=0.02
    )


def test_a_useless_learner_has_no_weight(rng):
    y = rng.normal(size=(50, 1))
    predictions = np.stack([y + 0.1 * rng.normal(size=y.shape), -5 * y], axis=-1)
    assert convex_weights(predictions, y, np.ones(50))[1] < 0.02
