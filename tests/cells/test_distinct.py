"""Distinct and common values of a column of many rows."""

import numpy as np

from untaint.cells.distinct import common_values, has_values
from untaint.cells.features import neighbour_median
from untaint.cells.variables import FIRST_PLACE, N_PLACES, last_place, resolution_of


def test_common_values_are_those_that_counting_finds():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(30_000) < 0.06, 0.0, rng.normal(size=30_000))
    values[rng.random(30_000) < 0.5] = 7.0
    found, counts = np.unique(values, return_counts=True)
    for part in (0.02, 0.2, 0.4, 0.9):
        common = counts >= part * len(values)
        np.testing.assert_array_equal(common_values(values, part)[0], found[common])
        np.testing.assert_array_equal(common_values(values, part)[1], counts[common])


def test_rare_values_at_the_end_count():
    values = np.r_[np.zeros(20_000), np.arange(30.0)]
    assert has_values(values, 30)
    assert not has_values(values, 31)


def test_a_step_that_most_values_of_many_rows_have_is_found():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 1000, 50_000) * 0.5
    values[rng.random(50_000) < 0.08] += 0.01
    assert resolution_of(values) == 0.5
    values[rng.random(50_000) < 0.08] += 0.01
    assert resolution_of(values) == 0.01


def test_the_last_place_is_the_highest_of_which_a_number_is_a_multiple():
    rng = np.random.default_rng(0)
    digits = rng.integers(0, 7, 3000)
    values = np.r_[np.round(rng.normal(size=3000) * 10.0 ** (digits - 2), 3), 0.0, np.nan, 1e12]
    expected = np.full(len(values), FIRST_PLACE)
    for place in range(FIRST_PLACE + 1, FIRST_PLACE + N_PLACES):
        ratio = values / 10.0**place
        whole = np.abs(ratio - np.round(ratio)) <= 1e-6 * np.maximum(1.0, np.abs(ratio))
        expected[whole & (np.abs(ratio) >= 0.5)] = place
    np.testing.assert_array_equal(last_place(values), expected)


def test_medians_of_neighbours_are_the_same_with_and_without_missing_ones():
    values = np.random.default_rng(0).normal(size=50)
    padded = np.r_[values, np.full(5, np.nan)]
    np.testing.assert_array_equal(neighbour_median(values), neighbour_median(padded)[:50])
