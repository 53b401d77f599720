"""Null models of the residuals, compared with SciPy's densities and a general optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from untaint.contamination.null_models import (
    POWERS,
    SKEWED_TAILS,
    TAILS,
    log_student,
    null_fits,
    root_mean_square,
)


def student(tail):
    return stats.norm if np.isinf(tail) else stats.t(tail)


# The symmetric models: a density of unit scale, and its standard deviation in units of ``scale``.
SYMMETRIC = [
    *((student(tail).logpdf, 1.0) for tail in TAILS),
    *((stats.gennorm(p).logpdf, stats.gennorm(p).std()) for p in POWERS),
]
# Position of the first model of skewed noise.
SKEWED = len(SYMMETRIC)


def two_piece(rng, n, tail, low, high):
    """Draw from the density 2 / (low + high) t(z), whose scale is ``low`` below the mode."""
    sizes = np.abs(rng.normal(size=n) if np.isinf(tail) else rng.standard_t(tail, size=n))
    return np.where(rng.random(n) < low / (low + high), -low, high) * sizes


@pytest.fixture
def noise(rng):
    """Values, integer weights, and the values repeated as many times."""
    values, weights = rng.standard_t(4.0, size=60), rng.integers(1, 4, 60).astype(float)
    return values, weights, np.repeat(values, weights.astype(int))


@pytest.mark.parametrize("index", range(len(SYMMETRIC)))
def test_a_symmetric_model_has_the_scale_of_the_largest_likelihood(index, noise):
    values, weights, copies = noise
    log_density, deviation = SYMMETRIC[index]

    def likelihood(scale):
        return float(np.sum(log_density(copies / scale))) - len(copies) * np.log(scale)

    found = null_fits(values, weights, 0.0)[index]
    assert found.log_likelihood == pytest.approx(likelihood(found.scale / deviation), abs=1e-6)
    best = -minimize_scalar(lambda s: -likelihood(np.exp(s)), bounds=(-3, 3), method="bounded").fun
    assert found.log_likelihood == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize(
    ("draw", "winner"),
    [
        (lambda rng, n: rng.standard_t(3.0, size=n), TAILS.index(3.0)),
        (lambda rng, n: rng.normal(size=n), TAILS.index(np.inf)),
        (lambda rng, n: rng.laplace(size=n), len(TAILS) + POWERS.index(1.0)),
        (lambda rng, n: rng.uniform(-1.0, 1.0, size=n), len(TAILS) + POWERS.index(12.0)),
        (lambda rng, n: two_piece(rng, n, np.inf, 0.5, 2.0), SKEWED + SKEWED_TAILS.index(np.inf)),
        (lambda rng, n: two_piece(rng, n, np.inf, 2.0, 0.5), SKEWED + SKEWED_TAILS.index(np.inf)),
        (lambda rng, n: two_piece(rng, n, 5.0, 0.5, 2.0), SKEWED + SKEWED_TAILS.index(5.0)),
        (lambda rng, n: rng.exponential(size=n) - 1.0, SKEWED + SKEWED_TAILS.index(5.0)),
        (lambda rng, n: 1.0 - rng.exponential(size=n), SKEWED + SKEWED_TAILS.index(5.0)),
    ],
    ids=[
        "t",
        "Gaussian",
        "Laplace",
        "uniform",
        "skewed",
        "skewed to the left",
        "skewed t",
        "exponential",
        "exponential to the left",
    ],
)
def test_the_likeliest_model_has_the_shape_of_the_noise(draw, winner, rng):
    likelihoods = [fit.log_likelihood for fit in null_fits(draw(rng, 2000), np.ones(2000), 0.0)]
    assert np.argmax(likelihoods) == winner


def test_skewed_noise_is_no_less_likely_than_a_split_gaussian_but_for_its_parameters(noise):
    values, weights, copies = noise
    plain = float(stats.norm(np.median(copies), np.std(copies)).logpdf(copies).sum())
    assert null_fits(values, weights, 0.0)[-1].log_likelihood >= plain - np.log(len(copies)) - 1.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("low", "high"), [(0.5, 2.0), (3.0, 1.0), (1.0, 1.0)])
@pytest.mark.parametrize("tail", SKEWED_TAILS)
def test_a_two_piece_model_is_about_as_likely_as_the_truth(tail, low, high, seed):
    n = 400
    values = two_piece(np.random.default_rng(seed), n, tail, low, high)
    scaled = values / np.where(values < 0, low, high)
    truth = float(student(tail).logpdf(scaled).sum()) - n * np.log(0.5 * (low + high))
    found = null_fits(values, np.ones(n), 0.0)[SKEWED + SKEWED_TAILS.index(tail)]
    # The mode is one of a few quantiles, and two parameters were paid for.
    assert found.log_likelihood + np.log(n) >= truth - 1.5


def test_weights_are_copies(noise):
    values, weights, copies = noise
    ones = np.ones(len(copies))
    for one, other in zip(
        null_fits(values, weights, 0.0), null_fits(copies, ones, 0.0), strict=True
    ):
        assert one == pytest.approx(other, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 7.0, 1e6])
def test_models_are_equivariant_to_the_unit(unit, noise):
    values, weights, copies = noise
    fits = null_fits(values, weights, 0.0), null_fits(unit * values, weights, 0.0)
    for one, other in zip(*fits, strict=True):
        assert other.scale == pytest.approx(unit * one.scale, rel=1e-5)
        expected = one.log_likelihood - len(copies) * np.log(unit)
        assert other.log_likelihood == pytest.approx(expected, abs=1e-4)


def test_no_model_is_narrower_than_the_least_scale(noise):
    values, weights, _ = noise
    for fit in null_fits(1e-3 * values, weights, 0.5):
        assert fit.scale == pytest.approx(0.5)


@pytest.mark.parametrize("tail", TAILS)
def test_student_density_is_that_of_scipy(tail):
    z = np.linspace(0.1, 4.0, 9)
    np.testing.assert_allclose(log_student(z, tail), student(tail).logpdf(z))


def test_the_root_mean_square_ignores_values_that_are_missing_or_of_no_weight():
    values, weights = np.array([3.0, 4.0, np.nan, np.inf]), np.array([1.0, 3.0, 2.0, 0.0])
    assert root_mean_square(values, weights) == pytest.approx(np.sqrt((9.0 + 48.0) / 6.0))
    assert root_mean_square(values, np.zeros(4)) == 0.0
