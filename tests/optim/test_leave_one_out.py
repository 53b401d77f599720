"""The closed form of leaving a row out equals leaving it out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import ridge as naive
from properties.problems import fractional_weights, smooth_problem
from untaint.optim.leave_one_out import leave_one_out_residuals
from untaint.optim.ridge_exact import ExactRidge


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
def test_equals_refitting_without_each_row(fit_intercept, outputs, alpha, rng):
    K, y = smooth_problem(rng, n=20, outputs=outputs)
    for weights in (np.ones(20), fractional_weights(rng, 20)):
        residuals = leave_one_out_residuals(K, y, weights, alpha, fit_intercept=fit_intercept)
        expected = naive.leave_one_out(K, y, weights, alpha, fit_intercept)
        np.testing.assert_allclose(residuals, expected, rtol=1e-7, atol=1e-9)


@given(n=st.integers(3, 8), seed=st.integers(0, 999), fit_intercept=st.booleans())
@settings(max_examples=25)
def test_equals_refitting_on_any_small_problem(n, seed, fit_intercept):
    rng = np.random.default_rng(seed)
    K, y = smooth_problem(rng, n)
    weights = np.round(rng.random(n) * 3, 1) + (np.arange(n) < 2)
    residuals = leave_one_out_residuals(K, y, weights, 0.5, fit_intercept=fit_intercept)
    expected = naive.leave_one_out(K, y, weights, 0.5, fit_intercept)
    np.testing.assert_allclose(residuals, expected, rtol=1e-7, atol=1e-9)


def test_a_row_that_was_not_fitted_keeps_its_residual(rng):
    K, y = smooth_problem(rng, n=20)
    weights = np.ones(20)
    weights[:6] = 0.0
    residuals = leave_one_out_residuals(K, y, weights, 0.1)
    fit = ExactRidge(K).solve(y, weights, 0.1)
    np.testing.assert_allclose(residuals[:6], (y - fit.predictions)[:6], atol=1e-9)


def test_never_smaller_than_the_residual_of_the_fit(rng):
    K, y = smooth_problem(rng, n=25)
    residuals = leave_one_out_residuals(K, y, np.ones(25), 0.1)
    fitted = y - ExactRidge(K).solve(y, np.ones(25), 0.1).predictions
    assert (np.abs(residuals) >= np.abs(fitted) - 1e-12).all()


def test_arguments_are_left_alone(rng):
    K, y = smooth_problem(rng, n=20)
    before = K.copy(), y.copy()
    leave_one_out_residuals(K, y, np.ones(20), 0.1)
    np.testing.assert_array_equal(K, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_single_precision_matrix_is_accepted(rng):
    K, y = smooth_problem(rng, n=20)
    single = leave_one_out_residuals(K.astype(np.float32), y, np.ones(20), 0.1)
    double = leave_one_out_residuals(K, y, np.ones(20), 0.1)
    np.testing.assert_allclose(single, double, atol=1e-4)
