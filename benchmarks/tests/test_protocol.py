"""Scaling comes from clean training rows alone; only training rows are corrupted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.data.protocol import prepare
from untaint.datasets import load_kiln

X, Y = load_kiln(return_X_y=True)
CLASSES = np.repeat(["b", "a", "c"], [200, 180, 20])


def clean_split(seed=0):
    return prepare(X, Y, kind="label", epsilon=0.0, seed=seed)


def test_clean_training_rows_are_standard():
    split = clean_split()
    np.testing.assert_allclose(split.X_train.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(split.X_train.std(axis=0), 1.0)
    assert split.y_train.mean() == pytest.approx(0.0, abs=1e-9)
    assert split.y_train.std() == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["label", "label+feature", "huge-label", "huge-feature"])
def test_corruption_changes_neither_scaling_nor_split_nor_test_rows(kind):
    clean = clean_split()
    split = prepare(X, Y, kind=kind, epsilon=0.4, seed=0)
    keep = split.clean_mask
    assert (~keep).sum() == 128
    np.testing.assert_array_equal(split.X_train[keep], clean.X_train[keep])
    np.testing.assert_array_equal(split.y_train[keep], clean.y_train[keep])
    np.testing.assert_array_equal(split.X_test, clean.X_test)
    np.testing.assert_array_equal(split.y_test, clean.y_test)


def test_test_rows_do_not_leak_into_the_training_rows():
    test_rows = rows_of_the_test_part(seed=0)
    X_wild, y_wild = X.copy(), Y.copy()
    X_wild[test_rows], y_wild[test_rows] = 1e6, -1e6
    wild = prepare(X_wild, y_wild, kind="label", epsilon=0.3, seed=0)
    tame = prepare(X, Y, kind="label", epsilon=0.3, seed=0)
    assert np.ptp(wild.y_test) == 0
    np.testing.assert_array_equal(wild.X_train, tame.X_train)
    np.testing.assert_array_equal(wild.y_train, tame.y_train)


def rows_of_the_test_part(seed):
    """Number the rows, split, and undo the scaling, whose range is known."""
    numbers = np.arange(400.0)
    split = prepare(numbers[:, None], numbers, kind="label", epsilon=0.0, seed=seed)
    both = np.concatenate([split.X_train, split.X_test])
    return np.round((split.X_test[:, 0] - both.min()) / np.ptp(both) * 399).astype(int)


def test_missing_cells_get_the_median_of_the_clean_training_rows():
    holes = X.copy()
    holes[::7, 1] = np.nan
    split = prepare(holes, Y, kind="label+feature", epsilon=0.0, seed=0)
    filled = split.X_train[np.isclose(split.X_train[:, 1], np.median(split.X_train[:, 1]))]
    assert len(filled) > 30
    assert np.isfinite(split.X_train).all()
    assert np.isfinite(split.X_test).all()
    corrupted = prepare(holes, Y, kind="label+feature", epsilon=0.3, seed=0)
    np.testing.assert_array_equal(corrupted.X_test, split.X_test)


def test_classes_are_numbered_and_split_each_for_itself():
    split = prepare(X, CLASSES, kind="flip", epsilon=0.0, seed=0)
    np.testing.assert_array_equal(np.bincount(split.y_train), [144, 160, 16])
    np.testing.assert_array_equal(np.bincount(split.y_test), [36, 40, 4])
    np.testing.assert_allclose(split.X_train.mean(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", ["flip", "flip+feature", "flip-one-sided", "flip-spare-rare"])
def test_flips_change_neither_scaling_nor_split_nor_test_rows(kind):
    clean = prepare(X, CLASSES, kind="flip", epsilon=0.0, seed=0)
    split = prepare(X, CLASSES, kind=kind, epsilon=0.3, seed=0)
    keep = split.clean_mask
    assert (~keep).sum() == 96
    np.testing.assert_array_equal(split.X_train[keep], clean.X_train[keep])
    np.testing.assert_array_equal(split.y_train != clean.y_train, ~keep)
    np.testing.assert_array_equal(split.X_test, clean.X_test)
    np.testing.assert_array_equal(split.y_test, clean.y_test)
