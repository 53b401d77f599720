"""What every batch learner does besides fitting, by a learner that does nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from estimators.cases import assert_close
from properties.problems import fractional_weights
from untaint.design.kernel_matrix import make_design
from untaint.kernels import RBF, Linear, Precomputed
from untaint.learners.base import KernelEstimator, as_2d, take
from untaint.learners.regression import RegressionMixin
from untaint.optim.base import Solution


class PlainRidge(RegressionMixin, KernelEstimator):
    """One refit, and its function."""

    def __init__(self, kernel="rbf", gamma=0.5, alpha=1.0, fit_intercept=True):
        self.kernel = kernel
        self.gamma = gamma
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    degree, coef0, shape = 3, 1.0, 1.0

    def fit(self, X, y, sample_weight=None):
        with self._transactional():
            X, self._targets, self._sample_weight = self._check_data(X, y, sample_weight)
            present = np.flatnonzero(self._sample_weight)
            rows = take(X, present, self._pairwise)
            weights = self._sample_weight[present]
            kernel = self._make_kernel(rows, weights)
            design = make_design(kernel, rows, weights, self.alpha, self.fit_intercept)
            fit = design.system().solve(self._targets[present], weights, self.alpha)
            self._store_function(X, self._targets, present, design, fit, weights)
            self.losses_ = self._losses(fit.predictions, present)
            self.inlier_mask_ = np.ones(len(y), dtype=bool)
        return self


def rows(rng, n=30, d=3, outputs=None):
    X = rng.normal(size=(n, d))
    return X, rng.normal(size=n if outputs is None else (n, outputs))


@pytest.mark.parametrize("outputs", [None, 1, 2])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_predicts_by_its_dual_coefficients(rng, outputs, kernel, fit_intercept):
    X, y = rows(rng, outputs=outputs)
    model = PlainRidge(kernel, fit_intercept=fit_intercept).fit(X, y)
    Z = rng.normal(size=(7, 3))
    expected = model.kernel_.matrix(Z, X) @ model.dual_coef_ + model.intercept_
    assert model.predict(Z).shape == expected.shape == (7, *y.shape[1:])
    assert_close(model.predict(Z), expected, 1e-10)
    assert hasattr(model, "coef_") == (kernel == "linear")


@pytest.mark.parametrize(("n", "d"), [(30, 3), (5, 12)])
def test_slopes_of_the_linear_kernel_by_columns_and_by_rows(rng, n, d):
    X, y = rows(rng, n, d)
    X += 5.0  # centred for the solver, but not for the user
    model = PlainRidge("linear").fit(X, y)
    assert model.coef_.shape == (d,)
    assert_close(X.T @ model.dual_coef_, model.coef_, 1e-9)
    assert_close(X @ model.coef_ + model.intercept_, model.predict(X), 1e-12)


def test_slopes_go_when_the_kernel_changes(rng):
    X, y = rows(rng)
    model = PlainRidge("linear").fit(X, y)
    assert not hasattr(model.set_params(kernel="rbf").fit(X, y), "coef_")


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_rows_of_weight_zero_are_judged_by_the_fit_to_the_others(rng, kernel):
    X, y = rows(rng)
    weights = fractional_weights(rng, 30)
    model = PlainRidge(kernel).fit(X, y, sample_weight=weights)
    assert_close(model.losses_, (y - model.predict(X)) ** 2, 1e-10)
    assert not model.dual_coef_[weights == 0].any()
    present = weights > 0
    other = PlainRidge(kernel).fit(X[present], y[present], sample_weight=weights[present])
    assert_close(model.predict(X), other.predict(X), 1e-10)


def test_precomputed_kernel_by_name_and_by_class(rng):
    X, y = rows(rng)
    K, weights = RBF(0.5).matrix(X), np.r_[0.0, np.ones(29)]
    expected = PlainRidge(gamma=0.5).fit(X, y, sample_weight=weights).predict(X)
    for kernel in ("precomputed", Precomputed()):
        model = PlainRidge(kernel)
        assert model._pairwise
        assert model.__sklearn_tags__().input_tags.pairwise
        model.fit(K, y, sample_weight=weights)
        assert_close(model.predict(K), expected, 1e-10)
        assert model._screened() is None
    assert not PlainRidge(Linear())._pairwise


def test_screen_looks_at_the_features(rng):
    X, y = rows(rng)
    X[3, 1] = 1e6
    assert np.flatnonzero(PlainRidge().fit(X, y)._screened().feature_outlier).tolist() == [3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_predictions_have_the_precision_of_the_rows_and_coefficients_are_double(rng, dtype, kernel):
    X, y = rows(rng)
    model = PlainRidge(kernel).fit(X.astype(dtype), y.astype(dtype))
    assert model.X_fit_.dtype == model.predict(X.astype(dtype)).dtype == dtype
    assert model.dual_coef_.dtype == np.asarray(model.intercept_).dtype == np.float64


def test_matrix_of_the_fit_is_that_of_its_rows(rng):
    X, y = rows(rng)
    assert_close(PlainRidge().fit(X, y)._fit_matrix(), RBF(0.5).matrix(X), 1e-12)


def test_not_fitted(rng):
    X, _ = rows(rng)
    with pytest.raises(NotFittedError, match="PlainRidge instance is not fitted yet"):
        PlainRidge().predict(X)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, MemoryError])
def test_all_or_nothing(failure):
    model = PlainRidge()
    model.kept_ = before = np.ones(2)
    with pytest.raises(failure), model._transactional():
        model.kept_, model.new_ = None, 1
        raise failure
    assert model.kept_ is before
    assert not hasattr(model, "new_")
    with model._transactional():
        model.new_ = 2
    assert model.new_ == 2


def test_warns_with_the_remedy_unless_converged(recwarn):
    model = PlainRidge()
    model._warn_unless_converged(Solution(None, None, n_iter=3))
    assert not recwarn.list
    with pytest.warns(ConvergenceWarning, match=r"^PlainRidge stopped after 3 .*: do more\.$"):
        model._warn_unless_converged(Solution(None, None, [], 3, False, "do more"))


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, None), (2, 2), (-1, None)])
def test_threads_are_as_many_as_jobs(n_jobs, threads):
    model = PlainRidge()
    model.n_jobs = n_jobs
    assert model._n_threads == threads


def test_columns_and_take(rng):
    y = rng.normal(size=4)
    assert as_2d(y).shape == (4, 1)
    assert as_2d(as_2d(y)).shape == (4, 1)
    K = rng.normal(size=(4, 4))
    np.testing.assert_array_equal(take(K, [1, 3], True), K[[1, 3]][:, [1, 3]])
    np.testing.assert_array_equal(take(K, [1, 3], False), K[[1, 3]])
    assert take(K, np.arange(4), True) is K
    assert sp.issparse(take(sp.csr_matrix(K), [1, 3], False))


def test_is_an_estimator():
    assert issubclass(KernelEstimator, BaseEstimator)
    assert PlainRidge().__sklearn_tags__().input_tags.sparse
