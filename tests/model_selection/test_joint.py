"""Joint selection of hyperparameters and weights by leave-one-out errors."""

from __future__ import annotations

import numpy as np
import pytest

from naive import ridge as naive
from properties.problems import rbf, root
from untaint.model_selection.joint import MAX_ROUNDS, select_jointly
from untaint.optim.ridge_path import RidgePath

GAMMAS = (0.003, 0.1, 3.0, 100.0)
ALPHAS = np.array([1e-3, 0.1, 10.0])


def planted(rng, n=90, bad=18):
    """Kernels from smooth to rough, of which the third is right; the first rows are bad."""
    X = np.sort(rng.uniform(-2, 2, size=n))[rng.permutation(n)][:, None]
    y = np.sin(3.0 * X) + 0.1 * rng.normal(size=(n, 1))
    y[:bad] += rng.choice([-1.0, 1.0], size=(bad, 1)) * (3.0 + 3.0 * rng.random((bad, 1)))
    return [root(rbf(X, gamma)) for gamma in GAMMAS], y


def served(features):
    return [lambda each=each: each for each in features]


def leave_as_it_is(residuals, deviations, weights):
    """Keep the weights."""
    return weights


def within(limit):
    """Keep rows whose residual is within so many medians."""

    def reweight(residuals, deviations, weights):
        sizes = np.abs(residuals[:, 0])
        return (sizes <= limit * np.median(sizes)).astype(float)

    return reweight


def selected(
    features,
    y,
    weights=None,
    reweight=leave_as_it_is,
    sample_weight=None,
    first=(0, 0),
    fit_intercept=True,
):
    sample_weight = np.ones(len(y)) if sample_weight is None else sample_weight
    weights = sample_weight if weights is None else weights
    rows = (y, sample_weight, fit_intercept)
    return select_jointly(served(features), ALPHAS, *rows, weights, reweight, first)


def nearest_to_the_middle(y, part=0.6):
    sizes = np.abs(y - np.median(y)).ravel()
    return (sizes <= np.quantile(sizes, part)).astype(float)


# The selection.


@pytest.mark.parametrize("first", [(0, 0), (2, 1), (3, 2)])
def test_finds_the_planted_outliers_and_hyperparameters(first):
    for seed in range(4):
        features, y = planted(np.random.default_rng(seed))
        found = selected(features, y, nearest_to_the_middle(y), within(6.0), first=first)
        good = np.arange(len(y)) >= 18
        assert found.weights[~good].max() == 0
        assert found.weights[good].mean() > 0.9
        assert GAMMAS[found.kernel] == 3.0
        assert ALPHAS[found.alpha] < 10.0


def test_outliers_would_have_selected_other_hyperparameters(rng):
    features, y = planted(rng)
    robust = selected(features, y, nearest_to_the_middle(y), within(6.0))
    plain = selected(features, y)
    assert (plain.kernel, plain.alpha) != (robust.kernel, robust.alpha)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_with_constant_weights_it_is_the_plain_leave_one_out_choice(fit_intercept, rng):
    features, y = planted(rng, n=40, bad=0)
    found = selected(features, y, fit_intercept=fit_intercept)
    expected = [
        [
            np.mean(naive.leave_one_out(each @ each.T, y, np.ones(40), alpha, fit_intercept) ** 2)
            for alpha in ALPHAS
        ]
        for each in features
    ]
    np.testing.assert_allclose(found.errors, expected, rtol=1e-5)
    assert (found.kernel, found.alpha) == np.unravel_index(np.argmin(expected), (4, 3))
    np.testing.assert_array_equal(found.weights, 1.0)
    assert found.n_rounds <= 4


def test_errors_are_means_over_the_weights(rng):
    features, y = planted(rng, n=40, bad=0)
    weights = rng.random(40) * (np.arange(40) > 5)
    found = selected(features, y, weights)
    for kernel, each in enumerate(features):
        squares = naive.leave_one_out(each @ each.T, y, weights, ALPHAS[1]) ** 2
        expected = weights @ squares[:, 0] / weights.sum()
        assert found.errors[kernel, 1] == pytest.approx(expected, rel=1e-5)


def test_residuals_are_those_of_the_selected_hyperparameters(rng):
    features, y = planted(rng)
    found = selected(features, y, nearest_to_the_middle(y), within(6.0))
    path = RidgePath(features[found.kernel], found.weights)
    expected, _ = path.standardized(y, ALPHAS[found.alpha], np.ones(len(y)))
    # The last round moved hardly any weight.
    np.testing.assert_allclose(found.residuals, expected, rtol=1e-6, atol=1e-8)


