"""The subquantile: its three forms, the best threshold, the rows that it keeps.

First version, eqs. (4) to (19); second version, eqs. (6) to (8) and Lemmas 5 and 6.
"""

import numpy as np
import pytest

from untaint.losses import SquaredLoss
from untaint.optim.projected_gradient import TrimmedProblem, projected_gradient
from untaint.weighting.trimmed import Trimmed


def g(t, losses, kept):
    """The inner objective, with its factor."""
    return t - np.maximum(t - losses, 0.0).sum() / kept


def largest_over_thresholds(values, masses, p):
    """max_t t - E(t - U)^+ / p: concave and piecewise linear, so a value of U is best."""
    return max(t - masses @ np.maximum(t - values, 0.0) / p for t in values)


def test_quantile_is_the_smallest_number_with_enough_below_it(rng):
    """Eq. (4), (6): in words the largest such number, but every larger one will do as well."""
    losses = rng.exponential(size=40)
    t = Trimmed(0.25).threshold(losses, np.ones(40))
    assert np.mean(losses <= t) >= 0.75
    assert np.mean(losses <= t - 1e-9) < 0.75
    assert all(np.mean(losses <= t + more) >= 0.75 for more in (1.0, 1e6))


@pytest.mark.parametrize("kept", [1, 5, 8, 10])
def test_mean_of_the_lower_quantiles_is_the_trimmed_mean(kept, rng):
    """Eq. (5), (7): the integrand is the q-quantile, q the variable, not the p-quantile."""
    losses, n = rng.exponential(size=10), 10
    levels = (np.arange(1000 * kept) + 0.5) / (1000 * n)  # midpoints of (0, p)
    lower = np.quantile(losses, levels, method="inverted_cdf").mean()
    trimmed = Trimmed(1 - kept / n).value(losses, np.ones(n)) / kept
    assert lower == pytest.approx(trimmed, rel=1e-12)
    assert largest_over_thresholds(losses, np.full(n, 0.1), kept / n) == pytest.approx(trimmed)
    if kept > 1:
        printed = np.sort(losses)[kept - 1]  # the integral of a constant
        assert printed > trimmed


def test_mean_below_the_quantile_is_another_number_where_rows_tie():
    """Eq. (5), (7): E[U | U <= Q] takes an atom at the quantile in full, the others a part."""
    values, masses = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    assert largest_over_thresholds(values, masses, 0.75) == pytest.approx(1 / 3)
    assert values @ masses == 0.5  # all of U is at most its 3/4-quantile, which is 1
    rows, weights = np.array([0.0, 0.0, 1.0, 1.0]), np.ones(4)
    assert Trimmed(0.25).value(rows, weights) / 3 == pytest.approx(1 / 3)


def test_objective_without_its_factor_keeps_a_single_row(rng):
    """Eqs. (6) and (8) as printed: the best of t - sum (t - loss)^+ is the smallest loss."""
    losses = rng.exponential(size=12)
    printed = max(t - np.maximum(t - losses, 0.0).sum() for t in losses)
    assert printed == pytest.approx(losses.min())
    assert max(g(t, losses, 9) for t in losses) == pytest.approx(np.sort(losses)[:9].mean())


def test_best_thresholds_fill_the_gap_above_the_kept_rows(rng):
    """Lemma 5: the quantile is one of the best thresholds; the first version calls it the only."""
    losses, kept = np.sort(rng.exponential(size=12)), 9
    best = losses[:kept].mean()
    for t in np.linspace(losses[kept - 1], losses[kept], 7):
        assert g(t, losses, kept) == pytest.approx(best, rel=1e-12)
    for t in (losses[kept - 1] - 1e-3, losses[kept] + 1e-3):
        assert g(t, losses, kept) < best - 1e-6
    assert Trimmed(0.25).threshold(losses, np.ones(12)) == losses[kept - 1]


def test_more_rows_than_asked_for_reach_the_threshold_where_they_tie():
    """Interpretation 6 and eq. (15): an indicator keeps all that tie, a share of them is right."""
    losses = np.array([0.0, 1.0, 1.0, 1.0])
    rule = Trimmed(0.5)
    assert np.count_nonzero(losses <= rule.threshold(losses, np.ones(4))) == 4
    np.testing.assert_allclose(rule.weights(losses, np.ones(4)), [1, 1 / 3, 1 / 3, 1 / 3])
    assert rule.value(losses, np.ones(4)) == pytest.approx(1.0)


def test_gradient_is_the_mean_gradient_of_the_kept_rows(rng):
    """Lemmas 7 (first) and 6 (second): by differences of max_t g, along every coordinate."""
    A = rng.normal(size=(9, 9))
    K, y, coef = A @ A.T, rng.normal(size=(9, 1)), 0.1 * rng.normal(size=(9, 1))
    design = TrimmedProblem(
        K, SquaredLoss(), Trimmed(1 / 3), y, np.ones(9), 0.0, fit_intercept=False
    )

    def value(a):
        losses = ((y - K @ a) ** 2)[:, 0]
        return max(g(t, losses, 6) for t in losses)

    fit = design.function(coef, np.zeros(1))
    slope = K @ design.gradient(fit) / 6  # of coordinates: K times the functional gradient's
    for j in range(9):
        step = np.zeros((9, 1))
        step[j] = 1e-6
        assert (value(coef + step) - value(coef - step)) / 2e-6 == pytest.approx(
            slope[j, 0], rel=1e-4, abs=1e-6
        )
    assert np.count_nonzero(design.weights(fit.predictions)) == 6


def test_concave_in_the_threshold_and_not_convex_in_the_function(rng):
    """Claim 3: one row, truncated at t, bends down between its middle and its shoulder."""
    losses = rng.exponential(size=8)
    for a, b in rng.exponential(size=(50, 2)) * 2:
        assert g((a + b) / 2, losses, 6) >= (g(a, losses, 6) + g(b, losses, 6)) / 2 - 1e-12
    of_function = [g(1.0, np.array([f**2]), 1) for f in (0.0, 1.0, 2.0)]
    assert of_function[1] > (of_function[0] + of_function[2]) / 2


def test_both_steps_of_the_objective_by_hand():
    """F (6) to (8), S (8) to (10): the threshold is the np-th loss, then one whole step."""
    y = np.array([[0.0], [1.0], [5.0]])
    problem = TrimmedProblem(
        np.eye(3), SquaredLoss(), Trimmed(1 / 3), y, np.ones(3), 0.0, fit_intercept=False
    )
    losses, ones = np.array([0.0, 1.0, 25.0]), np.ones(3)
    assert problem.weighting.threshold(losses, ones) == 1.0
    np.testing.assert_array_equal(problem.weights(np.zeros((3, 1))), [1.0, 1.0, 0.0])
    assert problem.objective(problem.function(np.zeros((3, 1)), np.zeros(1))) == 1.0
    # f - eta 2 (f - y) on the kept rows, with eta = 1 / 8
    solution = projected_gradient(problem, np.zeros((3, 1)), learning_rate=1 / 8, max_iter=1)
    np.testing.assert_allclose(solution.fit.coef.ravel(), [0.0, 0.25, 0.0])
    np.testing.assert_allclose(solution.objective_path, [1.0, 0.75**2])
