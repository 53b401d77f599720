"""What a fitted classifier offers, in which shape and type."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from estimators.cases import assert_close, flipped_blobs
from untaint import SubquantileClassifier, SubquantileRegressor
from untaint.kernels import Kernel

SIZES = [(60, 40), (40, 35, 25)]
each_size = pytest.mark.parametrize("sizes", SIZES, ids=len)
each_kernel = pytest.mark.parametrize("kernel", ["rbf", "linear"])


def log_losses(model, X, y):
    return -np.log(model.predict_proba(X)[np.arange(len(y)), y])


def test_parameters_are_those_of_the_regressor_and_class_weight():
    found, known = SubquantileClassifier().get_params(), SubquantileRegressor().get_params()
    assert set(found) == {*known, "class_weight"}
    # Two defaults follow from the number of classes.
    differing = {name for name in known if found[name] != known[name]}
    assert differing <= {"smoothing", "n_starts"}
    assert found["class_weight"] is None


def test_parameters_are_keyword_only_and_stored_unseen():
    kinds = inspect.signature(SubquantileClassifier).parameters.values()
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in kinds)
    odd = object()
    model = SubquantileClassifier(contamination=odd, class_weight=odd, smoothing=odd)
    assert model.contamination is model.class_weight is model.smoothing is odd


@each_size
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("solver", ["exact", "iterative", "gradient"])
def test_shapes_and_types(sizes, kernel, solver):
    X, y, _, _ = flipped_blobs(sizes, 0.2, distance=6.0, n_features=4)
    n, k = len(y), len(sizes)
    Z = X @ X.T if kernel == "precomputed" else X
    model = SubquantileClassifier(
        contamination=0.2, kernel=kernel, solver=solver, max_iter=20000, tol=1e-4
    )
    assert model.fit(Z, y) is model
    check_is_fitted(model)
    outputs = 1 if k == 2 else k

    np.testing.assert_array_equal(model.classes_, np.arange(k))
    assert model.inlier_mask_.shape == model.outlier_scores_.shape == (n,)
    assert model.inlier_mask_.dtype == bool
    assert model.outlier_scores_.dtype == np.float64
    assert (model.outlier_scores_ >= 0).all()
    assert np.isfinite(model.outlier_scores_).all()
    assert model.contamination_ == 0.2
    assert isinstance(model.contamination_, float)
    assert isinstance(model.loss_threshold_, float)
    assert model.class_contamination_.shape == model.class_thresholds_.shape == (k,)
    assert model.objective_path_.ndim == 1
    assert model.objective_path_.dtype == np.float64
    assert isinstance(model.n_iter_, int)
    assert model.converged_ is True
    assert model.dual_coef_.shape == ((n,) if k == 2 else (n, k))
    assert model.intercept_.shape == (outputs,)
    assert model.X_fit_.shape == Z.shape
    assert model.n_features_in_ == Z.shape[1]
    assert isinstance(model.kernel_, Kernel)
    assert hasattr(model, "coef_") == (kernel == "linear")
    if kernel == "linear":
        assert model.coef_.shape == (outputs, 4)


@each_size
@each_kernel
@pytest.mark.parametrize("contamination", [0.1, 0.2, 0.4])
@pytest.mark.parametrize("init", ["auto", "zeros", "random"])
def test_hard_edge_cuts_where_it_says(sizes, kernel, contamination, init):
    X, y, _, _ = flipped_blobs(sizes, distance=2.5)
    model = SubquantileClassifier(
        contamination=contamination, kernel=kernel, smoothing=None, init=init, random_state=0
    ).fit(X, y)
    kept, scores = model.inlier_mask_, model.outlier_scores_
    assert (~kept).sum() == round(contamination * len(y))
    assert scores[kept].max() <= 1 + 1e-6
    assert scores[~kept].min() >= 1 - 1e-6
    assert_close(model.dual_coef_[~kept], 0.0, 1e-4)
    losses = log_losses(model, X, y)
    assert_close(scores, losses / model.class_thresholds_[y], 1e-5, scores.max())
    assert_close(model.loss_threshold_, np.sort(losses)[kept.sum() - 1], 1e-6, 10)
    trimmed = np.bincount(y, ~kept) / np.bincount(y)
    assert_close(model.class_contamination_, trimmed, 1e-9)
    path = model.objective_path_
    assert len(path) == model.n_iter_
    assert (np.diff(path) <= 1e-7 * np.abs(path[:-1])).all()


@each_size
@pytest.mark.parametrize("init", ["zeros", "random"])
def test_trimmed_rows_have_no_coefficient(sizes, init):
    X, y, _, _ = flipped_blobs(sizes, distance=2.5)
    model = SubquantileClassifier(contamination=0.2, smoothing=None, init=init, random_state=0)
    model.fit(X, y)
    assert not model.dual_coef_[~model.inlier_mask_].any()


@each_size
@pytest.mark.parametrize("smoothing", [0.5, 2.0, 50.0])
def test_soft_edge_keeps_the_fraction_in_weight(sizes, smoothing):
    X, y, _, _ = flipped_blobs(sizes, distance=3.0)
    model = SubquantileClassifier(contamination=0.2, smoothing=smoothing).fit(X, y)
    kept = (1 - model.class_contamination_) @ np.bincount(y)
    assert kept == pytest.approx(0.8 * len(y), rel=1e-4)
    path = model.objective_path_
    assert (np.diff(path) <= 1e-6 * np.abs(path).max()).all()


@each_size
def test_no_row_is_flagged_without_trimming(sizes):
    X, y, _, _ = flipped_blobs(sizes)
    model = SubquantileClassifier(contamination=0).fit(X, y)
    losses = log_losses(model, X, y)
    assert model.inlier_mask_.all()
    assert model.loss_threshold_ == pytest.approx(losses.max(), rel=1e-5)
    assert_close(model.class_contamination_, 0.0, 1e-12)
    assert model.outlier_scores_.max() == pytest.approx(1)


@each_size
def test_dual_coefficients_are_scaled_slopes(sizes):
    """Stationarity: 2 alpha a_i = w_i (y_i - p_i)."""
    X, y, _, _ = flipped_blobs(sizes)
    for kernel in ("linear", "rbf"):
        model = SubquantileClassifier(
            contamination=0.2, kernel=kernel, alpha=0.7, smoothing=None, tol=1e-11
        ).fit(X, y)
        slopes = np.eye(len(sizes))[y] - model.predict_proba(X)
        slopes = slopes[:, 1] if len(sizes) == 2 else slopes
        expected = (slopes.T * model.inlier_mask_).T / 1.4
        assert_close(model.dual_coef_, expected, 1e-4)
        assert_close(model.dual_coef_.sum(axis=0), 0.0, 1e-4)


def test_intercept_is_zero_when_there_is_none():
    for sizes in SIZES:
        X, y, _, _ = flipped_blobs(sizes)
        for kernel in ("linear", "rbf"):
            model = SubquantileClassifier(contamination=0.1, kernel=kernel, fit_intercept=False)
            assert not model.fit(X, y).intercept_.any()


def test_coefficients_of_an_earlier_fit_are_forgotten():
    X, y, _, _ = flipped_blobs((30, 30))
    model = SubquantileClassifier(contamination=0, kernel="linear").fit(X, y)
    assert not hasattr(model.set_params(kernel="rbf").fit(X, y), "coef_")


@each_size
@each_kernel
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_diagnostics_are_finite_and_the_fit_is_stationary(sizes, kernel, fit_intercept):
    X, y, _, _ = flipped_blobs(sizes, distance=3.0)
    model = SubquantileClassifier(
        contamination=0.2, kernel=kernel, fit_intercept=fit_intercept, tol=1e-10
    ).fit(X, y)
    found = model.diagnostics()
    assert np.isfinite(list(found.values())).all()
    assert all(value >= 0 for value in found.values())
    assert found.stationarity < 1e-4
    assert found.moreau_gradient_norm < 1e-4
    assert found.worst_case_gamma == pytest.approx(0.2 / 0.6)
    assert found.lipschitz_rowwise <= found.lipschitz
    coef = model.dual_coef_.reshape(len(y), -1)
    squared = np.sum(coef * (model.kernel_.matrix(X) @ coef))
    assert found.norm == pytest.approx(np.sqrt(squared))
    assert 0 < found.effective_dimension <= len(y)


@pytest.mark.parametrize(
    ("params", "remedy"),
    [
        ({"init": "zeros", "max_iter": 1}, "raise max_iter"),
        ({"solver": "gradient", "max_iter": 3}, "raise max_iter or tol"),
        ({"init": "zeros", "max_iter": 1, "smoothing": 1.0}, "raise max_iter"),
    ],
    ids=str,
)
def test_stopping_early_is_warned_about_with_a_remedy(params, remedy):
    X, y, _, _ = flipped_blobs((60, 40), distance=2.0)
    model = SubquantileClassifier(contamination=0.3, **params)
    with pytest.warns(ConvergenceWarning, match=f"SubquantileClassifier stopped.*{remedy}") as seen:
        model.fit(X, y)
    assert seen[0].filename == __file__
    assert not model.converged_
    assert np.isfinite(model.predict_proba(X)).all()


@each_size
@each_kernel
@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_settled_fits_do_not_warn(sizes, kernel, contamination):
    X, y, _, _ = flipped_blobs(sizes, distance=3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            SubquantileClassifier(contamination=contamination, kernel=kernel).fit(X, y).converged_
        )