def test_residuals_are_standardized_by_the_predictive_variance(rng):
    features, y = planted(rng)
    path = RidgePath(features[2], np.ones(len(y)))
    residuals, variances = path.leave_one_out(y, 0.1, np.ones(len(y)))
    found, _ = path.standardized(y, 0.1, np.ones(len(y)))
    assert (np.abs(found) <= np.abs(residuals)).all()
    # The predictive variance takes at most half of a square.
    assert (np.abs(found) >= np.abs(residuals) / np.sqrt(2) - 1e-12).all()
    np.testing.assert_allclose(
        found, residuals / np.sqrt(1 + np.minimum(variances, 1))[:, None], rtol=1e-12
    )


# The table of errors.


def test_errors_are_filled_for_all_candidates(rng):
    features, y = planted(rng)
    for reweight in (leave_as_it_is, within(6.0)):
        found = selected(features, y, nearest_to_the_middle(y), reweight)
        assert found.errors.shape == (len(GAMMAS), len(ALPHAS))
        assert np.isfinite(found.errors).all()


def test_the_error_of_a_single_candidate_is_filled_after_several_rounds(rng):
    features, y = planted(rng)
    start = nearest_to_the_middle(y)
    found = select_jointly(
        served(features[2:3]), [0.1], y, np.ones(len(y)), True, start, within(6.0)
    )
    assert found.n_rounds > 1
    assert np.isfinite(found.errors).all()


def test_the_error_of_a_single_candidate_is_filled_after_one_round(rng):
    features, y = planted(rng)
    ones = np.ones(len(y))
    found = select_jointly(served(features[2:3]), [0.1], y, ones, True, ones, leave_as_it_is)
    assert np.isfinite(found.errors).all()


def test_the_selected_candidate_has_the_smallest_error_of_all():
    # Otherwise the table would say that another candidate was better.
    for seed in range(8):
        features, y = planted(np.random.default_rng(seed), n=60, bad=6)
        found = selected(features, y, nearest_to_the_middle(y, 0.5), within(8.0))
        assert found.errors[found.kernel, found.alpha] == found.errors.min()


def test_of_equal_candidates_the_largest_alpha_is_taken(rng):
    y = rng.normal(size=(20, 1))
    found = selected([np.zeros((20, 2))], y)
    np.testing.assert_allclose(found.errors, found.errors[0, 0], rtol=1e-12)
    assert found.alpha == len(ALPHAS) - 1


# Rounds.


def test_with_a_single_candidate_only_weights_change(rng):
    features, y = planted(rng)
    ones = np.ones(len(y))
    found = select_jointly(
        served(features[2:3]), [0.1], y, ones, True, nearest_to_the_middle(y), within(6.0)
    )
    assert (found.kernel, found.alpha) == (0, 0)
    assert found.weights[:18].max() == 0
    assert found.weights[18:].mean() > 0.9


def test_a_single_candidate_with_constant_weights_takes_one_round(rng):
    features, y = planted(rng)
    ones = np.ones(len(y))
    found = select_jointly(served(features[:1]), [0.1], y, ones, True, ones, leave_as_it_is)
    assert found.n_rounds == 1
    np.testing.assert_array_equal(found.weights, ones)


def test_rounds_are_bounded_when_the_weights_never_settle(rng):
    features, y = planted(rng, n=30)
    calls = []

    def alternating(residuals, deviations, weights):
        calls.append(weights)
        return (np.arange(30) % 2 == len(calls) % 2).astype(float)

    found = selected(features, y, reweight=alternating)
    assert found.n_rounds == MAX_ROUNDS == len(calls)
    assert np.isfinite(found.residuals).all()


def test_reweighting_gets_the_current_weights(rng):
    features, y = planted(rng, n=30)
    seen = []

    def reweight(residuals, deviations, weights):
        seen.append(weights.copy())
        return np.ones(30)

    start = nearest_to_the_middle(y)
    selected(features, y, start, reweight)
    np.testing.assert_array_equal(seen[0], start)
    for weights in seen[1:]:
        np.testing.assert_array_equal(weights, 1.0)


def test_the_first_round_is_that_of_the_first_candidate(rng):
    features, y = planted(rng)
    seen = []

    def reweight(residuals, deviations, weights):
        seen.append(residuals)
        return weights

    selected(features, y, reweight=reweight, first=(3, 2))
    path = RidgePath(features[3], np.ones(len(y)))
    expected, _ = path.standardized(y, ALPHAS[2], np.ones(len(y)))
    np.testing.assert_allclose(seen[0], expected, rtol=1e-12)


