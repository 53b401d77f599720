"""Flagged rows that can be told from their features."""

import numpy as np
import pytest
from scipy import sparse

from untaint.contamination.misfit import flagged_groups


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(400, 4))


def test_rows_beyond_a_step_are_a_group(X):
    flagged = X[:, 1] > 0.8
    found = flagged_groups(X, flagged, np.ones(400))
    assert found[flagged].mean() > 0.8
    assert not found[~flagged].any()


def test_rows_of_a_rare_category_are_a_group(X):
    X[:, 2] = np.random.default_rng(1).random(400) < 0.06
    flagged = X[:, 2] > 0
    np.testing.assert_array_equal(flagged_groups(X, flagged, np.ones(400)), flagged)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4, 0.49])
@pytest.mark.parametrize("seed", range(4))
def test_rows_flagged_at_random_are_none(X, share, seed):
    flagged = np.random.default_rng([seed, 5]).random(400) < share
    assert not flagged_groups(X, flagged, np.ones(400)).any()


def test_half_of_a_region_is_no_group(X):
    flagged = (X[:, 0] > 0.5) & (np.random.default_rng(2).random(400) < 0.5)
    assert not flagged_groups(X, flagged, np.ones(400)).any()


def test_random_errors_next_to_a_group_are_not_part_of_it(X):
    step = X[:, 0] > 1.0
    flagged = step | (np.random.default_rng(3).random(400) < 0.05)
    found = flagged_groups(X, flagged, np.ones(400))
    assert found[step].mean() > 0.8
    assert found[~step].mean() < 0.02


def test_weights_are_copies(X):
    flagged = X[:, 1] > 1.0
    counts = np.random.default_rng(4).integers(1, 4, size=400)
    copies = np.repeat(np.arange(400), counts)
    weighted = flagged_groups(X, flagged, counts.astype(float))
    repeated = flagged_groups(X[copies], flagged[copies], np.ones(len(copies)))
    np.testing.assert_array_equal(weighted[copies], repeated)


@pytest.mark.parametrize("flag", [False, True])
def test_nothing_or_everything_flagged_is_no_group(X, flag):
    assert not flagged_groups(X, np.full(400, flag), np.ones(400)).any()


def test_sparse_and_very_many_columns(X):
    wide = np.random.default_rng(6).normal(size=(400, 500))
    flagged = X[:, 0] > 0.8
    np.testing.assert_array_equal(
        flagged_groups(sparse.csr_array(X), flagged, np.ones(400)),
        flagged_groups(X, flagged, np.ones(400)),
    )
    assert not flagged_groups(wide, flagged, np.ones(400)).any()
