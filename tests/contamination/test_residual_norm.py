"""Values that censor targets: many equal ones at an end of the range, with others near."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.contamination.residual_norm import MIN_CENSORED, censored


def found(y, weights=None):
    y = np.asarray(y, dtype=float)
    return censored(y[:, None], np.ones(len(y)) if weights is None else weights)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("cap", [0.5, 1.0])
def test_a_cap_censors(side, cap, rng):
    y = np.minimum(rng.normal(size=500), cap)
    np.testing.assert_array_equal(found(side * y), y == cap)


def test_zeros_of_a_quantity_that_is_never_negative_censor(rng):
    y = np.maximum(rng.normal(0.5, 1.0, size=500), 0.0)
    assert 0.2 < np.mean(y == 0) < 0.45
    np.testing.assert_array_equal(found(y), y == 0)


def test_both_ends_may_censor(rng):
    y = np.clip(rng.normal(size=1000), -1.0, 1.0)
    np.testing.assert_array_equal(found(y), np.abs(y) == 1.0)


@pytest.mark.parametrize("code", [-999.0, -1.0, 9999.0])
def test_a_code_far_from_the_others_does_not_censor(code, rng):
    y = rng.uniform(50, 80, size=500)
    y[:100] = code
    assert not found(y).any()


def test_few_equal_targets_do_not_censor(rng):
    y = rng.normal(size=500)
    y[: round(MIN_CENSORED * 500) - 2] = y.max()
    assert not found(y).any()


@pytest.mark.parametrize(("part", "censored_part"), [(0.51, 0.51), (0.8, 0.8), (0.92, 0), (1, 0)])
def test_a_majority_may_be_censored_but_not_nearly_all_rows(part, censored_part, rng):
    y = rng.exponential(size=500)
    y[: round(part * 500)] = 0.0
    assert found(y).mean() == pytest.approx(censored_part)


def test_two_ends_may_be_a_majority_together(rng):
    y = np.clip(rng.normal(size=1000), -0.5, 0.5)
    assert np.mean(np.abs(y) == 0.5) > 0.5
    np.testing.assert_array_equal(found(y), np.abs(y) == 0.5)


def test_equal_targets_in_the_middle_do_not_censor(rng):
    y = rng.normal(size=500)
    y[:200] = 0.0
    assert not found(y).any()


def test_equal_wrong_targets_beyond_nearly_all_others_do_not_censor(rng):
    y = rng.normal(size=500)
    y[:200] = 3.0
    assert not found(y).any()


def test_continuous_targets_are_not_censored(rng):
    assert not found(rng.normal(size=500)).any()


def test_labels_are_not_censored(rng):
    assert not found(rng.random(300) < 0.3).any()


def test_several_outputs_are_not_censored(rng):
    y = np.maximum(rng.normal(0.5, 1.0, size=(300, 2)), 0.0)
    assert not censored(y, np.ones(300)).any()


def test_a_weight_is_that_many_copies(rng):
    y, copies = np.maximum(rng.normal(1.0, 1.0, size=300), 0.0), rng.integers(0, 4, size=300)
    owner = np.repeat(np.arange(300), copies)
    one, other = found(y, copies.astype(float)), found(y[owner])
    assert other.any()
    np.testing.assert_array_equal(one[owner], other)
    # Rows without weight are not there.
    assert not one[copies == 0].any()


@pytest.mark.parametrize("unit", [1e-6, -3.0, 1e6])
def test_the_unit_of_the_targets_does_not_matter(unit, rng):
    y = np.maximum(rng.normal(0.5, 1.0, size=500), 0.0)
    np.testing.assert_array_equal(found(unit * y), found(y))


def test_without_rows_there_is_nothing_to_censor():
    assert not censored(np.zeros((5, 1)), np.zeros(5)).any()
