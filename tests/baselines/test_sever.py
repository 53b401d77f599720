"""SEVER: its gradients are those of the losses, and the rows that stand out go first."""

import numpy as np
import pytest

from baselines.cases import linear_problem
from estimators.cases import assert_close, blobs, flipped, grossly_corrupted
from naive import newton as naive_newton
from naive import sever as naive
from properties.problems import fractional_weights, labelled_problem, rbf, root, smooth_problem
from untaint.baselines import SeverClassifier, SeverRegressor
from untaint.baselines.sever import gradient_scores
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_primal import PrimalRidge

pytestmark = pytest.mark.filterwarnings("error")


# --- scores ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [20, 70])  # all directions at once, and one by iteration
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weigh", [np.ones, None], ids=["equal", "fractional"])
def test_scores_are_projections_of_the_written_out_gradients(rng, n, outputs, fit_intercept, weigh):
    K, y = smooth_problem(rng, n, outputs=outputs)
    slopes = SquaredLoss().gradient(y, rng.normal(size=y.shape))
    weights = np.ones(n) if weigh else fractional_weights(rng, n)
    found = gradient_scores(ExactRidge(K, fit_intercept), slopes, weights, fit_intercept)
    features = naive.explicit_features(K, fit_intercept)
    expected = naive.projections(naive.gradient_vectors(features, slopes), weights)
    assert_close(found, expected, 1e-4, expected.max())
    np.testing.assert_array_equal(np.argsort(-found)[:3], np.argsort(-expected)[:3])


@pytest.mark.parametrize("n", [20, 70])
def test_primal_and_dual_scores_agree(rng, n):
    K, y = smooth_problem(rng, n)
    slopes = y - y.mean()
    weights = np.ones(n)
    dual = gradient_scores(ExactRidge(K), slopes, weights, True)
    primal = gradient_scores(PrimalRidge(root(K)), slopes, weights, True)
    assert_close(primal, dual, 1e-5, dual.max())


@pytest.mark.parametrize("n", [20, 70])
def test_scores_follow_a_permutation(rng, n):
    K, y = smooth_problem(rng, n)
    order, weights = rng.permutation(n), fractional_weights(rng, n)
    found = gradient_scores(ExactRidge(K), y, weights, True)
    moved = gradient_scores(ExactRidge(K[np.ix_(order, order)]), y[order], weights[order], True)
    assert_close(moved, found[order], 1e-4, found.max())


@pytest.mark.parametrize("n", [20, 70])
def test_scores_do_not_notice_a_shift_and_grow_with_the_square(rng, n):
    """Without features but the intercept's, a gradient is its slope."""
    slopes = rng.normal(size=(n, 1))
    system, weights = ExactRidge(np.zeros((n, n))), np.ones(n)
    found = gradient_scores(system, slopes, weights, True)
    np.testing.assert_allclose(found, (slopes[:, 0] - slopes.mean()) ** 2, rtol=1e-9)
    shifted = gradient_scores(system, slopes + 5.0, weights, True)
    np.testing.assert_allclose(shifted, found, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(gradient_scores(system, 3 * slopes, weights, True), 9 * found)


@pytest.mark.parametrize("n", [20, 70])
def test_a_fit_without_errors_has_no_suspects(n):
    assert not gradient_scores(ExactRidge(np.eye(n)), np.zeros((n, 2)), np.ones(n), True).any()


@pytest.mark.parametrize("n", [20, 70])
@pytest.mark.parametrize("size", [1e-120, 1e-200, 1e120])
def test_scores_of_slopes_of_any_size(rng, n, size):
    K, y = smooth_problem(rng, n)
    found = gradient_scores(ExactRidge(K), size * y, np.ones(n), True)
    assert np.isfinite(found).all()


# --- against the slow one --------------------------------------------------------------------


@pytest.mark.parametrize("n_rounds", [1, 2, 4])
@pytest.mark.parametrize("contamination", [0.1, 0.23])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_regressor_removes_what_the_slow_one_removes(
    n_rounds, contamination, kernel, fit_intercept
):
    X, y, _ = grossly_corrupted(60, seed=3)
    K = rbf(X, 0.3) if kernel == "rbf" else X @ X.T
    history, predictions = naive.sever(
        K,
        y[:, None],
        contamination,
        n_rounds,
        naive.ridge_fit(K, y[:, None], 0.7, fit_intercept),
        SquaredLoss().gradient,
        fit_intercept,
    )
    model = SeverRegressor(
        contamination=contamination,
        n_rounds=n_rounds,
        kernel=kernel,
        gamma=0.3,
        alpha=0.7,
        fit_intercept=fit_intercept,
    ).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(model.inlier_mask_), history[-1])
    assert_close(model.predict(X), predictions[:, 0], 1e-7, np.abs(y).max())
    assert model.contamination_ == pytest.approx(1 - len(history[-1]) / 60)


