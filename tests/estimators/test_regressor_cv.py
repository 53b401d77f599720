"""The regressor that chooses its own setting: by which scores, and what moves the choice."""

import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_predict
from sklearn.model_selection import cross_val_score as scores_of_folds
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.cases import (
    assert_close,
    assert_interrupted_fit_leaves_it_as_it_was,
    assert_same_fit,
    assert_weights_are_copies,
    corrupted,
    each_moment,
    grossly_corrupted,
    rmse,
    smooth,
)
from untaint import SubquantileRegressor, SubquantileRegressorCV
from untaint.datasets import make_smooth
from untaint.kernels import RBF

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

SCALED = ["rbf", "poly", "laplacian", "exponential", "rational_quadratic"]
UNSCALED = ["linear", "precomputed", "callable", "object"]
ALPHAS, GAMMAS = (0.01, 0.1, 1.0), (0.05, 0.2)


def laplace(A, B):
    return pairwise_kernels(A, B, metric="laplacian", gamma=0.1)


def named(kernel, X):
    """What to pass as kernel and as rows."""
    if kernel == "precomputed":
        return kernel, pairwise_kernels(X, metric="rbf", gamma=0.1)
    return {"callable": laplace, "object": RBF(0.1)}.get(kernel, kernel), X


def chooser(**params):
    return SubquantileRegressorCV(**{"alphas": ALPHAS, "gammas": GAMMAS, **params})


def choice(model):
    return model.alpha_, model.gamma_


def position(model):
    """Of the chosen setting in the table."""
    params = model.cv_results_["params"]
    return params.index({"alpha": model.alpha_, "gamma": model.gamma_})


# --- what it offers --------------------------------------------------------------------------


def test_parameters_are_those_of_the_regressor_with_grids_for_one_setting():
    ours = SubquantileRegressorCV().get_params()
    theirs = SubquantileRegressor().get_params()
    more = {"alphas", "gammas", "target_transform", "target_statistic"}
    assert ours.keys() - theirs.keys() == more
    assert theirs.keys() - ours.keys() == {"alpha", "gamma"}
    assert all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
    assert ours["alphas"] == ours["gammas"] == ours["contamination"] == "auto"
    kinds = inspect.signature(SubquantileRegressorCV).parameters.values()
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in kinds)


def test_constructor_stores_what_it_is_given_unseen():
    odd = object()
    model = SubquantileRegressorCV(alphas=odd, gammas=odd, kernel=odd)
    assert model.alphas is model.gammas is model.kernel is odd


def test_is_a_regressor_with_all_attributes_of_one():
    X, y, _ = corrupted(100)
    model = SubquantileRegressorCV().fit(X, y)
    assert is_regressor(model)
    single = SubquantileRegressor().fit(X, y)
    theirs = {name for name in vars(single) if name.endswith("_")}
    ours = {name for name in vars(model) if name.endswith("_")}
    transform = {"target_transform_", "target_transformer_"}
    assert ours == theirs | {"alpha_", "gamma_", "cv_results_"} | transform
    assert model.inlier_mask_.shape == model.outlier_scores_.shape == (100,)
    assert type(model.alpha_) is type(model.gamma_) is float
    assert model.kernel_.gamma == model.gamma_
    assert model.diagnostics() is not None
    assert model.leave_one_out_residuals().shape == (100,)
    assert len(model.audit()) == 100


@pytest.mark.parametrize(
    ("kernel", "contamination"),
    [*((kernel, "auto") for kernel in SCALED), ("rbf", 0), ("rbf", 0.2)],
)
def test_results_hold_one_entry_a_setting_and_the_choice_is_the_best(kernel, contamination):
    X, y, _ = corrupted(70)
    model = SubquantileRegressorCV(kernel=kernel, contamination=contamination).fit(X, y)
    results = model.cv_results_
    assert set(results) == {
        "params",
        "param_alpha",
        "param_gamma",
        "mean_test_score",
        "rank_test_score",
    }
    size = len(np.unique(results["param_alpha"])) * len(np.unique(results["param_gamma"]))
    assert all(len(column) == size for column in results.values())
    for hyper, alpha, gamma in zip(
        results["params"], results["param_alpha"], results["param_gamma"], strict=True
    ):
        assert hyper == {"alpha": alpha, "gamma": gamma}
    scores, ranks = results["mean_test_score"], results["rank_test_score"]
    assert np.isfinite(scores).all() and (scores <= 0).all()
    assert ranks[position(model)] == ranks.min() == 1
    assert scores[position(model)] == scores.max()
    np.testing.assert_array_equal(np.argsort(-scores, kind="stable").argsort() + 1 >= ranks, True)


