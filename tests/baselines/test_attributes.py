"""What a fitted baseline offers, in which shape and with which meaning."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

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
from estimators.cases import assert_close, blobs, raw
from untaint.baselines import (
    ConsistentRegressor,
    HardThresholdRegressor,
    SeverClassifier,
    SeverRegressor,
    TiltedClassifier,
)
from untaint.kernels import RBF, Kernel, Linear

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

each = pytest.mark.parametrize("model", EVERY, ids=name)

SHARED = {"alpha", "fit_intercept", "tol"}
KERNEL = {"kernel", "gamma", "degree", "coef0", "shape", "memory_limit"}


@pytest.mark.parametrize(
    ("model", "own"),
    [
        *[(m, {"contamination", "n_rounds"} | KERNEL) for m in (SeverRegressor(), CLASSIFIERS[0])],
        *[(m, {"tilt", "max_iter"} | KERNEL) for m in (KERNEL_REGRESSORS[1], CLASSIFIERS[1])],
        (HardThresholdRegressor(), {"contamination", "step", "max_iter"}),
        (ConsistentRegressor(), {"contamination", "max_iter"}),
        (LINEAR[-1], {"growth", "max_iter"}),
    ],
    ids=lambda value: "" if isinstance(value, set) else str(value),  # sets have no order
)
def test_parameters_are_those_of_the_contract(model, own):
    assert set(model.get_params()) == SHARED | own
    assert model.get_params().get("contamination", 0.1) == 0.1
    assert model.get_params().get("tilt", -1.0) == -1.0
    assert model.get_params().get("n_rounds", 4) == 4


@each
def test_shapes_and_types(model):
    X, y, bad = problem_of(model)
    fit = quietly(clone(model), X, y)
    check_is_fitted(fit)
    assert fit.inlier_mask_.shape == (80,)
    assert fit.inlier_mask_.dtype == bool
    assert fit.outlier_scores_.shape == (80,)
    assert fit.outlier_scores_.dtype == np.float64
    assert (fit.outlier_scores_ >= 0).all()
    assert isinstance(fit.contamination_, float)
    assert 0 <= fit.contamination_ < 0.5
    assert isinstance(fit.loss_threshold_, float)
    assert fit.objective_path_.ndim == 1
    assert fit.objective_path_.dtype == np.float64
    assert isinstance(fit.n_iter_, int)
    assert fit.n_iter_ == len(fit.objective_path_) > 0
    assert fit.converged_ is True
    assert isinstance(fit.kernel_, Kernel)
    assert fit.n_features_in_ == 3
    assert fit.X_fit_.shape == (80, 3)
    assert fit.dual_coef_.shape == (80,)
    assert np.shape(fit.intercept_) == ((1,) if is_classifier(model) else ())
    if model in TRIMMERS:
        np.testing.assert_array_equal(~fit.inlier_mask_, bad)
    assert not fit.inlier_mask_[bad].any()


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_shapes_of_several_outputs(model, n_outputs):
    X, y, _ = problem_of(model)
    Y = np.column_stack([y + j for j in range(n_outputs)])
    model = clone(model)
    if "kernel" in model.get_params():
        model.set_params(kernel="linear")
    fit = quietly(model, X, Y)
    assert fit.predict(X).shape == fit.dual_coef_.shape == (80, n_outputs)
    assert fit.coef_.shape == (n_outputs, 3)
    assert fit.intercept_.shape == (n_outputs,)
    assert fit.inlier_mask_.shape == (80,)


@pytest.mark.parametrize("model", LINEAR, ids=name)
def test_linear_models_have_slopes_and_a_linear_kernel(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    assert fit.coef_.shape == (3,)
    assert fit.kernel_ == Linear()
    assert_close(X @ fit.coef_ + fit.intercept_, fit.predict(X), 1e-12)


@pytest.mark.parametrize("learner", [SeverClassifier, TiltedClassifier])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_shapes_and_probabilities_of_several_classes(learner, kernel):
    X, y = blobs([30, 30, 30])
    labels = np.array(["a", "b", "c"])[y]
    fit = learner(kernel=kernel).fit(X, labels)
    assert fit.classes_.tolist() == ["a", "b", "c"]
    assert fit.decision_function(X).shape == fit.dual_coef_.shape == (90, 3)
    assert fit.intercept_.shape == (3,)
    assert hasattr(fit, "coef_") == (kernel == "linear")
    if kernel == "linear":
        assert fit.coef_.shape == (3, 2)
    np.testing.assert_allclose(fit.predict_proba(X), softmax(fit.decision_function(X), axis=1))
    np.testing.assert_array_equal(fit.predict(X), fit.classes_[fit.predict_proba(X).argmax(axis=1)])


# --- meaning ---------------------------------------------------------------------------------


@each
def test_function_is_the_sum_over_the_dual_coefficients(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    by_rows = fit.kernel_.matrix(X) @ fit.dual_coef_ + fit.intercept_
    assert_close(by_rows, raw(fit, X), 1e-6, np.abs(raw(fit, X)).max())


@pytest.mark.parametrize("model", LINEAR, ids=name)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_slopes_are_the_sum_over_the_dual_coefficients(model, alpha, noise):
    X, y, _, _, _ = linear_problem(0, n=100, contamination=0.1, noise=noise)
    X += np.array([3.0, 0.0, 0.0, 0.0, -1.0])
    fit = quietly(clone(model).set_params(alpha=alpha), X, y)
    assert_close(X.T @ fit.dual_coef_, fit.coef_, 1e-5, np.abs(fit.coef_).max())


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
def test_scores_are_residuals_in_robust_deviations(model):
    X, y, bad = problem_of(model, n=400)
    fit = quietly(clone(model), X, y)
    residuals = np.abs(y - fit.predict(X))
    seen = residuals > 1e-3
    ratio = residuals[seen] / fit.outlier_scores_[seen]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5)
    # Of wrong rows that go to the last, the others look as if they had been cut off.
    if model in LINEAR:
        assert 0.9 < ratio[0] / np.std((y - fit.predict(X))[~bad]) < 1.4


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name)
def test_scores_are_losses_over_the_threshold(model):
    X, y, _ = problem_of(model)
    fit = clone(model).fit(X, y)
    losses = -np.log(fit.predict_proba(X)[np.arange(80), y])
    np.testing.assert_allclose(fit.outlier_scores_ * fit.loss_threshold_, losses, rtol=1e-6)


@each
def test_threshold_and_contamination_agree_with_the_mask(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    losses = (
        -np.log(fit.predict_proba(X)[np.arange(80), y])
        if is_classifier(model)
        else (y - fit.predict(X)) ** 2
    )
    np.testing.assert_array_equal(losses <= fit.loss_threshold_ * (1 + 1e-6), fit.inlier_mask_)
    assert fit.contamination_ == pytest.approx(np.mean(~fit.inlier_mask_))


@pytest.mark.parametrize("model", TRIMMERS, ids=name)
def test_rows_removed_have_no_dual_coefficient(model):
    if isinstance(model, ConsistentRegressor):
        pytest.skip("corrected rows take part in the fit")
    if "step='gradient'" in repr(model):
        pytest.skip("a gradient step before the row was trimmed has left its trace")
    X, y, bad = problem_of(model)
    fit = quietly(clone(model), X, y)
    assert not fit.dual_coef_[bad].any()


@pytest.mark.parametrize("learner", [SeverRegressor, KERNEL_REGRESSORS[1].__class__])
def test_kernel_carries_the_scale_that_was_used(learner):
    X, y, _ = problem_of(SeverRegressor())
    assert learner(gamma=0.3).fit(X, y).kernel_ == RBF(0.3)
    median = np.median(((X[:, None] - X) ** 2).sum(-1)[np.triu_indices(80, 1)])
    assert learner().fit(X, y).kernel_.gamma == pytest.approx(1 / median)


@each
def test_intercept_is_zero_when_there_is_none(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model).set_params(fit_intercept=False), X, y)
    assert not np.any(fit.intercept_)


@pytest.mark.parametrize("model", LINEAR, ids=name)
def test_too_few_iterations_are_reported(model):
    X, y, _ = problem_of(model)
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations without converging: r"):
        fit = clone(model).set_params(max_iter=1).fit(X, y)
    assert fit.converged_ is False
    assert fit.n_iter_ == len(fit.objective_path_) == 1
    assert np.isfinite(fit.predict(X)).all()


@each
def test_a_converged_fit_is_quiet(model, capfd, recwarn):
    X, y, _ = problem_of(model)
    fit = clone(model).fit(X, y)
    assert fit.converged_
    assert not recwarn.list
    assert capfd.readouterr() == ("", "")
