"""TERM: a stationary point of the tilted loss, the plain fit at no tilt, robust at some."""

from itertools import pairwise

import numpy as np
import pytest

from estimators.cases import assert_close, blobs, corrupted, flipped, grossly_corrupted, smooth
from naive.tilted import TiltedObjective, tilted_sum
from properties.problems import labelled_problem, rbf, smooth_problem, spoilt_problem
from untaint import SubquantileClassifier, SubquantileRegressor
from untaint.baselines import TiltedClassifier, TiltedRegressor
from untaint.baselines.tilted import REFITS
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss

pytestmark = pytest.mark.filterwarnings("error")


def codes(y):
    return y[:, 0].astype(int) if y.shape[1] == 1 else y.argmax(axis=1)


def fitted_objective(model, loss, K, y, tilt, alpha, fit_intercept=True):
    """The slow objective, and where in its space the model lies."""
    slow = TiltedObjective(loss, K, y, tilt, alpha, fit_intercept)
    dual = model.dual_coef_.reshape(y.shape)
    return slow, slow.coefficients(K @ dual, np.ravel(model.intercept_))


# --- a stationary point ----------------------------------------------------------------------


@pytest.mark.parametrize("tilt", [-0.01, -0.3, -2.0])
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_regressor_ends_where_the_slow_gradient_is_zero(rng, tilt, outputs, fit_intercept):
    K, y = spoilt_problem(rng, 14, 2, outputs=outputs)
    model = TiltedRegressor(
        tilt=tilt,
        kernel="precomputed",
        alpha=0.5,
        fit_intercept=fit_intercept,
        tol=1e-12,
        max_iter=5000,
    ).fit(K, y)
    slow, theta = fitted_objective(model, SquaredLoss(), K, y, tilt, 0.5, fit_intercept)
    assert slow(theta) == pytest.approx(model.objective_path_[-1], rel=1e-9)
    assert_close(slow.gradient(theta), 0.0, 1e-4)
    assert slow.minimise(theta).fun >= model.objective_path_[-1] - 1e-7 * abs(slow(theta))


