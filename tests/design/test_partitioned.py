"""A pass over samples in memory is a plain computation over all of them."""

from __future__ import annotations

import numpy as np
import pytest

from feature_maps.cases import maps, rows
from naive import features as naive
from untaint.design.features import FeatureDesign
from untaint.design.memory_plan import Plan
from untaint.design.partitioned import InMemoryDesign
from untaint.design.subsample import draw_rows
from untaint.kernels import Linear
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.screening.by_subsample import ExtremeSamples
from untaint.screening.filters import RadiusFilter
from untaint.screening.radius import centre
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.histogram import HistogramGrid
from untaint.weighting.threshold import ThresholdWeights

N, M = 400, 90
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}
GRID = HistogramGrid(np.tile([0.2, 0.5, 1.0, 100.0], (2, 1)), np.tile([0.2, 100.0], (2, 1)))
each_loss = pytest.mark.parametrize("name", LOSSES)
each_map = pytest.mark.parametrize("kind", ["columns", "landmarks", "fourier"])
FILTER = RadiusFilter(np.full(4, 0.5), 3.0)


def design_of(kind="landmarks", name="squared", weights=None, intercept=True, **how):
    """Rows of two classes, of which some stand for all."""
    rng = np.random.default_rng(0)
    X = rows(rng, N)
    weights = np.ones(N) if weights is None else weights
    codes = rng.integers(0, 3, N)
    y = {
        "squared": rng.normal(size=(N, 2)),
        "logistic": (codes > 0)[:, None].astype(float),
        "softmax": np.eye(3)[codes],
    }[name]
    how = {"block_rows": 64, "kept_rows": 0, "n_threads": 1, "dtype": np.float64} | how
    design = FeatureDesign(
        Linear(), X, weights, 3.0, intercept, maps(X, how["dtype"])[kind],
        Plan(how["block_rows"], how["kept_rows"]), draw_rows(weights, M),
        n_threads=how["n_threads"],
    )  # fmt: skip
    groups = (codes > 0).astype(int)
    return InMemoryDesign(design, LOSSES[name], y, groups), y, groups


def query(data, y, curvature=None):
    coef = np.random.default_rng(1).normal(size=(data.subsample.features.width, y.shape[1]))
    return 0.3 * coef, ThresholdWeights(np.array([0.9, 1.1])), GRID, curvature


@each_loss
@each_map
@pytest.mark.parametrize("intercept", [True, False], ids=["shifted", "centred"])
@pytest.mark.parametrize("sample_filter", [None, FILTER], ids=["all", "filtered"])
def test_a_pass_is_a_plain_computation_over_all_rows(name, kind, intercept, sample_filter, rng):
    copies = rng.integers(1, 4, N).astype(float)
    data, y, groups = design_of(kind, name, copies, intercept)
    asked = query(data, y, None if name == "softmax" else "gram")
    result = (data.filtered(sample_filter) if sample_filter else data).evaluate(*asked)
    features = data.samples.features
    X = features.X
    phi = naive.with_ones(np.asarray(features.map(X)), intercept)
    values = phi @ asked[0]
    far = np.linalg.norm(X - 0.5, axis=1) > 3.0 if sample_filter else np.zeros(N, dtype=bool)
    losses = np.where(far, np.inf, LOSSES[name].value(y, values))
    weights = np.where(losses <= np.array([0.9, 1.1])[groups], copies, 0.0)
    slopes = weights[:, None] * LOSSES[name].gradient(y, values)
    np.testing.assert_allclose(result.predictions, values, atol=1e-10)
    np.testing.assert_allclose(result.gradient, phi.T @ slopes, atol=1e-8)
    np.testing.assert_allclose(result.kept, [weights[groups == k].sum() for k in (0, 1)])
    assert result.loss == pytest.approx(weights[weights > 0] @ losses[weights > 0])
    assert result.excluded == copies[far].sum()
    assert (far.sum() > 0) == (sample_filter is not None)
    rule = ClassBalanced(0.4, groups, 2)
    found, expected = (
        result.histogram.thresholds(rule),
        rule.class_thresholds(losses, copies),
    )
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    if name != "softmax":
        second = weights * LOSSES[name].hessian(y, values).entry(0, 0)
        np.testing.assert_allclose(result.gram, naive.gram(phi, second), atol=1e-7)


def said(result):
    histogram = result.histogram
    sums = [result.gradient, result.kept, result.loss, histogram.weights, histogram.sums]
    return [*sums, np.sort(histogram.losses), result.predictions]


@each_loss
@each_map
@pytest.mark.parametrize("block_rows", [37, 128, N])
@pytest.mark.parametrize("kept_rows", [0, 150, N])
def test_blocks_and_what_is_kept_change_nothing_beyond_rounding(name, kind, block_rows, kept_rows):
    data, y, _ = design_of(kind, name)
    expected = data.filtered(FILTER).evaluate(*query(data, y))
    other, _, _ = design_of(kind, name, block_rows=block_rows, kept_rows=kept_rows)
    other = other.filtered(FILTER)
    for _ in range(2):  # the second time from what was kept
        for one, two in zip(said(other.evaluate(*query(other, y))), said(expected), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)


@each_loss
@pytest.mark.parametrize("n_threads", [2, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threads_change_nothing_at_all(name, n_threads, dtype):
    asked = []
    for threads in (1, n_threads):
        data, y, _ = design_of("landmarks", name, n_threads=threads, dtype=dtype, kept_rows=150)
        curvature = None if name == "softmax" else "gram"
        result = data.filtered(FILTER).evaluate(*query(data, y, curvature))
        asked.append([*said(result), result.gram])
    for one, other in zip(*asked, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("unit", [1.0, 0.5, None])
def test_a_sample_stands_for_all_rows(unit, rng):
    weights = rng.random(N) if unit is None else np.full(N, unit)
    data, y, groups = design_of(weights=weights)
    assert (data.n_samples, data.total, data.unit) == (N, pytest.approx(weights.sum()), unit)
    np.testing.assert_array_equal(data.y, y[data.rows])
    np.testing.assert_array_equal(data.groups, groups[data.rows])
    np.testing.assert_array_equal(data.subsample.X, data.samples.features.X[data.rows])
    assert data.part == pytest.approx(M / weights.sum())
    assert data.subsample.alpha == pytest.approx(data.part * 3.0)


def test_the_subsample_is_filtered_as_all_rows_are():
    data, _, _ = design_of()
    filtered = data.filtered(FILTER)
    assert 0 < filtered.samples.excluded.sum() < N
    np.testing.assert_array_equal(filtered.excluded, filtered.samples.excluded[data.rows])
    assert not data.excluded.any()  # the design itself is left as it was
    assert not data.samples.excluded.any()


def test_the_outermost_rows_are_those_of_all():
    data, _, _ = design_of()
    X = data.samples.features.X
    numbers, extremes = data.extremes(ExtremeSamples(data.subsample.X)).distinct()
    far = np.linalg.norm(X - centre(data.subsample.X, np.ones(M)), axis=1)
    assert np.argmax(far) in numbers
    np.testing.assert_array_equal(extremes, X[numbers])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_less_is_enough_of_more_rows_and_exact_steps_go_on_to_rounding(dtype):
    data, _, _ = design_of(dtype=dtype)
    loose, exact = data.min_decrease(exact=False), data.min_decrease(exact=True)
    assert exact < loose * (1e-2 if dtype == np.float32 else 1e-6)
    data.n_samples = 10**6
    assert exact < data.min_decrease(exact=False) < loose
    assert data.min_decrease(exact=True) == exact
