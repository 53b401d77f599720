"""The softplus form: its derivatives, its limit, and what does not survive the limit.

First version, section 3.1, eqs. (20) to (37), Claims 3 and 4, Definition 10, Lemma 8. One
coefficient f, rows of the squared loss (f - y_i)^2, t fixed or at its best.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit

from untaint.losses import SquaredLoss
from untaint.optim.projected_gradient import TrimmedProblem
from untaint.weighting.softplus import Softplus
from untaint.weighting.trimmed import Trimmed

Y = np.array([-1.2, -0.3, 0.1, 0.4, 2.0, 3.0])
KEPT = 4


def softplus(x, sharp):
    """Eq. (20), its parameter in place."""
    return np.logaddexp(0.0, sharp * x) / sharp


def slope_at_best(f, rule):
    """The derivative of the smoothed objective, eq. (27), with the weights of the library."""
    return rule.weights((f - Y) ** 2, np.ones(len(Y))) @ (2 * (f - Y)) / KEPT


def bend_at_best(f, rule, factor):
    """The second derivative from eq. (30), with t at its best; factor is one in print."""
    slope, part = 2 * (f - Y), rule.weights((f - Y) ** 2, np.ones(len(Y)))
    edge = factor * part * (1 - part)
    moving = (edge @ slope) ** 2 / edge.sum()  # the best t moves with f
    return (2 * part.sum() - edge @ slope**2 + moving) / KEPT


def by_differences(function, at, step=1e-4):
    """First and second derivative."""
    low, mid, high = function(at - step), function(at), function(at + step)
    return (high - low) / (2 * step), (high - 2 * mid + low) / step**2


def trimmed(f, rule):
    """Psi: the best over thresholds, as a mean over the kept rows."""
    return rule.value((f - Y) ** 2, np.ones(len(Y))) / KEPT


@pytest.mark.parametrize("sharp", [0.5, 3.0, 100.0])
def test_softplus_lies_within_log_two_over_lambda_of_the_positive_part(sharp):
    x = np.linspace(-4, 4, 101)
    excess = softplus(x, sharp) - np.maximum(x, 0.0)
    assert np.all(excess >= -1e-14) and excess.max() == pytest.approx(np.log(2) / sharp)


@pytest.mark.parametrize(
    ("sharp", "f"), [(0.5, -0.7), (0.5, 0.6), (3.0, 0.2), (3.0, 0.6), (3.0, 1.3), (20.0, 1.3)]
)
def test_derivatives_of_the_smoothed_objective(sharp, f):
    """Eqs. (24), (27) and (30): the second derivative carries lambda, which print leaves out."""
    rule = Softplus(1 / 3, smoothing=sharp)
    losses, ones = (f - Y) ** 2, np.ones(len(Y))
    # Eq. (24) is zero at the best t: the weights, sigmoids of lambda (t - loss), sum to np.
    t = rule.threshold(losses, ones)
    np.testing.assert_allclose(rule.weights(losses, ones), expit(sharp * (t - losses)), rtol=1e-9)
    assert rule.weights(losses, ones).sum() == pytest.approx(KEPT)
    in_f, bend = by_differences(lambda s: trimmed(s, rule), f)
    assert in_f == pytest.approx(slope_at_best(f, rule), abs=1e-5)
    assert bend == pytest.approx(bend_at_best(f, rule, factor=sharp), rel=1e-3, abs=1e-4)
    assert abs(bend - bend_at_best(f, rule, factor=1.0)) > 1e-3


def test_limits_are_those_of_trimming_but_for_rows_on_the_threshold():
    """Eqs. (25), (28) and (31): indicators of t > loss; a row on the threshold counts half."""
    f, sharp = 0.35, 1e5
    rule, hard = Softplus(1 / 3, smoothing=sharp), Trimmed(1 / 3)
    below = hard.weights((f - Y) ** 2, np.ones(len(Y))) > 0
    in_f, bend = by_differences(lambda s: trimmed(s, rule), f, step=1e-5)
    assert in_f == pytest.approx(np.sum(2 * (f - Y)[below]) / KEPT, abs=1e-4)
    assert bend == pytest.approx(2 * below.sum() / KEPT, rel=1e-3)
    tied = ((Y[0] + Y[4]) / 2 - Y) ** 2  # the first and the fifth row tie for one place
    weights = rule.weights(tied, np.ones(len(Y)))
    np.testing.assert_allclose(weights, [0.5, 1, 1, 1, 0.5, 0], atol=1e-6)
    assert rule.threshold(tied, np.ones(len(Y))) == pytest.approx(tied[0])


def test_curvature_has_no_bound_from_below_as_lambda_grows():
    """Lemma 8's proof takes the largest curvature before the limit: it then grows with lambda."""
    f, lowest, highest = np.linspace(-3, 4, 701), [], []
    for sharp in (10.0, 100.0):
        rule = Softplus(1 / 3, smoothing=sharp)
        slopes = np.array([slope_at_best(s, rule) for s in f])
        bends = np.diff(slopes) / np.diff(f)
        lowest.append(bends.min())
        highest.append(bends.max())
    assert lowest[1] < 5 * lowest[0] < 0
    assert max(highest) <= 2 + 1e-9  # from above the curvature of the loss holds for every lambda


