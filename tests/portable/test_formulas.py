"""The formulas say what the learners compute, wherever rows lie."""

import numpy as np
import pytest
from scipy import sparse

from portable.fitted import FUNCTIONS, classifier, regressor, rows, targets
from untaint import SubquantileRegressor
from untaint.kernels import RBF, Exponential, Laplacian, Polynomial, RationalQuadratic
from untaint.portable import (
    ArrayArithmetic,
    FourierExpansion,
    KernelExpansion,
    LinearFunction,
    function_of,
)
from untaint.portable.class_probabilities import likeliest_class, probabilities
from untaint.portable.kernels import kernel_values


def evaluate(function, X):
    return function(ArrayArithmetic(np, X.dtype).value(X)).data


def values(kernel, X, Z):
    with np.errstate(over="ignore", under="ignore"):
        return kernel_values(kernel, ArrayArithmetic(np, X.dtype).value(X), Z).data


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize(("kernel", "approximation"), FUNCTIONS)
def test_a_formula_is_the_prediction(kernel, approximation, n_outputs):
    model, X = regressor(kernel, approximation, n_outputs), rows(30, seed=1)
    raw = evaluate(function_of(model), X)
    assert raw.shape == (30, n_outputs)
    np.testing.assert_allclose(raw, model.predict(X).reshape(30, -1), rtol=0, atol=1e-11)


@pytest.mark.parametrize(("kernel", "approximation"), FUNCTIONS)
def test_single_precision_is_close(kernel, approximation):
    model, X = regressor(kernel, approximation), rows(30, seed=1).astype(np.float32)
    raw = evaluate(function_of(model), X)
    assert raw.dtype == np.float32
    exact = model.predict(X.astype(float))
    np.testing.assert_allclose(raw[:, 0], exact, rtol=0, atol=2e-4 * exact.std())


def test_each_fit_has_its_kind_of_function():
    assert isinstance(function_of(regressor("linear")), LinearFunction)
    assert isinstance(function_of(regressor("rbf")), KernelExpansion)
    assert isinstance(function_of(regressor("rbf", "nystroem")), KernelExpansion)
    assert isinstance(function_of(regressor("rbf", "rff")), FourierExpansion)


def test_only_rows_that_count_are_in_an_expansion():
    model = regressor("rbf")
    assert len(function_of(model).rows) == np.count_nonzero(model.dual_coef_)


def test_a_lean_copy_has_the_same_function():
    for kernel, approximation in FUNCTIONS:
        model, X = regressor(kernel, approximation), rows(5, seed=1)
        full, lean = function_of(model), function_of(model.predictor())
        np.testing.assert_array_equal(evaluate(lean, X), evaluate(full, X))


def test_sparse_training_rows_become_dense():
    X = np.where(rows() > 0.5, rows(), 0.0)
    model = SubquantileRegressor(contamination=0.1).fit(sparse.csr_array(X), targets())
    raw = evaluate(function_of(model), X)
    np.testing.assert_allclose(raw[:, 0], model.predict(X), rtol=0, atol=1e-11)


def test_a_function_of_pythons_has_no_formula():
    model = SubquantileRegressor(contamination=0.1, kernel=lambda A, B: A @ B.T)
    with pytest.raises(ValueError, match="kernel must have a formula"):
        function_of(model.fit(rows(), targets()))


KERNELS = [
    RBF(0.7),
    Exponential(0.7),
    Laplacian(0.7),
    RationalQuadratic(0.7, 1.0),
    RationalQuadratic(0.7, 2.5),
]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("far", [0.0, 1e3, 1e7, 1e12])
def test_far_rows_next_to_one_another_are_distinguished(kernel, far):
    # A product would have lost every digit of their distances.
    Z = np.vstack([rows(20), far + np.array([[0.0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0]])])
    np.testing.assert_allclose(values(kernel, Z, Z), kernel.matrix(Z), rtol=0, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_far_rows_are_distinguished_in_single_precision(kernel):
    Z = np.vstack([rows(20), 1e4 + np.array([[0.0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0]])])
    Z = Z.astype(np.float32)
    exact = kernel.matrix(Z.astype(float))
    np.testing.assert_allclose(values(kernel, Z, Z.astype(float)), exact, rtol=0, atol=5e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_row_equal_to_a_landmark_has_kernel_one(kernel):
    Z = rows(20).astype(np.float32)
    near = values(kernel, Z, Z.astype(float)).diagonal()
    np.testing.assert_allclose(near, 1.0, rtol=0, atol=2e-6)


@pytest.mark.parametrize("kernel", [*KERNELS, Polynomial(0.5, 3, 1.0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_however_far_a_row_is_its_values_are_numbers(kernel, dtype):
    X = np.full((2, 4), np.finfo(dtype).max / 8, dtype=dtype) * np.array([[1], [-1]], dtype=dtype)
    assert np.isfinite(values(kernel, X, rows(20))).all()


@pytest.mark.parametrize("degree", range(6))
def test_powers_are_those_of_the_kernel(degree):
    kernel = Polynomial(0.3, degree, 0.5)
    found, exact = values(kernel, rows(9), rows(7, seed=1)), kernel.matrix(rows(9), rows(7, seed=1))
    np.testing.assert_allclose(found, exact, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_are_those_of_the_classifier(n_classes):
    model, X = classifier(n_classes=n_classes), rows(30, seed=1)
    raw = function_of(model)(ArrayArithmetic(np, float).value(X))
    chances = probabilities(raw, n_classes).data
    np.testing.assert_allclose(chances, model.predict_proba(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(likeliest_class(raw, n_classes).data, model.predict(X))


@pytest.mark.parametrize("score", [-1e4, -50.0, 0.0, 50.0, 1e4])
def test_probabilities_of_extreme_scores_are_numbers(score):
    arithmetic = ArrayArithmetic(np, float)
    with np.errstate(over="ignore"):
        two = probabilities(arithmetic.value(np.array([[score]])), 2).data
        three = probabilities(arithmetic.value(np.array([[score, 0.0, -score]])), 3).data
    np.testing.assert_allclose([two.sum(), three.sum()], 1.0)
    assert likeliest_class(arithmetic.value(np.array([[score]])), 2).data == (score > 0)
