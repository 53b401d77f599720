"""What holds for every ridge system: all of them solve the same bordered equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import ridge as naive
from optim.systems import each, exact, intercepts, iterative, primal
from properties.losses import matrices
from properties.problems import (
    as_matrix,
    fractional_weights,
    labelled_problem,
    rbf,
    root,
    smooth_problem,
)
from untaint.losses import LogisticLoss, SoftmaxLoss
from untaint.optim.ridge_cg import IterativeRidge
from untaint.optim.ridge_primal import PrimalRidge

TIGHT = {"tol": 1e-12}


def assert_solves(fit, K, y, weights, alpha, fit_intercept, rtol=1e-6):
    coef, intercept = naive.weighted_ridge(K, y, weights, alpha, fit_intercept)
    scale = np.abs(y[weights > 0]).max()
    np.testing.assert_allclose(fit.predictions, K @ coef + intercept, rtol=0, atol=rtol * scale)
    np.testing.assert_allclose(fit.intercept, intercept, rtol=0, atol=rtol * scale)
    np.testing.assert_allclose(fit.squared_norm, np.sum(coef * (K @ coef)), rtol=10 * rtol)


@each
@intercepts
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
def test_equals_the_bordered_equations(system, fit_intercept, outputs, alpha, rng):
    K, y = smooth_problem(rng, outputs=outputs)
    y = y + 3.0
    for weights in (np.ones(30), fractional_weights(rng, 30), (rng.random(30) < 0.6).astype(float)):
        fit = system(K, fit_intercept).solve(y, weights, alpha, **TIGHT)
        assert_solves(fit, K, y, weights, alpha, fit_intercept)


@each
@given(
    n=st.integers(2, 9),
    seed=st.integers(0, 999),
    alpha=st.floats(1e-2, 10.0),
    fit_intercept=st.booleans(),
)
@settings(max_examples=25)
def test_no_other_function_does_better(system, n, seed, alpha, fit_intercept):
    rng = np.random.default_rng(seed)
    K, y = smooth_problem(rng, n)
    weights = rng.random(n) + 0.01
    fit = system(K, fit_intercept).solve(y, weights, alpha, **TIGHT)
    losses = ((y - fit.predictions) ** 2).sum(axis=1)
    best = weights @ losses + alpha * fit.squared_norm
    coef, intercept = naive.weighted_ridge(K, y, weights, alpha, fit_intercept)
    for _ in range(5):
        other = coef + 0.1 * rng.normal(size=coef.shape)
        shift = intercept + 0.1 * rng.normal(size=1) * fit_intercept
        assert best <= naive.objective(K, y, weights, alpha, other, shift) * (1 + 1e-9)


@each
@intercepts
def test_a_weight_is_that_many_copies(system, fit_intercept, rng):
    X, copies = rng.normal(size=(12, 2)), rng.integers(1, 4, size=12)
    y, owner = rng.normal(size=(12, 2)), np.repeat(np.arange(12), copies)
    weighted = system(rbf(X), fit_intercept).solve(y, copies.astype(float), 0.3, **TIGHT)
    ones = np.ones(len(owner))
    repeated = system(rbf(X[owner]), fit_intercept).solve(y[owner], ones, 0.3, **TIGHT)
    np.testing.assert_allclose(repeated.predictions, weighted.predictions[owner], atol=1e-7)
    np.testing.assert_allclose(repeated.squared_norm, weighted.squared_norm, rtol=1e-6)


@each
@intercepts
@pytest.mark.parametrize("feature_outlier", [1e12, 1e300, np.inf, np.nan])
def test_a_row_of_no_weight_has_no_say(system, fit_intercept, feature_outlier, rng):
    K, y = smooth_problem(rng, outputs=2)
    weights = np.ones(30)
    weights[:5] = 0.0
    calm = system(K, fit_intercept).solve(y, weights, 0.1, **TIGHT)
    y[:5] = feature_outlier
    fit = system(K, fit_intercept).solve(y, weights, 0.1, **TIGHT)
    np.testing.assert_array_equal(fit.predictions, calm.predictions)


@each
def test_an_intercept_takes_up_any_shift_of_the_targets(system, rng):
    K, y = smooth_problem(rng)
    weights = fractional_weights(rng, 30)
    fit = system(K, True).solve(y, weights, 0.1, **TIGHT)
    shifted = system(K, True).solve(y + 100.0, weights, 0.1, **TIGHT)
    np.testing.assert_allclose(shifted.predictions, fit.predictions + 100.0, atol=1e-6)
    np.testing.assert_allclose(shifted.squared_norm, fit.squared_norm, rtol=1e-5)


@each
@intercepts
def test_outputs_do_not_know_one_another(system, fit_intercept, rng):
    K, y = smooth_problem(rng, outputs=3)
    weights = fractional_weights(rng, 30)
    together = system(K, fit_intercept).solve(y, weights, 0.1, **TIGHT)
    for j in range(3):
        alone = system(K, fit_intercept).solve(y[:, [j]], weights, 0.1, **TIGHT)
        np.testing.assert_allclose(together.predictions[:, [j]], alone.predictions, atol=1e-7)


@each
@intercepts
def test_single_precision_is_good_to_single_precision(system, fit_intercept, rng):
    K, y = smooth_problem(rng, outputs=2)
    weights = fractional_weights(rng, 30)
    fit = system(K.astype(np.float32), fit_intercept).solve(y.astype(np.float32), weights, 0.1)
    assert_solves(fit, K, y, weights, 0.1, fit_intercept, rtol=1e-4)


@each
@intercepts
def test_arguments_are_left_alone(system, fit_intercept, rng):
    K, y = smooth_problem(rng)
    weights = fractional_weights(rng, 30)
    before = K.copy(), y.copy(), weights.copy()
    system(K, fit_intercept).solve(y, weights, 0.1)
    for array, copy in zip((K, y, weights), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@each
def test_one_row_with_an_intercept_is_fitted_by_it_alone(system):
    fit = system(np.array([[2.0]]), True).solve(np.array([[3.0]]), np.ones(1), 0.5)
    np.testing.assert_allclose(fit.predictions, [[3.0]])
    np.testing.assert_allclose(fit.squared_norm, 0.0, atol=1e-12)


@each
@intercepts
def test_systems_may_be_asked_again_with_other_weights(system, fit_intercept, rng):
    K, y = smooth_problem(rng)
    one = system(K, fit_intercept)
    for _ in range(6):
        weights = (rng.random(30) < 0.7).astype(float)
        fit = one.solve(y, weights, 0.1, **TIGHT)
        assert_solves(fit, K, y, weights, 0.1, fit_intercept)


# Without a ridge: least squares, and of those the function of least norm.


@each
@intercepts
@pytest.mark.parametrize("centred", [True, False], ids=["mean zero", "off zero"])
def test_without_a_ridge_a_low_rank_kernel_gives_least_squares(system, fit_intercept, centred, rng):
    X = rng.normal(size=(12, 2)) + (0.0 if centred else 2.0)
    X -= X.mean(axis=0) if centred else 0.0
    y = X @ [[1.0], [2.0]] + 5.0 + rng.normal(size=(12, 1))
    design = np.column_stack([X, np.ones(12)]) if fit_intercept else X
    expected = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    fit = system(X @ X.T, fit_intercept).solve(y, np.ones(12), 0.0, **TIGHT)
    np.testing.assert_allclose(fit.predictions, expected, atol=1e-6)


@each
def test_without_a_ridge_repeated_rows_share_one_prediction(system, rng):
    X = np.repeat(rng.normal(size=(5, 2)), 2, axis=0)
    y = rng.normal(size=(10, 1))
    means = np.repeat(y.reshape(5, 2).mean(axis=1), 2)[:, None]
    fit = system(rbf(X), False).solve(y, np.ones(10), 0.0, **TIGHT)
    np.testing.assert_allclose(fit.predictions, means, atol=1e-6)


@pytest.mark.parametrize("system", [exact, primal], ids=["exact", "primal"])
def test_without_a_ridge_the_least_norm_is_taken(system, rng):
    F = rng.normal(size=(8, 3))
    F = np.column_stack([F, F[:, 0]])  # rank 3, and a column twice
    y = rng.normal(size=(8, 1))
    K = F @ F.T
    fit = (PrimalRidge(F, False) if system is primal else exact(K, False)).solve(y, np.ones(8), 0.0)
    expected = np.linalg.lstsq(F, y, rcond=None)[0]
    np.testing.assert_allclose(fit.predictions, F @ expected, atol=1e-9)
    np.testing.assert_allclose(fit.squared_norm, np.sum(expected**2), rtol=1e-6)


# What Newton's method asks of a system: functions by their dual coefficients.


def functions(system, K, rng, outputs, count=2):
    """Some functions, and the dual coefficients and intercepts that they were made from."""
    duals, shifts = rng.normal(size=(count, len(K), outputs)), rng.normal(size=(count, outputs))
    fits = [system.from_dual(a, K @ a, b) for a, b in zip(duals, shifts, strict=True)]
    return fits, duals, shifts


@each
@pytest.mark.parametrize("outputs", [1, 3])
def test_times_is_the_product_with_the_kernel_matrix(system, outputs, rng):
    K, _ = smooth_problem(rng)
    dual = rng.normal(size=(30, outputs))
    found = system(K, True).times(dual)
    assert found.shape == (30, outputs)
    np.testing.assert_allclose(found, K @ dual, atol=1e-10)
    single = system(K.astype(np.float32), True).times(dual)
    assert single.dtype == float
    np.testing.assert_allclose(single, K @ dual, atol=1e-4)


@each
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_function_is_told_by_its_dual_coefficients(system, outputs, rng):
    K, _ = smooth_problem(rng)
    fits, duals, shifts = functions(system(K, True), K, rng, outputs)
    for fit, dual, shift in zip(fits, duals, shifts, strict=True):
        np.testing.assert_allclose(fit.predictions, K @ dual + shift, atol=1e-10)
        np.testing.assert_allclose(fit.squared_norm, np.sum(dual * (K @ dual)), rtol=1e-9)
        np.testing.assert_array_equal(fit.dual, dual)
        np.testing.assert_array_equal(fit.intercept, shift)


@each
@pytest.mark.parametrize("outputs", [1, 3])
def test_inner_product_is_that_of_the_kernels_space(system, outputs, rng):
    K, _ = smooth_problem(rng)
    one = system(K, True)
    (f, g), (a, b), _ = functions(one, K, rng, outputs)
    np.testing.assert_allclose(one.inner(f, g), np.sum(a * (K @ b)), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(one.inner(f, g), one.inner(g, f), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(one.inner(f, f), f.squared_norm, rtol=1e-9)


@each
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0, 1.5])
def test_between_two_functions_everything_is_mixed(system, share, rng):
    K, _ = smooth_problem(rng)
    one = system(K, True)
    (f, g), (a, b), shifts = functions(one, K, rng, 2)
    mixed = one.interpolate(f, g, share)
    dual, shift = a + share * (b - a), shifts[0] + share * (shifts[1] - shifts[0])
    expected = one.from_dual(dual, K @ dual, shift)
    np.testing.assert_allclose(mixed.coef, expected.coef, atol=1e-10)
    np.testing.assert_allclose(mixed.dual, dual, atol=1e-12)
    np.testing.assert_allclose(mixed.intercept, shift, atol=1e-12)
    np.testing.assert_allclose(mixed.predictions, expected.predictions, atol=1e-10)
    np.testing.assert_allclose(mixed.squared_norm, expected.squared_norm, rtol=1e-8)


@each
def test_between_fits_of_which_one_has_no_dual_coefficients(system, rng):
    K, y = smooth_problem(rng)
    one = system(K, True)
    (f, *_), _, _ = functions(one, K, rng, 1)
    solved = one.solve(y, np.ones(30), 0.1)
    middle = one.interpolate(solved, f, 0.5)
    assert middle.dual is None
    np.testing.assert_allclose(middle.predictions, 0.5 * (solved.predictions + f.predictions))


@each
@pytest.mark.parametrize("outputs", [1, 3])
def test_nothing_is_the_zero_function(system, outputs, rng):
    K, y = smooth_problem(rng, outputs=outputs)
    fit = system(K, True).zero(y)
    assert fit.squared_norm == 0.0
    np.testing.assert_array_equal(fit.predictions, np.zeros((30, outputs)))
    np.testing.assert_array_equal(fit.intercept, np.zeros(outputs))
    np.testing.assert_array_equal(fit.dual, np.zeros((30, outputs)))


def newton_matrix(K, hessian, k, alpha):
    """H K + ridge I, written out."""
    n = len(K)
    left = np.einsum("ijk,im->ijmk", matrices(hessian, k), K).reshape(n * k, n * k)
    return left + alpha * np.eye(n * k)


PROBLEMS = [(LogisticLoss(), 2), (SoftmaxLoss(), 3)]
problems = pytest.mark.parametrize(("loss", "classes"), PROBLEMS, ids=["logistic", "softmax"])


def bent(loss, classes, rng, n=18):
    """Kernel matrix and a weighted Hessian somewhere, and the number of outputs."""
    K, y = labelled_problem(rng, n, classes)
    weights = fractional_weights(rng, n)
    return K, loss.hessian(y, rng.normal(size=y.shape)).weighted(weights), y.shape[1]


@each
@problems
@pytest.mark.parametrize("alpha", [0.05, 5.0])
def test_newton_preconditioner_is_the_inverse_where_it_can_be(system, loss, classes, alpha, rng):
    K, hessian, k = bent(loss, classes, rng)
    found = as_matrix(system(K, True).newton_preconditioner(hessian, k, alpha), len(K), k)
    product = found @ newton_matrix(K, hessian, k, alpha)
    exactly = system is primal or (system is exact and k == 1)
    if exactly:
        np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-8)
    else:
        # Nearly: no direction is stretched beyond reason.
        stretched = np.linalg.eigvals(product).real
        assert stretched.min() > 0
        assert stretched.max() / stretched.min() < 1e3


@each
@problems
@pytest.mark.parametrize("alpha", [1e-3, 0.05, 5.0])
def test_newton_preconditioner_points_downhill(system, loss, classes, alpha, rng):
    # In the kernel's inner product: K P is positive semi-definite, or nearly.
    K, hessian, k = bent(loss, classes, rng)
    found = as_matrix(system(K, True).newton_preconditioner(hessian, k, alpha), len(K), k)
    values = np.linalg.eigvalsh(_symmetric(np.kron(K, np.eye(k)) @ found))
    slack = 1e-8 if system is not iterative else 0.05
    assert values.min() >= -slack * values.max()


def _symmetric(A):
    return 0.5 * (A + A.T)


def test_features_that_are_the_kernel_precondition_exactly(rng):
    K, hessian, k = bent(SoftmaxLoss(), 3, rng)
    system = IterativeRidge(K, root(K))
    found = as_matrix(system.newton_preconditioner(hessian, k, 0.1), len(K), k)
    product = found @ newton_matrix(K, hessian, k, 0.1)
    np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-8)
