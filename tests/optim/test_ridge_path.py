"""One decomposition serves every ridge: the path equals refits, row by row."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import ridge as naive
from properties.problems import fractional_weights
from untaint.optim.leave_one_out import leave_one_out_residuals
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_path import RidgePath

with_and_without_intercept = pytest.mark.parametrize("fit_intercept", [True, False])


def design(rng, n=24, m=5, outputs=1):
    features = rng.normal(size=(n, m)) + 1.0
    truth = rng.normal(size=(m, outputs))
    return features, 3.0 + features @ truth + 0.3 * rng.normal(size=(n, outputs))


def residuals_of(features, y, weights, alpha, fit_intercept=True):
    """Leave-one-out residuals when every row stands for itself."""
    path = RidgePath(features, weights, fit_intercept)
    return path.leave_one_out(y, alpha, np.ones(len(y)))[0]


@with_and_without_intercept
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("alpha", [1e-6, 0.1, 10.0])
def test_equals_refitting_without_each_row(fit_intercept, outputs, alpha, rng):
    features, y = design(rng, outputs=outputs)
    K = features @ features.T
    for weights in (np.ones(24), np.minimum(fractional_weights(rng, 24), 1.0)):
        expected = naive.leave_one_out(K, y, weights, alpha, fit_intercept)
        found = residuals_of(features, y, weights, alpha, fit_intercept)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@with_and_without_intercept
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
def test_equals_the_dual_on_features_of_full_rank(fit_intercept, alpha, rng):
    features, y = design(rng, n=20, m=20, outputs=2)
    weights = rng.random(20)
    found = residuals_of(features, y, weights, alpha, fit_intercept)
    expected = leave_one_out_residuals(
        features @ features.T, y, weights, alpha, fit_intercept=fit_intercept
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@given(
    n=st.integers(3, 9),
    m=st.integers(1, 12),
    seed=st.integers(0, 999),
    fit_intercept=st.booleans(),
)
@settings(max_examples=40)
def test_equals_refitting_on_any_small_problem(n, m, seed, fit_intercept):
    rng = np.random.default_rng(seed)
    features, y = design(rng, n, m)
    weights = np.minimum(np.round(rng.random(n), 1) + (np.arange(n) < 2), 1.0)
    expected = naive.leave_one_out(features @ features.T, y, weights, 0.5, fit_intercept)
    found = residuals_of(features, y, weights, 0.5, fit_intercept)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@with_and_without_intercept
def test_one_path_serves_every_ridge(fit_intercept, rng):
    features, y = design(rng)
    path = RidgePath(features, np.ones(24), fit_intercept)
    for alpha in (10.0, 1e-3, 1.0, 1e-3):
        fresh = RidgePath(features, np.ones(24), fit_intercept)
        for one, other in zip(
            path.leave_one_out(y, alpha, np.ones(24)),
            fresh.leave_one_out(y, alpha, np.ones(24)),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other)


@with_and_without_intercept
def test_a_weight_is_that_many_copies(fit_intercept, rng):
    features, y = design(rng, outputs=2)
    copies = rng.integers(1, 4, size=24)
    owner = np.repeat(np.arange(24), copies)
    one = RidgePath(features, copies.astype(float), fit_intercept)
    other = RidgePath(features[owner], np.ones(len(owner)), fit_intercept)
    residuals, variances = one.leave_one_out(y, 0.3, copies.astype(float))
    repeated, spread = other.leave_one_out(y[owner], 0.3, np.ones(len(owner)))
    np.testing.assert_allclose(repeated, residuals[owner], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(spread, variances[owner], rtol=1e-9, atol=1e-12)


@with_and_without_intercept
def test_of_copies_one_is_left_out(fit_intercept, rng):
    features, y = design(rng, n=12, m=3)
    copies = np.array([3.0, *np.ones(11)])
    found, _ = RidgePath(features, copies, fit_intercept).leave_one_out(y, 0.3, copies)
    fewer = copies.copy()
    fewer[0] = 2.0
    coef, intercept = naive.weighted_ridge(features @ features.T, y, fewer, 0.3, fit_intercept)
    expected = y[0] - features[0] @ features.T @ coef - intercept
    np.testing.assert_allclose(found[0], expected, rtol=1e-9)


@with_and_without_intercept
def test_partly_trusted_copies_count_in_part(fit_intercept, rng):
    features, y = design(rng, n=12, m=3)
    copies = rng.integers(1, 4, size=12).astype(float)
    trust = rng.random(12)
    owner = np.repeat(np.arange(12), copies.astype(int))
    one = RidgePath(features, trust * copies, fit_intercept).leave_one_out(y, 0.3, copies)
    other = RidgePath(features[owner], trust[owner], fit_intercept)
    repeated = other.leave_one_out(y[owner], 0.3, np.ones(len(owner)))
    np.testing.assert_allclose(repeated[0], one[0][owner], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(repeated[1], one[1][owner], rtol=1e-9, atol=1e-12)


@with_and_without_intercept
def test_a_row_without_weight_is_judged_by_the_fit_to_the_others(fit_intercept, rng):
    features, y = design(rng, outputs=2)
    weights = np.ones(24)
    weights[:6] = 0.0
    residuals, _ = RidgePath(features, weights, fit_intercept).leave_one_out(y, 0.1, np.ones(24))
    fit = ExactRidge(features @ features.T, fit_intercept).solve(y, weights, 0.1)
    np.testing.assert_allclose(residuals[:6], (y - fit.predictions)[:6], rtol=1e-8, atol=1e-9)


@with_and_without_intercept
@pytest.mark.parametrize("far", [1e6, 1e150, np.inf, np.nan])
def test_a_row_without_weight_has_no_say(fit_intercept, far, rng):
    features, y = design(rng)
    weights = np.ones(24)
    weights[:3] = 0.0
    spoilt, y_spoilt = features.copy(), y.copy()
    spoilt[0], y_spoilt[1] = (min(far, 1e150) if far > 0 else 1e150), far
    with np.errstate(over="ignore", invalid="ignore"):
        found = RidgePath(spoilt, weights, fit_intercept).leave_one_out(y_spoilt, 0.1, np.ones(24))
    expected = RidgePath(features, weights, fit_intercept).leave_one_out(y, 0.1, np.ones(24))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one[2:], other[2:], rtol=1e-9, atol=1e-11)


def test_outputs_do_not_know_of_one_another(rng):
    features, y = design(rng, outputs=3)
    path = RidgePath(features, rng.random(24))
    together, variances = path.leave_one_out(y, 0.1, np.ones(24))
    for j in range(3):
        alone, same = path.leave_one_out(y[:, [j]], 0.1, np.ones(24))
        np.testing.assert_allclose(alone[:, 0], together[:, j], rtol=1e-10, atol=1e-12)
        np.testing.assert_array_equal(same, variances)


@with_and_without_intercept
@pytest.mark.parametrize("alpha", [1e-6, 0.1])
def test_features_that_repeat_or_vanish_change_nothing(fit_intercept, alpha, rng):
    features, y = design(rng, m=4)
    # Rotated and shared out among more columns, the kernel stays the same.
    wider = np.column_stack([features / np.sqrt(2), features / np.sqrt(2), np.zeros((24, 3))])
    for weights in (np.ones(24), rng.random(24)):
        one = RidgePath(features, weights, fit_intercept).leave_one_out(y, alpha, np.ones(24))
        other = RidgePath(wider, weights, fit_intercept).leave_one_out(y, alpha, np.ones(24))
        np.testing.assert_allclose(other[0], one[0], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(other[1], one[1], rtol=1e-6, atol=1e-8)


@with_and_without_intercept
def test_more_features_than_rows(fit_intercept, rng):
    features, y = design(rng, n=10, m=40)
    expected = naive.leave_one_out(features @ features.T, y, np.ones(10), 0.2, fit_intercept)
    found = residuals_of(features, y, np.ones(10), 0.2, fit_intercept)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_features_that_say_nothing_leave_the_mean_of_the_others(rng):
    y = rng.normal(size=(10, 1))
    found = residuals_of(np.zeros((10, 3)), y, np.ones(10), 0.1)
    expected = [y[i] - np.delete(y, i, axis=0).mean() for i in range(10)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    constant = residuals_of(np.full((10, 3), 7.0), y, np.ones(10), 0.1)
    np.testing.assert_allclose(constant, expected, rtol=1e-6)


@with_and_without_intercept
def test_variance_is_that_of_the_prediction_in_units_of_the_noise(fit_intercept, rng):
    # Bayes: coefficients with prior variance 1 / ridge, noise 1, a flat prior for the intercept.
    features, y = design(rng, n=12, m=4)
    alpha, weights = 0.3, rng.random(12)
    columns = np.column_stack([np.ones(12), features]) if fit_intercept else features
    penalty = alpha * np.eye(columns.shape[1])
    if fit_intercept:
        penalty[0, 0] = 0.0
    _, variances = RidgePath(features, weights, fit_intercept).leave_one_out(y, alpha, np.ones(12))
    for i in range(12):
        others = weights * (np.arange(12) != i)
        covariance = np.linalg.inv((columns.T * others) @ columns + penalty)
        assert variances[i] == pytest.approx(columns[i] @ covariance @ columns[i], rel=1e-8)


def test_variance_of_a_row_that_is_alone_with_a_feature(rng):
    # Nobody who is trusted has the last feature: of its coefficient only the prior is known.
    features, y = design(rng, n=12, m=3)
    features = np.column_stack([features, np.eye(12)[:, 0]])
    weights = np.r_[0.0, np.ones(11)]
    _, variances = RidgePath(features, weights).leave_one_out(y, 0.5, np.ones(12))
    columns = np.column_stack([np.ones(12), features])
    penalty = 0.5 * np.diag([0.0, 1.0, 1.0, 1.0, 1.0])
    covariance = np.linalg.inv((columns.T * weights) @ columns + penalty)
    assert variances[0] == pytest.approx(columns[0] @ covariance @ columns[0], rel=1e-8)


def test_residuals_and_variances_stay_finite_where_a_row_determines_its_prediction(rng):
    y = rng.normal(size=(6, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = RidgePath(1e8 * np.eye(6), np.ones(6), fit_intercept=False)
        residuals, variances = path.leave_one_out(y, 1e-8, np.ones(6))
    assert np.isfinite(residuals).all()
    assert np.isfinite(variances).all()


def test_never_smaller_than_the_residual_of_the_fit(rng):
    features, y = design(rng)
    weights = rng.random(24)
    found = residuals_of(features, y, weights, 0.1)
    fitted = y - ExactRidge(features @ features.T).solve(y, weights, 0.1).predictions
    assert (np.abs(found) >= np.abs(fitted) - 1e-9).all()


def test_order_of_the_rows_is_immaterial(rng):
    features, y = design(rng, outputs=2)
    weights, sample_weight = rng.random(24), rng.integers(1, 4, size=24).astype(float)
    order = rng.permutation(24)
    one = RidgePath(features, weights).leave_one_out(y, 0.1, sample_weight)
    other = RidgePath(features[order], weights[order]).leave_one_out(
        y[order], 0.1, sample_weight[order]
    )
    np.testing.assert_allclose(other[0], one[0][order], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(other[1], one[1][order], rtol=1e-9, atol=1e-12)


def test_arguments_are_left_alone(rng):
    features, y = design(rng)
    weights, sample_weight = rng.random(24), np.ones(24)
    before = [x.copy() for x in (features, y, weights, sample_weight)]
    RidgePath(features, weights).leave_one_out(y, 0.1, sample_weight)
    for now, then in zip((features, y, weights, sample_weight), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_single_precision_features_are_accepted(rng):
    features, y = design(rng)
    single = residuals_of(features.astype(np.float32), y, np.ones(24), 0.1)
    np.testing.assert_allclose(single, residuals_of(features, y, np.ones(24), 0.1), atol=1e-4)
