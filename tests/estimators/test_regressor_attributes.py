"""What a fitted estimator offers, in which shape and type."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from estimators.cases import assert_close, corrupted, grossly_corrupted, smooth
from untaint import SubquantileRegressor
from untaint.kernels import RBF, Kernel, Linear

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

# The public contract: name and default.
PARAMETERS = {
    "contamination": "auto",
    "kernel": "rbf",
    "gamma": "median",
    "degree": 3,
    "coef0": 1.0,
    "shape": 1.0,
    "alpha": 1.0,
    "norm_bound": None,
    "fit_intercept": True,
    "solver": "auto",
    "acceleration": None,
    "learning_rate": "auto",
    "momentum": 0.9,
    "smoothing": None,
    "memory_limit": "auto",
}


def test_parameters_and_defaults_are_those_of_the_contract():
    found = SubquantileRegressor().get_params()
    assert {name: found[name] for name in PARAMETERS} == PARAMETERS
    assert {"n_starts", "max_iter", "tol", "random_state", "verbose", "n_jobs"} <= set(found)


def test_parameters_are_keyword_only():
    with pytest.raises(TypeError, match="positional"):
        SubquantileRegressor(0.2)
    kinds = inspect.signature(SubquantileRegressor).parameters.values()
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in kinds)


def test_constructor_stores_what_it_is_given_unseen():
    odd = object()
    model = SubquantileRegressor(contamination=odd, kernel=odd, alpha=odd)
    assert model.contamination is model.kernel is model.alpha is odd


@pytest.mark.parametrize("n_outputs", [None, 1, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("solver", ["exact", "iterative", "gradient"])
def test_shapes_and_types(n_outputs, kernel, solver):
    n, d = 60, 4
    X, y, _ = grossly_corrupted(n)
    Z = X @ X.T if kernel == "precomputed" else X
    if n_outputs:
        y = np.column_stack([y + j for j in range(n_outputs)])
    model = SubquantileRegressor(
        contamination=0.2, kernel=kernel, solver=solver, max_iter=20000, tol=1e-6
    )
    assert model.fit(Z, y) is model
    check_is_fitted(model)

    assert model.inlier_mask_.shape == (n,)
    assert model.inlier_mask_.dtype == bool
    assert model.outlier_scores_.shape == (n,)
    assert model.outlier_scores_.dtype == np.float64
    assert (model.outlier_scores_ >= 0).all()
    assert model.contamination_ == 0.2
    assert isinstance(model.contamination_, float)
    assert isinstance(model.loss_threshold_, float)
    assert model.objective_path_.ndim == 1
    assert model.objective_path_.dtype == np.float64
    assert isinstance(model.n_iter_, int)
    assert model.converged_ is True
    assert model.dual_coef_.shape == y.shape
    assert np.shape(model.intercept_) == y.shape[1:]
    assert model.X_fit_.shape == Z.shape
    assert model.n_features_in_ == Z.shape[1]
    assert isinstance(model.kernel_, Kernel)
    assert model.predict(Z).shape == y.shape
    assert np.isfinite(model.predict(Z)).all()
    if kernel == "linear" and solver != "gradient":
        assert model.coef_.shape == (*y.shape[1:], d)
    if kernel != "linear":
        assert not hasattr(model, "coef_")


def test_number_of_iterations_is_that_of_the_path():
    X, y, _ = corrupted(120)
    model = SubquantileRegressor(contamination=0.2, init="zeros").fit(X, y)
    assert model.n_iter_ == len(model.objective_path_) > 1


def test_trimmed_rows_have_no_influence():
    X, y, _ = corrupted(120)
    for kernel in ("linear", "rbf"):
        model = SubquantileRegressor(contamination=0.2, kernel=kernel).fit(X, y)
        assert not model.dual_coef_[~model.inlier_mask_].any()
        assert model.dual_coef_[model.inlier_mask_].all()
        changed = np.where(model.inlier_mask_, y, 1e6)
        again = SubquantileRegressor(contamination=0.2, kernel=kernel).fit(X, changed)
        assert_close(again.predict(X), model.predict(X), 1e-9)


def test_dual_coefficients_are_scaled_residuals():
    """Stationarity of the trimmed ridge problem: a_i = w_i (y_i - f(x_i)) / alpha."""
    X, y, _ = corrupted(120)
    for kernel in ("linear", "rbf", "laplacian"):
        model = SubquantileRegressor(contamination=0.2, kernel=kernel, alpha=0.7).fit(X, y)
        expected = np.where(model.inlier_mask_, (y - model.predict(X)) / 0.7, 0.0)
        assert_close(model.dual_coef_, expected, 1e-8)
        assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("smoothing", [None, 1e4])
def test_threshold_separates_kept_from_trimmed(smoothing):
    X, y, _ = corrupted(150)
    model = SubquantileRegressor(contamination=0.2, smoothing=smoothing).fit(X, y)
    losses = (y - model.predict(X)) ** 2
    assert losses[model.inlier_mask_].max() <= model.loss_threshold_ * (1 + 1e-9)
    assert losses[~model.inlier_mask_].min() >= model.loss_threshold_ * (1 - 1e-9)


def test_threshold_is_the_largest_loss_when_nothing_is_trimmed():
    X, y = smooth(80)
    for smoothing in (None, 1.0):
        model = SubquantileRegressor(contamination=0, smoothing=smoothing).fit(X, y)
        assert model.loss_threshold_ == pytest.approx(np.max((y - model.predict(X)) ** 2))
        assert model.inlier_mask_.all()


def test_scores_grow_with_the_loss():
    X, y, _ = corrupted(120)
    Y = np.column_stack([y, X[:, 0]])
    model = SubquantileRegressor(contamination=0.2).fit(X, Y)
    losses = ((Y - model.predict(X)) ** 2).sum(axis=1)
    ratio = losses / model.outlier_scores_**2
    np.testing.assert_allclose(ratio, ratio[0])


def test_last_objective_is_that_of_the_fit():
    X, y, _ = corrupted(150)
    model = SubquantileRegressor(contamination=0.2, gamma=0.2, alpha=0.3).fit(X, y)
    losses = (y - model.predict(X))[model.inlier_mask_] ** 2
    norm = model.dual_coef_ @ RBF(0.2).matrix(X) @ model.dual_coef_
    assert model.objective_path_[-1] == pytest.approx(losses.sum() + 0.3 * norm)


def test_kernel_carries_the_scale_that_was_used():
    X, y = smooth(80)
    assert SubquantileRegressor(contamination=0, gamma=0.3).fit(X, y).kernel_ == RBF(0.3)
    assert SubquantileRegressor(contamination=0, kernel="linear").fit(X, y).kernel_ == Linear()
    median = np.median(((X[:, None] - X) ** 2).sum(-1)[np.triu_indices(80, 1)])
    fitted = SubquantileRegressor(contamination=0).fit(X, y).kernel_
    assert fitted.gamma == pytest.approx(1 / median)
    fitted = SubquantileRegressor(contamination=0, gamma="scale").fit(X, y).kernel_
    assert fitted.gamma == pytest.approx(1 / (4 * X.var()))


def test_training_rows_are_kept_sparse():
    X, y = smooth(60)
    model = SubquantileRegressor(contamination=0).fit(sp.coo_matrix(X), y)
    assert sp.issparse(model.X_fit_)
    assert model.X_fit_.format == "csr"


def test_intercept_is_zero_when_there_is_none():
    X, y, _ = corrupted(80)
    for kernel in ("linear", "rbf"):
        model = SubquantileRegressor(contamination=0.2, kernel=kernel, fit_intercept=False)
        assert model.fit(X, y + 10).intercept_ == 0


def test_sklearn_knows_what_this_is():
    model = SubquantileRegressor()
    assert is_regressor(model)
    tags = model.__sklearn_tags__()
    assert tags.input_tags.sparse
    assert tags.target_tags.multi_output
    pairwise = SubquantileRegressor(kernel="precomputed").__sklearn_tags__().input_tags
    assert pairwise.pairwise
    assert not pairwise.sparse


def test_repr_names_what_was_changed():
    assert repr(SubquantileRegressor(alpha=2.0)) == "SubquantileRegressor(alpha=2.0)"


@pytest.mark.parametrize("contamination", ["auto", 0.1])
def test_diagnostics_leave_out_rows_of_weight_zero(contamination):
    X, y = smooth(60)
    weights = np.ones(60)
    weights[::4] = 0.0
    model = SubquantileRegressor(contamination=contamination)
    weighted = model.fit(X, y, weights).diagnostics()
    fewer = model.fit(X[weights > 0], y[weights > 0]).diagnostics()
    assert weighted.effective_dimension == pytest.approx(fewer.effective_dimension)
    assert weighted.stationarity == pytest.approx(fewer.stationarity, abs=1e-6)
