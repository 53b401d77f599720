"""Weights of learners are those of the least error, and say whether a learner adds something."""

import numpy as np
import pytest
from scipy.optimize import nnls

from untaint.optim.stack_weights import adds, convex_weights


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_weights_are_those_of_constrained_least_squares(m, rng):
    y = rng.normal(size=(60, 1))
    predictions = 0.7 * y[:, :, None] + rng.normal(size=(60, 1, m)) * rng.uniform(0.2, 2, m)
    errors = (predictions - y[:, :, None])[:, 0]
    last = np.full((1, m), 1e4)  # an equation that makes weights sum to one
    expected, _ = nnls(np.vstack([errors, last]), np.r_[np.zeros(60), 1e4])
    found = convex_weights(predictions, y, np.ones(60))
    np.testing.assert_allclose(found, expected / expected.sum(), atol=1e-5)


def test_learners_that_predict_the_same_have_weights_that_sum_to_one(rng):
    y = rng.normal(size=(30, 1))
    twice = np.repeat(rng.normal(size=(30, 1, 1)), 2, axis=-1)
    assert convex_weights(twice, y, np.ones(30)).sum() == pytest.approx(1)
    assert convex_weights(np.zeros((3, 1, 2)), np.zeros((3, 1)), np.ones(3)).sum() == 1


def test_a_learner_adds_something_if_it_knows_more(rng):
    known, other = rng.normal(size=(2, 200, 1))
    y = known + other
    assert adds(known, 0.5 * y, y, 3.0)
    assert not adds(known, known + rng.normal(size=(200, 1)), y, 3.0)
