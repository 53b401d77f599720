"""Ways to the same fit: plain ones, other kernels, containers, weights, orders, solvers."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier

from baselines.cases import (
    CLASSIFIERS,
    EVERY,
    KERNEL_REGRESSORS,
    LINEAR,
    REGRESSORS,
    TRIMMERS,
    linear_problem,
    name,
    problem_of,
    quietly,
)
from estimators.cases import assert_close, assert_same_fit, blobs, flipped, grossly_corrupted, raw
from untaint import SubquantileClassifier, SubquantileRegressor
from untaint.baselines import (
    ConsistentRegressor,
    HardThresholdRegressor,
    SeverClassifier,
    SeverRegressor,
    TiltedClassifier,
    TiltedRegressor,
)

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

each = pytest.mark.parametrize("model", EVERY, ids=name)
each_kernel_learner = pytest.mark.parametrize("model", [*KERNEL_REGRESSORS, *CLASSIFIERS], ids=name)


def set_tight(model):
    """As accurate as the model's kind allows."""
    if isinstance(model, SeverRegressor | SeverClassifier):
        return clone(model).set_params(tol=1e-10)
    if isinstance(model, TiltedRegressor | TiltedClassifier):
        return clone(model).set_params(tol=1e-10, max_iter=5000)
    return clone(model).set_params(max_iter=20000)


# --- nothing wrong: the plain fit ------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weigh", [False, True])
def test_without_trimming_it_is_kernel_ridge(kernel, fit_intercept, weigh):
    X, y, _ = grossly_corrupted(70)
    weights = np.random.default_rng(0).random(70) if weigh else None
    shared = {"kernel": kernel, "fit_intercept": fit_intercept, "alpha": 0.3}
    plain = SubquantileRegressor(contamination=0, **shared).fit(X, y, sample_weight=weights)
    for model in (SeverRegressor(contamination=0, **shared), TiltedRegressor(tilt=0, **shared)):
        model.fit(X, y, sample_weight=weights)
        assert_close(model.predict(X), plain.predict(X), 1e-9, np.abs(y).max())
        assert_close(model.dual_coef_, plain.dual_coef_, 1e-8, np.abs(plain.dual_coef_).max())
        assert model.objective_path_[-1] == pytest.approx(plain.objective_path_[-1])
        assert model.converged_


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("classes", [2, 3])
def test_without_trimming_it_is_kernel_logistic_regression(kernel, classes):
    X, y = blobs([25] * classes, distance=2.0)
    shared = {"kernel": kernel, "alpha": 0.3, "tol": 1e-9}
    plain = SubquantileClassifier(contamination=0, **shared).fit(X, y)
    for model in (SeverClassifier(contamination=0, **shared), TiltedClassifier(tilt=0, **shared)):
        assert_close(model.fit(X, y).predict_proba(X), plain.predict_proba(X), 1e-6)
        assert model.objective_path_[-1] == pytest.approx(plain.objective_path_[-1], rel=1e-7)


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_trimming_it_is_linear_ridge(alpha, fit_intercept):
    X, y, _, _, _ = linear_problem(0, n=60, noise=0.3)
    shared = {"alpha": alpha, "fit_intercept": fit_intercept}
    plain = SubquantileRegressor(contamination=0, kernel="linear", **shared).fit(X, y)
    for model in (
        HardThresholdRegressor(contamination=0, **shared),
        HardThresholdRegressor(contamination=0, step="hybrid", **shared),
        ConsistentRegressor(contamination=0, **shared),
    ):
        assert_close(model.fit(X, y).coef_, plain.coef_, 1e-9, np.abs(y).max())
        assert model.intercept_ == pytest.approx(plain.intercept_, abs=1e-8)
        assert model.inlier_mask_.all()
        assert model.contamination_ == 0
    slow = HardThresholdRegressor(
        contamination=0, step="gradient", max_iter=50000, tol=1e-15, **shared
    ).fit(X, y)
    assert_close(slow.coef_, plain.coef_, 1e-5, np.abs(y).max())


def test_corrections_end_at_the_trimmed_fit_of_our_own_estimator():
    X, y, _, _, _ = linear_problem(0, n=120, contamination=0.2, noise=0.3)
    ours = SubquantileRegressor(contamination=0.2, kernel="linear", alpha=0.5).fit(X, y)
    torrent = HardThresholdRegressor(contamination=0.2, alpha=0.5).fit(X, y)
    assert_same_fit(torrent, ours, X)
    assert torrent.loss_threshold_ == pytest.approx(ours.loss_threshold_)
    np.testing.assert_allclose(torrent.outlier_scores_, ours.outlier_scores_, rtol=1e-6)


# --- kernels and containers ------------------------------------------------------------------