@pytest.mark.parametrize("kernel", UNSCALED)
def test_kernel_without_a_scale_has_none(kernel):
    X, y, _ = corrupted(80)
    kernel, rows = named(kernel, X)
    model = SubquantileRegressorCV(kernel=kernel).fit(rows, y)
    assert model.gamma_ is None
    assert np.isnan(model.cv_results_["param_gamma"]).all()
    assert model.cv_results_["rank_test_score"][position(model)] == 1
    assert model.predict(rows).shape == (80,)


def test_default_grid_goes_around_the_median_distance():
    X, y = smooth(100)
    model = SubquantileRegressorCV().fit(X, y)
    middle = SubquantileRegressor().fit(X, y).kernel_.gamma
    gammas = np.unique(model.cv_results_["param_gamma"])
    assert gammas[0] < middle <= gammas[-1]
    assert np.isclose(gammas, middle).any()
    alphas = np.unique(model.cv_results_["param_alpha"])
    assert alphas[-1] >= 1e5 * alphas[0]


# --- grids that users give -------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [list, tuple, np.array, pd.Series, lambda v: np.array(v, dtype=np.float32), lambda v: v[::-1]],
    ids=["list", "tuple", "array", "Series", "float32", "descending"],
)
def test_grid_of_any_form_is_the_same(form):
    X, y, _ = corrupted(60)
    expected = chooser(contamination=0.2).fit(X, y)
    model = chooser(contamination=0.2, alphas=form(ALPHAS), gammas=form(GAMMAS)).fit(X, y)
    assert choice(model) == pytest.approx(choice(expected), rel=1e-6)
    assert_same_fit(model, expected, X, tol=1e-6)


def test_unsorted_grid_with_repetitions_is_taken_as_a_set():
    X, y, _ = corrupted(60)
    model = chooser(alphas=[1.0, 0.01, 1.0, 0.1], gammas=[0.2, 0.05, 0.2]).fit(X, y)
    assert len(model.cv_results_["params"]) == 6
    assert choice(model) == choice(chooser().fit(X, y))


def test_grid_of_integers():
    X, y, _ = corrupted(60)
    model = chooser(alphas=[1, 10], gammas=range(1, 3)).fit(X, y)
    assert model.alpha_ in (1.0, 10.0) and type(model.alpha_) is float
    assert model.gamma_ in (1.0, 2.0) and type(model.gamma_) is float


@pytest.mark.parametrize("contamination", [0, 0.2])
def test_one_setting_is_the_plain_regressor(contamination):
    X, y, _ = corrupted(80)
    model = chooser(alphas=[0.3], gammas=[0.1], contamination=contamination).fit(X, y)
    assert choice(model) == (0.3, 0.1)
    plain = SubquantileRegressor(alpha=0.3, gamma=0.1, contamination=contamination).fit(X, y)
    assert_same_fit(model, plain, X, tol=1e-10)


def test_one_setting_is_the_plain_regressor_where_the_contamination_is_estimated():
    X, y, _ = grossly_corrupted(80)
    model = chooser(alphas=[0.3], gammas=[0.1]).fit(X, y)
    plain = SubquantileRegressor(alpha=0.3, gamma=0.1).fit(X, y)
    assert model.contamination_ == pytest.approx(plain.contamination_, abs=1e-3)
    assert_same_fit(model, plain, X, tol=1e-3)


@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_one_setting_has_a_score(contamination):
    X, y, _ = grossly_corrupted(80)
    model = chooser(alphas=[0.3], gammas=[0.1], contamination=contamination).fit(X, y)
    assert np.isfinite(model.cv_results_["mean_test_score"]).all()


def test_grid_is_not_changed_by_a_fit():
    X, y = smooth(40)
    alphas, gammas = np.array([1.0, 0.1]), [0.2, 0.1]
    model = SubquantileRegressorCV(alphas=alphas, gammas=gammas).fit(X, y)
    assert model.alphas is alphas and model.gammas is gammas
    assert alphas.tolist() == [1.0, 0.1] and gammas == [0.2, 0.1]


@pytest.mark.parametrize("alphas", [[1e-300], [1e300], [1e-12, 1e12]], ids=str)
def test_extreme_ridges_give_finite_predictions(alphas):
    X, y = smooth(60)
    model = SubquantileRegressorCV(alphas=alphas).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.alpha_ in alphas


