"""A linear sequence is extrapolated to its limit."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.optim.anderson import DEPTH, AndersonAcceleration
from untaint.optim.base import Fit


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


def test_a_reset_forgets_all_fits(rng):
    anderson = AndersonAcceleration(40)
    anderson.propose(fit(rng.normal(size=3)), fit(rng.normal(size=3)))
    anderson.reset()
    assert anderson.propose(fit(rng.normal(size=3)), fit(rng.normal(size=3))) is None


def test_resumes_from_its_state(rng):
    step, _ = linear(rng, 4)
    one, other, x = AndersonAcceleration(40), AndersonAcceleration(40), rng.normal(size=4)
    for _ in range(3):
        one.propose(fit(x), fit(step(x)))
        x = step(x)
    other.load_state_dict(one.state_dict())
    here, there = (each.propose(fit(x), fit(step(x))) for each in (one, other))
    np.testing.assert_array_equal(coefficients(here), coefficients(there))
    np.testing.assert_array_equal(here.predictions, there.predictions)


def test_the_state_of_no_fits_is_none(rng):
    one = AndersonAcceleration(40)
    one.propose(fit(rng.normal(size=3)), fit(rng.normal(size=3)))
    one.load_state_dict(AndersonAcceleration(40).state_dict())
    assert one.propose(fit(rng.normal(size=3)), fit(rng.normal(size=3))) is None


def test_many_rows_are_compared_on_some_of_them(rng):
    n, (step, end) = 100_000, linear(rng, 2)
    x, anderson = rng.normal(size=2), AndersonAcceleration(n)
    for _ in range(3):
        proposal = anderson.propose(fit(x, n), fit(step(x), n))
        x = step(x)
    np.testing.assert_allclose(coefficients(proposal), end, atol=1e-5)
    assert all(array.size < n for array in anderson.state_dict()["residuals"])
