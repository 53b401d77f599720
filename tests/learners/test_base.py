"""The fitted function that all kernel estimators share: prediction, storage, precision."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from estimators.cases import assert_close
from properties.problems import fractional_weights
from untaint import SubquantileRegressor
from untaint._policy import set_policy
from untaint.baselines import SeverRegressor, TiltedRegressor
from untaint.kernels import RBF, Linear, Precomputed
from untaint.learners.base import take
from untaint.learners.function import as_2d

MODELS = {
    "subquantile": SubquantileRegressor(contamination=0, gamma=0.5),
    "sever": SeverRegressor(contamination=0, gamma=0.5),
    "tilted": TiltedRegressor(tilt=-0.1, gamma=0.5),
}
each = pytest.mark.parametrize("name", MODELS)


def fitted(name, X, y, sample_weight=None, **params):
    model = type(MODELS[name])(**MODELS[name].get_params()).set_params(**params)
    return model.fit(X, y, sample_weight=sample_weight)


def rows(rng, n=30, d=3, outputs=None):
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + rng.normal(size=n) if outputs is None else rng.normal(size=(n, outputs))


@each
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
def test_predictions_are_the_kernel_expansion(rng, name, kernel):
    X, y = rows(rng)
    model = fitted(name, X, y, kernel=kernel)
    Z = rng.normal(size=(7, 3))
    expected = model.kernel_.matrix(Z, X) @ model.dual_coef_ + model.intercept_
    assert_close(model.predict(Z), expected, 1e-10)
    assert hasattr(model, "coef_") == (kernel == "linear")


@each
@pytest.mark.parametrize(("n", "d"), [(30, 3), (8, 12)])
def test_slopes_of_the_linear_kernel_agree_with_the_dual_coefficients(rng, name, n, d):
    X, y = rows(rng, n, d)
    X += 5.0  # the solver centres the columns, but the coefficients are those of X
    model = fitted(name, X, y, kernel="linear")
    assert model.coef_.shape == (d,)
    assert_close(X.T @ model.dual_coef_, model.coef_, 1e-8)
    assert_close(X @ model.coef_ + model.intercept_, model.predict(X), 1e-12)


def test_slopes_are_removed_when_the_kernel_changes(rng):
    X, y = rows(rng)
    model = fitted("subquantile", X, y, kernel="linear")
    assert not hasattr(model.set_params(kernel="rbf").fit(X, y), "coef_")


@each
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_rows_of_weight_zero_do_not_change_the_function(rng, name, kernel):
    X, y = rows(rng)
    weights = fractional_weights(rng, 30)
    present = weights > 0
    model = fitted(name, X, y, weights, kernel=kernel)
    other = fitted(name, X[present], y[present], weights[present], kernel=kernel)
    assert not model.dual_coef_[~present].any()
    assert_close(model.predict(X), other.predict(X), 1e-8)


@each
def test_a_precomputed_kernel_by_name_and_by_class(rng, name):
    X, y = rows(rng)
    K, weights = RBF(0.5).matrix(X), np.r_[0.0, np.ones(29)]
    expected = fitted(name, X, y, weights).predict(X)
    for kernel in ("precomputed", Precomputed()):
        model = fitted(name, K, y, weights, kernel=kernel)
        assert model.__sklearn_tags__().input_tags.pairwise
        assert_close(model.predict(K), expected, 1e-8)
    assert not SubquantileRegressor(kernel=Linear()).__sklearn_tags__().input_tags.pairwise


@each
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_single_precision_rows_have_single_precision_predictions(rng, name, kernel):
    X, y = rows(rng)
    model = fitted(name, X.astype(np.float32), y.astype(np.float32), kernel=kernel)
    assert model.X_fit_.dtype == model.predict(X.astype(np.float32)).dtype == np.float32
    assert model.dual_coef_.dtype == np.asarray(model.intercept_).dtype == np.float64


@each
def test_a_model_that_is_not_fitted_refuses_to_predict(rng, name):
    with pytest.raises(NotFittedError, match="instance is not fitted yet"):
        MODELS[name].predict(rows(rng)[0])


def test_rows_of_a_pairwise_matrix_are_taken_from_both_sides(rng):
    K = rng.normal(size=(4, 4))
    np.testing.assert_array_equal(take(K, [1, 3], True), K[[1, 3]][:, [1, 3]])
    np.testing.assert_array_equal(take(K, [1, 3], False), K[[1, 3]])
    assert take(K, np.arange(4), True) is K
    assert sp.issparse(take(sp.csr_matrix(K), [1, 3], False))
    assert as_2d(K[0]).shape == as_2d(as_2d(K[0])).shape == (4, 1)


def test_a_linear_fit_to_many_rows_has_dual_coefficients_on_request(rng):
    X = rng.normal(size=(600, 3)) + 5.0
    y = X @ [1.0, -2.0, 0.5] + 3.0 + 0.1 * rng.normal(size=600)
    y[:60] += 50.0
    with set_policy(subsample_rows=200):
        model = SubquantileRegressor(kernel="linear", contamination=0.2).fit(X, y)
        assert model.coef_.shape == (3,)
        dual = model.dual_coef_
    kept = model._training.fit_weight > 0
    assert not dual[~kept].any()
    # Deviations from the centre of the features have the coefficients.
    np.testing.assert_allclose(dual @ (X - model._training.feature_map.centre), model.coef_)
    assert not hasattr(model.predictor(), "dual_coef_")
