"""Streams that change: the fit to the last rows takes the place of the fit to all of them."""

import numpy as np
import pandas as pd
import pytest

from online.cases import as_dicts, noisy, quietly, views
from untaint.online import CorrectedRidge, NoisyLinearRegressor

NAMES = ["x0", "x1", "x2"]
COEF = np.array([1.0, -2.0, 0.5])


def switching(n, *, switches, seed=0):
    """Rows whose slopes change sign at some rounds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    sign = (-1.0) ** np.searchsorted(switches, np.arange(n), side="right")
    return X, sign * (X @ COEF) + 0.1 * rng.normal(size=n)


def learn(model, X, y, *, ask_every=0):
    for t, (x, target) in enumerate(zip(as_dicts(X, NAMES), y.tolist(), strict=True)):
        if ask_every and t % ask_every == 0:
            model.predict_one(x)
        model.learn_one(x, target)
    return model


def test_stream_that_has_changed_is_followed():
    X, y = switching(4000, switches=[2500])
    A = noisy(X, 0.2, 1)
    forgetting = learn(NoisyLinearRegressor(noise_cov=0.2), A, y)
    everything = learn(NoisyLinearRegressor(noise_cov=0.2, forgetting=None), A, y)
    assert np.abs(forgetting.coef_ + COEF).max() < 0.3
    assert np.abs(everything.coef_ + COEF).max() > 0.5


@pytest.mark.parametrize("copies", [1, 2])
def test_stream_that_does_not_change_is_not_forgotten(copies):
    X, y = switching(3000, switches=[])
    A, B = views(X, 0.2)
    more, known = ({"X_copy": B}, {}) if copies == 2 else ({}, {"noise_cov": 0.2})
    forgetting = NoisyLinearRegressor(**known).fit(A, y, **more)
    everything = NoisyLinearRegressor(**known, forgetting=None).fit(A, y, **more)
    # All rows may be fitted with less shrinkage than was selected, which is no window.
    error, reference = (np.abs(model.coef_ - COEF).max() for model in (forgetting, everything))
    assert error < reference + 0.02


@pytest.mark.parametrize("switches", [[], [400], [300, 900, 1500, 2300]])
def test_what_is_forgotten_depends_neither_on_questions_nor_on_the_cut(switches):
    X, y = switching(2600, switches=switches, seed=3)
    A = noisy(X, 0.2, 2)
    model = NoisyLinearRegressor(noise_cov=0.2)
    frame, series = pd.DataFrame(A, columns=NAMES), pd.Series(y)
    silent = learn(NoisyLinearRegressor(noise_cov=0.2), A, y)
    asked = learn(NoisyLinearRegressor(noise_cov=0.2), A, y, ask_every=1)
    np.testing.assert_allclose(asked.coef_, silent.coef_, rtol=1e-9)
    whole = NoisyLinearRegressor(noise_cov=0.2)
    whole.learn_many(frame, series)
    for start in range(0, 2600, 97):
        model.learn_many(frame[start : start + 97], series[start : start + 97])
        if start % 3 == 0:
            model.predict_many(frame[:2])
    table = NoisyLinearRegressor(noise_cov=0.2).fit(A, y)
    expected = table.predict(X[:50])
    for other in (whole, model):
        np.testing.assert_allclose(
            other.predict_many(pd.DataFrame(X[:50], columns=NAMES)), expected, atol=1e-8
        )


def test_long_frames_leave_the_same_windows_as_short_ones():
    X, y = switching(40_000, switches=[12_000, 33_000], seed=5)
    A = noisy(X, 0.2, 3)
    frame, series = pd.DataFrame(A, columns=NAMES), pd.Series(y)
    short, table = NoisyLinearRegressor(noise_cov=0.2), NoisyLinearRegressor(noise_cov=0.2)
    for start in range(0, len(y), 1000):
        short.learn_many(frame[start : start + 1000], series[start : start + 1000])
    table.fit(A, y)
    np.testing.assert_allclose(short.coef_, table.coef_, atol=1e-8)
    assert np.abs(table.coef_ - COEF).max() < 0.3


def test_windows_keep_their_norm():
    X, y = switching(3000, switches=[2000])
    model = learn(NoisyLinearRegressor(noise_cov=0.2, norm_bound=0.7), noisy(X, 0.2, 4), y)
    assert np.linalg.norm(model.coef_) <= 0.7 + 1e-9
    assert model.coef_ @ COEF < 0


def test_new_features_begin_a_new_history():
    X, y = switching(1500, switches=[1000])
    rows = as_dicts(noisy(X, 0.2, 5), NAMES)
    model = NoisyLinearRegressor(noise_cov=0.2)
    for t, (x, target) in enumerate(zip(rows, y.tolist(), strict=True)):
        model.learn_one(x if t < 700 else {**x, "new": 0.1 * t}, target)
        model.predict_one(x)
    assert len(model.coef_) == 4


def test_tables_are_fitted_whole_by_the_ridge():
    X, y = switching(2000, switches=[1000])
    fit = quietly(CorrectedRidge(noise_cov=0.2).fit, noisy(X, 0.2, 6), y)
    assert np.abs(fit.coef_).max() < 0.5


def test_forgetting_is_auto_or_none():
    X, y = switching(50, switches=[])
    with pytest.raises(ValueError, match="forgetting"):
        NoisyLinearRegressor(noise_cov=0.2, forgetting=0.9).fit(X, y)


def test_constant_and_equal_features_are_no_obstacle():
    X, y = switching(2000, switches=[1200])
    A = noisy(X, 0.2, 7)
    A = np.column_stack([A, np.zeros(2000), np.ones(2000), np.ones(2000)])
    noise = [0.2, 0.2, 0.2, 0.0, 0.0, 0.0]
    model = NoisyLinearRegressor(noise_cov=noise)
    names = [f"x{j}" for j in range(6)]
    for x, target in zip(as_dicts(A, names), y.tolist(), strict=True):
        model.predict_one(x)
        model.learn_one(x, target)
    assert np.isfinite(model.coef_).all()