def test_the_smoothness_constant_is_reached_where_all_rows_are_kept():
    """Lemmas 8 and 14: not a bound with room to spare; twice as much would halve the steps."""
    K = np.full((4, 4), 3.0)  # four equal rows: the trace is the top eigenvalue
    design = TrimmedProblem(
        K, SquaredLoss(), Trimmed(0.0), Y[:4, None], np.ones(4), 0.5, fit_intercept=False
    )
    start, moved = (design.function(np.full((4, 1), c), np.zeros(1)) for c in (0.0, 1.0))
    change = design.gradient(moved) - design.gradient(start)
    run = moved.coef - start.coef
    ratio = np.sqrt(np.sum(change * (K @ change)) / np.sum(run * (K @ run)))
    assert ratio == pytest.approx(2 * np.trace(K) + 2 * 0.5)
    assert ratio <= design.smoothness() <= 1.02 * ratio  # the power iteration adds a hundredth


def test_gradient_jumps_where_two_rows_change_places():
    """Lemmas 8, 14 and 19: no constant bounds the change of the gradient between any functions."""
    y = np.array([[-1.0], [1.0]])
    design = TrimmedProblem(
        np.ones((2, 2)), SquaredLoss(), Trimmed(0.5), y, np.ones(2), 0.0, fit_intercept=False
    )
    beta = 2 * 2 / 1  # 2 Tr K / (n p)

    def gradient(f):
        return design.gradient(design.function(np.array([[f], [0.0]]), np.zeros(1))).sum()

    changes = [abs(gradient(h) - gradient(-h)) / (2 * h) for h in (1e-1, 1e-3, 1e-6)]
    assert all(later > 10 * sooner for sooner, later in pairwise(changes))
    assert changes[-1] > 1e5 * beta


def test_trimmed_objective_is_not_weakly_convex():
    """Claims 3 and 4, Definition 10: adding any multiple of f^2 leaves a kink that points up."""
    hard = Trimmed(1 / 3)
    kinks = np.array([(Y[i] + Y[j]) / 2 for i in range(6) for j in range(i)])
    bends = {
        h: min(
            (trimmed(k + h, hard) - 2 * trimmed(k, hard) + trimmed(k - h, hard)) / h**2
            for k in kinks
        )
        for h in (1e-1, 1e-2, 1e-3)
    }
    assert bends[1e-2] < 5 * bends[1e-1] < 0
    assert bends[1e-3] < 5 * bends[1e-2]


@pytest.mark.parametrize("sharp", [1.0, 10.0])
def test_smoothed_objective_is_weakly_convex_with_a_constant_that_grows_with_lambda(sharp):
    """With t at its best; the constant is lambda / 4 times the largest squared slope there."""
    rule, f = Softplus(1 / 3, smoothing=sharp), np.linspace(-3, 4, 701)
    slopes = np.abs(2 * (f[:, None] - Y)).max()
    constant = sharp / 4 * slopes**2 * len(Y) / KEPT
    values = np.array([trimmed(s, rule) for s in f]) + constant / 2 * f**2
    assert np.all(values[2:] - 2 * values[1:-1] + values[:-2] >= -1e-9 * constant)
