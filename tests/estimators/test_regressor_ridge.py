"""Without trimming this is ridge regression, whichever kernel, size or solver."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import KernelCenterer

from estimators.cases import assert_close, smooth
from untaint import SubquantileRegressor

GAMMA = 0.15
# Kernels that scikit-learn has under the same name, with the parameters that both understand.
NAMED = {
    "linear": {},
    "poly": {"gamma": GAMMA, "degree": 3, "coef0": 1.0},
    "rbf": {"gamma": GAMMA},
    "laplacian": {"gamma": GAMMA},
}
each_named = pytest.mark.parametrize("kernel", NAMED)


def overlap(x, z):
    """Histogram intersection of two rows, positive definite for positive features."""
    return float(np.minimum(x, z).sum())


def untrimmed(**params):
    return SubquantileRegressor(contamination=0, fit_intercept=False, **params)


def design(n, n_outputs=None, seed=0):
    """Training and new rows, and targets of very different scales if there are several."""
    X, y = smooth(n + 50, seed=seed)
    if n_outputs:
        y = np.column_stack([y * 10.0**j + X[:, j] for j in range(n_outputs)])
    return X[:n], y[:n], X[n:]


def assert_equals_kernel_ridge(ours, theirs, X, y, X_new, sample_weight=None):
    ours.fit(X, y, sample_weight=sample_weight)
    theirs.fit(X, y, sample_weight=sample_weight)
    scale = y.std(axis=0)
    for rows in (X, X_new):
        assert_close(ours.predict(rows) / scale, theirs.predict(rows) / scale, 1e-6)


@each_named
@pytest.mark.parametrize(
    ("n", "n_outputs"),
    [(200, None), (200, 1), (200, 3), (1200, None), (700, 3)],  # beyond 600 rows "auto" iterates
)
def test_equals_kernel_ridge(kernel, n, n_outputs):
    X, y, X_new = design(n, n_outputs)
    params = {"kernel": kernel, "alpha": 0.3, **NAMED[kernel]}
    assert_equals_kernel_ridge(untrimmed(**params), KernelRidge(**params), X, y, X_new)


@each_named
@pytest.mark.parametrize("solver", ["exact", "iterative", "newton"])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_equals_kernel_ridge_with_every_solver_and_alpha(kernel, solver, alpha):
    X, y, X_new = design(200)
    params = {"kernel": kernel, "alpha": alpha, **NAMED[kernel]}
    assert_equals_kernel_ridge(
        untrimmed(solver=solver, **params), KernelRidge(**params), X, y, X_new
    )


@each_named
@pytest.mark.parametrize("solver", ["exact", "iterative"])
def test_equals_weighted_kernel_ridge(kernel, solver, rng):
    X, y, X_new = design(200)
    weights = rng.uniform(0.1, 4.0, len(y))
    params = {"kernel": kernel, "alpha": 0.3, **NAMED[kernel]}
    assert_equals_kernel_ridge(
        untrimmed(solver=solver, **params), KernelRidge(**params), X, y, X_new, weights
    )


@pytest.mark.parametrize("n", [200, 1200])
def test_precomputed_equals_kernel_ridge(n):
    X, y, X_new = design(n)
    K, K_new = (pairwise_kernels(rows, X, metric="rbf", gamma=GAMMA) for rows in (X, X_new))
    ours = untrimmed(kernel="precomputed", alpha=0.1)
    theirs = KernelRidge(kernel="precomputed", alpha=0.1)
    assert_equals_kernel_ridge(ours, theirs, K, y, K_new)


def test_function_of_two_rows_equals_kernel_ridge():
    X, y, X_new = design(120)
    X, X_new = abs(X), abs(X_new)
    ours, theirs = untrimmed(kernel=overlap, alpha=0.5), KernelRidge(kernel=overlap, alpha=0.5)
    assert_equals_kernel_ridge(ours, theirs, X, y, X_new)


def test_function_of_two_matrices_equals_kernel_ridge():
    X, y, X_new = design(1200)

    def cauchy(A, B):
        squares = (A**2).sum(1)[:, None] + (B**2).sum(1) - 2 * A @ B.T
        return 1 / (1 + squares)

    K, K_new = cauchy(X, X), cauchy(X_new, X)
    ours = untrimmed(kernel=cauchy, alpha=0.1).fit(X, y)
    theirs = KernelRidge(kernel="precomputed", alpha=0.1).fit(K, y)
    assert_close(ours.predict(X), theirs.predict(K), 1e-6, y.std())
    assert_close(ours.predict(X_new), theirs.predict(K_new), 1e-6, y.std())


@each_named
def test_dual_coef_is_that_of_kernel_ridge(kernel):
    X, y, _ = design(100, n_outputs=2)
    params = {"kernel": kernel, "alpha": 0.3, **NAMED[kernel]}
    ours, theirs = untrimmed(**params).fit(X, y), KernelRidge(**params).fit(X, y)
    assert_close(ours.dual_coef_, theirs.dual_coef_, 1e-8, np.abs(theirs.dual_coef_).max())


@pytest.mark.parametrize("n_outputs", [None, 3])
@pytest.mark.parametrize(("n", "d"), [(200, 6), (30, 80)], ids=["tall", "wide"])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_linear_with_intercept_equals_ridge(n_outputs, n, d, offset, rng):
    X = rng.normal(size=(n, d)) + offset
    y = X @ rng.normal(size=(d, n_outputs or 1)) + 7 + rng.normal(size=(n, 1))
    y = y if n_outputs else y[:, 0]
    ours = SubquantileRegressor(contamination=0, kernel="linear", alpha=2.5).fit(X, y)
    theirs = Ridge(alpha=2.5).fit(X, y)
    assert_close(ours.predict(X), theirs.predict(X), 1e-6, y.std())


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_linear_coefficients_are_those_of_ridge(fit_intercept, rng):
    X = rng.normal(size=(150, 5)) + 3
    Y = X @ rng.normal(size=(5, 2)) - 4 + rng.normal(size=(150, 2))
    for y in (Y, Y[:, 0]):
        ours = SubquantileRegressor(
            contamination=0, kernel="linear", alpha=1.5, fit_intercept=fit_intercept
        ).fit(X, y)
        theirs = Ridge(alpha=1.5, fit_intercept=fit_intercept).fit(X, y)
        assert_close(ours.coef_, theirs.coef_, 1e-8)
        assert_close(ours.intercept_, theirs.intercept_, 1e-7)


def test_weighted_linear_with_intercept_equals_ridge(rng):
    X = rng.normal(size=(150, 5)) + 3
    y = X @ rng.normal(size=5) + rng.normal(size=150)
    weights = rng.uniform(0.0, 3.0, 150)
    ours = SubquantileRegressor(contamination=0, kernel="linear", alpha=1.5)
    ours.fit(X, y, sample_weight=weights)
    theirs = Ridge(alpha=1.5).fit(X, y, sample_weight=weights)
    assert_close(ours.predict(X), theirs.predict(X), 1e-8, y.std())


@pytest.mark.parametrize("solver", ["exact", "iterative"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_intercept_equals_ridge_on_the_centred_kernel(kernel, solver):
    """An unpenalised intercept is what centring targets and kernel does."""
    X, y, X_new = design(150)
    y = y + 30
    K, K_new = (pairwise_kernels(rows, X, metric=kernel, **NAMED[kernel]) for rows in (X, X_new))
    centrer = KernelCenterer().fit(K)
    theirs = KernelRidge(kernel="precomputed", alpha=0.3)
    theirs.fit(centrer.transform(K), y - y.mean())
    expected = theirs.predict(centrer.transform(K_new)) + y.mean()
    ours = SubquantileRegressor(
        contamination=0, kernel=kernel, alpha=0.3, solver=solver, **NAMED[kernel]
    ).fit(X, y)
    assert_close(ours.predict(X_new), expected, 1e-6, y.std())


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_no_rows_are_trimmed_without_contamination(kernel):
    X, y, _ = design(120)
    model = SubquantileRegressor(contamination=0, kernel=kernel).fit(X, y)
    assert model.inlier_mask_.all()
    assert model.contamination_ == 0
    assert model.n_iter_ == 1
