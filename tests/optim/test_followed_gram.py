"""Sums that follow the weights are those that would be built anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feature_maps.cases import blocked, maps, rows
from naive import features as naive
from untaint.optim.followed_gram import REBUILD_SHARE, STALE, TolerantGram

N = 60


def features_of(kind="landmarks", seed=0):
    X = rows(np.random.default_rng(seed), N)
    return blocked(maps(X)[kind], X)


def followed(features, sample=None, tolerance=0.0):
    scale = 1.0 if sample is None else N / len(sample)
    gram = TolerantGram(features, sample, scale)
    gram.tolerance = tolerance
    return gram


def walk(rng, steps, moved):
    """Weights of which a few move at a time, some to zero and some from it."""
    weights = rng.random(N)
    for _ in range(steps):
        weights = weights.copy()
        chosen = rng.choice(N, moved, replace=False)
        weights[chosen] = rng.random(moved) * rng.integers(0, 3, moved)
        yield weights


samples = pytest.mark.parametrize(
    "sample", [None, np.arange(0, N, 3)], ids=["all rows", "a sample"]
)


@samples
@pytest.mark.parametrize("kind", ["columns", "landmarks", "fourier"])
@pytest.mark.parametrize("moved", [1, 10, 40])
def test_equals_a_rebuild_after_many_changes(sample, kind, moved, rng):
    features = features_of(kind)
    gram = followed(features, sample)
    for weights in walk(rng, 50, moved):
        found = gram.at(weights)
    anew = followed(features, sample).at(weights)
    np.testing.assert_allclose(found, anew, atol=1e-9 * np.abs(anew).max())


@given(seed=st.integers(0, 999), steps=st.integers(1, 6), moved=st.integers(1, N))
@settings(max_examples=25)
def test_follows_any_path(seed, steps, moved):
    features, gram = features_of(), followed(features_of())
    for weights in walk(np.random.default_rng(seed), steps, moved):
        found = gram.at(weights)
    np.testing.assert_allclose(found, features.gram(weights), atol=1e-8)


def test_equals_the_loop(rng):
    features = features_of("fourier")
    phi = naive.with_ones(features.map(features.X), True)
    weights = rng.random(N)
    np.testing.assert_allclose(
        TolerantGram(features).at(weights), naive.gram(phi, weights), atol=1e-10
    )


def test_a_sample_stands_for_all_rows(rng):
    features = features_of("columns")
    sample = np.sort(rng.choice(N, 30, replace=False))
    weights = rng.random(N)
    expected = 2.0 * features.gram(weights[sample], sample)
    np.testing.assert_allclose(followed(features, sample).at(weights), expected, atol=1e-10)


def test_small_moves_are_left_alone_and_large_ones_are_not(rng):
    features = features_of()
    gram = TolerantGram(features)
    weights = 1.0 + rng.random(N)
    before = gram.at(weights)
    assert gram.at(weights + 0.9 * STALE * weights.max()) is before
    weights[0] = 0.0
    after = gram.at(weights)
    np.testing.assert_allclose(after, features.gram(weights), atol=1e-9)
    assert gram.at(weights) is after


class Counted:
    """Features that count the rows they sum over."""

    def __init__(self, inner):
        self.inner, self.summed = inner, []

    @property
    def width(self):
        return self.inner.width

    def gram(self, weights, rows=None):
        self.summed.append(N if rows is None else len(rows))
        return self.inner.gram(weights, rows)


def test_few_moves_cost_few_rows_and_many_a_rebuild(rng):
    counted = Counted(features_of())
    gram = TolerantGram(counted)
    weights = np.ones(N)
    gram.at(weights)
    few, most = int(REBUILD_SHARE * N), int(REBUILD_SHARE * N) + 1
    weights[:few] = 0.0
    gram.at(weights.copy())
    weights[few : few + most] = 0.0
    gram.at(weights.copy())
    assert counted.summed == [N, few, N]


@samples
def test_inverse_solves_the_ridge_system(sample, rng):
    features = features_of()
    gram, weights = followed(features, sample), rng.random(N)
    v = rng.normal(size=(features.width, 2))
    for alpha in (0.5, 20.0, 0.5):
        penalty = alpha * features.penalised
        A = gram.at(weights) + np.diag(penalty)
        np.testing.assert_allclose(A @ gram.inverse(weights, penalty)(v), v, atol=1e-6)


@pytest.mark.parametrize("kept", [1, 5])
def test_too_few_rows_for_an_inverse_are_no_failure(kept):
    features = features_of()
    weights = (np.arange(N) < kept).astype(float)
    solved = TolerantGram(features).inverse(weights, np.zeros(features.width))
    assert np.isfinite(solved(np.ones(features.width))).all()


@samples
def test_restored_sums_are_the_remembered_ones(sample, rng):
    features = features_of()
    gram = followed(features, sample, tolerance=STALE)
    *before, last = walk(rng, 5, 8)
    for weights in before:
        gram.at(weights)
    state = {name: value.copy() for name, value in gram.state_dict().items()}
    again = followed(features, sample)
    again.load_state_dict(state)
    assert again.tolerance == gram.tolerance
    np.testing.assert_array_equal(again.at(before[-1]), gram.at(before[-1]))
    np.testing.assert_array_equal(again.at(last), gram.at(last))
    penalty, v = features.penalised, np.ones(features.width)
    np.testing.assert_array_equal(again.inverse(last, penalty)(v), gram.inverse(last, penalty)(v))


def test_what_was_remembered_stays_as_it_was(rng):
    features = features_of()
    gram = followed(features)
    first, second = walk(rng, 2, 5)
    gram.at(first)
    state = gram.state_dict()
    gram.at(second)
    np.testing.assert_array_equal(state["weights"], first)


def test_the_callers_weights_are_its_own(rng):
    features, weights = features_of(), rng.random(N)
    gram = followed(features)
    gram.at(weights)
    weights[:3] = 5.0
    np.testing.assert_allclose(gram.at(weights), features.gram(weights), atol=1e-9)


def test_nothing_summed_is_nothing_remembered():
    assert TolerantGram(features_of()).state_dict() == {}
