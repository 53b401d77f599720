"""Answers of parts of the rows add up, and their slopes are those of the objective."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.oracle import OracleQuery, OracleResult, block_contribution, evaluate_losses
from untaint.weighting.histogram import HistogramGrid
from untaint.weighting.threshold import ThresholdWeights

N, P = 90, 4
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}
each = pytest.mark.parametrize("name", LOSSES)
edges = pytest.mark.parametrize("smoothing", [None, 1.5], ids=["hard", "soft"])
LENS = HistogramGrid(np.tile([0.2, 0.5, 1.0, 2.0], (2, 1)), np.tile([0.5, 1.0], (2, 1)))


class Design:
    """Some rows with weights and classes, a few of which are not heard."""

    def __init__(self, name, rng):
        self.loss = LOSSES[name]
        self.phi = np.hstack([rng.normal(size=(N, P - 1)), np.ones((N, 1))])
        self.weights = rng.integers(1, 4, N).astype(float)
        self.groups = rng.integers(0, 2, N)
        self.excluded = rng.random(N) < 0.1
        codes = rng.integers(0, 3, N)
        self.y = {
            "squared": rng.normal(size=(N, 2)),
            "logistic": (codes[:, None] > 0).astype(float),
            "softmax": np.eye(3)[codes],
        }[name]

    def evaluate(self, query, own=slice(None)):
        """What some of them answer."""
        phi, y = self.phi[own], self.y[own]
        values = phi @ query.coef
        heard = evaluate_losses(
            self.loss, y, values, self.weights[own], self.groups[own], self.excluded[own]
        )  # fmt: skip
        slopes, bend, aggregates = block_contribution(query, self.loss, y, values, heard)
        curvature = None if bend is None else phi.T @ (phi * bend[:, None])
        return OracleResult(phi.T @ slopes, curvature, aggregates)


def query(rows, rng, thresholds=(0.8, 1.2), smoothing=None, curved=False):
    coef = 0.5 * rng.normal(size=(P, rows.y.shape[1]))
    return OracleQuery(coef, ThresholdWeights(np.array(thresholds), smoothing), LENS, curved)


def moved(asked, way, length):
    return OracleQuery(asked.coef + length * way, asked.weight_function, asked.grid, asked.curved)


@each
@edges
def test_answers_of_parts_add_up(name, smoothing, rng):
    rows = Design(name, rng)
    asked = query(rows, rng, smoothing=smoothing, curved=name != "softmax")
    whole = rows.evaluate(asked)
    owner = rng.integers(0, 3, N)
    parts = [rows.evaluate(asked, np.flatnonzero(owner == j)) for j in range(3)]
    np.testing.assert_allclose(sum(part.slopes for part in parts), whole.slopes, atol=1e-11)
    if asked.curved:
        found = sum(part.curvature for part in parts)
        np.testing.assert_allclose(found, whole.curvature, atol=1e-11)
    aggregates = parts[2].aggregates + parts[0].aggregates + parts[1].aggregates
    for part in ("kept", "loss", "excluded"):
        np.testing.assert_allclose(
            getattr(aggregates, part), getattr(whole.aggregates, part), rtol=1e-12
        )
    totals = np.array([20.0, 30.0])
    found, expected = (each.histogram.losses_at(totals) for each in (aggregates, whole.aggregates))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each
@edges
def test_a_tally_is_what_a_loop_over_rows_counts(name, smoothing, rng):
    rows = Design(name, rng)
    asked = query(rows, rng, smoothing=smoothing)
    aggregates = rows.evaluate(asked).aggregates
    losses = rows.loss.value(rows.y, rows.phi @ asked.coef)
    kept, weighted_losses = np.zeros(2), 0.0
    for loss, weight, group, excluded in zip(
        losses, rows.weights, rows.groups, rows.excluded, strict=True
    ):
        below = asked.weight_function.thresholds[group] - loss
        part = float(below >= 0) if smoothing is None else 1.0 / (1.0 + np.exp(-smoothing * below))
        part *= not excluded
        kept[group] += weight * part
        weighted_losses += weight * part * loss
    np.testing.assert_allclose(aggregates.kept, kept)
    assert aggregates.loss == pytest.approx(weighted_losses)
    assert aggregates.excluded == rows.weights[rows.excluded].sum()


@each
def test_slopes_are_the_gradient_of_the_kept_losses(name, rng):
    rows = Design(name, rng)
    asked = query(rows, rng)
    slopes, step = rows.evaluate(asked).slopes, 1e-6
    for _ in range(5):
        way = rng.normal(size=asked.coef.shape)
        up, down = (rows.evaluate(moved(asked, way, side * step)).aggregates for side in (1, -1))
        np.testing.assert_array_equal(up.kept, down.kept)  # nobody crosses the edge
        expected = (up.loss - down.loss) / (2 * step)
        assert np.vdot(slopes, way) == pytest.approx(expected, rel=1e-5, abs=1e-5)


@each
def test_slopes_are_the_gradient_of_the_soft_objective(name, rng):
    # With thresholds held fixed: minus the softplus of how far each loss lies below.
    rows, smoothing = Design(name, rng), 1.5
    asked = query(rows, rng, smoothing=smoothing)
    slopes, step = rows.evaluate(asked).slopes, 1e-5

    def value(moved_question):
        losses = rows.loss.value(rows.y, rows.phi @ moved_question.coef)
        below = smoothing * (asked.weight_function.thresholds[rows.groups] - losses)
        heard = ~rows.excluded
        return -(rows.weights[heard] @ np.logaddexp(0.0, below[heard])) / smoothing

    for _ in range(5):
        way = rng.normal(size=asked.coef.shape)
        up, down = (value(moved(asked, way, side * step)) for side in (1, -1))
        assert np.vdot(slopes, way) == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["squared", "logistic"])
def test_curvature_is_the_derivative_of_the_slopes(name, rng):
    rows = Design(name, rng)
    asked = query(rows, rng, curved=True)
    step, way = 1e-6, rng.normal(size=asked.coef.shape)
    up, down = (rows.evaluate(moved(asked, way, side * step)).slopes for side in (1, -1))
    expected = (up - down) / (2 * step)
    np.testing.assert_allclose(rows.evaluate(asked).curvature @ way, expected, rtol=1e-5, atol=1e-4)


@each
def test_rows_that_are_not_heard_change_nothing_but_their_own_weight(name, rng):
    rows = Design(name, rng)
    asked = query(rows, rng, thresholds=(np.inf, np.inf))
    before = rows.evaluate(asked)
    rows.y[rows.excluded] = 1.0 - rows.y[rows.excluded]
    after = rows.evaluate(asked)
    np.testing.assert_array_equal(after.slopes, before.slopes)
    assert after.aggregates.loss == before.aggregates.loss
    assert np.isinf(after.aggregates.histogram.points()[0]).any()


def test_a_row_beyond_all_bounds_pulls_nowhere_once_it_is_given_up(rng):
    rows = Design("squared", rng)
    asked = query(rows, rng, curved=True)
    rows.y[:3] = 1e200
    rows.phi[3:6] = 1e160
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "overflow", RuntimeWarning)
        found = rows.evaluate(asked)
    assert np.isfinite(found.slopes).all() and np.isfinite(found.aggregates.loss)
    expected = rows.evaluate(asked, slice(6, None))
    np.testing.assert_allclose(found.slopes, expected.slopes, rtol=1e-12)
    np.testing.assert_allclose(found.aggregates.kept, expected.aggregates.kept)
