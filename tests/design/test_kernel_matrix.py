"""Designs by columns and by the kernel matrix lead to the same fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from estimators.cases import assert_close
from naive import ridge as naive
from properties.problems import fractional_weights
from untaint._policy import policy
from untaint.design.kernel_matrix import (
    KernelMatrixDesign,
    make_design,
    preconditioner_size,
)
from untaint.design.linear import LinearDesign
from untaint.exceptions import MemoryLimitError
from untaint.kernels import RBF, Linear, Polynomial
from untaint.optim.ridge_cg import IterativeRidge
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_primal import PrimalRidge
from untaint.weighting.trimmed import Trimmed


def rows(rng, n=40, d=3, outputs=1):
    X = rng.normal(size=(n, d)) + np.arange(d)
    return X, rng.normal(size=(n, outputs))


def fitted(design, y, weights, tol=1e-12):
    """Predictions, dual coefficients and slopes or None."""
    fit = design.system().solve(y, weights, design.alpha, None, tol)
    return fit, design.dual_coef(fit, y, weights)


# --- which design ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "n", "d", "kind"),
    [
        (Linear(), 40, 3, LinearDesign),
        (Linear(), 5, 5, LinearDesign),
        (Linear(), 5, 6, KernelMatrixDesign),
        (RBF(1.0), 40, 3, KernelMatrixDesign),
        (Polynomial(1.0), 40, 3, KernelMatrixDesign),
    ],
    ids=str,
)
def test_few_columns_of_the_linear_kernel_need_no_matrix(rng, kernel, n, d, kind):
    X, _ = rows(rng, n, d)
    assert isinstance(make_design(kernel, X, np.ones(n), 1.0, True), kind)
    forced = make_design(kernel, X, np.ones(n), 1.0, True, matrix=True)
    assert isinstance(forced, KernelMatrixDesign)
    assert_close(forced.K, kernel.matrix(X), 1e-10, np.abs(forced.K).max())


def test_many_rows_are_iterated_on(rng):
    X, _ = rows(rng, policy().exact_rows + 1, 2)
    ones = np.ones(len(X))
    assert isinstance(make_design(RBF(1.0), X, ones, 1.0, True).system(), IterativeRidge)
    assert isinstance(make_design(RBF(1.0), X[:-1], ones[:-1], 1.0, True).system(), ExactRidge)
    exact = make_design(RBF(1.0), X, ones, 1.0, True, iterative=False)
    assert isinstance(exact.system(), ExactRidge)
    assert isinstance(make_design(Linear(), X, ones, 1.0, True).system(), PrimalRidge)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_of_the_matrix_and_what_it_can_attain(rng, dtype, set_sizes):
    X, _ = rows(rng)
    parts = (RBF(1.0), X.astype(dtype), np.ones(40), 1.0, True)
    few = make_design(*parts, iterative=True)
    set_sizes(double_rows=39)
    factorised, many = make_design(*parts), make_design(*parts, iterative=True)
    assert few.K.dtype == factorised.K.dtype == np.float64
    assert many.K.dtype == np.float32
    assert few.attainable(1e-9) == factorised.attainable(1e-9) == 1e-9
    assert many.attainable(1e-9) == 1e-5
    assert many.attainable(1e-3) == 1e-3
    primal = make_design(Linear(), X.astype(dtype), np.ones(40), 1.0, True)
    assert primal.attainable(1e-9) == 1e-9


def test_matrix_beyond_the_limit_is_refused_before_it_is_built(rng):
    X, _ = rows(rng)
    with pytest.raises(MemoryLimitError, match=r"40 rows takes 12\.8 kB"):
        make_design(RBF(1.0), X, np.ones(40), 1.0, True, memory_limit="1KB")
    make_design(Linear(), X, np.ones(40), 1.0, True, memory_limit="1KB")


def test_landmarks_grow_slower_than_the_rows_and_fall_with_the_outputs():
    sizes = [preconditioner_size(n) for n in (10, 100, 1000, 10000, 10**6)]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (50, 700)
    by_outputs = [preconditioner_size(5000, k) for k in (2, 3, 10, 100)]
    assert by_outputs == sorted(by_outputs, reverse=True)
    assert by_outputs[-1] >= 20


# --- one fit ---------------------------------------------------------------------------------


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weigh", ["equal", "fractional"])
def test_every_design_solves_textbook_ridge(rng, outputs, fit_intercept, weigh):
    X, y = rows(rng, outputs=outputs)
    weights = np.ones(40) if weigh == "equal" else fractional_weights(rng, 40)
    K = X @ X.T
    coef, intercept = naive.weighted_ridge(K, y, weights, 0.7, fit_intercept)
    expected = K @ coef + intercept
    problems = [
        make_design(Linear(), X, np.ones(40), 0.7, fit_intercept),
        make_design(Linear(), sp.csr_matrix(X), np.ones(40), 0.7, fit_intercept),
        make_design(Linear(), X, np.ones(40), 0.7, fit_intercept, matrix=True),
        make_design(Linear(), X, np.ones(40), 0.7, fit_intercept, matrix=True, iterative=True),
    ]
    for design in problems:
        fit, dual = fitted(design, y, weights)
        assert_close(fit.predictions, expected, 1e-7)
        assert_close(dual, coef, 1e-6)


@pytest.mark.parametrize("centre", [True, False])
def test_slopes_are_those_of_the_columns_as_given(rng, centre):
    X, y = rows(rng)
    design = make_design(Linear(), X if centre else sp.csr_matrix(X), np.ones(40), 0.5, True)
    fit, dual = fitted(design, y, np.ones(40))
    coef, intercept = design.primal_coef(fit)
    assert_close(X @ coef + intercept, fit.predictions, 1e-10)
    assert_close(X.T @ dual, coef, 1e-9)
    assert design.centre.any() == centre


@pytest.mark.parametrize("noise", [1.0, 0.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weigh", ["equal", "fractional"])
def test_dual_coefficients_without_a_ridge_give_the_slopes(rng, noise, fit_intercept, weigh):
    """Also where residuals are but rounding errors."""
    X, errors = rows(rng)
    y = (X @ [1.0, -2.0, 0.5])[:, None] + 3.0 * fit_intercept + noise * errors
    weights = np.ones(40) if weigh == "equal" else fractional_weights(rng, 40)
    design = make_design(Linear(), X, np.ones(40), 0.0, fit_intercept)
    fit, dual = fitted(design, y, weights)
    coef, _ = design.primal_coef(fit)
    assert_close(X.T @ dual, coef, 1e-8)
    assert not dual[weights == 0].any()
    if fit_intercept:
        assert_close(dual.sum(), 0.0, 1e-9)


# --- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.1)], ids=str)
def test_excluded_rows_are_those_far_out_if_they_are_few_enough(rng, kernel):
    X, _ = rows(rng)
    X[:4] += 1e9
    design = make_design(kernel, X, np.ones(40), 1.0, True)
    assert np.flatnonzero(design.excluded_rows(Trimmed(0.1))).tolist() == [0, 1, 2, 3]
    assert not design.excluded_rows(Trimmed(0.05)).any()
    assert np.flatnonzero(design.feature_outlier).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.1)], ids=str)
def test_features_of_few_rows_are_those_of_the_kernel(rng, kernel):
    X, _ = rows(rng)
    design = make_design(kernel, X, np.ones(40), 1.0, True)
    K = design.features if isinstance(design, LinearDesign) else None
    expected = K @ K.T if K is not None else kernel.matrix(X)
    for features in (design.init_features, design.loo_features):
        assert_close(features @ features.T, expected, 1e-6, np.abs(expected).max())
