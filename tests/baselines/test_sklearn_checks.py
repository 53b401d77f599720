"""scikit-learn's estimator checks, over every baseline, and its tools."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import untaint.baselines
from baselines.cases import CLASSIFIERS, EVERY, REGRESSORS, name, problem_of, quietly
from estimators.cases import assert_close, failed_checks, raw
from untaint.baselines import SeverClassifier, SeverRegressor, TiltedClassifier, TiltedRegressor

each = pytest.mark.parametrize("model", EVERY, ids=name)
CONFIGURATIONS = [
    *EVERY[:-1],
    pytest.param(EVERY[-1], marks=pytest.mark.slow),  # two hundred fits to hard problems
    pytest.param(TiltedClassifier(kernel="linear", tilt=-0.2), marks=pytest.mark.slow),
    SeverRegressor(kernel="linear", n_rounds=1),
    pytest.param(SeverClassifier(kernel="linear"), marks=pytest.mark.slow),
    TiltedRegressor(kernel="linear", tilt=-0.1),
    TiltedClassifier(tilt=0.0),
]
# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


@pytest.mark.parametrize("model", CONFIGURATIONS, ids=name)
def test_passes_the_checks_of_sklearn(model):
    failed, skipped = failed_checks(model)
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())


def test_every_public_class_is_tested():
    assert {type(model).__name__ for model in EVERY} == set(untaint.baselines.__all__)


@each
def test_parameters_are_keyword_only_and_stored_unseen(model):
    kind = type(model)
    with pytest.raises(TypeError, match="positional"):
        kind(0.2)
    odd = object()
    names = list(inspect.signature(kind).parameters)
    assert all(getattr(kind(**{name: odd}), name) is odd for name in names)
    assert set(names) == set(model.get_params())


@each
def test_clone_repr_and_set_params(model):
    other = clone(model).set_params(alpha=0.25)
    assert other.get_params() == {**model.get_params(), "alpha": 0.25}
    assert "alpha=0.25" in repr(other)
    with pytest.raises(ValueError, match="Invalid parameter 'alhpa'"):
        other.set_params(alhpa=1)


@each
def test_fit_leaves_parameters_and_data_alone(model):
    X, y, _ = problem_of(model)
    X_before, y_before, weights = X.copy(), y.copy(), np.ones(80)
    fit = clone(model)
    assert quietly(fit, X, y, sample_weight=weights) is fit
    assert fit.get_params() == model.get_params()
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    np.testing.assert_array_equal(weights, 1.0)


@each
def test_pickle_keeps_the_fit(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(raw(again, X), raw(fit, X))
    pd.testing.assert_frame_equal(again.audit(), fit.audit())


@each
def test_second_fit_forgets_the_first(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    quietly(fit, X[:50, :2], y[:50])
    fresh = quietly(clone(model), X[:50, :2], y[:50])
    np.testing.assert_array_equal(raw(fit, X[:, :2]), raw(fresh, X[:, :2]))
    assert vars(fit).keys() == vars(fresh).keys()
    assert fit.n_features_in_ == 2


@pytest.mark.parametrize("learner", [SeverRegressor, TiltedClassifier])
def test_coefficients_go_with_the_linear_kernel(learner):
    X, y, _ = problem_of(learner())
    model = learner(kernel="linear").fit(X, y)
    assert hasattr(model, "coef_")
    assert not hasattr(model.set_params(kernel="rbf").fit(X, y), "coef_")


@each
def test_works_in_a_pipeline_with_weights(model):
    X, y, _ = problem_of(model)
    weights = np.linspace(0.5, 2.0, 80)
    pipeline = make_pipeline(StandardScaler(), clone(model))
    step = pipeline.steps[-1][0]
    quietly(pipeline, X * [1.0, 1e3, 1e-3], y, **{f"{step}__sample_weight": weights})
    scaled = StandardScaler().fit_transform(X)
    by_hand = quietly(clone(model), scaled, y, sample_weight=weights)
    expected = raw(by_hand, scaled)
    assert_close(raw(pipeline, X * [1.0, 1e3, 1e-3]), expected, 1e-5, np.abs(expected).max())


@each
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_grid_search_and_cross_validation(model):
    X, y, _ = problem_of(model)
    search = GridSearchCV(model, {"alpha": [0.1, 1.0]}, cv=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(X).shape == (80,)
    assert cross_val_score(model, X, y, cv=2).shape == (2,)


@each
def test_score_is_that_of_the_kind(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    metric = accuracy_score if is_classifier(model) else r2_score
    assert fit.score(X, y) == pytest.approx(metric(y, fit.predict(X)))


@each
def test_feature_names(model):
    X, y, _ = problem_of(model)
    frame = pd.DataFrame(X, columns=["length", "width", "age"])
    fit = quietly(clone(model), frame, y)
    assert fit.feature_names_in_.tolist() == ["length", "width", "age"]
    np.testing.assert_array_equal(fit.predict(frame), fit.predict(frame.set_index(X[:, 0])))
    with pytest.raises(ValueError, match="feature names should match"):
        fit.predict(frame.rename(columns={"age": "ages"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fit.predict(X)


def test_kinds():
    assert all(is_regressor(model) for model in REGRESSORS)
    assert all(is_classifier(model) for model in CLASSIFIERS)
    for model in EVERY:
        tags = model.__sklearn_tags__()
        assert tags.input_tags.sparse
        assert not tags.input_tags.pairwise
        assert tags.target_tags.multi_output == is_regressor(model)
    pairwise = SeverRegressor(kernel="precomputed").__sklearn_tags__().input_tags
    assert pairwise.pairwise and not pairwise.sparse
