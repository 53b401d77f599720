"""Equivalent ways to the same fit, and the ball that a fit may have to stay in."""

import numpy as np
import pytest

from estimators.cases import assert_close, flipped_blobs
from untaint import SubquantileClassifier

SIZES = [(60, 40), (40, 35, 25)]
each_size = pytest.mark.parametrize("sizes", SIZES, ids=len)
each_kernel = pytest.mark.parametrize("kernel", ["rbf", "linear"])


def pair_of_fits(X, y, one, other, **shared):
    return tuple(SubquantileClassifier(**shared, **params).fit(X, y) for params in (one, other))


@each_size
@each_kernel
@pytest.mark.parametrize("solver", ["newton", "iterative", "auto"])
@pytest.mark.parametrize("contamination", [0, 0.2])
@pytest.mark.parametrize("smoothing", [None, 2.0])
def test_solvers_meet(sizes, kernel, solver, contamination, smoothing):
    X, y, _, _ = flipped_blobs(sizes, distance=3.0, n_features=3)
    found, exact = pair_of_fits(
        X,
        y,
        {"solver": solver},
        {"solver": "exact"},
        contamination=contamination,
        kernel=kernel,
        smoothing=smoothing,
        tol=1e-11,
    )
    np.testing.assert_array_equal(found.inlier_mask_, exact.inlier_mask_)
    assert_close(found.predict_proba(X), exact.predict_proba(X), 1e-6)
    assert found.objective_path_[-1] == pytest.approx(exact.objective_path_[-1], abs=1e-6)


@each_size
@each_kernel
@pytest.mark.parametrize("acceleration", [None, "momentum", "nesterov"])
def test_gradient_equals_newton_without_trimming(sizes, kernel, acceleration):
    X, y, _, _ = flipped_blobs(sizes, n_features=3)
    gradient, exact = pair_of_fits(
        X,
        y,
        {"solver": "gradient", "acceleration": acceleration, "tol": 1e-15, "max_iter": 20000},
        {"solver": "exact"},
        contamination=0,
        kernel=kernel,
    )
    assert gradient.converged_
    assert_close(gradient.predict_proba(X), exact.predict_proba(X), 1e-6)


@each_size
def test_gradient_finds_what_is_easy_to_find(sizes):
    X, y, _, bad = flipped_blobs(sizes, 0.1, distance=8.0)
    model = SubquantileClassifier(
        contamination=0.1, solver="gradient", smoothing=None, max_iter=20000
    ).fit(X, y)
    np.testing.assert_array_equal(model.inlier_mask_, ~bad)


@each_size
@pytest.mark.parametrize("contamination", [0, 0.2])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_primal_equals_dual(sizes, contamination, fit_intercept):
    X, y, _, _ = flipped_blobs(sizes, distance=3.0, n_features=3)
    settings = {"contamination": contamination, "fit_intercept": fit_intercept, "tol": 1e-11}
    primal = SubquantileClassifier(kernel="linear", **settings).fit(X, y)
    dual = SubquantileClassifier(kernel="precomputed", **settings).fit(X @ X.T, y)
    np.testing.assert_array_equal(dual.inlier_mask_, primal.inlier_mask_)
    assert_close(dual.predict_proba(X @ X.T), primal.predict_proba(X), 1e-6)
    assert_close(dual.dual_coef_, primal.dual_coef_, 1e-6)
    assert_close(np.atleast_2d(primal.dual_coef_.T) @ X, primal.coef_, 1e-6)


@each_size
def test_precomputed_kernel_equals_the_named_one(sizes):
    X, y, _, _ = flipped_blobs(sizes)
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(-1))
    settings = {"contamination": 0.2, "tol": 1e-11}
    named = SubquantileClassifier(gamma=0.3, **settings).fit(X, y)
    given = SubquantileClassifier(kernel="precomputed", **settings).fit(K, y)
    np.testing.assert_array_equal(given.inlier_mask_, named.inlier_mask_)
    assert_close(given.predict_proba(K[:9]), named.predict_proba(X[:9]), 1e-6)


# --- the ball --------------------------------------------------------------------------------


def norm(model, X):
    coef = model.dual_coef_.reshape(len(X), -1)
    return float(np.sqrt(np.sum(coef * (model.kernel_.matrix(X) @ coef))))


@each_size
@each_kernel
@pytest.mark.parametrize("solver", ["exact", "gradient"])
@pytest.mark.parametrize("part", [0.05, 0.6])
def test_fit_stays_in_the_ball(sizes, kernel, solver, part):
    X, y, _, _ = flipped_blobs(sizes, 0.0, distance=3.0)
    settings = {"contamination": 0, "kernel": kernel, "alpha": 0.1, "gamma": 0.2}
    free = SubquantileClassifier(**settings).fit(X, y)
    bound = part * norm(free, X)
    model = SubquantileClassifier(
        solver=solver, norm_bound=bound, max_iter=20000, tol=1e-9, **settings
    ).fit(X, y)
    assert norm(model, X) == pytest.approx(bound, rel=1e-6)
    assert norm(model, X) <= bound * (1 + 1e-8)


@each_kernel
def test_trimmed_fit_stays_in_the_ball(kernel):
    X, y, _, _ = flipped_blobs(SIZES[0], 0.2)
    free = SubquantileClassifier(contamination=0.2, kernel=kernel, alpha=0.1).fit(X, y)
    bound = 0.5 * norm(free, X)
    model = SubquantileClassifier(contamination=0.2, kernel=kernel, alpha=0.1, norm_bound=bound)
    assert norm(model.fit(X, y), X) == pytest.approx(bound, rel=1e-6)


@each_size
@each_kernel
def test_ball_that_holds_the_fit_changes_nothing(sizes, kernel):
    X, y, _, _ = flipped_blobs(sizes)
    settings = {"contamination": 0.2, "kernel": kernel}
    free = SubquantileClassifier(**settings).fit(X, y)
    loose = SubquantileClassifier(norm_bound=10 * norm(free, X), **settings).fit(X, y)
    np.testing.assert_array_equal(loose.predict_proba(X), free.predict_proba(X))
