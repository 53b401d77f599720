"""Sums over a stream, fold by fold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from online.cases import FULL
from untaint.online.moments import FOLDS, Moments

ROWS = np.column_stack([np.ones(200), np.random.default_rng(0).normal(size=(200, 4))])


def summed(*batches, noise=FULL):
    moments = Moments(3)
    for rows in batches:
        moments.add(rows, noise)
    return moments


@given(st.lists(st.integers(1, 199), max_size=6, unique=True).map(sorted))
def test_batches_may_be_cut_anywhere(cuts):
    whole, cut = summed(ROWS), summed(*np.split(ROWS, cuts))
    np.testing.assert_allclose(cut.second, whole.second, atol=1e-12)
    np.testing.assert_allclose(cut.noise, whole.noise, atol=1e-12)
    assert cut.rounds == whole.rounds == 200


def test_every_round_goes_to_one_fold_and_all_folds_get_their_part():
    folds = []
    for t in range(200):
        moments = Moments(3)
        moments.rounds = t
        moments.add(ROWS[[t]], FULL)
        (fold,) = np.flatnonzero(moments.second[:, 0, 0])
        np.testing.assert_allclose(moments.second[fold], np.outer(ROWS[t], ROWS[t]))
        np.testing.assert_allclose(moments.noise[fold], FULL)
        folds.append(fold)
    moments, counts = summed(ROWS), np.bincount(folds, minlength=FOLDS)
    np.testing.assert_allclose(moments.second[:, 0, 0], counts)
    assert counts.min() >= 4 and counts.max() <= 2 * 200 / FOLDS
    # Neighbours stay together: what is left out is not next to what is kept.
    assert np.count_nonzero(np.diff(folds)) < 200 / 3


def test_totals_and_groups_add_up():
    moments = summed(ROWS)
    second, noise = moments.total()
    np.testing.assert_allclose(second, ROWS.T @ ROWS, atol=1e-10)
    np.testing.assert_allclose(noise, 200 * FULL, atol=1e-10)
    for n_groups in (4, 8, 16):
        grouped, grouped_noise = moments.grouped(n_groups)
        assert len(grouped) == n_groups
        np.testing.assert_allclose(grouped.sum(axis=0), second, atol=1e-10)
        np.testing.assert_allclose(grouped_noise.sum(axis=0), noise, atol=1e-10)


def test_folds_without_a_row_are_left_out():
    assert 1 <= len(summed(ROWS[:2]).grouped(FOLDS)[0]) <= 2


def test_weights_scale_rows_and_their_noise():
    heavy = np.sqrt(2.0) * ROWS[:1]
    np.testing.assert_allclose(summed(heavy).second[0], 2 * summed(ROWS[:1]).second[0])
    np.testing.assert_allclose(summed(heavy).noise[0], 2 * FULL)


def test_new_features_have_been_zero_so_far():
    moments = summed(ROWS)
    moments.widen(5)
    padded = np.insert(ROWS, [4, 4], 0.0, axis=1)
    np.testing.assert_allclose(moments.total()[0], padded.T @ padded, atol=1e-10)
    assert moments.total()[1].shape == (5, 5)


def test_a_copy_stays_as_it_was():
    moments = summed(ROWS)
    copy = moments.copy()
    moments.add(ROWS, FULL)
    assert copy.rounds == 200
    assert copy.total()[0][0, 0] == pytest.approx(200)