# --- no corruption ---------------------------------------------------------------------------


def least(errors):
    return min(errors, key=errors.get)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential", "rational_quadratic"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_trimming_the_choice_has_the_least_leave_one_out_error(kernel, fit_intercept):
    X, y = smooth(60, seed=1)
    params = {"kernel": kernel, "fit_intercept": fit_intercept, "contamination": 0}
    model = chooser(**params).fit(X, y)
    plain = SubquantileRegressor(**params)
    errors = {}
    for alpha in ALPHAS:
        for gamma in GAMMAS:
            plain.set_params(alpha=alpha, gamma=gamma).fit(X, y)
            errors[alpha, gamma] = np.mean(plain.leave_one_out_residuals() ** 2)
    assert choice(model) == least(errors)
    for hyper, score in zip(
        model.cv_results_["params"], model.cv_results_["mean_test_score"], strict=True
    ):
        assert -score == pytest.approx(errors[hyper["alpha"], hyper["gamma"]], rel=1e-6)


def test_without_trimming_it_is_kernel_ridge_chosen_by_leaving_out_each_row():
    X, y = smooth(40, seed=2)
    model = chooser(contamination=0, fit_intercept=False).fit(X, y)
    errors = {
        (alpha, gamma): np.mean(
            (
                y
                - cross_val_predict(
                    KernelRidge(kernel="rbf", alpha=alpha, gamma=gamma), X, y, cv=LeaveOneOut()
                )
            )
            ** 2
        )
        for alpha in ALPHAS
        for gamma in GAMMAS
    }
    assert choice(model) == least(errors)
    assert model.cv_results_["mean_test_score"].max() == pytest.approx(-min(errors.values()))
    alpha = KernelRidge(kernel="rbf", alpha=model.alpha_, gamma=model.gamma_).fit(X, y)
    assert_close(model.predict(X), alpha.predict(X), 1e-6)


def test_without_trimming_weights_count_in_the_scores():
    X, y = smooth(40)
    weights = np.random.default_rng(0).integers(1, 4, 40)
    model = chooser(contamination=0).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(40), weights)
    repeated = chooser(contamination=0).fit(X[rows], y[rows])
    np.testing.assert_allclose(
        model.cv_results_["mean_test_score"], repeated.cv_results_["mean_test_score"], rtol=1e-6
    )


def test_no_row_is_flagged_where_nothing_is_wrong():
    for seed in range(3):
        X, y = smooth(150, seed=seed)
        assert SubquantileRegressorCV().fit(X, y).inlier_mask_.mean() >= 0.98


# --- given and estimated contamination -----------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "contamination"),
    [*((kernel, 0.3) for kernel in SCALED + UNSCALED), ("linear", 0), ("rbf", 0), ("rbf", 0.1)],
)
def test_a_given_contamination_is_trimmed_as_by_the_plain_regressor(kernel, contamination):
    X, y, _ = corrupted(60)
    kernel, rows = named(kernel, X)
    model = SubquantileRegressorCV(kernel=kernel, contamination=contamination).fit(rows, y)
    gamma = "median" if model.gamma_ is None else model.gamma_
    plain = SubquantileRegressor(
        kernel=kernel, contamination=contamination, alpha=model.alpha_, gamma=gamma
    ).fit(rows, y)
    assert model.contamination_ == contamination
    assert model.contamination_interval_ == (contamination, contamination)
    assert_same_fit(model, plain, rows, tol=1e-8)


@pytest.mark.parametrize(
    "params",
    [
        {"norm_bound": 2.0},
        {"fit_intercept": False},
        {"solver": "iterative"},
        {"smoothing": 2.0},
        {"init": "zeros"},
    ],
    ids=str,
)
def test_other_parameters_reach_the_fit(params):
    X, y, _ = corrupted(80)
    model = chooser(contamination=0.2, **params).fit(X, y)
    plain = SubquantileRegressor(
        contamination=0.2, alpha=model.alpha_, gamma=model.gamma_, **params
    ).fit(X, y)
    assert_same_fit(model, plain, X, tol=1e-8)


def new_rows(n, count=300, seed=0):
    """Rows of the surface of ``smooth(n)`` that the fit has not seen."""
    X, y = make_smooth(n + count, n_features=4, noise=0.0, random_state=seed)
    return X[n:], y[n:] + 0.1 * np.random.default_rng(seed + 1).normal(size=count)


