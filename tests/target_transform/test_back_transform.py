"""Predictions in the targets' own units: means by smearing, medians, bounds."""

import numpy as np
import pytest

from naive import target_transform as naive
from untaint.target_transform import (
    LogTransform,
    PowerTransform,
    fit_back_transform,
    inverse_of,
)

NO_KNOTS = (np.empty(0), np.empty(0))
KNOTS = (np.array([0.0, 1.0, 3.0]), np.log([0.5, 1.0, 2.0]))
LOG, ROOT = LogTransform(1e-9), PowerTransform(0.5, 1.0, 2.0)


def drawn(n=2000, seed=0):
    """Targets on the scale of the fit, and residuals of constant predictions."""
    rng = np.random.default_rng(seed)
    predictions, residuals = rng.uniform(0, 3, size=n), 0.3 * rng.normal(size=n)
    return predictions + residuals, residuals, np.ones(n)


@pytest.mark.parametrize("knots", [NO_KNOTS, KNOTS])
@pytest.mark.parametrize("transform", [LOG, ROOT])
def test_the_mean_is_that_of_the_smeared_predictions(transform, knots):
    back = fit_back_transform(transform, "mean", *drawn(), *knots)
    for f in (0.2, 1.4, 2.9):
        scale = 1.0 if knots is NO_KNOTS else np.exp(np.interp(f, *knots))
        expected = naive.smeared(
            lambda t: float(inverse_of(transform, np.array(t))), f, scale, back.shifts
        )
        assert float(back(f)) == pytest.approx(expected, rel=1e-12)


def test_the_mean_of_a_logarithm_is_a_factor():
    targets, residuals, weights = drawn()
    back = fit_back_transform(LOG, "mean", targets, residuals, weights, *NO_KNOTS)
    f = np.linspace(0, 3, 7)
    np.testing.assert_allclose(back(f), np.exp(f) * np.mean(np.exp(back.shifts)), rtol=1e-12)
    np.testing.assert_allclose(back(f) / np.exp(f), np.exp(0.3**2 / 2), rtol=0.01)


@pytest.mark.parametrize("transform", [LOG, ROOT])
def test_the_median_is_the_inverse(transform):
    back = fit_back_transform(transform, "median", *drawn(), *KNOTS)
    f = np.linspace(0, 3, 7)
    np.testing.assert_allclose(back(f), inverse_of(transform, f), rtol=1e-12)


def test_a_weight_means_copies():
    targets, residuals, _ = drawn(50)
    counts = np.random.default_rng(1).integers(0, 4, size=50)
    one = fit_back_transform(LOG, "mean", targets, residuals, counts.astype(float), *KNOTS)
    copies = (np.repeat(values, counts) for values in (targets, residuals, np.ones(50)))
    other = fit_back_transform(LOG, "mean", *copies, *KNOTS)
    np.testing.assert_array_equal(one(targets), other(targets))


def test_outliers_do_not_take_part():
    targets, residuals, weights = drawn()
    clean = fit_back_transform(LOG, "mean", targets, residuals, weights, *NO_KNOTS)
    wrong = (np.append(targets, 50.0), np.append(residuals, 50.0), np.append(weights, 0.0))
    assert fit_back_transform(LOG, "mean", *wrong, *NO_KNOTS)(1.0) == clean(1.0)


def test_predictions_far_outside_the_targets_are_bounded():
    targets, residuals, weights = drawn()
    back = fit_back_transform(LOG, "median", targets, residuals, weights, *NO_KNOTS)
    reach = np.ptp(targets)
    expected = np.exp([targets.min() - reach / 2, targets.max() + reach / 2])
    np.testing.assert_allclose(back(np.array([-1e9, 1e9])), expected)


def test_shapes_are_kept_and_many_rows_are_transformed_in_blocks():
    back = fit_back_transform(LOG, "mean", *drawn(), *KNOTS)
    f = np.random.default_rng(2).uniform(0, 3, size=(70_000, 1))
    found = back(f)
    assert found.shape == f.shape
    np.testing.assert_allclose(found[-3:], back(f[-3:]), rtol=1e-14)
    assert back(f[:, 0]).shape == (70_000,)
