"""The Gram matrix that follows the weights equals a new sum, exactly or within its tolerance."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from feature_maps.cases import blocked, maps, rows
from naive import features as naive
from properties.problems import fractional_weights
from untaint.optim.gram import IncrementalGram, weighted_gram

N = 60
KINDS = {
    "dense": np.asarray,
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "provider": lambda X: Provider(X),
}
each = pytest.mark.parametrize("convert", KINDS.values(), ids=KINDS)
samples = pytest.mark.parametrize(
    "sample", [None, np.arange(0, N, 3)], ids=["all rows", "a sample"]
)


class Provider:
    """Features that sum products themselves, and count the rows that they read."""

    def __init__(self, X):
        self.X, self.read = X, []

    def gram(self, weights, rows=None):
        part = self.X if rows is None else self.X[rows]
        self.read.append(len(part))
        return part.T @ (weights[:, None] * part)


def sparse_rows(rng, p=4):
    return rng.normal(size=(N, p)) * (rng.random((N, p)) < 0.7)


def features_of(kind="landmarks", seed=0):
    X = rows(np.random.default_rng(seed), N)
    return blocked(maps(X)[kind], X)


def followed(features, sample=None, tolerance=0.0):
    scale = 1.0 if sample is None else N / len(sample)
    return IncrementalGram(features, tolerance, sample, scale)


def walk(rng, steps, moved):
    """Weights of which a few move at a time, some to zero and some from it."""
    weights = rng.random(N)
    for _ in range(steps):
        weights = weights.copy()
        chosen = rng.choice(N, moved, replace=False)
        weights[chosen] = rng.random(moved) * rng.integers(0, 3, moved)
        yield weights


def assert_current(gram, X, weights, **tolerance):
    G = gram.at(weights)
    assert G.dtype == np.float64
    np.testing.assert_allclose(G, X.T @ np.diag(weights) @ X, **tolerance)


@each
@pytest.mark.parametrize("moved", [1, 10, 40])
def test_every_matrix_of_a_long_sequence_equals_a_new_sum(convert, moved, rng):
    X = sparse_rows(rng)
    gram = IncrementalGram(convert(X))
    for weights in walk(rng, 150, moved):
        assert_current(gram, X, weights, rtol=1e-10, atol=1e-10)


@each
def test_large_changes_equal_a_new_sum(convert, rng):
    X = sparse_rows(rng)
    gram = IncrementalGram(convert(X))
    for weights in (np.ones(N), fractional_weights(rng, N), np.zeros(N), np.full(N, 0.5)):
        assert_current(gram, X, weights, rtol=1e-12, atol=1e-12)


@each
def test_single_precision_features_sum_up_in_double(convert, rng):
    X = sparse_rows(rng)
    gram, weights = IncrementalGram(convert(X.astype(np.float32))), np.ones(N)
    for row in range(30):
        weights[row] = 0.0
        assert_current(gram, X, weights, rtol=1e-4, atol=1e-4)


@each
def test_the_weights_last_asked_for_may_be_written_to(convert, rng):
    X = sparse_rows(rng)
    gram, weights = IncrementalGram(convert(X)), np.ones(N)
    gram.at(weights)
    weights[0] = 0.0  # the same array, changed in place
    assert_current(gram, X, weights, rtol=1e-12, atol=1e-12)


@each
def test_a_matrix_once_returned_stays_as_it_was(convert, rng):
    X = sparse_rows(rng)
    gram = IncrementalGram(convert(X))
    first, second = walk(rng, 2, 5)
    G = gram.at(first)
    before = G.copy()
    gram.at(second)
    np.testing.assert_array_equal(G, before)


@each
@pytest.mark.parametrize("size", [1e3, 1e6, 1e9])
def test_no_trace_is_left_of_rows_far_out(convert, size, rng):
    X = sparse_rows(rng)
    X[:5] *= size
    gram, weights = IncrementalGram(convert(X)), np.ones(N)
    gram.at(weights)
    weights[:5] = 0.0
    assert_current(gram, X, weights, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("tolerance", [0.0, 0.1])
def test_few_changes_cost_few_rows_none_no_row_and_many_a_new_sum(tolerance, rng):
    provider = Provider(sparse_rows(rng))
    gram, weights = IncrementalGram(provider, tolerance), np.ones(N)
    gram.at(weights)
    weights[:6] = 0.0
    gram.at(weights)
    gram.at(weights)
    weights[6:46] = 0.0
    gram.at(weights)
    assert provider.read == [N, 6, N]


def test_changes_within_the_tolerance_are_ignored_and_larger_ones_are_not(rng):
    features = features_of()
    gram = IncrementalGram(features, tolerance=0.1)
    weights = 1.0 + rng.random(N)
    before = gram.at(weights)
    assert gram.at(weights + 0.05 * weights.max()) is before
    weights[0] = 0.0
    after = gram.at(weights)
    np.testing.assert_allclose(after, features.gram(weights), atol=1e-9)
    assert gram.at(weights) is after


@pytest.mark.parametrize("moved", [1, 10, 40])
def test_a_tolerance_bounds_the_error(moved, rng):
    X = sparse_rows(rng)
    gram = IncrementalGram(X, tolerance=0.1)
    for weights in walk(rng, 50, moved):
        # Beyond the tolerance of each weight, no row or a few may be out of date.
        loose = 0.1 * weights.max() * X.T @ X
        error = gram.at(weights) - X.T @ np.diag(weights) @ X
        assert np.abs(np.diag(error)).max() <= np.diag(loose).max()


def test_without_its_tolerance_it_is_exact(rng):
    X = sparse_rows(rng)
    gram = IncrementalGram(X, tolerance=0.1)
    *before, last = walk(rng, 5, 8)
    for weights in before:
        gram.at(weights)
    gram.tolerance = 0.0
    assert_current(gram, X, last, rtol=1e-10, atol=1e-10)


@samples
@pytest.mark.parametrize("kind", ["columns", "landmarks", "fourier"])
@pytest.mark.parametrize("moved", [1, 10, 40])
def test_blocked_features_of_a_sample_or_of_all_are_followed(sample, kind, moved, rng):
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
    expected = naive.gram(phi, weights)
    np.testing.assert_allclose(followed(features).at(weights), expected, atol=1e-10)
    np.testing.assert_allclose(followed(phi).at(weights), expected, atol=1e-10)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "csr_array"])
@pytest.mark.parametrize("shift", [0.0, -0.5, -1.0], ids=["positive", "mixed", "negative"])
def test_weights_may_have_any_sign(convert, shift, rng):
    X, weights = sparse_rows(rng), rng.random(N) + shift
    expected = X.T @ np.diag(weights) @ X
    np.testing.assert_allclose(weighted_gram(convert(X), weights), expected, atol=1e-12)
    np.testing.assert_array_equal(weighted_gram(convert(X), 0.0 * weights), np.zeros((4, 4)))


@pytest.mark.parametrize("convert", [np.asarray, Provider], ids=["dense", "provider"])
def test_a_sample_stands_for_all_rows(convert, rng):
    X, sample = sparse_rows(rng), np.sort(rng.choice(N, 30, replace=False))
    weights = fractional_weights(rng, N)
    expected = 2.0 * X[sample].T @ np.diag(weights[sample]) @ X[sample]
    np.testing.assert_allclose(followed(convert(X), sample).at(weights), expected, atol=1e-10)


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
    solved = followed(features).inverse(weights, np.zeros(features.width))
    assert np.isfinite(solved(np.ones(features.width))).all()


@samples
def test_a_restored_matrix_goes_on_with_the_same_bits(sample, rng):
    features = features_of()
    gram = followed(features, sample, tolerance=0.1)
    *before, last = walk(rng, 5, 8)
    for weights in before:
        gram.at(weights)
    state = {name: value.copy() for name, value in gram.state_dict().items()}
    again = followed(features, sample, tolerance=0.1)
    again.load_state_dict(state)
    np.testing.assert_array_equal(again.at(before[-1]), gram.at(before[-1]))
    np.testing.assert_array_equal(again.at(last), gram.at(last))
    penalty, v = features.penalised, np.ones(features.width)
    np.testing.assert_array_equal(again.inverse(last, penalty)(v), gram.inverse(last, penalty)(v))


def test_a_given_up_tolerance_is_restored(rng):
    gram, again = (IncrementalGram(features_of(), tolerance=0.1) for _ in range(2))
    gram.tolerance = 0.0
    weights = rng.random(N)
    gram.at(weights)
    again.load_state_dict(gram.state_dict())
    weights[0] += 0.01
    np.testing.assert_array_equal(again.at(weights), gram.at(weights))


def test_a_stored_state_stays_as_it_was(rng):
    gram = followed(features_of())
    first, second = walk(rng, 2, 5)
    gram.at(first)
    state = gram.state_dict()
    gram.at(second)
    np.testing.assert_array_equal(state["weights"], first)


def test_before_the_first_sum_there_is_no_state():
    assert followed(features_of()).state_dict() == {}
