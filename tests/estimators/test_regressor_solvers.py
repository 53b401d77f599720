"""Every solver, and every code path of the linear kernel, leads to the same fit."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

from estimators.cases import assert_close, assert_same_fit, corrupted, grossly_corrupted, smooth
from untaint import SubquantileRegressor
from untaint.kernels import RBF

KERNELS = ["poly", "rbf", "laplacian", "exponential", "rational_quadratic"]


def pair_of_fits(X, y, first, second, sample_weight=None, **params):
    return [
        SubquantileRegressor(**params, **one).fit(X, y, sample_weight=sample_weight)
        for one in (first, second)
    ]


def assert_same_optimum(one, other, X):
    np.testing.assert_array_equal(one.inlier_mask_, other.inlier_mask_)
    np.testing.assert_allclose(one.objective_path_[-1], other.objective_path_[-1], rtol=1e-6)
    assert_close(one.predict(X), other.predict(X), 1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("contamination", [0.2, 0.4])
@pytest.mark.parametrize("weighted", [False, True])
def test_iterative_equals_exact(kernel, contamination, weighted, rng):
    X, y, _ = grossly_corrupted(300, contamination=contamination)
    weights = rng.uniform(0.5, 2.0, 300) if weighted else None
    iterative, exact = pair_of_fits(
        X,
        y,
        {"solver": "iterative"},
        {"solver": "exact"},
        weights,
        contamination=contamination,
        kernel=kernel,
        gamma=0.15,
        alpha=0.1,
    )
    assert_same_optimum(iterative, exact, X)


@pytest.mark.parametrize("contamination", [0.2, 0.4])
def test_iterative_equals_exact_with_several_outputs(contamination):
    X, y, bad = grossly_corrupted(300, contamination=contamination)
    Y = np.column_stack([y, np.where(bad, 9.0, X[:, 0]), X[:, 1] ** 2])
    iterative, exact = pair_of_fits(
        X, Y, {"solver": "iterative"}, {"solver": "exact"}, contamination=contamination, alpha=0.1
    )
    assert_same_optimum(iterative, exact, X)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("contamination", [0.2, 0.4])
def test_iterative_equals_exact_on_label_noise(contamination, seed):
    """Some of these bad labels are nearly right, so the kept rows are not obvious."""
    X, y, _ = corrupted(300, contamination=contamination, seed=seed)
    iterative, exact = pair_of_fits(
        X, y, {"solver": "iterative"}, {"solver": "exact"}, contamination=contamination, alpha=0.3
    )
    assert_same_optimum(iterative, exact, X)


@pytest.mark.parametrize("norm_bound", [0.5, 2.0])
def test_iterative_equals_exact_in_a_ball(norm_bound):
    X, y, _ = grossly_corrupted(200)
    iterative, exact = pair_of_fits(
        X,
        y,
        {"solver": "iterative"},
        {"solver": "exact"},
        contamination=0.2,
        alpha=0.1,
        norm_bound=norm_bound,
    )
    assert_same_optimum(iterative, exact, X)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_newton_equals_exact(kernel):
    X, y, _ = corrupted(150)
    newton, exact = pair_of_fits(
        X, y, {"solver": "newton"}, {"solver": "exact"}, contamination=0.2, kernel=kernel
    )
    assert_same_fit(newton, exact, X, tol=0)
    np.testing.assert_array_equal(newton.objective_path_, exact.objective_path_)


@pytest.mark.parametrize("acceleration", [None, "momentum", "nesterov"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_gradient_equals_exact_without_trimming(kernel, acceleration):
    X, y = smooth(60)
    gradient, exact = pair_of_fits(
        X,
        y,
        {"solver": "gradient", "acceleration": acceleration, "tol": 1e-15, "max_iter": 20000},
        {"solver": "exact"},
        contamination=0,
        kernel=kernel,
        alpha=1.0,
    )
    assert gradient.converged_
    assert_close(gradient.predict(X), exact.predict(X), 1e-6)


def test_gradient_equals_exact_in_a_ball():
    X, y = smooth(60)
    gradient, exact = pair_of_fits(
        X,
        y,
        {"solver": "gradient", "tol": 1e-15, "max_iter": 20000},
        {"solver": "exact"},
        contamination=0,
        alpha=0.5,
        norm_bound=1.0,
    )
    assert_close(gradient.predict(X), exact.predict(X), 1e-6)


def test_gradient_reaches_the_exact_fit_when_the_bad_rows_are_gross():
    X, y, bad = grossly_corrupted(60)
    gradient, exact = pair_of_fits(
        X,
        y,
        {"solver": "gradient", "tol": 1e-15, "max_iter": 20000},
        {"solver": "exact"},
        contamination=0.2,
    )
    np.testing.assert_array_equal(exact.inlier_mask_, ~bad)
    assert_same_fit(gradient, exact, X, tol=1e-5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("rate", [0.01, lambda iteration: 0.01], ids=["number", "schedule"])
def test_gradient_takes_the_steps_it_is_given(rate):
    X, y = smooth(60)
    settings = {"contamination": 0, "solver": "gradient", "max_iter": 500, "tol": 1e-12}
    given = SubquantileRegressor(learning_rate=rate, **settings).fit(X, y)
    exact = SubquantileRegressor(contamination=0).fit(X, y)
    assert_close(given.predict(X), exact.predict(X), 1e-2)
    halved = SubquantileRegressor(learning_rate=0.005, **settings).fit(X, y)
    assert given.objective_path_[1] < halved.objective_path_[1]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_much_smoothing_parameter_is_hard_trimming(kernel):
    X, y, _ = grossly_corrupted(150)
    soft, hard = pair_of_fits(
        X, y, {"smoothing": 1e8}, {"smoothing": None}, contamination=0.2, kernel=kernel
    )
    assert_same_fit(soft, hard, X, tol=1e-4)
    np.testing.assert_allclose(soft.objective_path_[-1], hard.objective_path_[-1], rtol=1e-5)


def test_little_smoothing_parameter_is_a_ridge_on_all_rows():
    """Weights all tend to 1 - contamination, which is a larger ridge."""
    X, y, _ = corrupted(100)
    soft = SubquantileRegressor(contamination=0.2, smoothing=1e-9, alpha=0.8).fit(X, y)
    plain = SubquantileRegressor(contamination=0, alpha=1.0).fit(X, y)
    assert_close(soft.predict(X), plain.predict(X), 1e-5)


@pytest.mark.parametrize("smoothing", [0.1, 1.0, 10.0])
def test_iterative_equals_exact_with_smoothing(smoothing):
    X, y, _ = grossly_corrupted(150)
    iterative, exact = pair_of_fits(
        X,
        y,
        {"solver": "iterative"},
        {"solver": "exact"},
        contamination=0.2,
        smoothing=smoothing,
        tol=1e-9,
    )
    np.testing.assert_allclose(iterative.objective_path_[-1], exact.objective_path_[-1], rtol=1e-6)
    assert_close(iterative.predict(X), exact.predict(X), 1e-4)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("contamination", [0, 0.2])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_primal_equals_dual_for_the_linear_kernel(fit_intercept, contamination, n_outputs, rng):
    X = rng.normal(size=(160, 5)) + 2
    y = X @ rng.normal(size=(5, n_outputs)) + 3 + 0.1 * rng.normal(size=(160, n_outputs))
    y[:32] += 40 * rng.choice([-1, 1], size=(32, 1))
    primal, dual = pair_of_fits(
        X,
        y,
        {"kernel": "linear"},
        {"kernel": lambda A, B: A @ B.T},
        contamination=contamination,
        fit_intercept=fit_intercept,
    )
    assert_same_fit(primal, dual, X, tol=1e-7)
    np.testing.assert_allclose(primal.objective_path_[-1], dual.objective_path_[-1], rtol=1e-8)
    np.testing.assert_allclose(primal.outlier_scores_, dual.outlier_scores_, rtol=1e-6, atol=1e-9)
    assert_close(primal.dual_coef_, dual.dual_coef_, 1e-6, np.abs(dual.dual_coef_).max())


def test_primal_equals_dual_in_a_ball(rng):
    X = rng.normal(size=(80, 4))
    y = X @ np.array([3.0, -2.0, 1.0, 0.0]) + 0.1 * rng.normal(size=80)
    primal, dual = pair_of_fits(
        X,
        y,
        {"kernel": "linear"},
        {"kernel": lambda A, B: A @ B.T},
        contamination=0.1,
        norm_bound=1.5,
    )
    assert_same_fit(primal, dual, X, tol=1e-6)
    assert_close(primal.dual_coef_, dual.dual_coef_, 1e-5, np.abs(dual.dual_coef_).max())


def test_coefficients_and_dual_coefficients_are_one_function(rng):
    X = rng.normal(size=(90, 4)) + 5
    y = X @ rng.normal(size=(4, 2)) + rng.normal(size=(90, 2))
    model = SubquantileRegressor(contamination=0.2, kernel="linear").fit(X, y)
    by_coef = X @ model.coef_.T + model.intercept_
    by_dual = X @ (X.T @ model.dual_coef_) + model.intercept_
    assert_close(by_dual, by_coef, 1e-8, np.abs(y).max())


@pytest.mark.parametrize("contamination", [0, 0.2])
@pytest.mark.parametrize("n", [150, 700])
def test_precomputed_equals_the_kernel_itself(contamination, n):
    X, y, _ = grossly_corrupted(n)
    K = pairwise_kernels(X, metric="rbf", gamma=0.2)
    given = SubquantileRegressor(contamination=contamination, kernel="precomputed", alpha=0.3).fit(
        K, y
    )
    named = SubquantileRegressor(contamination=contamination, gamma=0.2, alpha=0.3).fit(X, y)
    np.testing.assert_array_equal(given.inlier_mask_, named.inlier_mask_)
    assert_close(given.predict(K), named.predict(X), 1e-5)


def test_kernel_object_equals_its_name():
    X, y, _ = corrupted(150)
    named = SubquantileRegressor(contamination=0.2, kernel="rbf", gamma=0.2).fit(X, y)
    given = SubquantileRegressor(contamination=0.2, kernel=RBF(0.2)).fit(X, y)
    assert_same_fit(given, named, X, tol=0)