@pytest.mark.parametrize("classes", [2, 3])
def test_classifier_removes_what_the_slow_one_removes(classes):
    K, y = labelled_problem(np.random.default_rng(2), 30, classes)
    loss = LogisticLoss() if classes == 2 else SoftmaxLoss()

    def fit(weights):
        return naive_newton.minimiser(loss, K, y, weights, 0.5)[0]

    history, predictions = naive.sever(K, y, 0.2, 2, fit, loss.gradient)
    codes = y[:, 0].astype(int) if classes == 2 else y.argmax(axis=1)
    model = SeverClassifier(
        contamination=0.2, n_rounds=2, kernel="precomputed", alpha=0.5, tol=1e-9
    ).fit(K, codes)
    np.testing.assert_array_equal(np.flatnonzero(model.inlier_mask_), history[-1])
    centred = predictions - predictions.mean(axis=1, keepdims=True) * (classes > 2)
    found = np.reshape(model.decision_function(K), y.shape)
    found = found - found.mean(axis=1, keepdims=True) * (classes > 2)
    assert_close(found, centred, 1e-4)


def test_several_outputs_share_one_direction():
    X, y, _ = grossly_corrupted(50, seed=1)
    Y = np.column_stack([y, np.cos(X[:, 0])])
    K = rbf(X, 0.3)
    history, _ = naive.sever(K, Y, 0.2, 2, naive.ridge_fit(K, Y, 1.0), SquaredLoss().gradient)
    model = SeverRegressor(contamination=0.2, n_rounds=2, gamma=0.3).fit(X, Y)
    np.testing.assert_array_equal(np.flatnonzero(model.inlier_mask_), history[-1])


# --- what it is for --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [2, 12])
def test_planted_gradients_along_one_direction_leave_in_the_first_round(seed, count):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4))
    y = X @ rng.normal(size=4) + 0.3 * rng.normal(size=120)
    bad = np.zeros(120, dtype=bool)
    bad[rng.choice(120, count, replace=False)] = True
    X[bad] = [8.0, 0.0, 0.0, 0.0] + 0.1 * rng.normal(size=(count, 4))
    y[bad] = np.resize([-200.0, 200.0], count)  # no fit can follow both
    model = SeverRegressor(contamination=count / 120, n_rounds=1, kernel="linear").fit(X, y)
    np.testing.assert_array_equal(~model.inlier_mask_, bad)
    assert model.n_iter_ == 2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("contamination", [0.05, 0.1])
def test_gross_errors_are_removed(seed, contamination):
    X, y, coef, _, bad = linear_problem(seed, n=150, contamination=contamination, noise=0.1)
    y[bad] += np.sign(y[bad]) * 100.0
    model = SeverRegressor(contamination=contamination + 0.05, kernel="linear", alpha=0.01).fit(
        X, y
    )
    assert not model.inlier_mask_[bad].any()
    assert_close(model.coef_, coef, 0.05)


@pytest.mark.parametrize("seed", range(3))
def test_wrong_labels_are_removed(seed):
    X, y = blobs([60, 60], distance=6.0, seed=seed)
    labels, bad = flipped(y, 0.1, seed=seed)
    model = SeverClassifier(contamination=0.1, kernel="linear").fit(X, labels)
    np.testing.assert_array_equal(~model.inlier_mask_, bad)
    assert (model.predict(X) == y).mean() > 0.98


@pytest.mark.parametrize("n_rounds", [1, 3, 7])
def test_rows_leave_in_equal_parts_and_never_return(n_rounds):
    X, y, _ = grossly_corrupted(70, seed=5)
    model = SeverRegressor(contamination=0.3, n_rounds=n_rounds).fit(X, y)
    assert model.n_iter_ == len(model.objective_path_) == n_rounds + 1
    assert (~model.inlier_mask_).sum() == 21
    assert (np.diff(model.objective_path_) <= 1e-9 * model.objective_path_[0]).all()


@pytest.mark.parametrize("n_rounds", [1, 4])
def test_classifier_objective_never_rises(n_rounds):
    X, y = blobs([40, 40, 40], distance=3.0)
    labels, _ = flipped(y, 0.2)
    model = SeverClassifier(contamination=0.2, n_rounds=n_rounds).fit(X, labels)
    assert model.n_iter_ == len(model.objective_path_) == n_rounds + 1
    assert (np.diff(model.objective_path_) <= 1e-5 * model.objective_path_[0]).all()


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_rare_class_may_be_removed_altogether(count, kernel):
    rng = np.random.default_rng(0)
    y = np.zeros(60, dtype=int)
    y[:count] = 1
    X = rng.normal(size=(60, 2)) + 3.0 * y[:, None]
    model = SeverClassifier(contamination=0.1, kernel=kernel).fit(X, y)
    assert not model.inlier_mask_[:count].any()
    assert (model.predict(X) == 0).all()
    assert np.isfinite(model.decision_function(X)).all()