@pytest.mark.parametrize("kind", ["label", "cluster", "shift"])
def test_close_to_a_fit_to_the_clean_rows(kind):
    ratios = []
    for seed in range(3):
        X, y, bad = corrupted(300, kind=kind, seed=seed)
        model = chooser().fit(X, y)
        oracle = chooser(contamination=0).fit(X[~bad], y[~bad])
        rows = new_rows(300, seed=seed)
        ratios.append(rmse(model, *rows) / rmse(oracle, *rows))
    assert np.median(ratios) < 1.1


@pytest.mark.parametrize("seed", [3, 29])
def test_a_wiggly_fit_to_some_of_the_rows_does_not_make_the_others_outliers(seed):
    X, y = load_diabetes(return_X_y=True)
    rows = np.random.default_rng(seed).permutation(len(y))[:250]
    assert SubquantileRegressorCV().fit(X[rows] / X.std(axis=0), y[rows]).contamination_ <= 0.02


def test_corrupted_rows_do_not_steer_the_choice():
    """Scattered targets make ordinary scores choose a much larger alpha."""
    X, y, bad = grossly_corrupted(200, contamination=0.3)
    alphas = 10.0 ** np.arange(-3, 4)
    model = SubquantileRegressorCV(alphas=alphas).fit(X, y)
    oracle = SubquantileRegressorCV(alphas=alphas, contamination=0).fit(X[~bad], y[~bad])
    misled = SubquantileRegressorCV(alphas=alphas, contamination=0).fit(X, y)
    assert abs(np.log10(model.alpha_ / oracle.alpha_)) <= 1
    assert misled.alpha_ > 10 * oracle.alpha_


def test_feature_outliers_move_neither_grid_nor_choice():
    X, y, bad = grossly_corrupted(200)
    clean = SubquantileRegressorCV(contamination=0).fit(X[~bad], y[~bad])
    for factor in (100.0, 1e12):
        X_outlying = X.copy()
        X_outlying[bad] *= factor
        model = SubquantileRegressorCV().fit(X_outlying, y)
        assert not model.inlier_mask_[bad].any()
        assert model.inlier_mask_[~bad].mean() > 0.95
        assert 0.5 < model.gamma_ / clean.gamma_ < 2
        assert rmse(model, *new_rows(200)) < 1.15 * rmse(clean, *new_rows(200))


# --- every kernel, every container -----------------------------------------------------------


@pytest.mark.parametrize(
    "kernel",
    [
        "rbf",
        "poly",
        "rational_quadratic",
        "laplacian",
        "exponential",
        *UNSCALED,
    ],
)
def test_every_kernel_finds_gross_errors(kernel):
    X, y, bad = grossly_corrupted(120)
    kernel, rows = named(kernel, X)
    model = SubquantileRegressorCV(kernel=kernel).fit(rows, y)
    assert not model.inlier_mask_[bad].any()
    assert model.inlier_mask_[~bad].mean() > 0.95
    assert np.isfinite(model.predict(rows)).all()


def test_precomputed_kernel_is_the_same_as_its_rows():
    X, y, _ = grossly_corrupted(90)
    K = pairwise_kernels(X, metric="rbf", gamma=0.1)
    given = SubquantileRegressorCV(kernel="precomputed").fit(K, y)
    rows = SubquantileRegressorCV(kernel=RBF(0.1)).fit(X, y)
    assert given.alpha_ == pytest.approx(rows.alpha_)
    np.testing.assert_array_equal(given.inlier_mask_, rows.inlier_mask_)
    # Rows and their weights are agreed upon to a tolerance, from other radii.
    assert_close(given.predict(K), rows.predict(X), 1e-4)


@pytest.mark.parametrize("kernel", ["linear", *SCALED])
def test_sparse_equals_dense(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6)) * (rng.random((90, 6)) < 0.4)
    y = X @ rng.normal(size=6) + np.sin(X[:, 0]) + 0.1 * rng.normal(size=90)
    y[:9] += 50
    dense = SubquantileRegressorCV(kernel=kernel).fit(X, y)
    sparse = SubquantileRegressorCV(kernel=kernel).fit(sp.csr_matrix(X), y)
    assert sparse.alpha_ == pytest.approx(dense.alpha_)
    assert (sparse.gamma_ or 1.0) == pytest.approx(dense.gamma_ or 1.0)
    assert_same_fit(sparse, dense, X, tol=1e-6)
    assert_close(sparse.predict(sp.csr_matrix(X)), dense.predict(X), 1e-6)


