"""MedianScaler: medians, scales, columns without a median deviation, and what may be passed in."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import median_abs_deviation
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from estimators.cases import failed_checks
from untaint import SubquantileRegressor
from untaint.preprocessing import MedianScaler

pytestmark = pytest.mark.filterwarnings("error")

# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


def scale_of(x, **params):
    """Scale of one column."""
    return float(MedianScaler(**params).fit(np.asarray(x, dtype=float)[:, None]).scale_[0])


def mixed_columns(rng, n=200):
    """Gaussian, skewed, rare binary, counts, mostly zeros, constant."""
    return np.column_stack(
        [
            rng.normal(5.0, 2.0, n),
            rng.exponential(size=n),
            np.arange(n) % 33 == 0,
            rng.poisson(0.4, n),
            np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n)),
            np.full(n, 0.1),
        ]
    ).astype(float)


# --- the formula -----------------------------------------------------------------------------


def test_center_and_scale_are_median_and_consistent_median_deviation(rng):
    X = rng.standard_t(3, size=(101, 4))
    scaler = MedianScaler().fit(X)
    np.testing.assert_allclose(scaler.center_, np.median(X, axis=0))
    np.testing.assert_allclose(scaler.scale_, median_abs_deviation(X, scale="normal"), rtol=1e-6)
    np.testing.assert_allclose(scaler.transform(X), (X - scaler.center_) / scaler.scale_)


def test_gaussian_columns_get_unit_deviation(rng):
    Z = MedianScaler().fit_transform(rng.normal(-3.0, 7.0, size=(20000, 1)))
    assert abs(Z.std() - 1) < 0.02
    assert abs(Z.mean()) < 0.02


@given(
    x=st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    factor=st.sampled_from([-8.0, 0.25, 2.0**40]),
    shift=st.sampled_from([0.0, 16.0]),
)
def test_units_and_origins_do_not_matter(x, factor, shift):
    x = np.array(x, dtype=float)
    constant = (x == x[0]).all()
    expected = 1.0 if constant else abs(factor) * scale_of(x)
    assert scale_of(factor * (x + shift)) == pytest.approx(expected, rel=1e-12)


@given(x=st.lists(st.integers(-4, 4), min_size=1, max_size=40))
def test_usual_median_deviation_unless_four_ninths_share_the_centre(x):
    x = np.array(x, dtype=float)
    if np.mean(x == np.median(x)) <= 4 / 9:
        usual = median_abs_deviation(x, scale="normal")
        assert scale_of(x) == pytest.approx(usual, rel=1e-6)


# --- columns without a median deviation ------------------------------------------------------


@pytest.mark.parametrize("fraction", [0.001, 0.03, 0.2, 0.49])
def test_columns_of_zeros_and_ones_stay_as_they_are(fraction):
    x = (np.arange(1000) < 1000 * fraction).astype(float)
    assert scale_of(x) == 1.0
    np.testing.assert_array_equal(MedianScaler().fit_transform(x[:, None])[:, 0], x)


def test_mostly_zeros_and_otherwise_continuous(rng):
    x = np.where(np.arange(2000) < 1200, 0.0, rng.normal(0.0, 5.0, 2000))
    assert 0.5 * x.std() < scale_of(x) < 1.5 * x.std()


def test_counts(rng):
    assert scale_of(rng.poisson(0.3, 1000)) == 1.0


@pytest.mark.parametrize("zeros", [430, 450, 480, 495, 499, 500, 501])
def test_scale_does_not_collapse_as_zeros_come_near_to_half(zeros, rng):
    x = np.where(np.arange(1000) < zeros, 0.0, rng.normal(size=1000))
    assert 0.04 < scale_of(x) < 1


@pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 1e300])
def test_constant_columns_are_only_centred(value):
    scaler = MedianScaler().fit(np.full((7, 1), value))
    assert scaler.center_[0] == value
    assert scaler.scale_[0] == 1.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rounding_is_no_scale(dtype):
    x = np.full(100, 0.1, dtype=dtype)
    x[::3] = np.nextafter(x[0], dtype(1))
    assert MedianScaler().fit(x[:, None]).scale_[0] == 1.0
    x[:10] = 5.1
    assert MedianScaler().fit(x[:, None]).scale_[0] == pytest.approx(5.0)


def test_one_row():
    scaler = MedianScaler().fit([[3.0, 0.0]])
    np.testing.assert_array_equal(scaler.center_, [3.0, 0.0])
    np.testing.assert_array_equal(scaler.scale_, [1.0, 1.0])


# --- feature outliers --------------------------------------------------------------------------


def with_outliers(X, fraction, size, seed=1):
    """Some rows replaced by outlying ones, on one side."""
    rng = np.random.default_rng(seed)
    X = X.copy()
    rows = rng.permutation(len(X))[: round(fraction * len(X))]
    X[rows] = size * rng.uniform(1, 2, size=(len(rows), X.shape[1]))
    return X


def test_almost_half_of_the_rows_cannot_move_a_continuous_column_far(rng):
    X = rng.normal(5.0, 2.0, size=(1000, 3))
    clean = MedianScaler().fit(X)
    scaler = MedianScaler().fit(with_outliers(X, 0.45, 1e6))
    # One-sided, the worst case: the median is the 10/11 quantile of the good rows, and the median
    # deviation from there, 2.7 standard deviations, reaches to their 1/11 quantile.
    assert (np.abs(scaler.center_ - clean.center_) < 1.6 * clean.scale_).all()
    assert (scaler.scale_ < 4.5 * clean.scale_).all()
    assert (scaler.scale_ > clean.scale_).all()


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.45])
def test_how_far_outlying_rows_are_does_not_matter(fraction, rng):
    X = np.column_stack([rng.normal(size=600), rng.random(600) < 0.12, rng.random(600) < 0.4])
    X = X.astype(float)
    tame = MedianScaler().fit(with_outliers(X, fraction, 1e4))
    for size in (1e9, 1e300):
        scaler = MedianScaler().fit(with_outliers(X, fraction, size))
        np.testing.assert_array_equal(scaler.center_, tame.center_)
        np.testing.assert_array_equal(scaler.scale_, tame.scale_)
    assert tame.scale_[1:].max() < 2


def test_rare_ones_outnumbered_by_outlying_rows_still_set_the_scale():
    x = np.zeros(1000)
    x[:30] = 1.0
    x[30:180] = np.linspace(1e5, 1e6, 150)
    assert scale_of(x) == 1.0


def test_an_outlying_value_that_many_rows_share_does_not_set_the_scale():
    x = np.r_[np.zeros(400), np.ones(120), np.full(480, 1e6)]
    assert scale_of(x) < 2
    x = np.r_[np.zeros(520), np.ones(60), np.full(420, 1e6)]
    assert scale_of(x) == 1.0


# --- weights ---------------------------------------------------------------------------------

weighted_columns = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0, 2.5, 1e9]), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any),
    )
)


@given(frame=weighted_columns)
@settings(max_examples=200)
def test_weights_are_copies_dense_and_sparse(frame):
    x, copies = np.array(frame[0])[:, None], np.array(frame[1])
    repeated = MedianScaler().fit(np.repeat(x, copies, axis=0))
    weighted = MedianScaler().fit(x, sample_weight=copies)
    assert weighted.center_ == repeated.center_
    assert weighted.scale_ == repeated.scale_
    stored = MedianScaler(with_centering=False).fit(sp.csr_array(x), sample_weight=copies)
    assert stored.scale_ == repeated.scale_


def test_unit_of_weight_and_order_of_rows_do_not_matter(rng):
    X, w = mixed_columns(rng), rng.integers(1, 4, 200)
    order = rng.permutation(200)
    expected = MedianScaler().fit(X, sample_weight=w)
    found = MedianScaler().fit(X[order], sample_weight=0.25 * w[order])
    np.testing.assert_array_equal(found.center_, expected.center_)
    np.testing.assert_array_equal(found.scale_, expected.scale_)


# --- sparse rows -----------------------------------------------------------------------------


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array])
def test_sparse_rows_are_scaled_like_dense_ones(container, rng):
    X = mixed_columns(rng)
    dense = MedianScaler(with_centering=False).fit(X)
    stored = MedianScaler(with_centering=False).fit(container(X))
    np.testing.assert_array_equal(stored.scale_, dense.scale_)
    Z = stored.transform(container(X))
    assert type(Z) is container
    np.testing.assert_array_equal(Z.toarray(), dense.transform(X))
    np.testing.assert_allclose(stored.inverse_transform(Z).toarray(), X, rtol=1e-14)


def test_scales_do_not_depend_on_centering(rng):
    X = mixed_columns(rng)
    scaler = MedianScaler(with_centering=False).fit(X)
    assert scaler.center_ is None
    np.testing.assert_array_equal(scaler.scale_, MedianScaler().fit(X).scale_)


def test_entries_stored_twice_add_up_and_stored_zeros_are_zeros():
    twice = sp.csc_array(
        (np.array([1.0, 2.0, 0.0]), (np.array([0, 0, 1]), np.array([0, 0, 0]))), shape=(5, 1)
    )
    twice.has_canonical_format = False
    assert MedianScaler(with_centering=False).fit(twice).scale_[0] == scale_of([3, 0, 0, 0, 0])


def test_fit_and_transform_leave_sparse_rows_untouched(rng):
    X = sp.csr_array(mixed_columns(rng))
    before = X.copy()
    MedianScaler(with_centering=False).fit_transform(X)
    np.testing.assert_array_equal(X.toarray(), before.toarray())


def test_centering_of_sparse_rows_is_refused(rng):
    X = mixed_columns(rng)
    message = "with_centering must be False for sparse X"
    with pytest.raises(ValueError, match=message):
        MedianScaler().fit(sp.csr_array(X))
    scaler = MedianScaler().fit(X)
    with pytest.raises(ValueError, match=message):
        scaler.transform(sp.csr_array(X))
    with pytest.raises(ValueError, match=message):
        scaler.inverse_transform(sp.csr_array(X))


# --- missing values, frames, types -----------------------------------------------------------


def test_missing_values_are_passed_over_and_kept(rng):
    X = mixed_columns(rng)
    expected = MedianScaler().fit(X)
    with_missing = np.vstack([X, np.full((50, X.shape[1]), np.nan)])
    scaler = MedianScaler().fit(with_missing)
    np.testing.assert_array_equal(scaler.center_, expected.center_)
    np.testing.assert_array_equal(scaler.scale_, expected.scale_)
    np.testing.assert_array_equal(np.isnan(scaler.transform(with_missing)), np.isnan(with_missing))
    stored = MedianScaler(with_centering=False).fit(sp.csr_array(with_missing))
    np.testing.assert_array_equal(stored.scale_, expected.scale_)


def test_a_column_without_values_is_left_as_it_is():
    scaler = MedianScaler().fit([[np.nan, 1.0], [np.nan, 2.0]])
    assert scaler.transform([[7.0, 1.5]])[0, 0] == 7.0


def test_frames_go_in_and_come_out(rng):
    X = mixed_columns(rng)
    names = list("abcdef")
    expected = MedianScaler().fit_transform(X)
    for frame, output in [
        (pd.DataFrame(X, columns=names), "pandas"),
        (pl.DataFrame(X, schema=names), "polars"),
    ]:
        scaler = MedianScaler().set_output(transform=output)
        Z = scaler.fit_transform(frame)
        assert type(Z) is type(frame)
        assert list(Z.columns) == names == list(scaler.get_feature_names_out())
        np.testing.assert_array_equal(Z.to_numpy(), expected)
        np.testing.assert_allclose(scaler.inverse_transform(Z), X, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int32, np.float64),
        (bool, np.float64),
    ],
)
def test_single_precision_is_kept(given, kept, rng):
    X = rng.poisson(2.0, size=(50, 2)).astype(given)
    scaler = MedianScaler().fit(X)
    Z = scaler.transform(X)
    assert Z.dtype == kept
    assert scaler.inverse_transform(Z).dtype == kept


def test_inverse_transform_undoes_transform(rng):
    X = mixed_columns(rng)
    for params in ({}, {"with_scaling": False}, {"with_centering": False}):
        scaler = MedianScaler(**params).fit(X)
        np.testing.assert_allclose(scaler.inverse_transform(scaler.transform(X)), X, atol=1e-12)


def test_parts_can_be_left_out(rng):
    X = mixed_columns(rng)
    full = MedianScaler().fit(X)
    centred = MedianScaler(with_scaling=False).fit(X)
    assert centred.scale_ is None
    np.testing.assert_array_equal(centred.transform(X), X - full.center_)
    neither = MedianScaler(with_scaling=False, with_centering=False).fit(X)
    np.testing.assert_array_equal(neither.transform(X), X)


def test_in_place_only_when_asked(rng):
    X = mixed_columns(rng)
    before = X.copy()
    Z = MedianScaler().fit_transform(X)
    np.testing.assert_array_equal(X, before)
    assert MedianScaler(copy=False).fit_transform(X) is X
    np.testing.assert_array_equal(X, Z)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_overflows_becomes_the_largest_number(dtype):
    largest = np.finfo(dtype).max
    X = np.array([[0.0], [1e-3], [2e-3], [-largest]], dtype=dtype)
    assert MedianScaler().fit_transform(X)[-1, 0] == -largest
    X = np.array([[-largest], [largest], [0.0]], dtype=dtype)
    assert np.isfinite(MedianScaler().fit_transform(X)).all()


# --- company ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params", [{}, {"with_centering": False}, {"with_scaling": False}], ids=str
)
@pytest.mark.filterwarnings("default")
def test_passes_the_checks_of_sklearn(params):
    failed, skipped = failed_checks(MedianScaler(**params))
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())


def test_clones_and_pickles(rng):
    X = mixed_columns(rng)
    scaler = MedianScaler(with_scaling=True, copy=True).fit(X)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(scaler)).transform(X), scaler.transform(X)
    )
    assert not hasattr(clone(scaler), "scale_")
    assert repr(MedianScaler(with_centering=False)) == "MedianScaler(with_centering=False)"


def test_in_a_pipeline_on_feature_outliers(rng):
    X = rng.normal(size=(120, 2)) * [1.0, 1000.0]
    y = X[:, 0] + X[:, 1] / 1000
    X[:20] *= 1e6
    y[:20] = 50.0
    model = make_pipeline(MedianScaler(), SubquantileRegressor(contamination=0.2, alpha=0.01))
    model.fit(X, y)
    assert np.median(np.abs(model.predict(X[20:]) - y[20:])) < 0.1


# --- what cannot be right --------------------------------------------------------------------


def refused(message, X=((1.0,), (2.0,)), error=ValueError, sample_weight=None, **params):
    with pytest.raises(error, match=re.escape(message)):
        MedianScaler(**params).fit(np.array(X), sample_weight=sample_weight)


def test_bad_input_is_refused_in_a_sentence():
    refused("with_centering must be True or False, got 'yes'", with_centering="yes")
    refused("with_scaling must be True or False, got 1", with_scaling=1)
    refused("copy must be True or False, got None", copy=None)
    refused("infinity", X=[[1.0], [np.inf]])
    refused("sample_weight must not be negative", sample_weight=[1.0, -1.0])
    refused("sample_weight must be positive for at least one row", sample_weight=[0.0, 0.0])
    refused("sample_weight", sample_weight=[1.0, 1.0, 1.0])
    refused("Expected 2D array", X=[1.0, 2.0])


def test_bad_input_after_fit_is_refused_in_a_sentence():
    with pytest.raises(NotFittedError):
        MedianScaler().transform([[1.0]])
    scaler = MedianScaler().fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="expecting 1 features"):
        scaler.transform([[1.0, 2.0]])
    with pytest.raises(ValueError, match=re.escape("X must have 1 columns, as in fit, got shape")):
        scaler.inverse_transform([[1.0, 2.0]])
    with pytest.raises(ValueError, match="infinity"):
        scaler.transform([[np.inf]])
