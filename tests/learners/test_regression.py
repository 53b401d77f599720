"""Predictions and coefficients have the shape of the targets."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import r2_score

from untaint import SubquantileRegressor
from untaint.baselines import SeverRegressor


@pytest.mark.parametrize("kind", [SubquantileRegressor, SeverRegressor])
@pytest.mark.parametrize("outputs", [None, 1, 3])
def test_shapes_follow_the_targets(rng, kind, outputs):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20 if outputs is None else (20, outputs))
    model = kind(kernel="linear", contamination=0).fit(X, y)
    assert model.predict(X).shape == model.dual_coef_.shape == y.shape
    assert model.coef_.shape == (*y.shape[1:], 2)
    assert np.shape(model.intercept_) == y.shape[1:]


def test_integer_targets_are_fitted_as_numbers(rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20)
    one, other = (SubquantileRegressor(contamination=0).fit(X, t) for t in (y, y.astype(float)))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_score_is_the_coefficient_of_determination(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = SubquantileRegressor(contamination=0).fit(X, y)
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))
