"""What holds for every feature map, written once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from feature_maps.cases import maps, rows

each = pytest.mark.parametrize("kind", ["columns", "landmarks", "fourier"])


@each
def test_features_are_mixed_raw_features(kind, rng):
    X = rows(rng, 30)
    one = maps(X)[kind]
    raw, whitening = one.raw(X), np.eye(one.raw_width) if one.whitening is None else one.whitening
    assert raw.shape == (30, one.raw_width)
    assert one(X).shape == (30, one.width)
    np.testing.assert_allclose(one(X), raw @ whitening, atol=1e-12)


@each
def test_coefficients_are_spread_and_sums_gathered_by_the_same_matrix(kind, rng):
    X = rows(rng, 30)
    one = maps(X)[kind]
    coef, slopes = rng.normal(size=(one.width, 2)), rng.normal(size=(30, 2))
    np.testing.assert_allclose(one.raw(X) @ one.unwhiten_coef(coef), one(X) @ coef, atol=1e-10)
    np.testing.assert_allclose(
        one.whiten_gradient(one.raw(X).T @ slopes), one(X).T @ slopes, atol=1e-10
    )


@each
def test_features_of_a_row_do_not_depend_on_other_rows(kind, rng):
    X = rows(rng, 30)
    one = maps(X)[kind]
    alone = np.vstack([one(X[i : i + 1]) for i in range(30)])
    np.testing.assert_allclose(alone, one(X), atol=1e-9)


@each
def test_raw_features_are_of_the_precision_asked_for(kind, rng):
    X = rows(rng, 30)
    double, single = maps(X)[kind], maps(X, np.float32)[kind]
    assert double.raw(X).dtype == np.float64
    assert single.raw(X).dtype == np.float32
    np.testing.assert_allclose(single.raw(X), double.raw(X), atol=2e-6)


@each
def test_no_rows_have_no_features(kind, rng):
    X = rows(rng, 30)
    assert maps(X)[kind](X[:0]).shape[0] == 0


@each
def test_survives_pickling(kind, rng):
    X = rows(rng, 30)
    one = maps(X)[kind]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(one))(X), one(X))
