"""Transformations of targets: there and back, derivatives, units."""

import numpy as np
import pytest
from sklearn.preprocessing import power_transform

from naive import target_transform as naive
from untaint.target_transform import LogTransform, PowerTransform, inverse_of

POWERS = [PowerTransform(p, centre=2.0, scale=3.0) for p in (0.0, 0.5, 1.0, 1.5, 2.0)]
ALL = [LogTransform(1e-9), *POWERS]
Y = np.geomspace(1e-3, 50, 40)


@pytest.mark.parametrize("transform", ALL)
def test_there_and_back(transform):
    np.testing.assert_allclose(inverse_of(transform, transform.forward(Y)), Y, rtol=1e-9)


@pytest.mark.parametrize("transform", POWERS)
def test_a_power_takes_targets_of_any_sign(transform):
    y = np.linspace(-40, 40, 81)
    z = transform.forward(y)
    assert (np.diff(z) > 0).all()
    np.testing.assert_allclose(inverse_of(transform, z), y, atol=1e-9)


@pytest.mark.parametrize("transform", POWERS)
def test_a_power_is_that_of_yeo_and_johnson(transform):
    y = np.linspace(-40, 40, 81)
    expected = [naive.yeo_johnson((value - 2.0) / 3.0, transform.exponent) for value in y]
    np.testing.assert_allclose(transform.forward(y), expected, atol=1e-12)


def test_scikit_learn_has_the_same_power():
    z = np.random.default_rng(0).normal(size=(200, 1)) ** 3
    fitted = power_transform(z, standardize=False)[:, 0]
    errors = [
        np.ptp(PowerTransform(p, 0.0, 1.0).forward(z[:, 0]) - fitted)
        for p in np.linspace(0.0, 2.0, 2001)
    ]
    assert min(errors) < 0.05  # for the exponent that scikit-learn estimates


@pytest.mark.parametrize("transform", ALL)
def test_the_derivative_is_that_of_finite_differences(transform):
    step = 1e-6 * Y
    slopes = (transform.forward(Y + step) - transform.forward(Y - step)) / (2 * step)
    np.testing.assert_allclose(transform.log_derivative(Y), np.log(slopes), atol=1e-6)


@pytest.mark.parametrize("transform", ALL)
def test_absurd_predictions_stay_finite(transform):
    assert np.isfinite(inverse_of(transform, np.array([1e6, -1e6]))).all()


def test_a_target_that_has_no_logarithm_is_very_small():
    z = LogTransform(1e-3).forward(np.array([-5.0, 0.0, 1e-3, 1.0]))
    np.testing.assert_allclose(z, [np.log(1e-3)] * 3 + [0.0])
