"""Answers of parts of the rows add up, and their slopes are those of the objective."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.selection import Cut, Lens
from untaint.solvers.poll import Answer, Question, answers, hear

N, P = 90, 4
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}
each = pytest.mark.parametrize("name", LOSSES)
edges = pytest.mark.parametrize("smoothing", [None, 1.5], ids=["hard", "soft"])
LENS = Lens(np.tile([0.2, 0.5, 1.0, 2.0], (2, 1)), np.tile([0.5, 1.0], (2, 1)))


class Rows:
    """Some rows with weights and classes, a few of which are not heard."""

    def __init__(self, name, rng):
        self.loss = LOSSES[name]
        self.phi = np.hstack([rng.normal(size=(N, P - 1)), np.ones((N, 1))])
        self.weights = rng.integers(1, 4, N).astype(float)
        self.groups = rng.integers(0, 2, N)
        self.shunned = rng.random(N) < 0.1
        codes = rng.integers(0, 3, N)
        self.y = {
            "squared": rng.normal(size=(N, 2)),
            "logistic": (codes[:, None] > 0).astype(float),
            "softmax": np.eye(3)[codes],
        }[name]

    def ask(self, question, own=slice(None)):
        """What some of them answer."""
        phi, y = self.phi[own], self.y[own]
        values = phi @ question.coef
        heard = hear(
            self.loss, y, values, self.weights[own], self.groups[own], self.shunned[own]
        )  # fmt: skip
        slopes, bend, tally = answers(question, self.loss, y, values, heard)
        curvature = None if bend is None else phi.T @ (phi * bend[:, None])
        return Answer(phi.T @ slopes, curvature, tally)


def question(rows, rng, thresholds=(0.8, 1.2), smoothing=None, curved=False):
    coef = 0.5 * rng.normal(size=(P, rows.y.shape[1]))
    return Question(coef, Cut(np.array(thresholds), smoothing), LENS, curved)


def moved(asked, way, length):
    return Question(asked.coef + length * way, asked.weigh, asked.lens, asked.curved)


@each
@edges
def test_answers_of_parts_add_up(name, smoothing, rng):
    rows = Rows(name, rng)
    asked = question(rows, rng, smoothing=smoothing, curved=name != "softmax")
    whole = rows.ask(asked)
    owner = rng.integers(0, 3, N)
    parts = [rows.ask(asked, np.flatnonzero(owner == j)) for j in range(3)]
    np.testing.assert_allclose(sum(part.slopes for part in parts), whole.slopes, atol=1e-11)
    if asked.curved:
        found = sum(part.curvature for part in parts)
        np.testing.assert_allclose(found, whole.curvature, atol=1e-11)
    tally = parts[2].tally + parts[0].tally + parts[1].tally
    for part in ("kept", "loss", "shunned"):
        np.testing.assert_allclose(getattr(tally, part), getattr(whole.tally, part), rtol=1e-12)
    totals = np.array([20.0, 30.0])
    found, expected = (each.profile.losses_at(totals) for each in (tally, whole.tally))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each
@edges
def test_a_tally_is_what_a_loop_over_rows_counts(name, smoothing, rng):
    rows = Rows(name, rng)
    asked = question(rows, rng, smoothing=smoothing)
    tally = rows.ask(asked).tally
    losses = rows.loss.value(rows.y, rows.phi @ asked.coef)
    kept, lost = np.zeros(2), 0.0
    for loss, weight, group, shunned in zip(
        losses, rows.weights, rows.groups, rows.shunned, strict=True
    ):
        below = asked.weigh.thresholds[group] - loss
        part = float(below >= 0) if smoothing is None else 1.0 / (1.0 + np.exp(-smoothing * below))
        part *= not shunned
        kept[group] += weight * part
        lost += weight * part * loss
    np.testing.assert_allclose(tally.kept, kept)
    assert tally.loss == pytest.approx(lost)
    assert tally.shunned == rows.weights[rows.shunned].sum()


@each
def test_slopes_are_the_gradient_of_the_kept_losses(name, rng):
    rows = Rows(name, rng)
    asked = question(rows, rng)
    slopes, step = rows.ask(asked).slopes, 1e-6
    for _ in range(5):
        way = rng.normal(size=asked.coef.shape)
        up, down = (rows.ask(moved(asked, way, side * step)).tally for side in (1, -1))
        np.testing.assert_array_equal(up.kept, down.kept)  # nobody crosses the edge
        expected = (up.loss - down.loss) / (2 * step)
        assert np.vdot(slopes, way) == pytest.approx(expected, rel=1e-5, abs=1e-5)


@each
def test_slopes_are_the_gradient_of_the_soft_objective(name, rng):
    # With thresholds held fixed: minus the softplus of how far each loss lies below.
    rows, smoothing = Rows(name, rng), 1.5
    asked = question(rows, rng, smoothing=smoothing)
    slopes, step = rows.ask(asked).slopes, 1e-5

    def value(moved_question):
        losses = rows.loss.value(rows.y, rows.phi @ moved_question.coef)
        below = smoothing * (asked.weigh.thresholds[rows.groups] - losses)
        heard = ~rows.shunned
        return -(rows.weights[heard] @ np.logaddexp(0.0, below[heard])) / smoothing

    for _ in range(5):
        way = rng.normal(size=asked.coef.shape)
        up, down = (value(moved(asked, way, side * step)) for side in (1, -1))
        assert np.vdot(slopes, way) == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["squared", "logistic"])
def test_curvature_is_the_derivative_of_the_slopes(name, rng):
    rows = Rows(name, rng)
    asked = question(rows, rng, curved=True)
    step, way = 1e-6, rng.normal(size=asked.coef.shape)
    up, down = (rows.ask(moved(asked, way, side * step)).slopes for side in (1, -1))
    expected = (up - down) / (2 * step)
    np.testing.assert_allclose(rows.ask(asked).curvature @ way, expected, rtol=1e-5, atol=1e-4)


@each
def test_rows_that_are_not_heard_change_nothing_but_their_own_weight(name, rng):
    rows = Rows(name, rng)
    asked = question(rows, rng, thresholds=(np.inf, np.inf))
    before = rows.ask(asked)
    rows.y[rows.shunned] = 1.0 - rows.y[rows.shunned]
    after = rows.ask(asked)
    np.testing.assert_array_equal(after.slopes, before.slopes)
    assert after.tally.loss == before.tally.loss
    assert np.isinf(after.tally.profile.points()[0]).any()


def test_a_row_beyond_all_bounds_pulls_nowhere_once_it_is_given_up(rng):
    rows = Rows("squared", rng)
    asked = question(rows, rng, curved=True)
    rows.y[:3] = 1e200
    rows.phi[3:6] = 1e160
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "overflow", RuntimeWarning)
        found = rows.ask(asked)
    assert np.isfinite(found.slopes).all() and np.isfinite(found.tally.loss)
    expected = rows.ask(asked, slice(6, None))
    np.testing.assert_allclose(found.slopes, expected.slopes, rtol=1e-12)
    np.testing.assert_allclose(found.tally.kept, expected.tally.kept)
