"""Gates say of any part of the rows what they say of all, and outer rows of parts add up."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from untaint.design.subsample import draw_rows
from untaint.screening.by_subsample import ExtremeSamples, outlyingness_filter, screen_by_sample
from untaint.screening.filters import OutlyingnessFilter, RadiusFilter

N = 3000
CUTS = [[], [1], [700, 701, 2200], [N - 1]]
each_cut = pytest.mark.parametrize("cuts", CUTS, ids=str)


def dense(rng):
    X = rng.normal(size=(N, 4))
    X[rng.random(N) < 0.03] *= 60.0
    return X


def related(rng):
    X = dense(rng)
    X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=N)
    return X


def tied(rng):
    return rng.poisson(1.0, size=(N, 3)).astype(float)


ROWS = {
    "dense": dense,
    "related": related,
    "single": lambda rng: dense(rng).astype(np.float32),
    "sparse": lambda rng: sp.csr_array(dense(rng) * (rng.random((N, 4)) < 0.4)),
    "tied": tied,
}
each = pytest.mark.parametrize("kind", ROWS)


def outlyingness_filter_of(X, count=800):
    sample = draw_rows(np.ones(N), count)
    return outlyingness_filter(X[sample], sample, ExtremeSamples(X[sample]).rows(X), N)


GATES = {
    "reach": lambda X: RadiusFilter(np.full(X.shape[1], 0.1), 9.0),
    "outlyingness_filter": outlyingness_filter_of,
}
each_gate = pytest.mark.parametrize("sample_filter", GATES)


def pieces(cuts):
    return [slice(start, stop) for start, stop in zip([0, *cuts], [*cuts, N], strict=True)]


@each
@each_gate
@each_cut
def test_a_filter_treats_parts_as_the_whole(kind, sample_filter, cuts, rng):
    X = ROWS[kind](rng)
    found = GATES[sample_filter](X)
    whole = found.excluded_mask(X)
    assert kind == "tied" or 0 < whole.sum() < N / 4
    for part in pieces(cuts):
        np.testing.assert_array_equal(found.excluded_mask(X[part], part.start), whole[part])
        numbers = np.arange(part.start, part.stop)
        np.testing.assert_array_equal(found.excluded_mask(X[part], numbers), whole[part])


@each
@each_gate
def test_rows_are_known_by_their_numbers_in_any_order_and_several_times(kind, sample_filter, rng):
    X = ROWS[kind](rng)
    found = GATES[sample_filter](X)
    numbers = rng.integers(0, N, 500)
    expected = found.excluded_mask(X)[numbers]
    np.testing.assert_array_equal(found.excluded_mask(X[numbers], numbers), expected)


@each
def test_outlyingness_of_parts_is_that_of_the_whole(kind, rng):
    X = ROWS[kind](rng)
    sample_filter = outlyingness_filter_of(X)
    whole = sample_filter.outlyingness(X)
    np.testing.assert_array_equal(sample_filter.outlyingness(X[700:], 700), whole[700:])
    np.testing.assert_array_equal(sample_filter.excluded_mask(X), whole > 1)
    sample = draw_rows(np.ones(N), 800)
    np.testing.assert_array_equal(screen_by_sample(X, sample).outlyingness, whole)


def test_flags_of_the_subsample_stay():
    sample_filter = OutlyingnessFilter(None, np.array([2, 5]), np.array([3.0, 0.5]))
    np.testing.assert_array_equal(
        sample_filter.outlyingness(np.zeros((4, 1)), 2), [3.0, 0.0, 0.0, 0.5]
    )
    numbers = np.array([5, 2, 9, 2])
    np.testing.assert_array_equal(
        sample_filter.outlyingness(np.zeros((4, 1)), numbers), [0.5, 3.0, 0.0, 3.0]
    )
    np.testing.assert_array_equal(
        sample_filter.excluded_mask(np.zeros((4, 1)), numbers), [0, 1, 0, 1]
    )


def test_without_a_sample_and_edges_no_row_is_excluded():
    sample_filter = OutlyingnessFilter(None, np.zeros(0, dtype=int), np.zeros(0))
    assert not sample_filter.excluded_mask(np.ones((3, 2))).any()
    assert not sample_filter.excluded_mask(np.ones((3, 2)), np.arange(3)).any()


@pytest.mark.parametrize("numbers", [0, np.zeros(0, dtype=int)])
def test_no_rows_give_no_flags(numbers, rng):
    X = dense(rng)
    for make in GATES.values():
        assert make(X).excluded_mask(X[:0], numbers).shape == (0,)


def test_the_first_rows_number_may_be_any_integer(rng):
    X = dense(rng)
    sample_filter = outlyingness_filter_of(X)
    np.testing.assert_array_equal(
        sample_filter.excluded_mask(X[9:], np.int64(9)), sample_filter.excluded_mask(X, 0)[9:]
    )


def added(parts):
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@pytest.mark.parametrize("kind", ["dense", "sparse", "tied"])
@pytest.mark.parametrize("cuts", CUTS[1:], ids=str)
def test_outermost_rows_of_parts_are_those_of_the_whole(kind, cuts, set_sizes, rng):
    set_sizes(extreme_rows=100)
    X = ROWS[kind](rng)
    extreme_samples = ExtremeSamples(X[:500])
    numbers, top = extreme_samples.rows(X).distinct()
    parts = [extreme_samples.rows(X[part], part.start) for part in pieces(cuts)]
    for found, rows in (added(parts).distinct(), added(parts[::-1]).distinct()):
        np.testing.assert_array_equal(found, numbers)
        assert abs(rows - top).max() == 0


def test_the_outermost_rows_are_the_farthest_and_the_worst(set_sizes, rng):
    set_sizes(extreme_rows=3)
    X = rng.normal(size=(N, 3))
    X[[4, 8, 15]] *= 100.0
    X[:, 2] *= 1e-6
    X[[16, 23, 42], 2] = 1.0  # far only beside the others of their column
    numbers, rows = ExtremeSamples(X[100:]).rows(X).distinct()
    np.testing.assert_array_equal(numbers, [4, 8, 15, 16, 23, 42])
    np.testing.assert_array_equal(rows, X[numbers])


def test_a_part_without_rows_adds_none(rng):
    X = dense(rng)
    extreme_samples = ExtremeSamples(X)
    whole, none = extreme_samples.rows(X), extreme_samples.rows(X[:0])
    for both in (whole + none, none + whole):
        np.testing.assert_array_equal(both.distinct()[0], whole.distinct()[0])
