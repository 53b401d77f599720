"""The columns themselves are the features of the linear kernel."""

from __future__ import annotations

import numpy as np
import pytest

from feature_maps.cases import rows
from untaint.feature_maps.identity import IdentityMap
from untaint.kernels import Linear


def test_without_a_centre_inner_products_are_the_linear_kernel(rng):
    X = rows(rng, 20)
    phi = IdentityMap(np.zeros(4))(X)
    np.testing.assert_allclose(phi @ phi.T, Linear().matrix(X), atol=1e-12)


def test_a_centre_is_subtracted(rng):
    X = rows(rng, 20)
    np.testing.assert_allclose(IdentityMap(X[0])(X), X - X[0], atol=1e-15)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_left_as_they_were(order, rng):
    X = np.asarray(rows(rng, 20), order=order)
    before = X.copy()
    IdentityMap(X[0])(X)
    np.testing.assert_array_equal(X, before)


def test_rows_that_are_not_moved_are_not_copied(rng):
    X = rows(rng, 20)
    assert np.shares_memory(IdentityMap(np.zeros(4))(X), X)


def test_a_centre_keeps_the_digits_of_columns_far_from_zero(rng):
    small = rng.normal(size=(50, 2))
    X = (1e7 + small).astype(np.float64)
    phi = IdentityMap(np.median(X, axis=0))(X)
    np.testing.assert_allclose(np.var(phi, axis=0), np.var(small, axis=0), rtol=1e-6)


def test_features_that_lie_there_already_are_not_worth_keeping():
    assert not IdentityMap(np.zeros(3)).cacheable
    assert IdentityMap(np.zeros(3)).width == 3
