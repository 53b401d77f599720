"""The Gram matrix that follows the weights equals the one built anew."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from properties.problems import fractional_weights
from untaint.optim.gram import MAX_UPDATES, REBUILD_SHARE, IncrementalGram

KINDS = {"dense": np.asarray, "csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}
each = pytest.mark.parametrize("convert", KINDS.values(), ids=KINDS)


def built_anew(X, weights):
    return X.T @ np.diag(weights) @ X, X.T @ weights


def assert_current(gram, X, weights, **tolerance):
    G, s = gram.at(weights)
    expected_G, expected_s = built_anew(X, weights)
    assert G.dtype == s.dtype == np.float64
    np.testing.assert_allclose(G, expected_G, **tolerance)
    np.testing.assert_allclose(s, expected_s, **tolerance)


def features(rng, n=60, p=4):
    return rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)


@each
def test_many_small_changes_equal_a_fresh_one(convert, rng):
    X = features(rng)
    gram, weights = IncrementalGram(convert(X)), np.ones(60)
    for _ in range(3 * MAX_UPDATES):
        rows = rng.permutation(60)[: rng.integers(0, 8)]
        weights[rows] = rng.choice([0.0, 1.0, 0.3, 2.5], size=len(rows))
        assert_current(gram, X, weights, rtol=1e-10, atol=1e-10)


@each
def test_large_changes_equal_a_fresh_one(convert, rng):
    X = features(rng)
    gram = IncrementalGram(convert(X))
    for weights in (np.ones(60), fractional_weights(rng, 60), np.zeros(60), np.full(60, 0.5)):
        assert_current(gram, X, weights, rtol=1e-12, atol=1e-12)


@each
def test_single_precision_features_sum_up_in_double(convert, rng):
    X = features(rng)
    gram, weights = IncrementalGram(convert(X.astype(np.float32))), np.ones(60)
    for row in range(30):
        weights[row] = 0.0
        assert_current(gram, X, weights, rtol=1e-4, atol=1e-4)


def test_only_the_changed_rows_are_read(rng, monkeypatch):
    X = features(rng)
    gram, weights = IncrementalGram(X), np.ones(60)
    gram.at(weights)
    read = []
    add = gram._add
    monkeypatch.setattr(gram, "_add", lambda rows, w: read.extend(rows) or add(rows, w))
    weights[[3, 7]] = 0.0
    gram.at(weights)
    assert read == [3, 7]
    gram.at(weights)
    assert read == [3, 7]


def test_the_weights_last_asked_for_may_be_written_to(rng):
    X = features(rng)
    gram, weights = IncrementalGram(X), np.ones(60)
    gram.at(weights)
    weights[0] = 0.0  # the same array, changed in place
    assert_current(gram, X, weights, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [1e3, 1e6, 1e9])
def test_no_trace_is_left_of_rows_far_out(size, rng):
    X = features(rng)
    X[:5] *= size
    gram, weights = IncrementalGram(X), np.ones(60)
    gram.at(weights)
    assert REBUILD_SHARE * 60 >= 5  # few enough to be subtracted
    weights[:5] = 0.0
    assert_current(gram, X, weights, rtol=1e-6, atol=1e-6)