@each_kernel_learner
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_linear_kernel_by_columns_and_by_its_matrix(model, fit_intercept):
    X, y, _ = problem_of(model)
    X += np.array([1.0, -0.5, 0.0])
    model = set_tight(model).set_params(fit_intercept=fit_intercept)
    by_columns = clone(model).set_params(kernel="linear").fit(X, y)
    by_matrix = clone(model).set_params(kernel="precomputed").fit(X @ X.T, y)
    np.testing.assert_array_equal(by_columns.inlier_mask_, by_matrix.inlier_mask_)
    expected = raw(by_matrix, X @ X.T)
    assert_close(raw(by_columns, X), expected, 1e-5, np.abs(expected).max())


@each_kernel_learner
def test_named_kernel_and_its_matrix(model):
    X, y, _ = problem_of(model)
    named = set_tight(model).set_params(gamma=0.2).fit(X, y)
    K = named.kernel_.matrix(X)
    given = set_tight(model).set_params(kernel="precomputed").fit(K, y)
    np.testing.assert_array_equal(named.inlier_mask_, given.inlier_mask_)
    assert_close(raw(given, K), raw(named, X), 1e-7, np.abs(raw(named, X)).max())


@each
@pytest.mark.parametrize("container", [sp.csr_matrix, sp.coo_array, np.asfortranarray])
def test_sparse_rows_are_dense_rows(model, container):
    X, y, _ = problem_of(model)
    X[np.abs(X) < 0.5] = 0.0
    dense = quietly(set_tight(model), X, y)
    other = quietly(set_tight(model), container(X), y)
    np.testing.assert_array_equal(other.inlier_mask_, dense.inlier_mask_)
    # A gradient step's way depends on where the rows are centred; its end does not.
    tol = 1e-4 if "gradient" in repr(model) else 1e-6
    assert_close(raw(other, X), raw(dense, X), tol, np.abs(raw(dense, X)).max())
    assert_close(raw(dense, container(X)), raw(dense, X), 1e-12, np.abs(raw(dense, X)).max())


@each
def test_linear_kernel_of_sparse_rows_is_that_of_dense_ones(model):
    X, y, _ = problem_of(model)
    X[np.abs(X) < 0.5] = 0.0
    model = set_tight(model)
    if "kernel" in model.get_params():
        model.set_params(kernel="linear")
    dense, other = quietly(clone(model), X, y), quietly(clone(model), sp.csr_matrix(X), y)
    np.testing.assert_array_equal(other.inlier_mask_, dense.inlier_mask_)
    tol = 1e-4 if "gradient" in repr(model) else 1e-6
    assert_close(raw(other, X), raw(dense, X), tol, np.abs(raw(dense, X)).max())


@each
def test_single_precision_keeps_its_type_and_nearly_its_fit(model):
    X, y, _ = problem_of(model)
    double = quietly(clone(model), X, y)
    targets = y if is_classifier(model) else y.astype(np.float32)
    single = quietly(clone(model), X.astype(np.float32), targets)
    assert raw(single, X.astype(np.float32)).dtype == np.float32
    assert single.X_fit_.dtype == np.float32
    assert single.dual_coef_.dtype == np.float64
    np.testing.assert_array_equal(single.inlier_mask_, double.inlier_mask_)
    scale = np.abs(raw(double, X)).max()
    assert_close(raw(single, X.astype(np.float32)), raw(double, X), 2e-3, scale)


# --- rows ------------------------------------------------------------------------------------


@each
def test_weights_are_copies(model):
    X, y, _ = problem_of(model, n=60)
    weights = np.random.default_rng(1).integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    model = set_tight(model)
    weighted = quietly(clone(model), X, y, sample_weight=weights)
    repeated = quietly(clone(model), X[rows], y[rows])
    np.testing.assert_array_equal(weighted.inlier_mask_[rows], repeated.inlier_mask_)
    scale = np.abs(raw(repeated, X)).max()
    assert_close(raw(weighted, X), raw(repeated, X), 1e-6, scale)
    assert weighted.contamination_ == pytest.approx(repeated.contamination_)
    assert weighted.loss_threshold_ == pytest.approx(repeated.loss_threshold_, rel=1e-4)
    assert_close(weighted.outlier_scores_[rows], repeated.outlier_scores_, 1e-4, 100)
    assert weighted.objective_path_[-1] == pytest.approx(repeated.objective_path_[-1], rel=1e-6)


