"""A noise scale that varies with the prediction."""

from __future__ import annotations

import numpy as np
import pytest

from naive import noise_scale as naive
from untaint.contamination.noise_scale import CONSTANT, MIN_WINDOW, MIN_WINDOWS, fit_noise_scale


def proportional(rng, n, low=1.0, high=5.0):
    """Residuals whose noise is proportional to the prediction."""
    predictions = rng.uniform(low, high, size=n)
    return predictions * rng.normal(size=n), predictions


# Windowed medians.


@pytest.mark.parametrize("n", [60, 151, 400])
def test_scales_are_those_of_windows_of_copies(n, rng):
    residuals, predictions = proportional(rng, n)
    copies = rng.integers(0, 4, size=n)
    places = np.linspace(0.0, 6.0, 50)
    found = fit_noise_scale(residuals, predictions, copies.astype(float))
    assert found.varies
    expected = naive.relative_scale(residuals, predictions, copies, places)
    np.testing.assert_allclose(found(places), expected, rtol=1e-9)


def test_equal_predictions_are_one_knot_or_several_windows_wide(rng):
    predictions = np.repeat([1.0, 2.0, 3.0], [200, 30, 70])
    residuals = predictions * rng.normal(size=300)
    found = fit_noise_scale(residuals, predictions, np.ones(300))
    assert (np.diff(found.knots) > 0).all()
    assert np.isfinite(found(predictions)).all()


@pytest.mark.parametrize("n", [60, 300])
def test_a_weight_is_that_many_copies(n, rng):
    residuals, predictions = proportional(rng, n)
    # Predictions that recur, too.
    predictions = np.round(predictions, 1)
    copies = rng.integers(0, 4, size=n)
    owner = np.repeat(np.arange(n), copies)
    one = fit_noise_scale(residuals, predictions, copies.astype(float))
    other = fit_noise_scale(residuals[owner], predictions[owner], np.ones(len(owner)))
    np.testing.assert_allclose(one(predictions), other(predictions), rtol=1e-10)


def test_order_of_the_rows_is_immaterial(rng):
    residuals, predictions = proportional(rng, 200)
    predictions, order = np.round(predictions, 1), rng.permutation(200)
    one = fit_noise_scale(residuals, predictions, np.ones(200))
    other = fit_noise_scale(residuals[order], predictions[order], np.ones(200))
    np.testing.assert_array_equal(one(predictions), other(predictions))


def test_rows_without_weight_or_number_have_no_influence(rng):
    residuals, predictions = proportional(rng, 200)
    more = np.r_[residuals, 100.0, np.nan, np.inf, 1.0], np.r_[predictions, 2.0, 2.0, 2.0, np.nan]
    weights = np.r_[np.ones(200), 0.0, 1.0, 1.0, 1.0]
    one, other = (
        fit_noise_scale(residuals, predictions, np.ones(200)),
        fit_noise_scale(*more, weights),
    )
    np.testing.assert_array_equal(one(predictions), other(predictions))


# Known noise.


@pytest.mark.parametrize("seed", range(3))
def test_the_ratio_of_scales_is_recovered(seed):
    residuals, predictions = proportional(np.random.default_rng(seed), 3000)
    low, high = fit_noise_scale(residuals, predictions, np.ones(3000))(np.array([2.0, 4.0]))
    assert high / low == pytest.approx(2.0, rel=0.15)


@pytest.mark.parametrize("seed", range(3))
def test_outliers_leave_the_ratio_as_it_is(seed):
    rng = np.random.default_rng(seed)
    residuals, predictions = proportional(rng, 3000)
    bad = rng.random(3000) < 0.3
    residuals[bad] = rng.normal(0, 100.0, size=bad.sum())
    low, high = fit_noise_scale(residuals, predictions, np.ones(3000))(np.array([2.0, 4.0]))
    assert high / low == pytest.approx(2.0, rel=0.2)


@pytest.mark.parametrize("seed", range(3))
def test_even_noise_has_nearly_one_scale(seed):
    rng = np.random.default_rng(seed)
    predictions = rng.normal(size=2000)
    found = fit_noise_scale(rng.normal(size=2000), predictions, np.ones(2000))(predictions)
    assert found.max() / found.min() < 1.3


def test_residuals_over_the_scale_have_one_scale(rng):
    residuals, predictions = proportional(rng, 4000)
    quotients = np.abs(
        residuals / fit_noise_scale(residuals, predictions, np.ones(4000))(predictions)
    )
    order = np.argsort(predictions)
    medians = [np.median(quotients[part]) for part in np.array_split(order[400:-400], 5)]
    assert max(medians) / min(medians) < 1.2


def test_the_scale_is_relative_and_bounded_from_below(rng):
    predictions = np.sort(rng.uniform(size=400))
    residuals = np.where(predictions < 0.3, 1e-9, 1.0) * rng.normal(size=400)
    found = fit_noise_scale(residuals, predictions, np.ones(400))
    assert np.median(found.log_scales) == pytest.approx(0.0, abs=1e-12)
    assert found.smallest == found(predictions).min()
    assert found.smallest >= 0.2


# When it is constant.


@pytest.mark.parametrize("n", [2, 20, int(MIN_WINDOWS * MIN_WINDOW) - 1])
def test_few_samples_have_one_scale(n, rng):
    residuals, predictions = proportional(rng, n)
    found = fit_noise_scale(residuals, predictions, np.ones(n))
    assert not found.varies
    assert found.smallest == 1.0
    np.testing.assert_array_equal(found(predictions), 1.0)


@pytest.mark.parametrize("size", [0.0, np.inf])
def test_residuals_without_a_scale_have_one_scale(size, rng):
    assert fit_noise_scale(np.full(100, size), rng.normal(size=100), np.ones(100)) is CONSTANT


def test_equal_predictions_have_one_scale(rng):
    assert fit_noise_scale(rng.normal(size=100), np.full(100, 3.0), np.ones(100)) is CONSTANT


def test_beyond_the_predictions_the_scale_is_that_of_the_nearest(rng):
    residuals, predictions = proportional(rng, 300)
    found = fit_noise_scale(residuals, predictions, np.ones(300))
    ends = found(np.array([-1e9, 1e9]))
    np.testing.assert_array_equal(ends, found(found.knots[[0, -1]]))


# Units.


@pytest.mark.parametrize("unit", [1e-6, -1.0, 7.0, 1e6])
def test_the_unit_of_the_residuals_does_not_matter(unit, rng):
    residuals, predictions = proportional(rng, 300)
    one = fit_noise_scale(residuals, predictions, np.ones(300))
    other = fit_noise_scale(unit * residuals, predictions, np.ones(300))
    np.testing.assert_allclose(other(predictions), one(predictions), rtol=1e-10)


@pytest.mark.parametrize(("unit", "origin"), [(1e-6, 0.0), (7.0, 100.0), (1e6, -3e6), (-1.0, 0.0)])
def test_the_unit_and_origin_of_the_predictions_do_not_matter(unit, origin, rng):
    residuals, predictions = proportional(rng, 300)
    one = fit_noise_scale(residuals, predictions, np.ones(300))
    moved = origin + unit * predictions
    other = fit_noise_scale(residuals, moved, np.ones(300))
    np.testing.assert_allclose(other(moved), one(predictions), rtol=1e-8)
