"""Results of parts of the samples add up, and their gradient is that of the objective."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest

from untaint._sums import Sum
from untaint.design.blocked import BlockedFeatures
from untaint.design.memory_plan import Plan
from untaint.design.partitioned import Samples
from untaint.feature_maps.identity import IdentityMap
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.oracle import PassResult
from untaint.weighting.histogram import HistogramGrid
from untaint.weighting.threshold import ThresholdWeights

N, P = 90, 4
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}
each = pytest.mark.parametrize("name", LOSSES)
edges = pytest.mark.parametrize("smoothing", [None, 1.5], ids=["hard", "soft"])
GRID = HistogramGrid(np.tile([0.2, 0.5, 1.0, 2.0], (2, 1)), np.tile([0.5, 1.0], (2, 1)))


class Asked(NamedTuple):
    """The arguments of a pass."""

    coef: np.ndarray
    weight_function: ThresholdWeights
    grid: HistogramGrid = GRID
    curvature: str | None = None


class Design:
    """Samples with weights and classes, a few of which are excluded."""

    def __init__(self, name, rng):
        self.loss = LOSSES[name]
        self.X = rng.normal(size=(N, P - 1))
        self.weights = rng.integers(1, 4, N).astype(float)
        self.groups = rng.integers(0, 2, N)
        self.excluded = rng.random(N) < 0.1
        codes = rng.integers(0, 3, N)
        self.y = {
            "squared": rng.normal(size=(N, 2)),
            "logistic": (codes[:, None] > 0).astype(float),
            "softmax": np.eye(3)[codes],
        }[name]

    @property
    def phi(self):
        return np.column_stack([self.X, np.ones(N)])

    def evaluate(self, asked, own=slice(None), block_rows=N):
        """The result of a pass over some of them."""
        features = BlockedFeatures(
            IdentityMap(np.zeros(P - 1)), self.X[own], True, Plan(block_rows, 0), 1
        )
        parts = (self.y[own], self.weights[own], self.groups[own], self.excluded[own])
        return Samples(features, self.loss, *parts).evaluate(*asked)


def query(rows, rng, thresholds=(0.8, 1.2), smoothing=None, curvature=None):
    coef = 0.5 * rng.normal(size=(P, rows.y.shape[1]))
    return Asked(coef, ThresholdWeights(np.array(thresholds), smoothing), GRID, curvature)


def moved(asked, way, length):
    return asked._replace(coef=asked.coef + length * way)


def numbers(result):
    """All that a result says, but for the order of listed losses."""
    totals = np.array([20.0, 30.0])
    sums = [result.gradient, result.kept, result.loss, result.excluded, result.histogram.weights,
            result.histogram.sums, result.histogram.losses_at(totals)]  # fmt: skip
    return sums + [part for part in (result.gram, result.squares) if part is not None]


@each
@edges
@pytest.mark.parametrize("curvature", [None, "gram", "squares"])
def test_results_of_parts_add_up(name, smoothing, curvature, rng):
    rows = Design(name, rng)
    if name == "softmax" and curvature == "gram":
        curvature = None  # several classes have no common second order
    asked = query(rows, rng, smoothing=smoothing, curvature=curvature)
    whole = rows.evaluate(asked)
    owner = rng.integers(0, 3, N)
    parts = [rows.evaluate(asked, np.flatnonzero(owner == j)) for j in range(3)]
    for found, expected in zip(
        numbers(parts[2] + parts[0] + parts[1]), numbers(whole), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@each
@pytest.mark.parametrize("curvature", [None, "squares"])
def test_parts_that_end_between_blocks_add_up_to_the_same_bits_in_any_order(name, curvature, rng):
    rows, size = Design(name, rng), 9
    asked = query(rows, rng, curvature=curvature)
    whole = rows.evaluate(asked, block_rows=size)
    for cuts in ([9, 45], [18], range(9, N, 9)):
        parts = [rows.evaluate(asked, own, size) for own in np.split(np.arange(N), cuts)]
        result = parts.pop(rng.integers(len(parts)))
        while parts:
            result = result + parts.pop(rng.integers(len(parts)))
        for found, expected in zip(numbers(result), numbers(whole), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_sums_of_a_part_alone_are_those_of_both(rng):
    result = Design("squared", rng).evaluate(query(Design("squared", rng), rng))
    zero = PassResult(Sum(np.zeros(4)), result.histogram, Sum(np.zeros((P, 2))), Sum(np.eye(P)))
    assert (result + zero).squares is None
    np.testing.assert_array_equal((result + zero).gram, np.eye(P))
    np.testing.assert_array_equal((zero + result).gradient, result.gradient)


@each
@edges
def test_totals_are_what_a_loop_over_rows_counts(name, smoothing, rng):
    rows = Design(name, rng)
    asked = query(rows, rng, smoothing=smoothing)
    result = rows.evaluate(asked)
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
    np.testing.assert_allclose(result.kept, kept)
    assert result.loss == pytest.approx(weighted_losses)
    assert result.excluded == rows.weights[rows.excluded].sum()


@each
def test_it_is_the_gradient_of_the_kept_losses(name, rng):
    rows = Design(name, rng)
    asked = query(rows, rng)
    gradient, step = rows.evaluate(asked).gradient, 1e-6
    for _ in range(5):
        way = rng.normal(size=asked.coef.shape)
        up, down = (rows.evaluate(moved(asked, way, side * step)) for side in (1, -1))
        np.testing.assert_array_equal(up.kept, down.kept)  # no sample crosses the threshold
        expected = (up.loss - down.loss) / (2 * step)
        assert np.vdot(gradient, way) == pytest.approx(expected, rel=1e-5, abs=1e-5)


@each
def test_it_is_the_gradient_of_the_soft_objective(name, rng):
    # With thresholds held fixed: minus the softplus of how far each loss lies below.
    rows, smoothing = Design(name, rng), 1.5
    asked = query(rows, rng, smoothing=smoothing)
    gradient, step = rows.evaluate(asked).gradient, 1e-5

    def value(other):
        losses = rows.loss.value(rows.y, rows.phi @ other.coef)
        below = smoothing * (asked.weight_function.thresholds[rows.groups] - losses)
        included = ~rows.excluded
        return -(rows.weights[included] @ np.logaddexp(0.0, below[included])) / smoothing

    for _ in range(5):
        way = rng.normal(size=asked.coef.shape)
        up, down = (value(moved(asked, way, side * step)) for side in (1, -1))
        assert np.vdot(gradient, way) == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["squared", "logistic"])
def test_the_gram_is_the_derivative_of_the_gradient(name, rng):
    rows = Design(name, rng)
    asked = query(rows, rng, curvature="gram")
    step, way = 1e-6, rng.normal(size=asked.coef.shape)
    up, down = (rows.evaluate(moved(asked, way, side * step)).gradient for side in (1, -1))
    expected = (up - down) / (2 * step)
    np.testing.assert_allclose(rows.evaluate(asked).gram @ way, expected, rtol=1e-5, atol=1e-4)


@each
def test_excluded_samples_change_nothing_but_their_own_weight(name, rng):
    rows = Design(name, rng)
    asked = query(rows, rng, thresholds=(np.inf, np.inf))
    before = rows.evaluate(asked)
    rows.y[rows.excluded] = 1.0 - rows.y[rows.excluded]
    after = rows.evaluate(asked)
    np.testing.assert_array_equal(after.gradient, before.gradient)
    assert after.loss == before.loss
    assert np.isinf(after.histogram.points()[0]).any()


def test_an_infinite_sample_has_no_gradient_once_it_is_trimmed(rng):
    rows = Design("squared", rng)
    asked = query(rows, rng, curvature="gram")
    rows.y[:3] = 1e200
    rows.X[3:6] = 1e160
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "overflow", RuntimeWarning)
        found = rows.evaluate(asked)
    assert np.isfinite(found.gradient).all() and np.isfinite(found.loss)
    expected = rows.evaluate(asked, slice(6, None))
    np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-12)
    np.testing.assert_allclose(found.kept, expected.kept)