def test_data_frames():
    X, y, _ = grossly_corrupted(60)
    expected = chooser().fit(X, y)
    names = list("abcd")
    for frame, series in (
        (pd.DataFrame(X, columns=names, index=np.arange(60)[::-1]), pd.Series(y)),
        (pl.DataFrame(X, schema=names), pl.Series(y)),
    ):
        model = chooser().fit(frame, series)
        assert model.feature_names_in_.tolist() == names
        assert choice(model) == choice(expected)
        np.testing.assert_array_equal(model.predict(frame), expected.predict(X))


@pytest.mark.parametrize(
    "kernel",
    [
        "rbf",
        "linear",
        "laplacian",
    ],
)
def test_single_precision_chooses_alike(kernel):
    X, y, bad = grossly_corrupted(150)
    double = SubquantileRegressorCV(kernel=kernel).fit(X, y)
    single = SubquantileRegressorCV(kernel=kernel)
    single.fit(X.astype(np.float32), y.astype(np.float32))
    predictions = single.predict(X.astype(np.float32))
    assert predictions.dtype == single.X_fit_.dtype == np.float32
    assert single.dual_coef_.dtype == np.float64
    np.testing.assert_array_equal(single.inlier_mask_, double.inlier_mask_)
    assert single.alpha_ == pytest.approx(double.alpha_)
    assert_close(predictions[~bad], double.predict(X)[~bad], 1e-3)


@pytest.mark.xfail(reason="one good row has the probability 0.487")
def test_outliers_of_several_outputs_are_found_exactly():
    X, y, bad = grossly_corrupted(100)
    clean = smooth(100, seed=0)[1]
    Y = np.column_stack([y, 3 * clean + 1, -clean])
    np.testing.assert_array_equal(SubquantileRegressorCV().fit(X, Y).inlier_mask_, ~bad)


def test_several_outputs():
    X, y, bad = grossly_corrupted(100)
    clean = smooth(100, seed=0)[1]
    Y = np.column_stack([y, 3 * clean + 1, -clean])
    model = SubquantileRegressorCV().fit(X, Y)
    assert model.predict(X).shape == (100, 3)
    assert model.dual_coef_.shape == (100, 3)
    assert not model.inlier_mask_[bad].any()
    one = SubquantileRegressorCV().fit(X, Y[:, :1])
    flat = SubquantileRegressorCV().fit(X, Y[:, 0])
    assert one.predict(X).shape == (100, 1)
    assert choice(one) == choice(flat)
    assert_close(one.predict(X)[:, 0], flat.predict(X), 1e-10)


def test_the_same_output_twice_is_the_same_choice():
    X, y = smooth(80)
    one = chooser(contamination=0).fit(X, y)
    two = chooser(contamination=0).fit(X, np.column_stack([y, y]))
    assert choice(one) == choice(two)
    assert_close(two.predict(X)[:, 1], one.predict(X), 1e-8)


# --- what must not matter --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "contamination"),
    [
        ("linear", "auto"),
        ("rbf", 0),
        ("rbf", 0.3),
        ("rbf", "auto"),
        ("laplacian", "auto"),
    ],
)
def test_weights_are_copies(kernel, contamination):
    X, y, _ = grossly_corrupted(60, contamination=0.24)
    weights = np.random.default_rng(5).integers(1, 4, 60)
    model = SubquantileRegressorCV(kernel=kernel, contamination=contamination)
    assert_weights_are_copies(model, X, y, weights)


@pytest.mark.parametrize("contamination", [0, 0.3, "auto"])
def test_weights_are_copies_for_the_choice(contamination):
    X, y, _ = grossly_corrupted(60, contamination=0.24)
    weights = np.random.default_rng(6).integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    weighted = SubquantileRegressorCV(contamination=contamination).fit(X, y, sample_weight=weights)
    repeated = SubquantileRegressorCV(contamination=contamination).fit(X[rows], y[rows])
    assert choice(weighted) == pytest.approx(choice(repeated))
    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_score"],
        repeated.cv_results_["mean_test_score"],
        rtol=1e-4,
    )


def test_rows_of_weight_zero_have_no_part_in_the_choice():
    X, y, _ = grossly_corrupted(80)
    weights = np.r_[np.ones(60), np.zeros(20)]
    y[60:] = 1e6
    weighted = SubquantileRegressorCV().fit(X, y, sample_weight=weights)
    without = SubquantileRegressorCV().fit(X[:60], y[:60])
    assert choice(weighted) == pytest.approx(choice(without))
    assert_close(weighted.predict(X), without.predict(X), 1e-8)
    assert not weighted.inlier_mask_[60:].any()


