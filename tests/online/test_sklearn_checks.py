"""scikit-learn's estimator checks, over every way of learning, and its tools."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import untaint.online
from estimators.cases import failed_checks
from online.cases import EVERY, copies_for, linear_rows, name, quietly
from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor

each = pytest.mark.parametrize("model", EVERY, ids=name)
SMALL = {"noise_cov": 1e-6}
CONFIGURATIONS = [
    NoisyLinearRegressor(**SMALL),
    NoisyLinearRegressor(learning_rate="adaptive", **SMALL),
    NoisyLinearRegressor(learning_rate=1e-3, norm_bound=10.0, **SMALL),
    NoisyLinearRegressor(learning_rate="theory", horizon=100, norm_bound=10.0, **SMALL),
    NoisyLinearRegressor(missing="random", **SMALL),
    CorrectedRidge(**SMALL),
    CorrectedRidge(alpha=1.0, share=1.0, **SMALL),
    CorrectedRidge(missing="random", **SMALL),
    NoisyKernelRegressor(budget=15, random_state=0, **SMALL),
    NoisyKernelRegressor(kernel="exponential", budget=15, random_state=0, **SMALL),
    NoisyKernelRegressor(kernel="rational_quadratic", budget=15, random_state=0, **SMALL),
    NoisyKernelRegressor(noise="laplace", budget=15, random_state=0, **SMALL),
]
# What steps of gradients cannot do.
ORDERED = {"check_sample_weight_equivalence_on_dense_data": "rounds in another order end elsewhere"}
FAILS = {"adaptive": ORDERED, 1e-3: ORDERED, "theory": ORDERED}
# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


@pytest.mark.parametrize("model", CONFIGURATIONS, ids=name)
def test_passes_the_checks_of_sklearn(model):
    failed, skipped = failed_checks(model)
    expected = FAILS.get(getattr(model, "learning_rate", "auto"), {})
    assert failed.keys() == expected.keys(), failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())


def test_every_public_class_is_tested():
    classes = {n for n in untaint.online.__all__ if inspect.isclass(getattr(untaint.online, n))}
    elsewhere = {"NoiseAwareScaler", "NoisyLogisticRegression"}  # test_scaler.py, test_logistic.py
    assert {type(model).__name__ for model in EVERY} == classes - elsewhere


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
    other = clone(model).set_params(noise_cov=0.25)
    assert other.get_params() == {**model.get_params(), "noise_cov": 0.25}
    assert "noise_cov=0.25" in repr(other)
    with pytest.raises(ValueError, match="Invalid parameter 'noise_cvo'"):
        other.set_params(noise_cvo=1)


@each
def test_clones_take_covariances_that_are_arrays(model):
    covariance = np.diag([0.1, 0.1, 0.2])
    other = clone(clone(model).set_params(noise_cov=covariance))
    np.testing.assert_array_equal(other.noise_cov, covariance)
    assert "noise_cov" in repr(other)


@each
def test_pickle_keeps_the_fit_and_goes_on(model):
    X, y, _ = linear_rows(80)
    X, more = copies_for(model, X)
    fit = quietly(clone(model).fit, X, y, **more)
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.predict(X), fit.predict(X))
    if hasattr(fit, "partial_fit"):
        quietly(fit.partial_fit, X, y, **more)
        quietly(again.partial_fit, X, y, **more)
        np.testing.assert_array_equal(again.predict(X), fit.predict(X))


@each
def test_fit_returns_itself_and_leaves_parameters_alone(model):
    X, y, _ = linear_rows(80)
    X, more = copies_for(model, X)
    fit = clone(model)
    assert quietly(fit.fit, X, y, **more) is fit
    if hasattr(fit, "partial_fit"):
        assert quietly(fit.partial_fit, X, y, **more) is fit
    assert fit.get_params() == model.get_params()


@pytest.mark.parametrize("model", CONFIGURATIONS, ids=name)
def test_works_in_a_pipeline_with_search_and_scores(model):
    X, y, _ = linear_rows(90)
    pipeline = make_pipeline(StandardScaler(), clone(model))
    quietly(pipeline.fit, X * [1.0, 1e3, 1e-3], y)
    expected = quietly(clone(model).fit, StandardScaler().fit_transform(X), y)
    np.testing.assert_allclose(
        pipeline.predict(X * [1.0, 1e3, 1e-3]),
        expected.predict(StandardScaler().fit_transform(X)),
        rtol=1e-6,
        atol=1e-8,
    )
    search = GridSearchCV(model, {"noise_cov": [0.0, 0.1]}, cv=2)
    quietly(search.fit, X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert quietly(cross_val_score, model, X, y, cv=2).shape == (2,)
    fit = quietly(clone(model).fit, X, y)
    assert fit.score(X, y) == pytest.approx(r2_score(y, fit.predict(X)))
    assert is_regressor(model)


@pytest.mark.parametrize("model", CONFIGURATIONS[:6:5], ids=name)
def test_corrected_score_serves_as_a_scorer(model):
    X, y, _ = linear_rows(90)
    scores = cross_val_score(model, X, y, cv=3, scoring=lambda m, A, b: -m.corrected_score(A, b))
    assert scores.shape == (3,) and np.isfinite(scores).all()


@each
def test_feature_names(model):
    X, y, _ = linear_rows(80)
    X, more = copies_for(model, X)
    columns = ["length", "width", "age"]
    frame = pd.DataFrame(X, columns=columns)
    more = {key: pd.DataFrame(value, columns=columns) for key, value in more.items()}
    fit = quietly(clone(model).fit, frame, y, **more)
    assert fit.feature_names_in_.tolist() == columns
    np.testing.assert_array_equal(fit.predict(frame), fit.predict(frame.set_index(X[:, 0])))
    with pytest.raises(ValueError, match="feature names should match"):
        fit.predict(frame.rename(columns={"age": "ages"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fit.predict(X)


@each
def test_tags(model):
    tags = model.__sklearn_tags__()
    assert not tags.input_tags.sparse
    assert not tags.target_tags.multi_output
    assert tags.input_tags.allow_nan == (getattr(model, "missing", "error") == "random")
