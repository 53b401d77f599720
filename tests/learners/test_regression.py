"""Targets in and out, in the shape that the user gave them."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.learners.base import KernelEstimator
from untaint.learners.regression import RegressionMixin
from untaint.losses import SquaredLoss


class FixedWeights(RegressionMixin, KernelEstimator):
    """A learner that predicts its input."""

    kernel = "linear"

    def _query(self, X):
        return X


@pytest.mark.parametrize("outputs", [None, 1, 3])
def test_shapes_follow_the_targets(rng, outputs):
    y = rng.normal(size=6 if outputs is None else (6, outputs))
    model = FixedWeights()
    _, model._targets, weights = model._check_data(rng.normal(size=(6, 2)), y, None)
    k = outputs or 1
    assert model._targets.shape == (6, k)
    assert weights.shape == (6,)
    np.testing.assert_array_equal(model._observed(), y)
    assert model._shaped_coef(np.zeros((k, 2))).shape == (*y.shape[1:], 2)
    assert model._shaped_dual(np.zeros((6, k))).shape == y.shape
    assert np.shape(model._shaped_intercept(np.zeros(k))) == y.shape[1:]


def test_predictions_are_raw(rng):
    X = rng.normal(size=(3, 2))
    assert FixedWeights().predict(X) is X
    assert isinstance(FixedWeights()._loss, SquaredLoss)


@pytest.mark.parametrize(
    ("X_type", "y_type", "expected"),
    [
        (np.float32, np.float32, np.float32),
        (np.float32, np.float64, np.float64),
        (np.float64, np.float32, np.float64),
        (np.float32, np.int64, np.float32),
    ],
)
def test_types_of_targets(rng, X_type, y_type, expected):
    X, y = rng.normal(size=(6, 2)).astype(X_type), np.arange(6).astype(y_type)
    _, targets, _ = FixedWeights()._check_data(X, y, None)
    np.testing.assert_array_equal(targets[:, 0], np.arange(6))
    assert targets.dtype == expected


def test_score_is_the_coefficient_of_determination(rng):
    y = rng.normal(size=6)
    assert FixedWeights().score(y, y) == 1.0
    assert FixedWeights().score(np.full(6, y.mean()), y) == pytest.approx(0.0)