@pytest.mark.parametrize(("n", "contamination"), [(90, 0), (90, 0.2), (90, "auto"), (500, "auto")])
def test_order_of_the_rows_does_not_matter(n, contamination):
    X, y, _ = corrupted(n)
    order = np.random.default_rng(1).permutation(n)
    model = chooser(contamination=contamination).fit(X, y)
    other = chooser(contamination=contamination).fit(X[order], y[order])
    assert choice(model) == choice(other)
    assert other.contamination_ == pytest.approx(model.contamination_, abs=1e-6)
    np.testing.assert_array_equal(other.inlier_mask_, model.inlier_mask_[order])
    assert_close(other.predict(X), model.predict(X), 1e-6)


def test_number_of_threads_does_not_matter():
    X, y, _ = corrupted(200)
    one, all_of_them = (SubquantileRegressorCV(n_jobs=n).fit(X, y) for n in (1, -1))
    assert choice(one) == choice(all_of_them)
    assert_same_fit(one, all_of_them, X, tol=1e-8)


def test_same_seed_same_result():
    X, y, _ = corrupted(100)
    one, other = (SubquantileRegressorCV(random_state=3, n_starts=9).fit(X, y) for _ in range(2))
    assert choice(one) == choice(other)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_fitting_twice_is_fitting_once():
    X, y, _ = corrupted(80)
    once = SubquantileRegressorCV().fit(X, y)
    twice = SubquantileRegressorCV(kernel="linear").fit(X[:50, :2], y[:50])
    twice.set_params(kernel="rbf").fit(X, y)
    assert choice(once) == choice(twice)
    assert vars(once).keys() == vars(twice).keys()
    np.testing.assert_array_equal(once.predict(X), twice.predict(X))


@pytest.mark.parametrize(
    ("kernel", "contamination"),
    [*((kernel, "auto") for kernel in ["linear", *SCALED]), ("rbf", 0), ("rbf", 0.2)],
)
def test_units_of_the_target_do_not_matter(kernel, contamination):
    X, y, _ = corrupted(80)
    plain = SubquantileRegressorCV(kernel=kernel, contamination=contamination).fit(X, y)
    scaled = SubquantileRegressorCV(kernel=kernel, contamination=contamination).fit(X, 1e6 * y)
    assert choice(scaled) == choice(plain)
    assert scaled.contamination_ == pytest.approx(plain.contamination_, abs=1e-6)
    np.testing.assert_array_equal(scaled.inlier_mask_, plain.inlier_mask_)
    assert_close(scaled.predict(X) / 1e6, plain.predict(X), 1e-5)


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_offset_and_very_different_units_of_the_target(factor):
    X, y, _ = corrupted(90)
    plain = SubquantileRegressorCV().fit(X, y)
    scaled = SubquantileRegressorCV().fit(X, factor * (y - 100))
    assert choice(scaled) == choice(plain)
    assert_close(scaled.predict(X) / factor + 100, plain.predict(X), 1e-5)


@pytest.mark.parametrize(
    ("kernel", "gamma_power", "alpha_power"),
    [
        ("linear", None, 2),
        ("rbf", -2, 0),
        ("rational_quadratic", -2, 0),
        ("poly", -2, 0),
        ("laplacian", -1, 0),
        ("exponential", -1, 0),
    ],
)
def test_units_of_the_features_do_not_matter(kernel, gamma_power, alpha_power):
    X, y, _ = corrupted(60)
    plain = SubquantileRegressorCV(kernel=kernel).fit(X, y)
    scaled = SubquantileRegressorCV(kernel=kernel).fit(1e3 * X, y)
    assert scaled.alpha_ == pytest.approx(plain.alpha_ * 1e3**alpha_power)
    if gamma_power is not None:
        assert scaled.gamma_ == pytest.approx(plain.gamma_ * 1e3**gamma_power)
    np.testing.assert_array_equal(scaled.inlier_mask_, plain.inlier_mask_)
    assert_close(scaled.predict(1e3 * X), plain.predict(X), 1e-5, np.abs(y).max())


# --- many rows, few rows, odd rows -----------------------------------------------------------


