"""What is declared of the noise, and its characteristic function."""

import math

import numpy as np
import pytest

from naive import noisy_views as naive
from online.cases import FULL, VARIANCES
from untaint.online.noise import covariance_matrix, log_characteristic


@pytest.mark.parametrize("covariance", [0.5, VARIANCES, FULL])
def test_every_form_becomes_a_matrix(covariance):
    expected = FULL if covariance is FULL else np.diag(np.broadcast_to(covariance, (3,)))
    np.testing.assert_array_equal(covariance_matrix(covariance, 3), expected)


def test_features_may_be_named():
    found = covariance_matrix({"b": 0.5, "a": 0.1}, 3, ["a", "b", "c"])
    np.testing.assert_array_equal(found, np.diag([0.1, 0.5, 0.0]))
    with pytest.raises(ValueError, match="noise_cov names the feature 'd'"):
        covariance_matrix({"d": 0.5}, 3, ["a", "b", "c"])


def test_rounding_of_a_computed_covariance_is_forgiven(rng):
    root = rng.normal(size=(3, 2))
    singular = root @ root.T
    singular[0, 1] *= 1 + 1e-15
    found = covariance_matrix(singular, 3)
    np.testing.assert_array_equal(found, found.T)


def test_characteristic_functions_are_the_means_of_waves(rng):
    frequencies = rng.normal(size=(5, 3))
    diagonal = np.diag(VARIANCES)
    gaussian = np.exp(log_characteristic(frequencies, FULL, "gaussian"))
    laplace = np.exp(log_characteristic(frequencies, diagonal, "laplace"))
    for k, omega in enumerate(frequencies):
        assert gaussian[k] == pytest.approx(naive.gaussian_damping(omega, FULL), rel=1e-12)
        assert laplace[k] == pytest.approx(naive.laplace_damping(omega, diagonal), rel=1e-12)
    noise = rng.laplace(scale=np.sqrt(VARIANCES / 2), size=(40000, 3))
    waves = np.cos(noise @ frequencies.T)
    error = waves.std(axis=0) / math.sqrt(len(noise))
    assert np.all(np.abs(waves.mean(axis=0) - laplace) <= 3 * error)
