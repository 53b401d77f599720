"""Copies are recognised by their features, up to rounding."""

from __future__ import annotations

import numpy as np
import pytest

from properties.problems import rbf, root
from untaint.contamination.duplicates import MAX_DUPLICATES, has_many_duplicates


def drawn(rng, n=120, d=3):
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, :1]) + 0.1 * rng.normal(size=(n, 1))


@pytest.mark.parametrize("gamma", [1e-3, 0.1, 10.0])
def test_distinct_rows_are_no_copies(gamma, rng):
    X, y = drawn(rng)
    assert not has_many_duplicates(root(rbf(X, gamma)), y, np.ones(120))


@pytest.mark.parametrize("gamma", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("times", [2, 3])
def test_copies_are_recognised_by_features_of_any_kernel(gamma, times, rng):
    X, y = drawn(rng)
    X, y = np.tile(X, (times, 1)), np.tile(y, (times, 1))
    assert has_many_duplicates(root(rbf(X, gamma)), y, np.ones(len(y)))


def test_a_weight_of_two_is_a_copy(rng):
    X, y = drawn(rng)
    assert has_many_duplicates(X, y, np.full(120, 2.0))
    counts = np.ones(120)
    counts[0] = 2.0
    assert not has_many_duplicates(X, y, counts)


@pytest.mark.parametrize(("part", "many"), [(0.5, False), (1.5, True)])
def test_few_copies_are_not_many(part, many, rng):
    X, y = drawn(rng, n=1000)
    rows = np.arange(round(part * MAX_DUPLICATES * 1000 / 2))
    X, y = np.r_[X, X[rows]], np.r_[y, y[rows]]
    assert has_many_duplicates(X, y, np.ones(len(y))) is many


def test_equal_features_with_other_targets_are_no_copies(rng):
    X, y = drawn(rng)
    repeated = np.tile(X, (2, 1))
    assert not has_many_duplicates(repeated, np.r_[y, y + 0.1], np.ones(240))


def test_equal_targets_of_other_features_are_no_copies(rng):
    X, _ = drawn(rng)
    assert not has_many_duplicates(X, np.zeros((120, 1)), np.ones(120))


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_do_not_matter(unit, rng):
    X, y = drawn(rng)
    twice = np.tile(X, (2, 1)), np.tile(y, (2, 1))
    assert has_many_duplicates(unit * twice[0], twice[1] / unit, np.ones(240))
    assert not has_many_duplicates(unit * X, y / unit, np.ones(120))


def test_order_of_the_rows_is_immaterial(rng):
    X, y = drawn(rng)
    order = rng.permutation(240)
    twice = np.tile(X, (2, 1))[order], np.tile(y, (2, 1))[order]
    assert has_many_duplicates(*twice, np.ones(240))


def test_rows_without_features_are_compared_by_their_targets(rng):
    assert not has_many_duplicates(np.zeros((50, 2)), rng.normal(size=(50, 1)), np.ones(50))
    assert has_many_duplicates(np.zeros((50, 2)), np.zeros((50, 1)), np.ones(50))


def test_ties_of_few_values_are_no_copies(rng):
    X = rng.integers(0, 3, size=(400, 2)).astype(float)
    y = rng.poisson(1.0, size=(400, 1)).astype(float)
    assert not has_many_duplicates(X, y, np.ones(400))
    assert has_many_duplicates(X, X[:, :1] + 3 * X[:, 1:], np.ones(400))
