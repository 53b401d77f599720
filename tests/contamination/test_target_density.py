"""The density of targets, compared with the sum over samples that it approximates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from untaint.contamination.target_density import MIN_DENSITY, N_POINTS, fit_target_density

TARGETS = {
    "Gaussian": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(-3, 8, size=n),
    "two modes": lambda rng, n: rng.choice([-5.0, 5.0], size=n) + rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n),
}
each = pytest.mark.parametrize("draw", TARGETS.values(), ids=TARGETS)


def direct(y, weights, noise, places):
    """The sum over samples less the height of one, of total mass one, and the bandwidth."""
    copies = np.repeat(y, weights.astype(int))
    spread = np.median(np.abs(copies - np.median(copies))) / 0.6745
    bandwidth = max(noise, 0.9 * spread * len(copies) ** -0.2)

    def without_one(at):
        heights = norm.pdf((at[:, None] - copies) / bandwidth).mean(axis=1) / bandwidth
        return np.maximum(heights - norm.pdf(0.0) / (bandwidth * len(copies)), 0.0)

    fine = np.linspace(copies.min() - 3 * bandwidth, copies.max() + 3 * bandwidth, 2000)
    return without_one(places) / np.trapezoid(without_one(fine), fine), bandwidth


@each
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_density_is_the_sum_over_samples(draw, noise, rng):
    # An odd number, whose median is a sample.
    y = draw(rng, 501)
    places = np.linspace(y.min(), y.max(), 400)
    expected, bandwidth = direct(y, np.ones(501), noise, places)
    found = np.exp(fit_target_density(y, np.ones(501), noise)(places))
    grid = (np.ptp(y) + 6 * bandwidth) / (N_POINTS - 1)
    # Moving each sample by half a step of the grid changes the density by as much at most.
    slope = norm.pdf(1.0) / bandwidth**2
    lowest = MIN_DENSITY / (N_POINTS * grid)
    np.testing.assert_allclose(found, np.maximum(expected, lowest), atol=0.5 * grid * slope)
    np.testing.assert_allclose(found, np.maximum(expected, lowest), atol=0.02 * expected.max())


@each
def test_density_integrates_to_one(draw, rng):
    density = fit_target_density(draw(rng, 1000), np.ones(1000), 0.1)
    fine = np.linspace(density.points[0], density.points[-1], 20_000)
    assert np.trapezoid(np.exp(density(fine)), fine) == pytest.approx(1.0, abs=MIN_DENSITY + 0.005)


@each
def test_a_weight_is_that_many_copies(draw, rng):
    y, copies = draw(rng, 200), rng.integers(0, 4, size=200)
    owner = np.repeat(np.arange(200), copies)
    one = fit_target_density(y, copies.astype(float), 0.2)
    other = fit_target_density(y[owner], np.ones(len(owner)), 0.2)
    np.testing.assert_allclose(one.points, other.points, rtol=1e-12)
    np.testing.assert_allclose(one.log_density, other.log_density, rtol=1e-10)


def test_rows_without_weight_have_no_influence(rng):
    y = rng.normal(size=200)
    more, weights = np.r_[y, 50.0, -3.0], np.r_[np.ones(200), 0.0, 0.0]
    one, other = fit_target_density(y, np.ones(200), 0.2), fit_target_density(more, weights, 0.2)
    np.testing.assert_array_equal(one.log_density, other.log_density)


@pytest.mark.parametrize(("unit", "origin"), [(1e-6, 0.0), (1e6, 3e6), (-2.0, 1.0)])
def test_density_is_equivariant_to_unit_and_origin(unit, origin, rng):
    y = rng.exponential(size=500)
    one = fit_target_density(y, np.ones(500), 0.2)(y) - np.log(abs(unit))
    other = fit_target_density(origin + unit * y, np.ones(500), 0.2 * abs(unit))(origin + unit * y)
    # Samples at the edge of a cell of the grid may fall to its other side.
    np.testing.assert_allclose(other, one, atol=0.02)


def test_the_bandwidth_is_at_least_the_noise():
    y = np.repeat([0.0, 1.0, 2.0], 100)
    density = fit_target_density(y, np.ones(300), 0.5)
    expected, _ = direct(y, np.ones(300), 0.5, np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(np.exp(density(np.array([0.0, 0.5, 1.0]))), expected, rtol=0.02)


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_equal_targets_without_noise_have_no_density(value):
    assert fit_target_density(np.full(50, value), np.ones(50), 0.0) is None


@pytest.mark.parametrize("noise", [1e-17, 1e-300])
def test_targets_equal_but_for_less_than_their_rounding_have_no_density(noise):
    assert fit_target_density(np.full(50, 3.0), np.ones(50), noise) is None


@pytest.mark.parametrize("far", [1e3, 1e9, 1e300])
def test_targets_far_away_do_not_blur_the_density(far, rng):
    y = rng.normal(size=1000)
    density = fit_target_density(np.r_[y, far, -far], np.ones(1002), 0.1)
    assert np.exp(density(np.zeros(1)))[0] == pytest.approx(0.4, abs=0.05)


def test_no_target_is_impossible(rng):
    density = fit_target_density(rng.normal(size=300), np.ones(300), 0.1)
    assert np.isfinite(density(np.array([-1e300, -50.0, 0.0, 50.0, 1e300, np.inf]))).all()
