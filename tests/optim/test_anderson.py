"""A linear sequence is followed to its end."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.optim.anderson import AndersonAcceleration
from untaint.optim.base import Fit

# Written out: a test that borrows a number cannot notice that it has changed.
COMPARED_ROWS = 20000
DEPTH = 6


def fit(coef, n_rows=40):
    """A function of its coefficients, and one number as an intercept."""
    features = np.random.default_rng(3).normal(size=(n_rows, len(coef) - 1))
    inner, intercept = coef[:-1, None], coef[-1:]
    return Fit(inner, intercept, features @ inner + intercept, float(np.vdot(inner, inner)))


def coefficients(function):
    return np.r_[function.coef[:, 0], function.intercept]


def linear(rng, p):
    """A contraction and its fixed point."""
    rotation = np.linalg.qr(rng.normal(size=(p, p)))[0]
    A = rotation @ np.diag(rng.uniform(-0.8, 0.9, p)) @ rotation.T
    end = rng.normal(size=p)
    return (lambda x: end + A @ (x - end)), end


@pytest.mark.parametrize("p", range(1, DEPTH))
def test_a_linear_sequence_of_few_dimensions_ends_where_it_is_heading(p, rng):
    step, end = linear(rng, p)
    x, anderson = rng.normal(size=p), AndersonAcceleration(40)
    assert anderson.propose(fit(x), fit(step(x))) is None
    for _ in range(p):
        x = step(x)
        proposal = anderson.propose(fit(x), fit(step(x)))
    np.testing.assert_allclose(coefficients(proposal), end, atol=1e-5)


def test_a_proposal_holds_together(rng):
    step, _ = linear(rng, 4)
    x, anderson = rng.normal(size=4), AndersonAcceleration(40)
    for _ in range(3):
        proposal = anderson.propose(fit(x), fit(step(x)))
        x = step(x)
    again = fit(coefficients(proposal))
    np.testing.assert_allclose(proposal.predictions, again.predictions)
    assert proposal.squared_norm == pytest.approx(again.squared_norm)


def test_only_the_last_fits_count(rng):
    step, end = linear(rng, DEPTH - 1)
    anderson, x = AndersonAcceleration(40), rng.normal(size=DEPTH - 1)
    for _ in range(3):  # of another sequence
        anderson.propose(fit(rng.normal(size=DEPTH - 1)), fit(rng.normal(size=DEPTH - 1)))
    for _ in range(DEPTH):
        proposal = anderson.propose(fit(x), fit(step(x)))
        x = step(x)
    np.testing.assert_allclose(coefficients(proposal), end, atol=1e-5)


def test_what_is_forgotten_counts_no_more(rng):
    anderson = AndersonAcceleration(40)
    anderson.propose(fit(rng.normal(size=3)), fit(rng.normal(size=3)))
    anderson.reset()
    assert anderson.propose(fit(rng.normal(size=3)), fit(rng.normal(size=3))) is None


def test_goes_on_from_what_it_remembered(rng):
    step, _ = linear(rng, 4)
    one, other, x = AndersonAcceleration(40), AndersonAcceleration(40), rng.normal(size=4)
    for _ in range(3):
        one.propose(fit(x), fit(step(x)))
        x = step(x)
    other.load_state_dict(one.state_dict())
    here, there = (each.propose(fit(x), fit(step(x))) for each in (one, other))
    np.testing.assert_array_equal(coefficients(here), coefficients(there))
    np.testing.assert_array_equal(here.predictions, there.predictions)


@pytest.mark.parametrize(
    ("n_rows", "step"),
    [(1, 1), (2 * COMPARED_ROWS - 1, 1), (2 * COMPARED_ROWS, 2), (5 * COMPARED_ROWS, 5)],
)
def test_of_very_many_rows_some_are_compared(n_rows, step):
    assert AndersonAcceleration(n_rows).step == step
