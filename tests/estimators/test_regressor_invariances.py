"""What must not change the fit, and what must change it in step."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from estimators.cases import (
    assert_close,
    assert_same_fit,
    assert_weights_are_copies,
    corrupted,
    grossly_corrupted,
    smooth,
)
from untaint import SubquantileRegressor

KERNELS = ["linear", "poly", "rbf", "laplacian", "exponential", "rational_quadratic"]
each_kernel = pytest.mark.parametrize("kernel", KERNELS)


def regressor(**params):
    return SubquantileRegressor(**{"contamination": 0.2, "alpha": 0.3, **params})


# --- order of rows and columns ---------------------------------------------------------------


@each_kernel
@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_order_of_rows_is_immaterial(kernel, contamination, rng):
    X, y, _ = corrupted(200)
    order = rng.permutation(200)
    model = regressor(kernel=kernel, contamination=contamination).fit(X, y)
    shuffled = regressor(kernel=kernel, contamination=contamination).fit(X[order], y[order])
    assert_close(shuffled.predict(X), model.predict(X), 1e-8, np.abs(model.predict(X)).max())
    np.testing.assert_array_equal(shuffled.inlier_mask_, model.inlier_mask_[order])
    np.testing.assert_allclose(
        shuffled.outlier_scores_, model.outlier_scores_[order], rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_order_of_rows_is_immaterial_where_the_search_takes_a_sample(contamination, rng):
    X, y, _ = corrupted(650)
    order = rng.permutation(650)
    model = regressor(contamination=contamination).fit(X, y)
    shuffled = regressor(contamination=contamination).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.inlier_mask_, model.inlier_mask_[order])
    assert_close(shuffled.predict(X), model.predict(X), 1e-5)


@each_kernel
def test_order_of_columns_is_immaterial(kernel, rng):
    X, y, _ = corrupted(150)
    order = [2, 0, 3, 1]
    model = regressor(kernel=kernel).fit(X, y)
    shuffled = regressor(kernel=kernel).fit(X[:, order], y)
    np.testing.assert_array_equal(shuffled.inlier_mask_, model.inlier_mask_)
    assert_close(shuffled.predict(X[:, order]), model.predict(X), 1e-8)


def test_order_of_outputs_is_immaterial():
    X, y, bad = grossly_corrupted(120)
    Y = np.column_stack([y, np.where(bad, 5.0, X[:, 0])])
    model, swapped = regressor().fit(X, Y), regressor().fit(X, Y[:, ::-1])
    np.testing.assert_array_equal(swapped.inlier_mask_, model.inlier_mask_)
    assert_close(swapped.predict(X)[:, ::-1], model.predict(X), 1e-8)


# --- weights are copies ----------------------------------------------------------------------


@each_kernel
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("trimmed", [False, True])
def test_weights_are_copies(kernel, seed, trimmed):
    X, y, bad = grossly_corrupted(75, seed=seed)
    weights = np.random.default_rng(seed).integers(1, 4, 75)
    contamination = weights[bad].sum() / weights.sum() if trimmed else 0
    assert_weights_are_copies(regressor(kernel=kernel, contamination=contamination), X, y, weights)


@pytest.mark.parametrize("gamma", ["median", "scale"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential"])
def test_weights_are_copies_for_the_kernel_scale(gamma, kernel):
    """The many copies are of rows near the origin, which makes the median distance smaller."""
    X, y, bad = grossly_corrupted(75)
    weights = np.where((X**2).sum(axis=1) < 2, 5, 1)
    contamination = weights[bad].sum() / weights.sum()
    model = regressor(kernel=kernel, gamma=gamma, contamination=contamination)
    assert_weights_are_copies(model, X, y, weights)
    plain = clone(model).fit(X, y).kernel_.gamma
    assert clone(model).fit(X, y, sample_weight=weights).kernel_.gamma > plain


def test_part_of_the_boundary_row_is_kept():
    X, y, _ = grossly_corrupted(60)
    model = regressor(contamination=37 / 180).fit(X, y, sample_weight=np.full(60, 3))
    # 143 of 180 copies: 47 rows and two of the three copies of the next.
    assert model.inlier_mask_.sum() == 48
    model = regressor(contamination=38 / 180).fit(X, y, sample_weight=np.full(60, 3))
    assert model.inlier_mask_.sum() == 47


@pytest.mark.parametrize("solver", ["iterative", "gradient"])
def test_weights_are_copies_for_other_solvers(solver):
    X, y, _ = grossly_corrupted(60)
    weights = np.random.default_rng(1).integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    settings = {"solver": solver, "tol": 1e-10, "max_iter": 20000, "alpha": 1.0}
    weighted = regressor(**settings).fit(X, y, sample_weight=weights)
    repeated = regressor(**settings).fit(X[rows], y[rows])
    np.testing.assert_array_equal(weighted.inlier_mask_[rows], repeated.inlier_mask_)
    assert_close(weighted.predict(X), repeated.predict(X), 1e-4)


def test_weights_are_copies_with_several_outputs():
    X, y, bad = grossly_corrupted(75)
    Y = np.column_stack([y, np.where(bad, 5.0, X[:, 0])])
    weights = np.random.default_rng(2).integers(1, 4, 75)
    contamination = weights[bad].sum() / weights.sum()
    assert_weights_are_copies(regressor(contamination=contamination), X, Y, weights)


@pytest.mark.parametrize("smoothing", [0.5, 5.0])
def test_weights_are_copies_with_smoothing(smoothing):
    X, y, _ = grossly_corrupted(80)
    weights = np.random.default_rng(3).integers(1, 4, 80)
    rows = np.repeat(np.arange(80), weights)
    weighted = regressor(smoothing=smoothing, tol=1e-10).fit(X, y, sample_weight=weights)
    repeated = regressor(smoothing=smoothing, tol=1e-10).fit(X[rows], y[rows])
    assert_close(weighted.predict(X), repeated.predict(X), 1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_zero_weight_is_an_absent_row(kernel, contamination):
    X, y, _ = corrupted(120)
    present = np.random.default_rng(4).random(120) < 0.7
    with_zeros = regressor(kernel=kernel, contamination=contamination)
    with_zeros.fit(X, y, sample_weight=present.astype(float))
    without = regressor(kernel=kernel, contamination=contamination).fit(X[present], y[present])
    assert_close(with_zeros.predict(X), without.predict(X), 1e-9, np.abs(y).max())
    np.testing.assert_array_equal(with_zeros.inlier_mask_[present], without.inlier_mask_)
    np.testing.assert_allclose(with_zeros.outlier_scores_[present], without.outlier_scores_)
    assert not with_zeros.dual_coef_[~present].any()


def test_absent_rows_are_scored_all_the_same():
    X, y, bad = grossly_corrupted(120)
    weights = np.ones(120)
    weights[::3] = 0
    model = regressor().fit(X, y, sample_weight=weights)
    assert (model.outlier_scores_[bad] > model.outlier_scores_[~bad].max()).all()
    assert not model.inlier_mask_[bad].any()


def test_absent_rows_may_hold_anything_finite():
    X, y, _ = grossly_corrupted(80)
    weights = np.ones(80)
    weights[:20] = 0
    X_outlying, y_outlying = X.copy(), y.copy()
    X_outlying[:20], y_outlying[:20] = 1e12, -1e12
    for kernel in ("rbf", "linear"):
        tame = regressor(kernel=kernel).fit(X[20:], y[20:])
        feature_outlier = regressor(kernel=kernel).fit(
            X_outlying, y_outlying, sample_weight=weights
        )
        assert_close(feature_outlier.predict(X[20:]), tame.predict(X[20:]), 1e-9, 30)
        assert np.isfinite(feature_outlier.outlier_scores_).all()


def test_zero_weight_in_a_precomputed_kernel():
    X, y, _ = grossly_corrupted(80)
    K = X @ X.T + 1
    weights = np.ones(80)
    weights[:20] = 0
    with_zeros = regressor(kernel="precomputed").fit(K, y, sample_weight=weights)
    without = regressor(kernel="precomputed").fit(K[20:, 20:], y[20:])
    assert_close(with_zeros.predict(K[20:]), without.predict(K[20:, 20:]), 1e-9, 30)


def test_weights_of_one_are_no_weights():
    X, y, _ = corrupted(100)
    plain, weighted = regressor().fit(X, y), regressor().fit(X, y, sample_weight=np.ones(100))
    assert_same_fit(weighted, plain, X, tol=0)
    scalar = regressor().fit(X, y, sample_weight=1)
    assert_same_fit(scalar, plain, X, tol=0)


@pytest.mark.parametrize("factor", [1e-6, 0.1, 50.0, 1e6])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_common_factor_of_weights_and_alpha_is_immaterial(factor, kernel):
    X, y, _ = grossly_corrupted(120)
    plain = regressor(kernel=kernel, gamma=0.2).fit(X, y)
    scaled = regressor(kernel=kernel, gamma=0.2, alpha=0.3 * factor)
    scaled.fit(X, y, sample_weight=np.full(120, factor))
    assert_same_fit(scaled, plain, X, tol=1e-8)


# --- units of targets and features -----------------------------------------------------------


@each_kernel
@pytest.mark.parametrize("shift", [-3.0, 1e4])
def test_shifted_targets_shift_the_predictions(kernel, shift):
    X, y, _ = corrupted(150)
    model, moved = regressor(kernel=kernel).fit(X, y), regressor(kernel=kernel).fit(X, y + shift)
    np.testing.assert_array_equal(moved.inlier_mask_, model.inlier_mask_)
    assert_close(moved.predict(X) - shift, model.predict(X), 1e-8, 10 + abs(shift))


@each_kernel
@pytest.mark.parametrize("factor", [-1.0, 1e-8, 1e8])
def test_scaled_targets_scale_the_predictions(kernel, factor):
    X, y, _ = corrupted(150)
    model = regressor(kernel=kernel).fit(X, y)
    scaled = regressor(kernel=kernel).fit(X, factor * y)
    np.testing.assert_array_equal(scaled.inlier_mask_, model.inlier_mask_)
    assert_close(scaled.predict(X) / factor, model.predict(X), 1e-8, 10)
    np.testing.assert_allclose(scaled.outlier_scores_, model.outlier_scores_, rtol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential", "rational_quadratic"])
@pytest.mark.parametrize("factor", [1e-5, 1e5])
def test_unit_of_the_features_is_immaterial_at_the_median_scale(kernel, factor):
    X, y, _ = corrupted(150)
    model, scaled = regressor(kernel=kernel).fit(X, y), regressor(kernel=kernel).fit(factor * X, y)
    np.testing.assert_array_equal(scaled.inlier_mask_, model.inlier_mask_)
    assert_close(scaled.predict(factor * X), model.predict(X), 1e-7, 10)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "exponential"])
def test_origin_of_the_features_is_immaterial_with_an_intercept(kernel):
    X, y, _ = corrupted(150)
    model, moved = regressor(kernel=kernel).fit(X, y), regressor(kernel=kernel).fit(X + 1000, y)
    np.testing.assert_array_equal(moved.inlier_mask_, model.inlier_mask_)
    assert_close(moved.predict(X + 1000), model.predict(X), 1e-6, 10)


# --- repetition ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "solver"),
    [("linear", "exact"), ("rbf", "exact"), ("rbf", "iterative"), ("laplacian", "iterative")],
)
def test_number_of_threads_is_immaterial(kernel, solver):
    X, y, _ = grossly_corrupted(400)
    one, two = (regressor(kernel=kernel, solver=solver, n_jobs=n).fit(X, y) for n in (1, 2))
    assert_same_fit(two, one, X, tol=1e-6)


@pytest.mark.parametrize(
    "params",
    [{"n_starts": 9}, {"solver": "gradient", "init": "random", "max_iter": 4000}],
    ids=["starts", "gradient"],
)
@pytest.mark.parametrize("seed", [0, np.random.RandomState(3)], ids=["int", "RandomState"])
def test_same_random_state_same_fit(params, seed):
    X, y, _ = grossly_corrupted(80)
    model = regressor(random_state=seed, **params)
    one, two = clone(model).fit(X, y), clone(model).fit(X, y)
    assert_same_fit(two, one, X, tol=0)


def test_other_random_state_other_random_start():
    X, y, _ = corrupted(80)
    one, two = (
        regressor(solver="gradient", init="random", random_state=seed, max_iter=4000).fit(X, y)
        for seed in (0, 1)
    )
    assert one.objective_path_[0] != two.objective_path_[0]


def test_default_fit_draws_nothing_at_random():
    X, y, _ = corrupted(100)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two = SubquantileRegressor(random_state=0), SubquantileRegressor(random_state=1)
    assert_same_fit(one.fit(X, y), two.fit(X, y), X, tol=0)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("solver", ["exact", "iterative", "gradient"])
def test_inputs_are_left_alone(kernel, solver):
    X, y, _ = grossly_corrupted(60)
    X = X @ X.T if kernel == "precomputed" else X
    weights = np.linspace(0.0, 2.0, 60)
    copies = X.copy(), y.copy(), weights.copy()
    model = regressor(kernel=kernel, solver=solver, max_iter=5000)
    model.fit(X, y, sample_weight=weights)
    model.predict(X)
    model.diagnostics()
    model.leave_one_out_residuals()
    for now, before in zip((X, y, weights), copies, strict=True):
        np.testing.assert_array_equal(now, before)


def test_predicting_and_diagnosing_leave_the_estimator_alone():
    X, y, _ = corrupted(60)
    model = regressor().fit(X, y)
    before = pickle.dumps(model)
    model.predict(X)
    model.score(X, y)
    model.diagnostics()
    model.leave_one_out_residuals()
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
def test_pickled_model_predicts_the_same(kernel):
    X, y, _ = corrupted(60)
    model = regressor(kernel=kernel).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_same_fit(again, model, X, tol=0)
    assert again.get_params() == model.get_params()


def test_clone_is_unfitted_with_the_same_parameters():
    X, y, _ = corrupted(60)
    model = regressor(kernel="poly", degree=2, norm_bound=3.0).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "dual_coef_")


def test_second_fit_equals_a_first_one():
    X, y, _ = corrupted(80)
    X_other, y_other = smooth(50, n_features=3, seed=1)
    used = regressor().fit(X_other, np.column_stack([y_other, y_other]))
    assert_same_fit(used.fit(X, y), regressor().fit(X, y), X, tol=0)