@pytest.mark.parametrize("tilt", [-0.1, -1.0, -3.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_classifier_ends_where_the_slow_gradient_is_zero(rng, tilt, classes):
    K, y = labelled_problem(rng, 18, classes)
    loss = LogisticLoss() if classes == 2 else SoftmaxLoss()
    model = TiltedClassifier(
        tilt=tilt, kernel="precomputed", alpha=0.3, tol=1e-10, max_iter=5000
    ).fit(K, codes(y))
    slow, theta = fitted_objective(model, loss, K, y, tilt, 0.3)
    assert slow(theta) == pytest.approx(model.objective_path_[-1], rel=1e-7)
    assert_close(slow.gradient(theta), 0.0, 1e-3)
    assert slow.minimise(theta).fun >= model.objective_path_[-1] - 1e-6 * abs(slow(theta))


@pytest.mark.parametrize("seed", range(3))
def test_a_small_tilt_has_one_minimum_wherever_one_starts(rng, seed):
    K, y = smooth_problem(rng, 12)
    model = TiltedRegressor(tilt=-0.05, kernel="precomputed", tol=1e-12).fit(K, y)
    slow = TiltedObjective(SquaredLoss(), K, y, -0.05, 1.0)
    start = np.random.default_rng(seed).normal(size=np.prod(slow.shape))
    found = slow.minimise(start)
    assert found.fun == pytest.approx(model.objective_path_[-1], rel=1e-8)
    assert_close(model.predict(K), slow.predictions(found.x), 1e-4)


def test_last_objective_is_the_tilted_loss_of_the_fit():
    X, y, _ = corrupted(80)
    model = TiltedRegressor(tilt=-0.5, gamma=0.2, alpha=0.3).fit(X, y)
    losses = (y - model.predict(X)) ** 2
    norm = model.dual_coef_ @ rbf(X, 0.2) @ model.dual_coef_
    expected = tilted_sum(losses, np.ones(80), -0.5) + 0.3 * norm
    assert model.objective_path_[-1] == pytest.approx(expected, rel=1e-6)


# --- between no tilt and much ----------------------------------------------------------------


def test_tends_to_kernel_ridge_as_the_tilt_tends_to_none():
    X, y, _ = corrupted(80)
    plain = SubquantileRegressor(contamination=0).fit(X, y).predict(X)
    away = [
        np.abs(TiltedRegressor(tilt=tilt).fit(X, y).predict(X) - plain).max()
        for tilt in (-1e-1, -1e-2, -1e-3, -1e-6, 0.0)
    ]
    assert all(less < more for more, less in pairwise(away))
    assert away[-2] < 1e-4
    assert away[-1] < 1e-9


@pytest.mark.parametrize("classes", [2, 3])
def test_tends_to_logistic_regression_as_the_tilt_tends_to_none(classes):
    X, y = blobs([25] * classes, distance=2.0)
    plain = SubquantileClassifier(contamination=0, tol=1e-9).fit(X, y).predict_proba(X)
    away = [
        np.abs(TiltedClassifier(tilt=tilt, tol=1e-9).fit(X, y).predict_proba(X) - plain).max()
        for tilt in (-1.0, -1e-1, -1e-2, -1e-5, 0.0)
    ]
    assert all(less < more for more, less in pairwise(away[:-1]))
    assert away[-2] < 1e-4
    assert away[-1] < 1e-6


def test_the_tilted_objective_falls_with_the_tilt():
    X, y, _ = grossly_corrupted(60)
    last = [
        TiltedRegressor(tilt=tilt, max_iter=2000).fit(X, y).objective_path_[-1]
        for tilt in (0.0, -1e-3, -1e-2, -0.1, -1.0)
    ]
    assert all(less < more for more, less in pairwise(last))


# --- descent ---------------------------------------------------------------------------------


def stages(path, n_last):
    """A path in parts: two refits for each of the first tilts, the others at the last one."""
    first = path[: len(path) - n_last]
    return [*np.split(first, range(REFITS, len(first), REFITS)), path[len(first) :]]


@pytest.mark.parametrize("tilt", [-0.1, -1.0, -20.0])
@pytest.mark.parametrize("learner", [TiltedRegressor, TiltedClassifier])
def test_objective_never_rises_within_a_stage(tilt, learner, monkeypatch):
    import untaint.baselines.tilted as module

    c_steps, found = module.c_steps, []

    def remembering(*args, **kwargs):
        found.append(c_steps(*args, **kwargs))
        return found[-1]

    monkeypatch.setattr(module, "c_steps", remembering)
    if learner is TiltedRegressor:
        X, y, _ = corrupted(100)
    else:
        X, y = blobs([50, 50], distance=3.0)
        y, _ = flipped(y, 0.15)
    model = learner(tilt=tilt, max_iter=3000).fit(X, y)
    assert model.n_iter_ == len(model.objective_path_)
    best = min(found, key=lambda solution: solution.objective_path[-1])
    parts = stages(model.objective_path_, len(best.objective_path))
    for part in parts:
        assert (np.diff(part) <= 1e-5 * np.abs(part[:-1])).all()


# --- what it is for --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("contamination", [0.1, 0.3])
def test_gross_errors_lose_their_weight(seed, contamination):
    X, y, bad = grossly_corrupted(120, contamination=contamination, seed=seed)
    clean = smooth(120, seed=seed)[1]
    model = TiltedRegressor(alpha=0.1).fit(X, y)
    assert not model.inlier_mask_[bad].any()
    plain = SubquantileRegressor(contamination=0, alpha=0.1).fit(X, y)
    error, plain_error = (np.sqrt(np.mean((m.predict(X) - clean) ** 2)) for m in (model, plain))
    assert error < 0.3 * plain_error


@pytest.mark.parametrize("seed", range(3))
def test_wrong_labels_lose_their_weight(seed):
    X, y = blobs([50, 50, 50], distance=6.0, seed=seed)
    labels, bad = flipped(y, 0.15, seed=seed)
    model = TiltedClassifier(tilt=-2.0).fit(X, labels)
    np.testing.assert_array_equal(~model.inlier_mask_, bad)
    assert (model.predict(X) == y).mean() > 0.98


def test_regressor_keeps_the_rows_within_three_deviations():
    X, y = smooth(400)
    model = TiltedRegressor(tilt=-0.1, alpha=0.1).fit(X, y)
    losses = (y - model.predict(X)) ** 2
    assert model.loss_threshold_ == pytest.approx(np.median(losses) * (3 / 0.6745) ** 2, rel=1e-2)
    np.testing.assert_array_equal(model.inlier_mask_, losses <= model.loss_threshold_)
    assert model.contamination_ == pytest.approx(np.mean(~model.inlier_mask_))


def test_classifier_keeps_the_rows_likelier_than_a_guess():
    X, y = blobs([40, 40, 40], distance=3.0)
    labels, _ = flipped(y, 0.1)
    model = TiltedClassifier().fit(X, labels)
    assert model.loss_threshold_ == pytest.approx(np.log(3))
    own = model.predict_proba(X)[np.arange(120), labels]
    np.testing.assert_array_equal(model.inlier_mask_, own >= 1 / 3)
    np.testing.assert_allclose(model.outlier_scores_, -np.log(own) / np.log(3), rtol=1e-6)


def test_too_few_iterations_are_reported():
    X, y, _ = corrupted(80)
    with pytest.warns(UserWarning, match="TiltedRegressor stopped after .* raise max_iter"):
        model = TiltedRegressor(tilt=-0.5, max_iter=1).fit(X, y)
    assert not model.converged_
