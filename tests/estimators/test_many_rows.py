"""Very many rows: a fit that begins with a part of them finds what a fit to all would find."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

from estimators.cases import assert_close, flipped_blobs, grossly_corrupted, raw, rmse, smooth
from untaint import (
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
)

# More than a subsample has, and few components: a fit takes about a second.
N = 25_000
PARAMS = {"approximation": "nystroem", "n_components": 60, "gamma": 0.15, "random_state": 0}
# The same machinery on fewer rows, where the subsample has 2,000 of them.
FEWER = 6000


@pytest.fixture
def small_subsample(set_sizes):
    set_sizes(subsample_rows=2000)


few = pytest.mark.usefixtures("small_subsample")


def labelled(n, seed=0, distance=5.0):
    return flipped_blobs([n // 2, n - n // 2], seed=seed, distance=distance)


# --- known and estimated contamination, full size --------------------------------------------


@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_regressor_flags_the_bad_rows_and_comes_near_the_oracle(contamination):
    X, y, bad = grossly_corrupted(N)
    new, truth = smooth(3000, seed=5)
    model = SubquantileRegressor(contamination=contamination, **PARAMS).fit(X, y)
    oracle = SubquantileRegressor(contamination=0, **PARAMS).fit(X[~bad], y[~bad])
    assert not model.inlier_mask_[bad].any()
    assert model.inlier_mask_[~bad].mean() > (0.9999 if contamination == 0.2 else 0.96)
    assert model.contamination_ == pytest.approx(0.2, abs=0.04)
    assert rmse(model, new, truth) < 1.02 * rmse(oracle, new, truth)
    assert model.outlier_scores_[bad].min() > np.quantile(model.outlier_scores_[~bad], 0.999)


@pytest.mark.parametrize("contamination", [0.15, "auto"])
def test_classifier_flags_the_wrong_labels_and_comes_near_the_oracle(contamination):
    X, labels, truth, bad = labelled(N)
    model = SubquantileClassifier(contamination=contamination, **PARAMS).fit(X, labels)
    oracle = SubquantileClassifier(contamination=0, **PARAMS).fit(X[~bad], labels[~bad])
    assert (~model.inlier_mask_)[bad].mean() > (0.95 if contamination == 0.15 else 0.6)
    assert model.inlier_mask_[~bad].mean() > 0.97
    low, high = model.contamination_interval_
    assert low <= 0.15 + 1e-9
    assert high >= 0.15 - 1e-9
    assert model.score(X, truth) > oracle.score(X, truth) - 0.003


# --- the linear kernel -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def plane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 5)) + np.array([0.0, 0.0, 3.0, 0.0, 1000.0])
    y = X @ [1.0, -2.0, 0.5, 0.0, 0.01] + 3.0 + 0.1 * rng.normal(size=N)
    bad = np.zeros(N, dtype=bool)
    bad[rng.choice(N, N // 5, replace=False)] = True
    y[bad] += 50.0 * rng.choice([-1.0, 1.0], bad.sum())
    return X, y, bad


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_many_rows_of_the_linear_kernel_are_ridge_regression(plane, fit_intercept):
    X, y, _ = plane
    model = SubquantileRegressor(
        kernel="linear", contamination=0, alpha=3.0, fit_intercept=fit_intercept
    ).fit(X, y)
    theirs = Ridge(alpha=3.0, fit_intercept=fit_intercept).fit(X, y)
    assert_close(model.coef_, theirs.coef_, 1e-3)
    assert_close(model.predict(X), theirs.predict(X), 1e-2)


def test_the_trimmed_linear_fit_is_ridge_regression_on_the_good_rows(plane):
    X, y, bad = plane
    model = SubquantileRegressor(kernel="linear", contamination=0.2).fit(X, y)
    np.testing.assert_array_equal(model.inlier_mask_, ~bad)
    theirs = Ridge(alpha=1.0).fit(X[~bad], y[~bad])
    assert_close(model.coef_, theirs.coef_, 1e-3)
    assert_close(model.predict(X), theirs.predict(X), 1e-3)
    # Coefficients of the rows are one way to make those of the columns.
    assert_close(X.T @ model.dual_coef_, model.coef_, 1e-3)


def test_linear_features_agree_with_the_fit_to_fewer_rows(plane, set_sizes):
    X, y, _ = plane
    model = SubquantileRegressor(kernel="linear", contamination=0.2)
    features = clone(model).fit(X, y)
    set_sizes(subsample_rows=10**9)
    primal = clone(model).fit(X, y)
    assert np.mean(features.inlier_mask_ != primal.inlier_mask_) < 1e-4
    assert_close(features.coef_, primal.coef_, 1e-3)


def test_many_rows_of_a_linear_classifier_are_logistic_regression(plane):
    X = plane[0] - [0.0, 0.0, 3.0, 0.0, 1000.0]
    labels = (X[:, 0] + np.random.default_rng(1).logistic(size=N) > 0).astype(int)
    model = SubquantileClassifier(kernel="linear", contamination=0, alpha=2.0).fit(X, labels)
    theirs = LogisticRegression(C=1 / 4.0, tol=1e-8).fit(X, labels)
    assert_close(model.coef_, theirs.coef_, 5e-3)
    assert_close(model.predict_proba(X), theirs.predict_proba(X), 5e-3)


def test_sparse_rows_of_the_linear_kernel_are_the_same(plane):
    X, y, _ = plane
    model = SubquantileRegressor(kernel="linear", contamination=0.2)
    dense = clone(model).fit(X[:, :4], y)
    sparse = clone(model).fit(sp.csr_array(X[:, :4]), y)
    assert_close(sparse.coef_, dense.coef_, 1e-3)


# --- starting from a subsample --------------------------------------------------------------


@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_a_fit_from_a_subsample_agrees_with_the_full_fit(contamination, set_sizes):
    X, y, _ = grossly_corrupted(FEWER, contamination=0.2 if contamination else 0.0)
    model = SubquantileRegressor(contamination=contamination, **PARAMS)
    whole = clone(model).fit(X, y)
    set_sizes(subsample_rows=2000)
    subsampled = clone(model).fit(X, y)
    assert subsampled.contamination_ == pytest.approx(whole.contamination_, abs=0.02)
    assert np.mean(subsampled.inlier_mask_ != whole.inlier_mask_) < 0.02
    # Landmarks come from the subsample: as far apart as two choices of landmarks.
    assert np.sqrt(np.mean((subsampled.predict(X) - whole.predict(X)) ** 2)) < 0.15


@pytest.mark.parametrize("sizes", [[3000, 3000], [2000, 2000, 2000]], ids=["binary", "3 classes"])
@pytest.mark.parametrize("contamination", [0, 0.15])
def test_labels_fitted_from_a_subsample_agree_with_the_full_fit(sizes, contamination, set_sizes):
    X, labels, _, _ = flipped_blobs(sizes, distance=5.0)
    model = SubquantileClassifier(contamination=contamination, **PARAMS)
    whole = clone(model).fit(X, labels)
    set_sizes(subsample_rows=2000)
    subsampled = clone(model).fit(X, labels)
    assert np.mean(subsampled.inlier_mask_ != whole.inlier_mask_) < 0.01
    assert np.mean(subsampled.predict(X) != whole.predict(X)) < 0.005


@pytest.mark.slow
@few
def test_several_outputs_of_many_rows():
    X, y, bad = grossly_corrupted(FEWER)
    Y = np.column_stack([y, X[:, 0], X[:, 1] ** 2])
    for contamination in (0.2, "auto"):
        model = SubquantileRegressor(contamination=contamination, **PARAMS).fit(X, Y)
        assert not model.inlier_mask_[bad].any()
        assert model.inlier_mask_[~bad].mean() > 0.9


@few
def test_a_weight_is_that_many_copies_up_to_the_choice_of_landmarks(rng):
    X, y, _ = grossly_corrupted(FEWER, contamination=0.0)
    copies = rng.integers(0, 4, FEWER)
    owner = np.repeat(np.arange(FEWER), copies)
    model = SubquantileRegressor(contamination=0, **PARAMS)
    weighted = clone(model).fit(X, y, sample_weight=copies)
    repeated = clone(model).fit(X[owner], y[owner])
    # Landmarks are drawn by weight, but not the very same ones.
    assert np.sqrt(np.mean((weighted.predict(X) - repeated.predict(X)) ** 2)) < 0.1


@few
def test_a_weight_is_that_many_copies_of_the_linear_kernel(rng):
    X, y, _ = grossly_corrupted(FEWER, contamination=0.0)
    copies = rng.integers(0, 4, FEWER)
    owner = np.repeat(np.arange(FEWER), copies)
    model = SubquantileRegressor(contamination=0, kernel="linear")
    weighted = clone(model).fit(X, y, sample_weight=copies)
    repeated = clone(model).fit(X[owner], y[owner])
    assert_close(weighted.coef_, repeated.coef_, 1e-4)


@pytest.mark.slow
@few
@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_rows_in_another_order_say_about_the_same(contamination, rng):
    X, y, _ = grossly_corrupted(FEWER)
    order = rng.permutation(FEWER)
    model = SubquantileRegressor(contamination=contamination, **PARAMS)
    one, other = clone(model).fit(X, y), clone(model).fit(X[order], y[order])
    assert np.mean(other.inlier_mask_ != one.inlier_mask_[order]) < 0.01
    assert np.sqrt(np.mean((other.predict(X) - one.predict(X)) ** 2)) < 0.1


@few
def test_bad_rows_at_a_regular_distance_are_no_trap():
    X, y = smooth(FEWER)
    bad = np.arange(FEWER) % 3 == 1
    y[bad] += 40.0
    model = SubquantileRegressor(contamination=0.34, **PARAMS).fit(X, y)
    assert not model.inlier_mask_[bad].any()


@few
def test_bad_rows_all_at_the_end_are_no_trap():
    X, y = smooth(FEWER)
    y[-1200:] += 40.0
    for contamination in (0.2, "auto"):
        model = SubquantileRegressor(contamination=contamination, **PARAMS).fit(X, y)
        assert not model.inlier_mask_[-1200:].any()
        assert model.inlier_mask_[:-1200].mean() > 0.95


@few
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_feature_outliers_are_found_and_do_no_harm(kernel):
    X, y = smooth(FEWER)
    new, truth = smooth(2000, seed=9)
    feature_outlier = np.arange(FEWER) % 20 == 7
    spoilt, params = X.copy(), PARAMS | {"kernel": kernel}
    spoilt[feature_outlier] *= 100.0
    clean = SubquantileRegressor(contamination=0, **params).fit(
        X[~feature_outlier], y[~feature_outlier]
    )
    model = SubquantileRegressor(**params).fit(spoilt, y)
    assert (~model.inlier_mask_)[feature_outlier].mean() > 0.95
    assert rmse(model, new, truth) < 1.05 * rmse(clean, new, truth)
    table = model.audit()
    worst = table["row"][: feature_outlier.sum()]
    assert np.mean(feature_outlier[worst]) > 0.95
    assert set(table["kind"][: feature_outlier.sum()]) <= {"features", "both"}


@few
@pytest.mark.parametrize("approximation", ["nystroem", "rff"])
def test_single_precision_rows_say_the_same(approximation):
    X, y, _ = grossly_corrupted(FEWER)
    model = SubquantileRegressor(contamination=0.2, **(PARAMS | {"approximation": approximation}))
    double = clone(model).fit(X, y)
    single = clone(model).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(single.inlier_mask_, double.inlier_mask_)
    found = single.predict(X.astype(np.float32))
    assert found.dtype == np.float32
    assert np.sqrt(np.mean((found - double.predict(X)) ** 2)) < 0.02


@few
def test_files_orders_and_sparse_rows_change_nothing(tmp_path):
    X, y, _ = grossly_corrupted(FEWER)
    X[X < 0] = 0.0
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    model = SubquantileRegressor(contamination=0.2, **PARAMS)
    expected = clone(model).fit(X, y)
    for other in (mapped, np.asfortranarray(X)):
        found = clone(model).fit(other, y)
        np.testing.assert_array_equal(found.inlier_mask_, expected.inlier_mask_)
        assert_close(found.predict(other), expected.predict(X), 1e-3)
    sparse = clone(model).fit(sp.csr_array(X), y)
    assert np.mean(sparse.inlier_mask_ != expected.inlier_mask_) < 0.01


@few
def test_waves_of_many_rows_follow_their_seed():
    X, y, bad = grossly_corrupted(FEWER)
    model = SubquantileRegressor(contamination=0.2, **(PARAMS | {"approximation": "rff"}))
    one, same = clone(model).fit(X, y), clone(model).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), same.predict(X))
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert np.abs(other.predict(X) - one.predict(X)).max() > 1e-3
    np.testing.assert_array_equal(other.inlier_mask_, ~bad)


@few
def test_fits_are_equal_without_a_seed_where_nothing_is_drawn():
    X, y, _ = grossly_corrupted(FEWER)
    model = SubquantileRegressor(contamination=0.2, **(PARAMS | {"random_state": None}))
    np.testing.assert_array_equal(
        clone(model).fit(X, y).predict(X), clone(model).fit(X, y).predict(X)
    )


@few
@pytest.mark.parametrize(
    "params", [{"smoothing": 2.0}, {"norm_bound": 1.0}, {"init": "zeros"}, {"init": "random"}],
    ids=str,
)  # fmt: skip
def test_other_ways_to_fit_many_rows_work(params):
    X, y, bad = grossly_corrupted(FEWER)
    model = SubquantileRegressor(contamination=0.2, **PARAMS, **params).fit(X, y)
    assert (~model.inlier_mask_)[bad].mean() > 0.99


@few
def test_rows_that_are_all_good_are_kept():
    X, y = smooth(FEWER)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SubquantileRegressor(**PARAMS).fit(X, y)
    assert model.inlier_mask_.mean() > 0.95


@few
def test_objective_falls_and_is_that_of_the_fit():
    X, y, _ = grossly_corrupted(FEWER)
    model = SubquantileRegressor(contamination=0.2, **PARAMS).fit(X, y)
    assert model.converged_
    assert len(model.objective_path_) == model.n_iter_
    assert (np.diff(model.objective_path_) <= 1e-6 * model.objective_path_[0]).all()
    losses = np.sort((y - model.predict(X)) ** 2)[: round(0.8 * FEWER)]
    K = model.kernel_.matrix(model.X_fit_)
    value = losses.sum() + model.dual_coef_ @ K @ model.dual_coef_
    assert value == pytest.approx(model.objective_path_[-1], rel=1e-2)


# --- scores and flags of rows ---------------------------------------------------------------


@few
@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_audit_of_many_rows(contamination):
    X, y, bad = grossly_corrupted(FEWER)
    model = SubquantileRegressor(contamination=contamination, **PARAMS).fit(X, y)
    table = model.audit()
    assert list(table.columns) == [
        "row", "score", "kept", "flagged", "q_value", "observed", "expected", "kind", "features"
    ]  # fmt: skip
    np.testing.assert_array_equal(np.sort(table["row"]), np.arange(FEWER))
    assert bad[table["row"][: bad.sum()]].all()
    np.testing.assert_array_equal(table["kept"], ~table["flagged"])
    np.testing.assert_array_equal(table["kept"], model.inlier_mask_[table["row"]])
    np.testing.assert_array_equal(table["observed"], y[table["row"]])
    good = ~bad[table["row"]]
    assert np.corrcoef(table["observed"][good], table["expected"][good])[0, 1] > 0.8
    for fdr in (0.01, 0.1):
        flagged = table["row"][model.audit(fdr=fdr)["flagged"]]
        assert set(np.flatnonzero(bad)) <= set(flagged)
        # As of few rows and an exact fit: a rough fit leaves more large residuals than it thinks.
        assert np.mean(~bad[flagged]) < fdr + 0.08


@few
def test_audit_of_many_labels():
    X, labels, truth, bad = labelled(FEWER)
    model = SubquantileClassifier(contamination=0.15, **PARAMS).fit(X, labels)
    table = model.audit()
    assert "suggested" in table.columns
    assert bad[table["row"][: bad.sum() // 2]].mean() > 0.95
    worst = table[: bad.sum() // 2]
    assert np.mean(worst["suggested"] == truth[worst["row"]]) > 0.95
    flagged = table["row"][model.audit(fdr=0.05)["flagged"]]
    assert np.mean(~bad[flagged]) < 0.1
    assert np.isin(np.flatnonzero(bad), flagged).mean() > 0.7


@few
def test_auditing_twice_says_the_same_twice():
    X, labels, _, _ = labelled(FEWER)
    model = SubquantileClassifier(contamination=0.15, **PARAMS).fit(X, labels)
    before = raw(model, X)
    one, other = model.audit(), model.audit()
    assert one.equals(other)
    np.testing.assert_array_equal(raw(model, X), before)


@few
def test_leave_one_out_residuals_of_many_rows_are_a_little_larger():
    X, y, bad = grossly_corrupted(FEWER)
    model = SubquantileRegressor(contamination=0.2, **PARAMS).fit(X, y)
    left, plain = model.leave_one_out_residuals(), y - model.predict(X)
    assert_close(left[bad], plain[bad], 1e-6, 50.0)
    ratio = left[~bad] / plain[~bad]
    assert (ratio >= 1.0).all()
    # Of 60 features to 4,800 rows.
    assert 1.001 < ratio.mean() < 1.05


@few
@pytest.mark.parametrize("estimator", [SubquantileRegressorCV, SubquantileClassifierCV])
def test_settings_are_chosen_for_many_rows(estimator):
    regressor = estimator is SubquantileRegressorCV
    if regressor:
        X, y, bad = grossly_corrupted(FEWER)
    else:
        X, y, _, bad = labelled(FEWER)
    model = estimator(
        approximation="nystroem", n_components=60, contamination=0.2 if regressor else 0.15,
        alphas=[0.3, 3.0], gammas=[0.05, 0.5], random_state=0,
    ).fit(X, y)  # fmt: skip
    assert model.alpha_ in (0.3, 3.0)
    assert (~model.inlier_mask_)[bad].mean() > 0.9
    assert len(model.cv_results_["params"]) == 4


@pytest.mark.parametrize("kind", [SubquantileRegressor, SubquantileClassifier])
def test_the_number_of_threads_changes_nothing(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21_000, 6))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=21_000)
    y[::7] += 9.0
    target = y if kind is SubquantileRegressor else y > 0.5
    # As many landmarks as several threads of BLAS would decompose otherwise than one.
    one, two = (
        kind(approximation="nystroem", n_components=300, contamination=0.15, n_jobs=n_jobs)
        .fit(X, target)
        .dual_coef_
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_a_part_of_the_subsample_estimates_what_all_of_it_does(set_sizes):
    X, y, bad = grossly_corrupted(FEWER)
    set_sizes(subsample_rows=4000, posterior_rows=10**9)
    whole = SubquantileRegressor(**PARAMS).fit(X, y)
    set_sizes(subsample_rows=4000, posterior_rows=1000)
    part = SubquantileRegressor(**PARAMS).fit(X, y)
    assert part.contamination_ == pytest.approx(whole.contamination_, abs=0.01)
    assert (part.inlier_mask_ == whole.inlier_mask_).mean() > 0.99
    assert_close(raw(part, X[~bad]), raw(whole, X[~bad]), 0.02)


@few
@pytest.mark.filterwarnings("ignore:SubquantileClassifier stopped")
@pytest.mark.parametrize("contamination", [0.0, 0.2])
def test_separable_classes_of_huge_values_are_separated(contamination):
    """Values so far out that all second derivatives vanish are no minimum."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(FEWER, 4))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 5.0, -5.0)
    X *= 1e6
    model = SubquantileClassifier(kernel="linear", contamination=contamination).fit(X, y)
    assert model.score(X, y) == 1.0
