"""A covariance known up to a factor, true features of some rows, and what cannot be identified."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from online.cases import FULL, as_dicts, linear_rows, noisy, quietly, rmse
from untaint.exceptions import UnidentifiedNoiseWarning
from untaint.online import (
    CorrectedRidge,
    NoiseAwareScaler,
    NoisyKernelRegressor,
    NoisyLinearRegressor,
)

LEARNERS = [CorrectedRidge(), NoisyLinearRegressor()]
each = pytest.mark.parametrize("model", LEARNERS, ids=["ridge", "stream"])


def problem(n=2000, *, n_known=300, seed=0):
    """Clean rows, targets, two noisy copies, and the true features of the first rows."""
    X, y, _ = linear_rows(n, seed=seed, intercept=1.0, target_noise=0.5)
    a, b = (noisy(X, FULL, 2000 + 10 * seed + j) for j in range(2))
    truth = X.copy()
    truth[n_known:] = np.nan
    return X, y, a, b, truth


@each
def test_true_features_of_some_rows_tell_the_noise(model):
    ratios = []
    for seed in range(5):
        X, y, a, _, truth = problem(seed=seed)
        known = clone(model).set_params(noise_cov=FULL).fit(a, y)
        told = clone(model).fit(a, y, X_true=truth)
        ratios.append(rmse(told, X, y) / rmse(known, X, y))
    assert np.median(ratios) < 1.05


def test_noise_of_a_validation_subsample_is_estimated():
    _, y, a, _, truth = problem(4000, n_known=2000)
    fit = CorrectedRidge().fit(a, y, X_true=truth)
    np.testing.assert_allclose(fit.noise_cov_, FULL, atol=0.03)


def test_true_rows_are_fitted_without_correction():
    X, y, a, _, _ = problem(300)
    fit = CorrectedRidge(noise_cov=FULL, share=1.0, alpha=1.0).fit(a, y, X_true=X)
    clean = CorrectedRidge(noise_cov=0.0, share=1.0, alpha=1.0).fit(X, y)
    np.testing.assert_allclose(fit.coef_, clean.coef_, rtol=1e-9)


@each
@pytest.mark.parametrize("told_by", ["copies", "truth"])
def test_factor_of_the_covariance_is_estimated(model, told_by):
    X, y, a, b, truth = problem()
    more = {"X_copy": b} if told_by == "copies" else {"X_true": truth}
    fit = clone(model).set_params(noise_cov=10.0 * FULL, noise_factor="estimate").fit(a, y, **more)
    known = clone(model).set_params(noise_cov=FULL).fit(a, y, **more)
    assert rmse(fit, X, y) < 1.05 * rmse(known, X, y)
    if isinstance(model, CorrectedRidge):
        np.testing.assert_allclose(fit.noise_cov_, FULL, rtol=0.1, atol=0.02)


@each
def test_factor_may_be_given(model):
    _, y, a, _, _ = problem(400)
    fit = clone(model).set_params(noise_cov=2.0 * FULL, noise_factor=0.5).fit(a, y)
    plain = clone(model).set_params(noise_cov=FULL).fit(a, y)
    np.testing.assert_allclose(fit.coef_, plain.coef_, rtol=1e-10)
    stream = clone(model).set_params(noise_cov=2.0, noise_factor=0.1)
    same = clone(model).set_params(noise_cov=0.2)
    for x, target in zip(as_dicts(a), y.tolist(), strict=True):
        stream.learn_one(x, target)
        same.learn_one(x, target)
    np.testing.assert_allclose(stream.coef_, same.coef_, rtol=1e-10)


def test_variances_of_each_row():
    X, y, _ = linear_rows(4000, intercept=1.0)
    rng = np.random.default_rng(7)
    variances = rng.uniform(0.0, 1.5, X.shape)
    a = X + np.sqrt(variances) * rng.normal(size=X.shape)
    told = CorrectedRidge().fit(a, y, noise_cov=variances)
    factor = CorrectedRidge(noise_factor=0.5).fit(a, y, noise_cov=2.0 * variances)
    naive = CorrectedRidge(noise_cov=0.0).fit(a, y)
    assert rmse(told, X, y) < 0.5 * rmse(naive, X, y)
    np.testing.assert_allclose(factor.coef_, told.coef_, rtol=1e-9)


@each
@pytest.mark.parametrize("how", [{"noise_cov": "replicates"}, {"noise_factor": "estimate"}])
def test_what_cannot_be_identified_is_said(model, how):
    _, y, a, _, _ = problem(200)
    given = {"noise_cov": FULL, **how}
    with pytest.warns(UnidentifiedNoiseWarning, match="cannot be identified"):
        clone(model).set_params(**given).fit(a, y)


def test_true_features_pass_through_the_scaler():
    X, y, a, _, truth = problem(1000)
    units = np.array([1.0, 100.0, 0.01])
    model = make_pipeline(NoiseAwareScaler(), CorrectedRidge())
    model.fit(a * units, y, correctedridge__X_true=truth * units)
    plain = CorrectedRidge().fit(a, y, X_true=truth)
    np.testing.assert_allclose(model.predict(X * units), plain.predict(X), rtol=1e-6)


def test_bad_input_is_refused():
    _, y, a, b, truth = problem(100)
    with pytest.raises(ValueError, match="X_true must have the shape of X"):
        CorrectedRidge().fit(a, y, X_true=truth[:, :2])
    torn = truth.copy()
    torn[0, 1] = np.nan
    with pytest.raises(ValueError, match="X_true"):
        CorrectedRidge().fit(a, y, X_true=torn)
    for factor in (0.0, -1.0, "unknown", np.nan):
        with pytest.raises(ValueError, match="noise_factor"):
            CorrectedRidge(noise_cov=FULL, noise_factor=factor).fit(a, y)
    with pytest.raises(ValueError, match="noise_factor"):
        CorrectedRidge(noise_cov="replicates", noise_factor="estimate").fit(a, y, X_copy=b)
    with pytest.raises(ValueError, match='learning_rate="auto"'):
        NoisyLinearRegressor(learning_rate="adaptive").fit(a, y, X_true=truth)
    with pytest.raises(ValueError, match="X_true"):
        quietly(NoisyKernelRegressor(noise_cov=0.1, budget=20).fit, a, y, X_true=truth)


def test_kernels_name_the_remedy_for_missing_entries():
    _, y, a, _, _ = problem(100)
    a[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN.*impute"):
        NoisyKernelRegressor(noise_cov=0.1, budget=20).fit(a, y)
