"""Statistics of X alone: medians, distances, far rows, representatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.screening.radius import centre, near_rows, radii, representatives, weighted_median

values = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3))


@st.composite
def columns(draw):
    """Rows of one to three columns, and how many copies there are of each."""
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    X = draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n))
    return np.array(X), np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))


@given(frame=columns())
@settings(max_examples=60)
def test_weighted_median_equals_numpy_on_the_copies(frame):
    X, copies = frame
    found = weighted_median(X, copies.astype(float))
    np.testing.assert_allclose(found, np.median(np.repeat(X, copies, axis=0), axis=0), atol=1e-12)


@given(frame=columns(), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_weighted_median_knows_no_order_and_no_unit_of_weight(frame, seed):
    X, copies = frame
    order = np.random.default_rng(seed).permutation(len(X))
    found = weighted_median(X, copies.astype(float))
    np.testing.assert_array_equal(weighted_median(X[order], copies[order].astype(float)), found)
    np.testing.assert_array_equal(weighted_median(X, 0.25 * copies), found)


def test_weighted_median_of_one_dimension_and_of_no_weight():
    assert weighted_median(np.array([7.0]), np.ones(1)) == 7.0
    assert weighted_median(np.array([1.0, 100.0, 2.0]), np.array([1.0, 0.0, 2.0])) == 2.0
    assert weighted_median(np.array([1.0, 100.0, 3.0]), np.array([1.0, 0.0, 1.0])) == 2.0


def test_weighted_median_of_huge_values_does_not_overflow():
    assert weighted_median(np.array([1.7e308, 1.7e308]), np.ones(2)) == 1.7e308


def test_centre_is_the_median_of_dense_rows_and_zero_for_sparse_ones(rng):
    X = rng.normal(size=(9, 3))
    np.testing.assert_array_equal(centre(X, np.ones(9)), np.median(X, axis=0))
    np.testing.assert_array_equal(centre(sp.csr_array(X), np.ones(9)), np.zeros(3))


@pytest.mark.parametrize("distance", ["euclidean", "manhattan"])
def test_radii_by_hand(distance):
    X = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]])
    expected = [0.0, 5.0 if distance == "euclidean" else 7.0, 0.0]
    np.testing.assert_allclose(radii(X, np.ones(3), distance), expected)
    np.testing.assert_allclose(radii(sp.csr_array(X), np.ones(3), distance), expected)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_radii_keep_the_shape_and_survive_overflow(convert):
    X = np.array([[1.0, 0.0], [1e200, 1e200], [0.0, 1.0]])
    radius = radii(convert(X), np.ones(3))
    assert radius.shape == (3,)
    assert radius[1] > 1e199
    assert near_rows(radius, np.ones(3)).tolist() == [True, False, True]


def test_radii_count_a_weight_as_copies(rng):
    X, copies = rng.normal(size=(10, 2)), rng.integers(1, 4, size=10)
    repeated = radii(np.repeat(X, copies, axis=0), np.ones(copies.sum()))
    np.testing.assert_allclose(repeated, np.repeat(radii(X, copies.astype(float)), copies))


@pytest.mark.parametrize("far", [1e3, 1e12, 1e300])
@pytest.mark.parametrize("d", [1, 5, 50])
def test_nearly_half_of_the_rows_far_out_do_not_hide_one_another(far, d, rng):
    X = rng.normal(size=(100, d))
    X[:45] = far * (1 + rng.random((45, d)))
    np.testing.assert_array_equal(
        near_rows(radii(X, np.ones(100)), np.ones(100)), np.arange(100) >= 45
    )


@pytest.mark.parametrize("far", [1e3, 1e12])
def test_far_rows_on_all_sides_are_seen(far, rng):
    X = rng.normal(size=(100, 3))
    X[:45] = far * rng.choice([-1.0, 1.0], size=(45, 3))
    np.testing.assert_array_equal(
        near_rows(radii(X, np.ones(100)), np.ones(100)), np.arange(100) >= 45
    )


@pytest.mark.parametrize("d", [1, 2, 20])
def test_ordinary_rows_are_all_near(d, rng):
    for X in (rng.normal(size=(200, d)), rng.uniform(size=(200, d))):
        assert near_rows(radii(X, np.ones(200)), np.ones(200)).mean() > 0.95


def test_rows_that_do_not_differ_are_all_near():
    assert near_rows(np.zeros(5), np.ones(5)).all()


def test_rows_away_from_a_dense_centre_set_their_own_scale():
    radius = np.r_[np.zeros(70), np.linspace(1.0, 2.0, 28), 1e6, 1e9]
    np.testing.assert_array_equal(near_rows(radius, np.ones(100)), radius < 1e3)


def test_near_rows_count_a_weight_as_copies(rng):
    radius, copies = np.abs(rng.standard_cauchy(30)), rng.integers(1, 4, size=30)
    one = near_rows(radius, copies.astype(float))
    many = near_rows(np.repeat(radius, copies), np.ones(copies.sum()))
    np.testing.assert_array_equal(many, np.repeat(one, copies))


def sampled(X, weights, count, radius=None):
    radius = radii(X, weights) if radius is None else radius
    return representatives(X, weights, radius, count)


@pytest.mark.parametrize("count", [1, 3, 10, 39])
def test_representatives_are_few_distinct_and_in_order(count, rng):
    X, weights = rng.normal(size=(40, 2)), rng.random(40) + 0.1
    rows, counts = sampled(X, weights, count)
    assert len(rows) == len(counts) <= count
    assert (np.diff(rows) > 0).all()
    assert counts.sum() == count
    assert (counts >= 1).all()


def test_few_enough_rows_all_stand_for_themselves(rng):
    X, weights = rng.normal(size=(6, 2)), np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])
    rows, counts = sampled(X, weights, 10)
    np.testing.assert_array_equal(rows, np.arange(6))
    np.testing.assert_array_equal(counts, weights)


def test_representatives_reach_from_the_centre_to_the_rim(rng):
    X = rng.normal(size=(1000, 2))
    radius = radii(X, np.ones(1000))
    rows, _ = sampled(X, np.ones(1000), 100)
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    np.testing.assert_allclose(
        np.quantile(radius[rows], levels), np.quantile(radius, levels), rtol=0.03
    )


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("tied", [False, True])
def test_representatives_know_no_order(convert, tied, rng):
    # Tied: rows on a sphere, distinguished by their features alone.
    X = rng.integers(-2, 3, size=(60, 3)).astype(float) if tied else rng.normal(size=(60, 3))
    weights, order = rng.integers(1, 3, size=60).astype(float), rng.permutation(60)
    rows, counts = sampled(convert(X), weights, 20)
    again, counts_again = sampled(convert(X[order]), weights[order], 20)

    def multiset(X, rows, counts):
        return sorted(map(tuple, np.repeat(X[rows], counts.astype(int), axis=0).tolist()))

    assert multiset(X, rows, counts) == multiset(X[order], again, counts_again)


def test_representatives_count_a_weight_as_copies(rng):
    X, copies = rng.normal(size=(40, 2)), rng.integers(1, 5, size=40)
    owner = np.repeat(np.arange(40), copies)
    radius = radii(X, copies.astype(float))
    rows, counts = representatives(X, copies.astype(float), radius, 15)
    many, many_counts = representatives(X[owner], np.ones(len(owner)), radius[owner], 15)
    summed = np.bincount(owner[many], many_counts, minlength=40)
    np.testing.assert_array_equal(summed, np.bincount(rows, counts, minlength=40))


def test_a_heavy_row_stands_for_itself_several_times():
    rows, counts = representatives(None, np.array([1.0, 18.0, 1.0]), np.arange(3.0), 5)
    np.testing.assert_array_equal(rows, [1])
    np.testing.assert_array_equal(counts, [5.0])


@pytest.mark.parametrize("n", [30_000, 30_001])
@pytest.mark.parametrize("kind", ["smooth", "tied", "ordered", "two values"])
def test_the_median_of_many_values_is_the_median(kind, n, rng):
    values = {
        "smooth": rng.normal(size=n),
        "tied": rng.integers(0, 5, size=n).astype(float),
        "ordered": np.linspace(0.0, 1.0, n) ** 3,
        "two values": np.repeat([0.0, 1.0], [n // 2, n - n // 2]),
    }[kind]
    assert weighted_median(values, np.ones(n)) == np.median(values)
