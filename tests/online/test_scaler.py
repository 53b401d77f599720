"""The scaler that carries the noise along, in the pipelines of both libraries."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from online.cases import as_dicts, linear_rows, views
from untaint.exceptions import OverstatedNoiseWarning
from untaint.online import (
    CorrectedRidge,
    NoiseAwareScaler,
    NoisyKernelRegressor,
    NoisyLinearRegressor,
)

SCALES = np.array([0.1, 1.0, 30.0])
VARIANCES = 0.3 * SCALES**2
NAMES = ["x0", "x1", "x2"]


def problem(n=3000, seed=0):
    """Features of different units, their targets, two noisy copies."""
    X, y, coef = linear_rows(n, seed=seed, intercept=2.0)
    X = X * SCALES + [5.0, 0.0, -100.0]
    y = (X / SCALES) @ coef
    return X, y, *views(X, np.diag(VARIANCES))


def error(model, X, y):
    return np.sqrt(np.mean((model.predict(X) - y) ** 2)) / y.std()


def test_passes_the_checks_of_sklearn():
    results = check_estimator(NoiseAwareScaler(), on_fail=None, on_skip=None)
    assert len(results) > 30
    assert not [r["check_name"] for r in results if r["status"] == "failed"]


@pytest.mark.parametrize("learner", [CorrectedRidge, NoisyLinearRegressor])
@pytest.mark.parametrize("declared_to", ["scaler", "learner"])
def test_pipeline_is_as_good_as_the_learner_alone(learner, declared_to):
    X, y, a, _ = problem()
    known = {"noise_cov": VARIANCES}
    scaler = NoiseAwareScaler(**(known if declared_to == "scaler" else {}))
    model = make_pipeline(scaler, learner(**(known if declared_to == "learner" else {})))
    alone = learner(noise_cov=VARIANCES).fit(a, y)
    model.fit(a, y)
    assert error(model, X, y) < error(alone, X, y) + 0.005 < 0.1
    np.testing.assert_allclose(
        scaler.noise_cov_ if declared_to == "scaler" else 0.0,
        np.diag(VARIANCES / scaler.scale_**2) if declared_to == "scaler" else 0.0,
    )


def test_scaler_that_does_not_tell_is_worse_and_named_in_a_warning():
    _, y, a, _ = problem()
    broken = make_pipeline(StandardScaler(), CorrectedRidge(noise_cov=[0.6, 0.6, 0.6]))
    with pytest.warns(OverstatedNoiseWarning, match="NoiseAwareScaler"):
        broken.fit(a, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_pipeline(NoiseAwareScaler(), CorrectedRidge(noise_cov=VARIANCES)).fit(a, y)
        CorrectedRidge(noise_cov=0.6).fit((a - a.mean(axis=0)) / SCALES, y)


def test_second_copies_are_scaled_with_the_rows():
    X, y, a, b = problem()
    model = make_pipeline(NoiseAwareScaler(), CorrectedRidge())
    model.fit(a, y, correctedridge__X_copy=b)
    assert error(model, X, y) < 0.05
    frames = [pd.DataFrame(v, columns=NAMES) for v in (a, b)]
    by_frame = clone(model).fit(frames[0], y, correctedridge__X_copy=frames[1])
    np.testing.assert_allclose(
        by_frame.predict(pd.DataFrame(X, columns=NAMES)), model.predict(X), rtol=1e-9
    )


def test_kernels_are_scaled_too():
    X, y, a, _ = problem(600)
    learner = NoisyKernelRegressor(noise_cov=VARIANCES, random_state=0, budget=60)
    assert error(make_pipeline(NoiseAwareScaler(), learner).fit(a, y), X, y) < 0.5


def test_scaler_can_be_cloned_pickled_and_cross_validated():
    X, y, a, _ = problem(400)
    model = make_pipeline(NoiseAwareScaler(noise_cov=VARIANCES), CorrectedRidge())
    assert cross_val_score(clone(model), a, y).min() > 0.6
    model.fit(a, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    rows = pickle.loads(pickle.dumps(model[0].transform(a)))
    np.testing.assert_array_equal(rows, model[0].transform(a))
    fit = CorrectedRidge().fit(rows, y)
    np.testing.assert_allclose(fit.coef_, model[1].coef_)
    np.testing.assert_allclose(model[0].inverse_transform(rows), a)


def test_rows_that_were_changed_do_not_carry_the_scaling():
    _, y, a, _ = problem(100)
    rows = NoiseAwareScaler(noise_cov=VARIANCES).fit(a).transform(a)
    with pytest.raises(ValueError, match="noise_cov or X_copy"):
        CorrectedRidge().fit(rows * 2.0, y)
    with pytest.raises(ValueError, match="noise_cov or X_copy"):
        CorrectedRidge().fit(rows[:, :2], y)
    CorrectedRidge().fit(rows[:50], y[:50])


@pytest.mark.parametrize("declared_to", ["scaler", "learner"])
@pytest.mark.parametrize("copies", [1, 2])
def test_pipeline_of_river(declared_to, copies):
    river = pytest.importorskip("river")
    X, y, a, b = problem()
    known = {"noise_cov": dict(zip(NAMES, VARIANCES.tolist(), strict=True))} if copies == 1 else {}
    scaler = NoiseAwareScaler(**(known if declared_to == "scaler" else {}))
    model = scaler | NoisyLinearRegressor(**(known if declared_to == "learner" else {}))
    assert isinstance(scaler, river.base.Transformer)
    assert isinstance(model, river.compose.Pipeline)
    for x, second, target in zip(as_dicts(a, NAMES), as_dicts(b, NAMES), y.tolist(), strict=True):
        model.predict_one(x)
        model.learn_one(x, target, **({"x_copy": second} if copies == 2 else {}))
    predicted = [model.predict_one(x) for x in as_dicts(X, NAMES)]
    assert np.sqrt(np.mean((predicted - y) ** 2)) < 0.1 * y.std()


@pytest.mark.parametrize("options", [{}, {"learning_rate": 0.01}], ids=["auto", "steps"])
def test_early_rows_of_a_stream_have_the_scale_of_the_others(options):
    pytest.importorskip("river")
    _, y, a, _ = problem(500)
    model = NoiseAwareScaler() | NoisyLinearRegressor(noise_cov=VARIANCES, **options)
    for t, (x, target) in enumerate(zip(as_dicts(a, NAMES), y.tolist(), strict=True)):
        if t == 20:  # the learner waits
            assert model.predict_one(x) == pytest.approx(y[:20].mean())
        model.learn_one(x, target)
    scaler, learner = model.steps.values()
    assert learner.n_rounds_ == 500
    rows = (a - scaler.mean_) / scaler.scale_
    alone = NoisyLinearRegressor(noise_cov=VARIANCES / scaler.scale_**2, **options)
    for x, target in zip(as_dicts(rows, NAMES), y.tolist(), strict=True):
        alone.learn_one(x, target)
    np.testing.assert_allclose(learner.coef_, alone.coef_, rtol=1e-7, atol=1e-9)


def test_kernel_in_a_pipeline_of_river():
    pytest.importorskip("river")
    X, y, a, _ = problem(300)
    learner = NoisyKernelRegressor(noise_cov=VARIANCES, random_state=0, budget=30)
    model = NoiseAwareScaler() | learner
    for x, target in zip(as_dicts(a, NAMES), y.tolist(), strict=True):
        model.predict_one(x)
        model.learn_one(x, target)
    predicted = [model.predict_one(x) for x in as_dicts(X, NAMES)]
    assert np.sqrt(np.mean((predicted - y) ** 2)) < 0.7 * y.std()


def test_pipeline_of_river_on_frames():
    pytest.importorskip("river")
    X, y, a, _ = problem()
    model = NoiseAwareScaler() | NoisyLinearRegressor(noise_cov=VARIANCES)
    frame, series = pd.DataFrame(a, columns=NAMES), pd.Series(y)
    for start in range(0, len(y), 500):
        model.learn_many(frame[start : start + 500], series[start : start + 500])
    predicted = model.predict_many(pd.DataFrame(X, columns=NAMES))
    assert np.sqrt(np.mean((predicted - y) ** 2)) < 0.1 * y.std()


def test_bad_noise_is_refused_when_the_scaler_is_fitted():
    _, _, a, _ = problem(50)
    with pytest.raises(ValueError, match="noise_cov"):
        NoiseAwareScaler(noise_cov=-1.0).fit(a)
    with pytest.raises(ValueError, match="finite"):
        NoiseAwareScaler().learn_one({"a": np.nan})


def test_constant_features_have_the_scale_one():
    scaler = NoiseAwareScaler().fit(np.column_stack([np.full(20, 7.0), np.arange(20.0)]))
    assert scaler.scale_[0] == 1.0
    assert not np.asarray(scaler.transform([[7.0, 9.5]])).any()


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("inverse_transform", np.ones((2, 1)), "X must have 3 columns, got 1"),
        ("inverse_transform", None, "X must be a frame of rows"),
        ("inverse_transform", np.full((2, 3), np.nan), "X must hold finite numbers"),
        ("fit", np.full((2, 3), 1e300), "X must hold finite numbers, and none beyond"),
        ("transform_many", "foo", "X must be a data frame, got str"),
        ("transform_one", None, "x must be a dict of features, got NoneType"),
        ("transform_one", {0: "a"}, "x must hold finite numbers, got 'a'"),
    ],
)
def test_a_fitted_scaler_checks_what_it_is_given(method, given, message):
    scaler = NoiseAwareScaler().fit(np.eye(3))
    with pytest.raises(ValueError, match=message):
        getattr(scaler, method)(given)


def test_a_scaler_learns_from_frames_and_from_rows_with_features():
    with pytest.raises(ValueError, match="X must be a data frame, got ndarray"):
        NoiseAwareScaler().learn_many(np.eye(3))
    scaler = NoiseAwareScaler()
    scaler.learn_one({})
    scaler.learn_one({"a": 1.0})
    assert scaler.n_features_in_ == 1
