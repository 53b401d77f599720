"""Huge offsets and factors of targets and features: the same fit, or a warning that says why."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from estimators.cases import assert_close, corrupted, smooth
from untaint import SubquantileClassifier, SubquantileRegressor, SubquantileRegressorCV
from untaint.exceptions import FeatureScaleWarning

SETTINGS = {
    "rbf": {},
    "laplacian": {"kernel": "laplacian"},
    "exponential": {"kernel": "exponential"},
    "rational quadratic": {"kernel": "rational_quadratic"},
    "polynomial": {"kernel": "poly"},
    "linear": {"kernel": "linear"},
    "iterative": {"solver": "iterative"},
    "nystroem": {"approximation": "nystroem"},
    "fourier": {"approximation": "rff"},
    "norm ball": {"norm_bound": 5.0},
    "smoothing": {"smoothing": 2.0},
    "random start": {"init": "random"},
}
each_setting = pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
TRANSLATED = {k: v for k, v in SETTINGS.items() if k not in ("polynomial", "fourier")}
# What 1e9 leaves of a target or feature of size one.
ROUNDING = 1e-6
MORE_UNITS = [(1.0, -1e9), (1e-9, 0.0), (1e9, 1e9)]


def regressor(**params):
    return SubquantileRegressor(**{"contamination": 0.2, "random_state": 0, **params})


def in_units(setting, unit):
    """The same setting for targets in another unit: a norm, and a factor of squared residuals."""
    changed = dict(setting)
    if "norm_bound" in setting:
        changed["norm_bound"] = setting["norm_bound"] * unit
    if "smoothing" in setting:
        changed["smoothing"] = setting["smoothing"] / unit**2
    return changed


def assert_equivariant(make, X, y, unit, shift, setting, tol=ROUNDING):
    """With y -> unit y + shift: equal verdicts and scores, predictions and losses in step."""
    one, other = make(**setting).fit(X, y), make(**in_units(setting, unit)).fit(X, unit * y + shift)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close((other.predict(X) - shift) / unit, one.predict(X), tol, np.abs(y).max())
    np.testing.assert_allclose(other.outlier_scores_, one.outlier_scores_, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(other.loss_threshold_, unit**2 * one.loss_threshold_, rtol=1e-4)
    np.testing.assert_allclose(other.objective_path_, unit**2 * one.objective_path_, rtol=1e-4)


# --- targets ---------------------------------------------------------------------------------


@each_setting
@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
@pytest.mark.parametrize(
    ("unit", "shift"),
    [
        (1.0, 1e9),
        (1e-9, 1.0),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in MORE_UNITS),
    ],
)
def test_unit_and_origin_of_the_targets_are_immaterial(setting, contamination, unit, shift):
    X, y, _ = corrupted(150)
    setting = {"contamination": contamination, **setting}
    assert_equivariant(regressor, X, y, unit, shift, setting)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("contamination", [0.2, "auto"])
@pytest.mark.parametrize(
    ("unit", "shift"),
    [
        (1.0, 1e9),
        pytest.param(1e-9, 1.0, marks=pytest.mark.slow),
        pytest.param(1e9, -1e9, marks=pytest.mark.slow),
    ],
)
def test_they_are_immaterial_to_the_selection_of_hyperparameters(
    kernel, contamination, unit, shift
):
    X, y, _ = corrupted(150)
    setting = {"kernel": kernel, "contamination": contamination}
    assert_equivariant(SubquantileRegressorCV, X, y, unit, shift, setting, tol=1e-5)
    one = SubquantileRegressorCV(**setting).fit(X, y)
    other = SubquantileRegressorCV(**setting).fit(X, unit * y + shift)
    assert (other.alpha_, other.gamma_) == (one.alpha_, one.gamma_)


@pytest.mark.parametrize("shift", [1e9, -1e9])
def test_origin_is_that_of_each_output(shift):
    X, y, _ = corrupted(150)
    Y, origin = np.column_stack([y, 2 * y - X[:, 0]]), np.array([shift, 0.0])
    one, other = regressor().fit(X, Y), regressor().fit(X, Y + origin)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close(other.predict(X) - origin, one.predict(X), ROUNDING, np.abs(Y).max())


def test_weights_are_copies_at_a_large_offset():
    X, y, _ = corrupted(80)
    weights = np.random.default_rng(0).integers(1, 4, 80)
    rows = np.repeat(np.arange(80), weights)
    weighted = regressor().fit(X, y + 1e9, sample_weight=weights)
    repeated = regressor().fit(X[rows], y[rows] + 1e9)
    np.testing.assert_array_equal(weighted.inlier_mask_[rows], repeated.inlier_mask_)
    assert_close(weighted.predict(X), repeated.predict(X), ROUNDING, 10.0)


@pytest.mark.parametrize("setting", [{}, {"approximation": "nystroem"}], ids=["rbf", "nystroem"])
def test_leave_one_out_residuals_know_no_origin(setting):
    X, y, _ = corrupted(150)
    one, other = regressor(**setting).fit(X, y), regressor(**setting).fit(X, y + 1e9)
    expected = one.leave_one_out_residuals()
    assert_close(other.leave_one_out_residuals(), expected, ROUNDING, np.abs(y).max())


def test_audit_knows_no_origin():
    X, y, _ = corrupted(150)
    one, other = regressor().fit(X, y).audit(), regressor().fit(X, y + 1e9).audit()
    worst = list(other["row"][:20])
    assert worst == list(one["row"][:20])
    assert_close(other["expected"] - 1e9, one["expected"], ROUNDING, np.abs(y).max())


def test_without_an_intercept_the_origin_matters():
    X, y = smooth(100)
    one = regressor(fit_intercept=False, contamination=0).fit(X, y)
    moved = regressor(fit_intercept=False, contamination=0).fit(X, y + 100)
    assert np.abs(moved.predict(X) - 100 - one.predict(X)).max() > 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_targets_smallest_in_size_depend_on_the_origin():
    X, y, _ = corrupted(150)
    one, other = (regressor(init="zeros", max_iter=1).fit(X, y + b) for b in (0.0, 50.0))
    assert (one.inlier_mask_ != other.inlier_mask_).any()


# --- features --------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", TRANSLATED.values(), ids=TRANSLATED)
@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_origin_of_the_features_is_immaterial(setting, contamination):
    X, y, _ = corrupted(150)
    setting = {"contamination": contamination, **setting}
    one, other = regressor(**setting).fit(X, y), regressor(**setting).fit(X + 1e9, y)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close(other.predict(X + 1e9), one.predict(X), 10 * ROUNDING, np.abs(y).max())


@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
@pytest.mark.parametrize("model", [SubquantileRegressor, SubquantileRegressorCV])
def test_origin_of_more_columns_than_rows_is_immaterial(model, contamination):
    X, y, _ = corrupted(60, n_features=200)
    setting = {"kernel": "linear", "contamination": contamination}
    one, other = model(**setting).fit(X, y), model(**setting).fit(X + 1e9, y)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close(other.predict(X + 1e9), one.predict(X), 100 * ROUNDING, np.abs(y).max())


def test_dual_coefficients_of_a_centred_linear_kernel_give_the_predictions():
    X, y, _ = corrupted(60, n_features=200)
    model = regressor(kernel="linear").fit(X + 5, y)
    by_rows = (X + 5) @ (X + 5).T @ model.dual_coef_ + model.intercept_
    assert_close(by_rows, model.predict(X + 5), 1e-8, np.abs(y).max())
    assert_close((X + 5).T @ model.dual_coef_, model.coef_, 1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential", "poly"])
@pytest.mark.parametrize("factor", [1e-12, 1e-8, 1e12])
@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_unit_of_the_features_is_immaterial_at_any_size(kernel, factor, contamination):
    X, y, _ = corrupted(150)
    setting = {"kernel": kernel, "contamination": contamination}
    one, other = regressor(**setting).fit(X, y), regressor(**setting).fit(factor * X, y)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close(other.predict(factor * X), one.predict(X), 1e-7, np.abs(y).max())


# --- features that no kernel can see ---------------------------------------------------------


@pytest.mark.parametrize("make", [regressor, SubquantileRegressorCV, SubquantileClassifier])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian", "poly"])
@pytest.mark.parametrize(
    ("factors", "dominates", "lost"),
    [([1, 1e10, 1, 1], 1, None), ([1, 1, 1e-12, 1], None, 2), ([1e-12, 1, 1, 1e12], 3, 0)],
)
def test_columns_of_incomparable_scales_are_named(make, kernel, factors, dominates, lost):
    X, y, _ = corrupted(100)
    labels = y > np.median(y) if make is SubquantileClassifier else y
    with pytest.warns(FeatureScaleWarning, match="of X dominates.*scale the columns") as caught:
        make(kernel=kernel).fit(X * factors, labels)
    (found,) = [str(one.message) for one in caught if one.category is FeatureScaleWarning]
    assert dominates is None or f"column {dominates} of X dominates" in found
    assert lost is None or f"column {lost}, which has no influence" in found


def test_columns_of_a_frame_are_named_by_their_names():
    pandas = pytest.importorskip("pandas")
    X, y, _ = corrupted(100)
    frame = pandas.DataFrame(X * [1, 1e10, 1, 1], columns=["age", "income", "height", "weight"])
    with pytest.warns(FeatureScaleWarning, match="column 'income' of X dominates"):
        regressor().fit(frame, y)


def test_sparse_columns_are_named_too():
    X, y, _ = corrupted(100)
    with pytest.warns(FeatureScaleWarning, match="column 1 of X dominates"):
        regressor().fit(sp.csr_array(X * [1, 1e10, 1, 1]), y)


@pytest.mark.parametrize(
    ("setting", "factor", "shift", "words"),
    [
        ({"gamma": 1.0}, 1e6, 0.0, "no two rows of X are alike"),
        ({"gamma": 1e-20}, 1.0, 0.0, "all rows of X are alike"),
        ({"kernel": "poly"}, 1.0, 1e9, "all rows of X are alike"),
        ({"kernel": "linear"}, 1e-8, 0.0, "alpha=1 leaves a constant"),
        ({"kernel": "linear", "alpha": 1e-3}, 1e-8, 0.0, "alpha=0.001 leaves a constant"),
    ],
    ids=["far apart", "too near", "off-centre polynomial", "small linear", "smaller alpha"],
)
def test_a_kernel_that_tells_no_rows_apart_is_named(setting, factor, shift, words):
    X, y, _ = corrupted(100)
    with pytest.warns(FeatureScaleWarning, match=words):
        regressor(**setting).fit(factor * X + shift, y)


def test_a_linear_kernel_that_reaches_every_target_is_named():
    X, y, _ = corrupted(40, n_features=100)
    with pytest.warns(FeatureScaleWarning, match="every target is reached"):
        regressor(kernel="linear").fit(1e12 * X, y)


ORDINARY = {
    "plain": lambda X: X,
    "a constant column": lambda X: np.column_stack([X, np.full(len(X), 0.3)]),
    "only constant columns": lambda X: np.zeros_like(X),
    "a rare category": lambda X: np.column_stack([X, np.arange(len(X)) == 3]),
    "scales of a table": lambda X: X * [1e-2, 1, 1e3, 1],
    "outlying rows": lambda X: np.where(np.arange(len(X))[:, None] < 20, 1e12 * X, X),
    "outlying cells": lambda X: np.where(np.arange(X.size).reshape(X.shape) % 41 == 0, 1e9, X),
    "four rows": lambda X: X[:4],
}


@pytest.mark.parametrize("change", ORDINARY.values(), ids=ORDINARY)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
def test_ordinary_features_cause_no_warning(change, kernel):
    X, y, _ = corrupted(100)
    X = change(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FeatureScaleWarning)
        regressor(kernel=kernel, contamination=0.25).fit(X, y[: len(X)])


# --- more columns than rows ------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("model", [SubquantileRegressor, SubquantileRegressorCV])
def test_copies_of_columns_are_no_new_information(kernel, model):
    """With gamma or alpha to match, a thousand columns that are copies of ten give the same fit."""
    X, y, _ = corrupted(60, n_features=10)
    wide = np.tile(X, 100) / (100.0 if kernel == "laplacian" else 10.0)
    setting = {"kernel": kernel, "contamination": 0.2}
    few, many = model(**setting).fit(X, y), model(**setting).fit(wide, y)
    np.testing.assert_array_equal(many.inlier_mask_, few.inlier_mask_)
    assert_close(many.predict(wide), few.predict(X), 1e-7, np.abs(y).max())
