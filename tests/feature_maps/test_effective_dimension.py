"""How many features are enough: twice the degrees of freedom of the fit."""

from __future__ import annotations

import numpy as np
import pytest

from feature_maps.cases import GAMMA, KERNELS, rows
from naive import features as naive
from untaint.feature_maps.effective_dimension import (
    MAX_COMPONENTS,
    MIN_COMPONENTS,
    components_for,
    effective_dimension,
)
from untaint.kernels import RBF, Linear

each = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


@each
@pytest.mark.parametrize("n_rows", [60.0, 6000.0])
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_equals_the_trace_of_the_hat_matrix(kernel, n_rows, alpha, rng):
    X = rows(rng, 60)
    found = effective_dimension(kernel, X, n_rows, alpha)
    expected = naive.degrees_of_freedom(kernel.matrix(X), n_rows, alpha)
    assert found == pytest.approx(expected, rel=1e-6)


@each
def test_falls_with_the_ridge_and_grows_with_the_rows(kernel, rng):
    X = rows(rng, 60)
    by_ridge = [effective_dimension(kernel, X, 1000.0, alpha) for alpha in (0.01, 1.0, 100.0)]
    by_rows = [effective_dimension(kernel, X, n, 1.0) for n in (60.0, 600.0, 6000.0)]
    assert (np.diff(by_ridge) < 0).all()
    assert (np.diff(by_rows) > 0).all()


@pytest.mark.parametrize("d", [1, 3, 7])
def test_without_a_ridge_it_is_the_rank(d, rng):
    # Rounding errors of the zero eigenvalues count for a little.
    assert effective_dimension(Linear(), rows(rng, 50, d), 50.0, 0.0) == pytest.approx(d, abs=0.1)


def test_rows_without_features_have_no_dimension():
    assert effective_dimension(Linear(), np.zeros((20, 2)), 20.0, 1.0) == 0.0
    assert effective_dimension(Linear(), np.zeros((20, 2)), 20.0, 0.0) == 0.0


def test_components_are_twice_the_dimension_within_bounds(rng):
    X = rows(rng, 400)
    assert components_for(RBF(GAMMA), X, 400.0, 1e4) == MIN_COMPONENTS
    assert components_for(RBF(50.0), X, 1e8, 1e-3) == 800
    assert components_for(RBF(50.0), rows(rng, 700), 1e8, 1e-3) == MAX_COMPONENTS
    between = components_for(RBF(GAMMA), X, 4000.0, 0.5)
    assert between == np.ceil(2 * effective_dimension(RBF(GAMMA), X, 4000.0, 0.5))
    assert MIN_COMPONENTS < between < MAX_COMPONENTS
