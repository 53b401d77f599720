"""Null models of the residuals, compared with SciPy's densities and a general optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

from untaint.contamination.null_models import (
    _of_power,
    _of_student,
    _skewed,
    log_student,
    null_fits,
    root_mean_square,
    student_weight,
)

# Written out: a test that borrows a number cannot notice that it has changed.
LEAST_SIDE = 0.02
PEAKS = (0.02, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
POWERS = (1.0, 4.0, 12.0)
TAILS = (3.0, 5.0, 10.0, np.inf)


@pytest.fixture
def noise(rng):
    """Values, weights, and the values repeated as many times."""
    values, weights = rng.standard_t(4.0, size=60), rng.integers(1, 4, 60).astype(float)
    return values, weights, np.repeat(values, weights.astype(int))


@pytest.mark.parametrize("tail", TAILS)
def test_student_has_the_scale_of_the_largest_likelihood(tail, noise):
    values, weights, copies = noise
    law = stats.norm(0) if np.isinf(tail) else stats.t(tail)

    def likelihood(scale):
        return float(law.logpdf(copies / scale).sum()) - len(copies) * np.log(scale)

    found = _of_student(values, weights, tail, 0.0)
    assert found.tail == tail
    assert found.log_likelihood == pytest.approx(likelihood(found.scale))
    best = -minimize(lambda s: -likelihood(np.exp(s[0])), [0.0], tol=1e-12).fun
    assert found.log_likelihood == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("power", POWERS)
def test_other_shapes_have_the_scale_of_the_largest_likelihood(power, noise):
    values, weights, copies = noise

    def likelihood(b):
        return float(stats.gennorm(power, scale=b).logpdf(copies).sum())

    found = _of_power(values, weights, power, 0.0)
    fitted = minimize(lambda s: -likelihood(np.exp(s[0])), [0.5], method="Nelder-Mead", tol=1e-12)
    b = float(np.exp(fitted.x[0]))
    assert found.log_likelihood == pytest.approx(-fitted.fun, abs=1e-6)
    assert found.scale == pytest.approx(stats.gennorm(power, scale=b).std(), rel=1e-4)
    assert found.tail == np.inf


def test_skewed_noise_is_two_halves_of_a_bell(noise):
    values, weights, copies = noise
    total = len(copies)

    def likelihood(peak, low, high):
        z = (copies - peak) / np.where(copies < peak, low, high)
        return float(stats.norm.logpdf(z).sum()) + total * np.log(2.0 / (low + high))

    best = -np.inf
    for share in PEAKS:
        peak = np.sort(copies)[int(np.ceil(share * total)) - 1]
        fitted = minimize(
            lambda s, peak=peak: -likelihood(peak, *np.exp(s)), [0.0, 0.0], method="Nelder-Mead"
        )
        best = max(best, -fitted.fun)
    found = _skewed(values, weights, np.inf, 0.0)
    assert found.log_likelihood == pytest.approx(best - np.log(total), abs=1e-4)
    assert found.scale == pytest.approx(np.sqrt(np.mean(copies**2)))


def test_skewed_noise_with_heavy_tails_is_no_less_likely(noise):
    values, weights, copies = noise
    found = _skewed(values, weights, 5.0, 0.0)
    peak = np.sort(copies)[int(np.ceil(0.5 * len(copies))) - 1]
    plain = max(
        float(stats.t(5.0).logpdf((copies - peak) / s).sum()) - len(copies) * np.log(s)
        for s in np.linspace(0.3, 3.0, 50)
    )
    assert found.log_likelihood >= plain - np.log(len(copies)) - 1e-6


def test_one_sided_noise_has_a_side_of_its_own(rng):
    values = rng.exponential(size=400) - 1.0
    found = _skewed(values, np.ones(400), np.inf, 0.0)
    others = [n.log_likelihood for n in null_fits(values, np.ones(400), 0.0)[:-1]]
    assert found.log_likelihood > max(others) + 20.0


def test_no_side_is_narrower_than_a_part_of_all():
    values = np.r_[np.zeros(50), np.linspace(1.0, 2.0, 50)]
    weights, total = np.ones(100), 100.0
    scale = root_mean_square(values, weights)
    low, high = (
        LEAST_SIDE * scale,
        np.cbrt(np.sum(values**2)) * np.sqrt(np.cbrt(np.sum(values**2)) / total),
    )
    centred = stats.norm.logpdf(values / high).sum()
    expected = centred + total * np.log(2.0 / (low + high)) - np.log(total)
    assert _skewed(values, weights, np.inf, 0.0).log_likelihood >= expected - 1e-9


@pytest.mark.parametrize("index", range(len(TAILS) + len(POWERS) + 1))
def test_no_shape_is_narrower_than_the_least_scale(index, noise):
    values, weights, _ = noise
    found = null_fits(1e-3 * values, weights, 0.5)[index]
    assert found.scale == pytest.approx(0.5)
    if index < len(TAILS):
        law = stats.norm(0) if np.isinf(found.tail) else stats.t(found.tail)
        expected = weights @ (law.logpdf(1e-3 * values / 0.5) - np.log(0.5))
        assert found.log_likelihood == pytest.approx(expected)


@pytest.mark.parametrize("tail", TAILS)
def test_the_density_is_that_of_scipy(tail):
    z = np.linspace(-4.0, 4.0, 9)
    law = stats.norm(0) if np.isinf(tail) else stats.t(tail)
    np.testing.assert_allclose(log_student(z, tail), law.logpdf(z))


@pytest.mark.parametrize("tail", TAILS[:-1])
def test_student_weight_is_the_ratio_of_scores_to_the_gaussian(tail):
    z = np.linspace(0.1, 4.0, 9)
    step = 1e-6
    slope = (log_student(z + step, tail) - log_student(z - step, tail)) / (2 * step)
    np.testing.assert_allclose(student_weight(z, tail), -slope / z, rtol=1e-6)
    assert (student_weight(z, np.inf) == 1.0).all()


def test_the_root_mean_square_counts_weights_and_nothing_else():
    values, weights = np.array([3.0, 4.0, np.nan, np.inf]), np.array([1.0, 3.0, 2.0, 0.0])
    assert root_mean_square(values, weights) == pytest.approx(np.sqrt((9.0 + 48.0) / 6.0))
    assert root_mean_square(values, np.zeros(4)) == 0.0
