"""A weight of k is k copies of the row, exactly, also where trimming cuts among good rows."""

import numpy as np
import pytest
from sklearn.base import clone

from estimators.cases import assert_weights_are_copies, corrupted, grossly_corrupted
from untaint import SubquantileRegressor

KERNELS = ["linear", "poly", "rbf", "laplacian", "exponential", "rational_quadratic"]
each_kernel = pytest.mark.parametrize("kernel", KERNELS)


def regressor(**params):
    return SubquantileRegressor(**{"contamination": 0.2, "alpha": 0.3, **params})


@each_kernel
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_copies_on_label_noise(kernel, seed):
    X, y, _ = corrupted(100, seed=seed)
    weights = np.random.default_rng(seed).integers(1, 4, 100)
    assert_weights_are_copies(regressor(kernel=kernel), X, y, weights)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("contamination", [0.2])  # an estimate may differ by a row
@pytest.mark.parametrize("seed", range(2))
def test_weights_are_copies_where_the_search_takes_a_sample(kernel, contamination, seed):
    """More than 600 copies."""
    X, y, _ = corrupted(320, seed=seed)
    weights = np.random.default_rng(seed).integers(1, 4, 320)
    assert_weights_are_copies(regressor(kernel=kernel, contamination=contamination), X, y, weights)


@each_kernel
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_copies(kernel, seed):
    X, y, _ = grossly_corrupted(75, seed=seed)
    weights = np.random.default_rng(seed).integers(1, 4, 75)
    assert_weights_are_copies(regressor(kernel=kernel, contamination=0.3), X, y, weights)


@pytest.mark.parametrize("contamination", [0, 0.4, "auto"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_weights_are_copies_at_any_contamination(contamination, kernel):
    X, y, _ = grossly_corrupted(75, contamination=0.3)
    weights = np.random.default_rng(5).integers(1, 4, 75)
    assert_weights_are_copies(regressor(kernel=kernel, contamination=contamination), X, y, weights)


@pytest.mark.parametrize("gamma", ["median", "scale"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential"])
def test_weights_are_copies_for_the_kernel_scale(gamma, kernel):
    """The many copies are of rows near the origin, which makes the median distance smaller."""
    X, y, _ = grossly_corrupted(75)
    weights = np.where((X**2).sum(axis=1) < 2, 5, 1)
    model = regressor(kernel=kernel, gamma=gamma, contamination=0.3)
    assert_weights_are_copies(model, X, y, weights)
    plain = clone(model).fit(X, y).kernel_.gamma
    if gamma == "median":
        assert clone(model).fit(X, y, sample_weight=weights).kernel_.gamma > plain


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("trimmed", [36, 37, 38, 39])
def test_weights_are_copies_at_the_boundary_row(kernel, trimmed):
    """Equal weights of three: which part of the boundary row stays depends on the fraction."""
    X, y, _ = grossly_corrupted(60)
    model = regressor(kernel=kernel, contamination=trimmed / 180)
    assert_weights_are_copies(model, X, y, np.full(60, 3))