def test_features_are_computed_only_when_needed(rng):
    features, y = planted(rng)
    calls = []

    def serve(position):
        def features_of():
            calls.append(position)
            return features[position]

        return features_of

    ones = np.ones(len(y))
    select_jointly(
        [serve(i) for i in range(4)], ALPHAS, y, ones, True, ones, leave_as_it_is, first=(2, 1)
    )
    # One kernel, then the others; for the same weights none is computed again.
    assert calls == [2, 0, 1, 3]


def test_a_refinement_neither_computes_nor_forgets_kernels_far_behind(rng):
    features, y = planted(rng)
    ones, weights = np.ones(len(y)), (np.arange(len(y)) >= 18).astype(float)
    rows = (ALPHAS, y, ones, True, weights, leave_as_it_is)
    found = select_jointly(served(features), *rows, rough=True)
    far = int(np.argmax(found.errors.min(axis=1)))

    def refuse():
        raise AssertionError("these features are not needed")

    kernels = served(features)
    kernels[far] = refuse
    refined = select_jointly(kernels, *rows, (found.kernel, found.alpha), known=found.errors)
    assert (refined.kernel, refined.alpha) == (found.kernel, found.alpha)
    np.testing.assert_allclose(refined.errors, found.errors, rtol=1e-9)


def test_a_refinement_goes_to_neighbours_while_the_error_falls(rng):
    features, y = planted(rng)
    ones, weights = np.ones(len(y)), (np.arange(len(y)) >= 18).astype(float)
    rows = (ALPHAS, y, ones, True, weights, leave_as_it_is)
    found = select_jointly(served(features), *rows)
    known = np.ones((len(features), len(ALPHAS)))
    refined = select_jointly(served(features), *rows, (0, 0), known=known)
    assert (refined.kernel, refined.alpha) == (found.kernel, found.alpha)
    assert found.kernel == 2
    np.testing.assert_allclose(refined.errors, found.errors, rtol=1e-9)


def test_errors_are_filled_even_without_convergence(rng):
    features, y = planted(rng, n=30)
    n_rounds = []

    def alternating(residuals, deviations, weights):
        n_rounds.append(weights)
        return (np.arange(30) % 2 == len(n_rounds) % 2).astype(float)

    assert np.isfinite(selected(features, y, reweight=alternating).errors).all()


# What must not matter.


def test_order_of_the_rows_is_immaterial(rng):
    features, y = planted(rng)
    order = rng.permutation(len(y))
    start = nearest_to_the_middle(y)
    one = selected(features, y, start, within(6.0))
    other = selected([each[order] for each in features], y[order], start[order], within(6.0))
    assert (other.kernel, other.alpha, other.n_rounds) == (one.kernel, one.alpha, one.n_rounds)
    np.testing.assert_array_equal(other.weights, one.weights[order])
    np.testing.assert_allclose(other.residuals, one.residuals[order], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(other.errors, one.errors, rtol=1e-6)


def test_a_weight_is_that_many_copies(rng):
    features, y = planted(rng, n=40, bad=0)
    copies = rng.integers(1, 4, size=40)
    owner = np.repeat(np.arange(40), copies)
    one = selected(features, y, sample_weight=copies.astype(float))
    other = selected([each[owner] for each in features], y[owner])
    assert (other.kernel, other.alpha) == (one.kernel, one.alpha)
    np.testing.assert_allclose(other.errors, one.errors, rtol=1e-6)
    np.testing.assert_allclose(other.residuals, one.residuals[owner], rtol=1e-6, atol=1e-8)


def test_the_unit_of_the_targets_does_not_matter(rng):
    features, y = planted(rng)
    start = nearest_to_the_middle(y)
    one = selected(features, y, start, within(6.0))
    other = selected(features, 1e6 * y, start, within(6.0))
    assert (other.kernel, other.alpha) == (one.kernel, one.alpha)
    np.testing.assert_array_equal(other.weights, one.weights)
    np.testing.assert_allclose(other.errors, 1e12 * one.errors, rtol=1e-8)


def test_several_outputs_add_up(rng):
    features, y = planted(rng, n=40, bad=0)
    other = np.cos(rng.normal(size=(40, 1)))
    both = selected(features, np.column_stack([y, other]))
    apart = selected(features, y).errors + selected(features, other).errors
    np.testing.assert_allclose(both.errors, apart, rtol=1e-9)


def test_arguments_are_left_alone(rng):
    features, y = planted(rng)
    start, sample_weight = nearest_to_the_middle(y), np.ones(len(y))
    before = [x.copy() for x in (*features, y, start, sample_weight)]
    selected(features, y, start, within(6.0), sample_weight)
    for now, then in zip((*features, y, start, sample_weight), before, strict=True):
        np.testing.assert_array_equal(now, then)
