"""The Moreau envelope, its gradient, and what a stationary point promises.

First version, Definitions 9 to 11, Lemmas 12 and 22. The proximal points are found by trying every
choice of rows (`naive.proximal`).
"""

import numpy as np
import pytest

from naive import proximal as naive
from naive.ridge import norm
from properties.problems import spoilt_problem
from untaint.diagnostics import diagnose
from untaint.losses import SquaredLoss
from untaint.optim.projected_gradient import TrimmedProblem
from untaint.weighting.trimmed import Trimmed

RIDGE, ROWS, KEPT = 0.1, 6, 4


def problem_of(seed):
    """Kernel matrix and targets, two of six spoilt, and some function."""
    rng = np.random.default_rng(seed)
    K, y = spoilt_problem(rng, n=ROWS, bad=2)
    return K, y, rng.normal(size=y.shape), rng


def psi(K, y, coef):
    """The trimmed objective, as a mean over the kept rows."""
    losses = ((y - K @ coef) ** 2)[:, 0]
    return (np.sort(losses)[:KEPT].sum() + RIDGE * norm(K, coef) ** 2) / KEPT


def envelope(K, y, coef, inverse):
    """Definition 9: the least of psi plus inverse / 2 times the squared way, and where it is."""
    point = naive.proximal_point(K, y, KEPT, RIDGE, coef, inverse)
    return psi(K, y, point) + inverse / 2 * norm(K, coef - point) ** 2, point


def constants(K, y, coef):
    """The library's own."""
    return diagnose(
        K=K,
        y=y,
        coef=coef,
        intercept=np.zeros(1),
        sample_weight=np.ones(ROWS),
        weighting=Trimmed(1 / 3),
        loss=SquaredLoss(),
        alpha=RIDGE,
        norm_bound=None,
        fit_intercept=False,
    )


def smoothness(K):
    """Lemma 14, with the ridge's part."""
    return 2 / KEPT * (np.trace(K) + RIDGE)


@pytest.mark.parametrize("seed", range(4))
def test_envelope_falls_along_the_way_to_the_proximal_point_at_the_stated_rate(seed):
    """Definition 9, eq. (121): its gradient is (f - prox) / lambda; by differences."""
    K, y, coef, rng = problem_of(seed)
    found = constants(K, y, coef)
    inverse = 2 * found.smoothness_top
    _, point = envelope(K, y, coef, inverse)
    for way in (coef - point, rng.normal(size=coef.shape)):
        step = 1e-5 * way
        rise = envelope(K, y, coef + step, inverse)[0] - envelope(K, y, coef - step, inverse)[0]
        expected = 2 * inverse * np.sum(step * (K @ (coef - point)))
        assert rise == pytest.approx(expected, rel=1e-4)
    assert found.moreau_gradient_norm == pytest.approx(inverse * norm(K, coef - point), rel=1e-6)


def test_envelope_of_a_trimmed_objective_has_kinks():
    """Section 3.2: a smooth envelope needs weak convexity. Halfway between two rows is no slope."""

    def value(f, inverse=8.0):  # of two rows y = -1, 1 one is kept: a parabola about the nearer
        return inverse / (2 + inverse) * min((f - 1) ** 2, (f + 1) ** 2)

    grid = np.linspace(-3, 3, 60001)
    for f in (-0.4, 0.0, 0.7):
        slow = np.min(np.minimum((grid - 1) ** 2, (grid + 1) ** 2) + 4.0 * (grid - f) ** 2)
        assert value(f) == pytest.approx(slow, abs=1e-7)
    h = 1e-6
    assert (value(h) - value(0)) / h < -1 and (value(0) - value(-h)) / h > 1


@pytest.mark.parametrize("seed", range(4))
def test_proximal_point_is_nearly_stationary(seed):
    """Lemma 22: f is lambda times the norm away from it, and its own gradient is as long."""
    K, y, coef, _ = problem_of(seed)
    inverse = 2 * constants(K, y, coef).smoothness_top
    _, point = envelope(K, y, coef, inverse)
    length = inverse * norm(K, coef - point)
    design = TrimmedProblem(
        K, SquaredLoss(), Trimmed(1 / 3), y, np.ones(ROWS), RIDGE, fit_intercept=False
    )
    gradient = design.gradient(design.function(point, np.zeros(1))) / KEPT
    assert norm(K, gradient) <= length * (1 + 1e-8)


@pytest.mark.parametrize("seed", range(2))
def test_no_function_is_lower_than_a_stationary_point_by_more_than_the_distance_allows(seed):
    """Lemma 12, where 1 / (2 rho) = beta: the fixed point of the proximal map."""
    K, y, coef, rng = problem_of(seed)
    beta = smoothness(K)
    for _ in range(400):
        before, (_, coef) = coef, envelope(K, y, coef, 2 * beta)
        if norm(K, coef - before) < 1e-12:
            break
    for _ in range(300):
        other = coef + 10 ** rng.uniform(-2, 1) * rng.normal(size=coef.shape)
        allowed = beta * norm(K, other - coef) ** 2
        assert psi(K, y, coef) - psi(K, y, other) <= allowed + 1e-9


def test_a_smaller_rho_makes_lemma_12_fail():
    """Its proof needs rho >= 1 / (2 beta) and says rho <= 1 / beta: four rows, two kept."""
    y, beta = np.array([-1.0, 1.0, 1.05, 1.05]), 2 / 2 * 4

    def value(f):
        return np.sort((f - y) ** 2)[:2].mean()

    grid = np.linspace(-3, 3, 6001)
    values = np.array([value(f) for f in grid])
    rho = 1 / (20 * beta)
    assert np.abs(grid[np.argmin(values + grid**2 / (2 * rho))]) < 1e-9  # zero is stationary
    assert value(0.0) - value(0.21) > 1.5 * beta * 0.21**2


@pytest.mark.parametrize("seed", range(4))
def test_against_a_minimiser_lemma_12_holds_at_every_function(seed):
    """Its content is small: smoothness alone gives half of the constant, stationary or not."""
    K, y, _, rng = problem_of(seed)
    fits = list(naive.local_proximal_points(K, y, KEPT, RIDGE, np.zeros(y.shape), 0.0))
    best = min(fits, key=lambda coef: psi(K, y, coef))
    for _ in range(200):
        other = best + 10 ** rng.uniform(-2, 1) * rng.normal(size=best.shape)
        rise = psi(K, y, other) - psi(K, y, best)
        assert rise <= smoothness(K) / 2 * norm(K, other - best) ** 2 + 1e-9