@pytest.mark.slow
def test_more_rows_than_hyperparameters_are_selected_on(set_sizes):
    set_sizes(tuning_rows=400)
    X, y, bad = corrupted(800)
    model = SubquantileRegressorCV(alphas=[0.01, 0.1], gammas=[0.05, 0.15]).fit(X, y)
    assert model.contamination_ == pytest.approx(0.2, abs=0.03)
    low, high = model.contamination_interval_
    assert low <= model.contamination_ <= high
    assert model.inlier_mask_.shape == model.outlier_scores_.shape == (800,)
    assert (~model.inlier_mask_ & bad).sum() > 0.85 * bad.sum()
    assert model.cv_results_["rank_test_score"][position(model)] == 1
    plain = SubquantileRegressor(alpha=model.alpha_, gamma=model.gamma_).fit(X, y)
    assert_same_fit(model, plain, X[:500], tol=1e-4)


@pytest.mark.parametrize("n", [pytest.param(1), 2, 3, 5, 10, 19])
def test_fewer_rows_than_the_contamination_can_be_estimated_from(n):
    X, y = smooth(n)
    model = SubquantileRegressorCV().fit(X, y)
    assert model.contamination_ == 0
    assert model.inlier_mask_.all()
    assert np.isfinite(model.predict(X)).all()
    assert 0 < model.alpha_ < np.inf
    assert model.audit()["flagged"].sum() == 0


@pytest.mark.parametrize("n", [5, 10, 19])
def test_few_rows_are_tuned_all_the_same(n):
    X, y = smooth(n)
    assert choice(chooser().fit(X, y)) == choice(chooser(contamination=0).fit(X, y))


@pytest.mark.parametrize("value", [0.0, 3.0, -1e9])
def test_constant_target(value):
    X, _ = smooth(60)
    model = SubquantileRegressorCV().fit(X, np.full(60, value))
    assert_close(model.predict(X), value, 1e-9, max(1.0, abs(value)))
    assert model.inlier_mask_.all() and model.contamination_ == 0


@pytest.mark.parametrize(
    "noise",
    [
        0.0,
        1e-6,
        0.1,
    ],
)
def test_constant_target_with_a_few_errors(noise):
    """Errors of different sizes: a target of two values is a binary one."""
    X, _ = smooth(60)
    rng = np.random.default_rng(0)
    y = 3.0 + noise * rng.normal(size=60)
    y[:6] = rng.uniform(50, 100, 6)
    model = SubquantileRegressorCV().fit(X, y)
    np.testing.assert_array_equal(~model.inlier_mask_, np.arange(60) < 6)
    assert_close(model.predict(X), 3.0, max(noise, 1e-6))


@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        pytest.param("rbf", 0.0),
        pytest.param("rbf", 7.0),
        pytest.param("poly", 0.0),
        pytest.param("linear", 0.0),
        ("linear", 7.0),
    ],
)
def test_features_that_say_nothing(kernel, value):
    _, y = smooth(60)
    model = SubquantileRegressorCV(kernel=kernel).fit(np.full((60, 3), value), y)
    predictions = model.predict(np.full((5, 3), value))
    assert_close(predictions, y.mean(), 1e-6)
    assert 0 < model.alpha_ < np.inf


def test_constant_rows_and_constant_target():
    model = SubquantileRegressorCV().fit(np.ones((40, 2)), np.ones(40))
    assert_close(model.predict(np.ones((3, 2))), 1.0, 1e-9)


def test_a_constant_column_does_not_matter():
    X, y, _ = corrupted(80)
    plain = SubquantileRegressorCV().fit(X, y)
    padded = SubquantileRegressorCV().fit(np.column_stack([X, np.full(80, 7.0)]), y)
    assert choice(padded) == pytest.approx(choice(plain))
    np.testing.assert_array_equal(padded.inlier_mask_, plain.inlier_mask_)


def test_duplicate_rows():
    X, y, bad = grossly_corrupted(40)
    model = SubquantileRegressorCV().fit(np.tile(X, (3, 1)), np.tile(y, 3))
    np.testing.assert_array_equal(model.inlier_mask_, np.tile(~bad, 3))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_more_columns_than_rows(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 200))
    y = 3 * X[:, 0] + 0.1 * rng.normal(size=60)
    y[:6] += 100
    model = SubquantileRegressorCV(kernel=kernel).fit(X, y)
    np.testing.assert_array_equal(~model.inlier_mask_, np.arange(60) < 6)
    assert np.isfinite(model.predict(X)).all()


