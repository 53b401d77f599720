"""Every public estimator is at home among scikit-learn's tools."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline

from untaint import (
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
)
from untaint.baselines import (
    ConsistentRegressor,
    HardThresholdRegressor,
    ReweightedRegressor,
    SeverClassifier,
    SeverRegressor,
    TiltedClassifier,
    TiltedRegressor,
)
from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor
from untaint.preprocessing import MedianScaler

pd = pytest.importorskip("pandas")

BATCH = [
    SubquantileRegressor(contamination=0.1),
    SubquantileRegressorCV(contamination=0.1),
    SubquantileClassifier(contamination=0.1),
    SubquantileClassifierCV(contamination=0.1),
    ConsistentRegressor(),
    HardThresholdRegressor(),
    ReweightedRegressor(),
    SeverClassifier(),
    SeverRegressor(),
    TiltedClassifier(),
    TiltedRegressor(),
]
ONLINE = [
    NoisyLinearRegressor(noise_cov=0.01),
    NoisyKernelRegressor(noise_cov=0.01),
    CorrectedRidge(noise_cov=0.01),
]
ALL = BATCH + ONLINE
N = 40


def named(estimator):
    return type(estimator).__name__


def every(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=named)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(N, 3))


@pytest.fixture
def frame(X):
    return pd.DataFrame(X, columns=["age", "height", "weight"], index=np.arange(N) + 100)


def target(estimator, X):
    noise = 0.1 * np.random.default_rng(1).normal(size=N)
    y = X[:, 0] - X[:, 1] + noise
    return (y > 0).astype(int) if hasattr(estimator, "predict_proba") else y


@every(ALL)
def test_names_of_columns_are_kept_and_compared(estimator, frame):
    model = clone(estimator).fit(frame, target(estimator, frame.to_numpy()))
    assert list(model.feature_names_in_) == list(frame.columns)
    swapped = frame[["height", "age", "weight"]]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(swapped)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.to_numpy())
    with pytest.raises(ValueError, match=r"feature names (should|unseen|seen)"):
        model.predict(frame[["age", "height"]])


CHOSEN = {"alpha": 0.37, "contamination": 0.2, "noise_cov": 0.02, "with_scaling": False}


@every([*ALL, MedianScaler()])
def test_a_notebook_shows_what_was_chosen_and_whether_it_is_fitted(estimator, X):
    name = next(name for name in CHOSEN if name in estimator.get_params())
    model = clone(estimator).set_params(**{name: CHOSEN[name]})
    page = model._repr_html_()
    assert "Not fitted" in page
    assert type(model).__name__ in page
    shown = re.search(r"<pre>(.*?)</pre>", page, re.S)[1]
    assert f"{name}={CHOSEN[name]}" in re.sub(r"\s", "", shown)
    assert "tol=" not in shown  # as it is by default
    page = model.fit(X, target(estimator, X))._repr_html_()
    assert "Not fitted" not in page
    assert ">Fitted<" in re.sub(r"\s", "", page)


@every(ALL)
def test_weights_are_routed_through_pipelines_and_searches(estimator, X):
    y, weights = target(estimator, X), np.arange(N) % 2 + 1.0
    seen = []

    class Seeing(type(estimator)):
        # scikit-learn reads parameters from the signature, which is the parent's.
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight=sample_weight)

    Seeing.__name__ = type(estimator).__name__
    with config_context(enable_metadata_routing=True):
        model = Seeing(**estimator.get_params()).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        pipeline = make_pipeline(MedianScaler().set_fit_request(sample_weight=False), model)
        found = cross_validate(
            pipeline, X, y, params={"sample_weight": weights}, cv=2, error_score="raise"
        )
        assert np.isfinite(found["test_score"]).all()
        assert [len(part) for part in seen] == [N // 2] * 2


@every([BATCH[0], ONLINE[0]])
def test_a_grid_search_routes_weights(estimator, X):
    y, weights = target(estimator, X), np.arange(N) % 2 + 1.0
    name, values = ("alpha", [0.1, 1.0]) if estimator in BATCH else ("noise_cov", [0.0, 0.1])
    with config_context(enable_metadata_routing=True):
        model = clone(estimator).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        pipeline = Pipeline([("model", model)])
        search = GridSearchCV(pipeline, {f"model__{name}": values}, cv=2, error_score="raise")
        search.fit(X, y, sample_weight=weights)
    best = clone(estimator).set_params(**{name: search.best_params_[f"model__{name}"]})
    expected = best.fit(X, y, sample_weight=weights).predict(X)
    np.testing.assert_allclose(search.predict(X), expected)


@every(ALL)
def test_weights_that_were_not_requested_are_refused(estimator, X):
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(UnsetMetadataPassedError, match="sample_weight"),
    ):
        make_pipeline(clone(estimator)).fit(X, target(estimator, X), sample_weight=np.ones(N))


@every(ONLINE)
def test_a_second_measurement_is_routed_row_by_row(estimator, X):
    copy = X + 0.1 * np.random.default_rng(2).normal(size=X.shape)
    needs = None if estimator.__class__ is not NoisyKernelRegressor else 0.01
    y = target(estimator, X)
    with config_context(enable_metadata_routing=True):
        model = clone(estimator).set_params(noise_cov=needs).set_fit_request(X_copy=True)
        search = cross_validate(
            model, X, y, params={"X_copy": copy}, cv=2, return_estimator=True, error_score="raise"
        )
    half = clone(estimator).set_params(noise_cov=needs)
    half.fit(X[N // 2 :], y[N // 2 :], X_copy=copy[N // 2 :])
    np.testing.assert_allclose(search["estimator"][0].predict(X), half.predict(X))


@every(ONLINE)
def test_the_noise_is_routed_as_it_is(estimator, X):
    y, noise = target(estimator, X), np.array([0.01, 0.02, 0.03])
    with config_context(enable_metadata_routing=True):
        model = clone(estimator).set_params(noise_cov=None).set_fit_request(noise_cov=True)
        search = cross_validate(
            make_pipeline(model),
            X,
            y,
            params={"noise_cov": noise},
            cv=2,
            return_estimator=True,
            error_score="raise",
        )
    half = clone(estimator).set_params(noise_cov=None)
    half.fit(X[N // 2 :], y[N // 2 :], noise_cov=noise)
    np.testing.assert_allclose(search["estimator"][0].predict(X), half.predict(X))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_scaler_gives_frames_with_names(frame, library):
    pytest.importorskip(library)
    scaler = MedianScaler().set_output(transform=library)
    found = scaler.fit_transform(frame)
    assert type(found).__module__.startswith(library)
    assert list(found.columns) == list(frame.columns) == list(scaler.get_feature_names_out())
    np.testing.assert_array_equal(found.to_numpy(), MedianScaler().fit_transform(frame.to_numpy()))
    if library == "pandas":
        assert found.index.equals(frame.index)


def test_the_scaler_names_columns_that_had_no_name(X):
    scaler = MedianScaler().set_output(transform="pandas").fit(X)
    assert list(scaler.transform(X).columns) == ["x0", "x1", "x2"]
    with pytest.raises(ValueError, match="input_features"):
        scaler.get_feature_names_out(["a", "b"])


def test_names_pass_through_a_pipeline_of_frames(frame):
    model = make_pipeline(MedianScaler(), SubquantileRegressor(contamination=0.1))
    model.set_output(transform="pandas").fit(frame, target(model, frame.to_numpy()))
    assert list(model[-1].feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["weight", "height", "age"]])