@each
def test_rows_of_weight_zero_are_scored_but_have_no_influence(model):
    X, y, _ = problem_of(model)
    weights = np.ones(80)
    weights[[1, 11, 40]] = 0.0
    present = weights > 0
    model = set_tight(model)
    whole = quietly(clone(model), X, y, sample_weight=weights)
    without = quietly(clone(model), X[present], y[present])
    assert_close(raw(whole, X), raw(without, X), 1e-7, np.abs(raw(without, X)).max())
    np.testing.assert_array_equal(whole.inlier_mask_[present], without.inlier_mask_)
    assert_close(whole.outlier_scores_[present], without.outlier_scores_, 1e-6, 100)
    assert np.isfinite(whole.outlier_scores_).all()
    assert not whole.dual_coef_[~present].any()
    assert whole.loss_threshold_ == pytest.approx(without.loss_threshold_, rel=1e-6)


@each
def test_order_of_the_rows_is_immaterial(model):
    X, y, _ = problem_of(model)
    order = np.random.default_rng(2).permutation(80)
    model = set_tight(model)
    one, other = quietly(clone(model), X, y), quietly(clone(model), X[order], y[order])
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_[order])
    assert_close(raw(other, X), raw(one, X), 1e-6, np.abs(raw(one, X)).max())
    assert_close(other.outlier_scores_, one.outlier_scores_[order], 1e-5, 100)


@each
def test_same_rows_same_fit(model):
    X, y, _ = problem_of(model)
    one, other = quietly(clone(model), X, y), quietly(clone(model), X, y)
    np.testing.assert_array_equal(raw(one, X), raw(other, X))
    np.testing.assert_array_equal(one.objective_path_, other.objective_path_)


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
def test_shifted_targets_shift_the_fit(model):
    X, y, _ = problem_of(model)
    model = set_tight(model)
    one, other = quietly(clone(model), X, y), quietly(clone(model), X, y + 1e3)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close(other.predict(X) - 1e3, one.predict(X), 1e-4)


@pytest.mark.parametrize("model", LINEAR, ids=name)
def test_scaled_targets_scale_the_fit(model):
    X, y, _ = problem_of(model)
    model = set_tight(model)
    one, other = quietly(clone(model), X, y), quietly(clone(model), X, 1e5 * y)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close(other.predict(X) / 1e5, one.predict(X), 1e-5)
    assert_close(other.outlier_scores_, one.outlier_scores_, 1e-4, 100)


# --- outputs ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        SeverRegressor(contamination=0),
        TiltedRegressor(tilt=0),
        HardThresholdRegressor(contamination=0),
        ConsistentRegressor(contamination=0),
    ],
    ids=name,
)
def test_several_outputs_are_each_output_without_trimming(model):
    X, y, _ = problem_of(model)
    Y = np.column_stack([y, np.sin(X[:, 0]), 100 * X[:, 1]])
    together = clone(model).fit(X, Y)
    assert together.predict(X).shape == (80, 3)
    for j in range(3):
        alone = clone(model).fit(X, Y[:, j])
        assert_close(together.predict(X)[:, j], alone.predict(X), 1e-8, 100)


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
def test_the_same_output_twice_is_that_output(model):
    X, y, _ = problem_of(model)
    model = set_tight(model)
    if isinstance(model, TiltedRegressor):
        model.set_params(tilt=-0.5)
    twice = quietly(clone(model), X, np.column_stack([y, y]))
    if isinstance(model, TiltedRegressor):
        # Losses are twice as large, but so is not the tilt.
        model.set_params(tilt=-1.0)
    once = quietly(clone(model), X, y)
    scale = np.abs(once.predict(X)).max()
    assert_close(twice.predict(X), np.column_stack([once.predict(X)] * 2), 1e-5, scale)


# --- many rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [601, 700])
@each_kernel_learner
def test_iterative_and_exact_solvers_agree(model, n, set_sizes):
    if is_classifier(model):
        X, y = blobs([n // 2, n - n // 2], distance=5.0)
        y, _ = flipped(y, 0.1)
    else:
        X, y, _ = grossly_corrupted(n, contamination=0.1)
    model = clone(model).set_params(tol=1e-9, gamma=0.2)
    iterated = clone(model).fit(X, y)
    set_sizes(exact_rows=10_000)
    exact = clone(model).fit(X, y)
    np.testing.assert_array_equal(iterated.inlier_mask_, exact.inlier_mask_)
    assert_close(raw(iterated, X), raw(exact, X), 1e-4, np.abs(raw(exact, X)).max())


@pytest.mark.parametrize("model", TRIMMERS, ids=name)
def test_the_trimmed_fraction_is_the_one_asked_for(model):
    X, y, _ = problem_of(model)
    for contamination, rows in ((0.1, 8), (0.11, 9), (0.25, 20), (0, 0)):
        fit = quietly(clone(model).set_params(contamination=contamination), X, y)
        assert (~fit.inlier_mask_).sum() == rows
        assert fit.contamination_ == pytest.approx(rows / 80)