def test_integer_targets_are_numbers():
    X, y, _ = grossly_corrupted(80)
    whole = np.round(10 * y)
    expected = SubquantileRegressorCV().fit(X, whole)
    model = SubquantileRegressorCV().fit(X, whole.astype(int))
    assert choice(model) == choice(expected)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_a_target_that_is_a_formula(kernel):
    """No noise at all: errors of the fit are no errors of the rows."""
    X, _ = smooth(100)
    y = X @ np.arange(1.0, 5.0)
    model = SubquantileRegressorCV(kernel=kernel).fit(X, y)
    assert model.inlier_mask_.mean() >= 0.98
    assert_close(model.predict(X), y, 1e-2)


def test_a_matrix_that_is_no_kernel_is_survived():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 60))
    model = SubquantileRegressorCV(kernel="precomputed").fit(A + A.T, rng.normal(size=60))
    assert 0 < model.alpha_ < np.inf
    assert np.isfinite(model.predict(A + A.T)).all()


# --- scikit-learn's tools --------------------------------------------------------------------


def test_clone_and_parameters():
    model = SubquantileRegressorCV(alphas=[1.0], gammas="auto", kernel="laplacian")
    copy = clone(model)
    assert copy.get_params() == model.get_params() and copy is not model
    assert copy.set_params(alphas=[2.0, 3.0]).alphas == [2.0, 3.0]
    with pytest.raises(ValueError, match="Invalid parameter 'alpha'"):
        model.set_params(alpha=1.0)


def test_fit_leaves_the_parameters_alone():
    X, y, _ = corrupted(60)
    model = SubquantileRegressorCV(random_state=3)
    before = clone(model).get_params()
    assert model.fit(X, y).get_params() == before


def test_pickle():
    X, y, _ = corrupted(60)
    model = SubquantileRegressorCV().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    assert choice(copy) == choice(model)
    pd.testing.assert_frame_equal(copy.audit(), model.audit())


def test_pipeline():
    X, y, _ = corrupted(80)
    units = np.array([1.0, 1e3, 1e-3, 1.0])
    model = make_pipeline(StandardScaler(), SubquantileRegressorCV()).fit(X * units, y)
    scaled = StandardScaler().fit_transform(X)
    by_hand = SubquantileRegressorCV().fit(scaled, y)
    assert_close(model.predict(X * units), by_hand.predict(scaled), 1e-6)


def test_grid_search_over_a_parameter():
    X, y = smooth(90)
    search = GridSearchCV(SubquantileRegressorCV(), {"kernel": ["rbf", "linear"]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel": "rbf"}
    assert search.best_estimator_.alpha_ > 0


def test_cross_validation_of_a_precomputed_kernel_takes_its_columns_too():
    X, y = smooth(60)
    K = pairwise_kernels(X, metric="rbf", gamma=0.1)
    given = chooser(kernel="precomputed", gammas="auto", contamination=0)
    rows = chooser(kernel=RBF(0.1), gammas="auto", contamination=0)
    folds = KFold(3)
    assert_close(
        scores_of_folds(given, K, y, cv=folds), scores_of_folds(rows, X, y, cv=folds), 1e-6
    )


def test_score_is_higher_than_that_of_ordinary_tuning():
    X, y, bad = corrupted(200, contamination=0.3)
    robust = SubquantileRegressorCV().fit(X, y).score(X[~bad], y[~bad])
    plain = SubquantileRegressorCV(contamination=0).fit(X, y).score(X[~bad], y[~bad])
    assert robust > 0.95 > plain


# --- failures --------------------------------------------------------------------------------


@each_moment
@pytest.mark.parametrize("fitted", [False, True])
def test_failed_fit_leaves_the_estimator_as_it_was(moment, fitted):
    X, y, _ = corrupted(60)
    model = chooser()
    if fitted:
        model.fit(X, y)
    assert_interrupted_fit_leaves_it_as_it_was(
        model,
        lambda model: model.fit(X[:40, :3], np.column_stack([y, y])[:40]),
        X,
        moment,
        KeyboardInterrupt,
    )


def test_bad_input_leaves_the_estimator_as_it_was():
    X, y, _ = corrupted(60)
    model = chooser().fit(X, y)
    before, hyper = model.predict(X), choice(model)
    for rows, targets in ((X[:50], y), (np.where(X > 2, np.nan, X), y), (X, np.full(60, np.inf))):
        with pytest.raises(ValueError):
            model.fit(rows, targets)
    np.testing.assert_array_equal(model.predict(X), before)
    assert choice(model) == hyper


def test_nothing_is_printed_or_warned_of_on_ordinary_data(capfd):
    X, y, _ = corrupted(150)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SubquantileRegressorCV().fit(X, y).audit()
    assert capfd.readouterr() == ("", "")
