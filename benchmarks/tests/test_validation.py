"""Rows that a fit has not seen validate it, and bad rows among them cost every fit the same."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.validation import BOUND, balanced_error, bounded_error, held_out
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_predict


def test_predictions_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    folds = KFold(3, shuffle=True, random_state=0)
    expected = cross_val_predict(Ridge(), X, y, cv=folds)
    np.testing.assert_allclose(held_out(lambda train: Ridge(), X, y, folds.split(X)), expected)


def test_the_maker_is_told_the_rows():
    X, y, seen = np.zeros((6, 1)), np.zeros(6), []
    held_out(lambda train: seen.append(train.tolist()) or Ridge(), X, y, KFold(3).split(X))
    assert seen == [[2, 3, 4, 5], [0, 1, 4, 5], [0, 1, 2, 3]]


def test_no_error_counts_more_than_the_bound():
    y = np.array([-1.0, 1.0, -2.0, 2.0, 1e4])
    bound = (BOUND * 1.4826 * 1.0) ** 2  # the median is 1, and the distances 2, 0, 3, 1, 1e4
    expected = np.mean(np.minimum([1.0, 1.0, 4.0, 4.0, 1e8], 4.0 * bound))
    assert bounded_error(y, np.zeros(5)) == pytest.approx(expected)


def test_the_bound_does_not_depend_on_the_fit():
    y = np.array([0.0, 1.0, 2.0, 3.0, 1e4])
    assert bounded_error(y, y + 1e6) == bounded_error(y, y - 1e9)


def test_every_class_counts_the_same():
    y = np.array([0] * 9 + [1])
    assert balanced_error(y, np.zeros(10)) == balanced_error(y, np.ones(10)) == 0.5
