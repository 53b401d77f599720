"""CorrectedRidge: the closed form of the known-covariance case."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV

from naive import noisy_views as naive
from online.cases import FULL, VARIANCES, as_matrix, linear_rows, noisy, quietly, rmse, views
from untaint.exceptions import OverstatedNoiseWarning
from untaint.online import CorrectedRidge

intercepts = pytest.mark.parametrize("fit_intercept", [True, False])


@intercepts
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_without_noise_it_is_ridge(alpha, fit_intercept, rng):
    X, y, _ = linear_rows(60, intercept=2.0)
    X, weights = X * [1.0, 20.0, 0.1] + [0.0, 5.0, 1.0], rng.uniform(0.5, 2.0, 60)
    model = CorrectedRidge(noise_cov=0.0, alpha=alpha, fit_intercept=fit_intercept)
    ridge = Ridge(alpha=alpha, fit_intercept=fit_intercept)
    for sample_weight in (None, weights):
        model.fit(X, y, sample_weight=sample_weight)
        ridge.fit(X, y, sample_weight)
        np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-8)
        assert model.intercept_ == pytest.approx(ridge.intercept_, abs=1e-8)
        np.testing.assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-8, atol=1e-8)
    assert model.alpha_ == alpha


def test_without_noise_and_with_nothing_chosen_it_predicts_as_ridge_does():
    X, y, _ = linear_rows(300, intercept=2.0)
    model, ridge = CorrectedRidge(noise_cov=0.0).fit(X, y), RidgeCV().fit(X, y)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), atol=0.02 * y.std())


@intercepts
@pytest.mark.parametrize("covariance", [0.3, VARIANCES, FULL], ids=["scalar", "diagonal", "full"])
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
def test_given_alpha_and_share_are_used(covariance, share, fit_intercept):
    X, y, _ = linear_rows(200, intercept=1.0)
    X = noisy(X, covariance, 3)
    model = CorrectedRidge(
        noise_cov=covariance, alpha=2.0, share=share, fit_intercept=fit_intercept
    ).fit(X, y)
    coef, intercept = naive.corrected_ridge(
        X, y, as_matrix(covariance, 3), 2.0, share, fit_intercept=fit_intercept
    )
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-8)
    assert model.intercept_ == pytest.approx(intercept, abs=1e-8)
    assert model.share_ == share and model.alpha_ == 2.0
    np.testing.assert_allclose(model.noise_cov_, as_matrix(covariance, 3))


def test_rows_own_covariances_are_summed(rng):
    X, y, _ = linear_rows(200)
    roots = rng.normal(size=(200, 3, 3)) / 4
    matrices = roots @ roots.transpose(0, 2, 1)
    model = CorrectedRidge(alpha=2.0, share=1.0, fit_intercept=False)
    model.fit(X, y, noise_cov=matrices)
    S, c = naive.corrected_moments(X, y, matrices)
    np.testing.assert_allclose(model.coef_, np.linalg.solve(S + 2 * np.eye(3), c), rtol=1e-8)
    variances = rng.uniform(0, 0.3, (200, 3))
    model.fit(X, y, noise_cov=variances)
    S, c = naive.corrected_moments(X, y, [np.diag(row) for row in variances])
    np.testing.assert_allclose(model.coef_, np.linalg.solve(S + 2 * np.eye(3), c), rtol=1e-8)


def test_two_copies_are_averaged_and_the_mean_rid_of_its_own_noise():
    # The mean of the copies less the noise of that mean is the product of the copies:
    # m m' - d d' = (a b' + b a') / 2 for the mean m and half the difference d.
    X, y, _ = linear_rows(300)
    a, b = views(X, FULL)
    model = CorrectedRidge(alpha=2.0, share=1.0, fit_intercept=False).fit(a, y, X_copy=b)
    S, c = naive.paired_moments(a, b, y)
    np.testing.assert_allclose(model.coef_, np.linalg.solve(S + 2 * np.eye(3), c), rtol=1e-8)


@pytest.mark.parametrize("copies", [1, 2])
def test_bias_of_the_naive_fit_is_gone(copies):
    X, y, coef = linear_rows(8000, intercept=1.0)
    a, b = views(X, FULL)
    model = CorrectedRidge(noise_cov=FULL if copies == 1 else None)
    model.fit(a, y, X_copy=b if copies == 2 else None)
    assert np.abs(LinearRegression().fit(a, y).coef_ - coef).max() > 0.25
    np.testing.assert_allclose(model.coef_, coef, atol=0.12)
    assert model.share_ > 0.7


@pytest.mark.parametrize("n", [15, 40])
def test_selection_keeps_few_rows_from_doing_worse_than_naive(n):
    ratios = []
    for seed in range(12):
        X, y, _ = linear_rows(n, 6, seed=seed, target_noise=1.0)
        queries, targets, _ = linear_rows(500, 6, seed=1000 + seed, target_noise=0.0)
        seen = noisy(X, 0.5, seed)
        model = quietly(CorrectedRidge(noise_cov=0.5).fit, seen, y)
        plain = RidgeCV(alphas=np.logspace(-3, 3, 13)).fit(seen, y)
        ratios.append(rmse(model, queries, targets) / rmse(plain, queries, targets))
    assert np.median(ratios) < 1.1
    assert max(ratios) < 1.6


def test_choice_does_not_depend_on_units():
    X, y, _ = linear_rows(300, intercept=1.0)
    X, units = noisy(X, FULL, 3), np.array([1e-3, 1.0, 1e4])
    model = CorrectedRidge(noise_cov=FULL).fit(X, y)
    other = CorrectedRidge(noise_cov=FULL * np.outer(units, units)).fit(X * units, 7 * y - 3)
    np.testing.assert_allclose(other.coef_ * units, 7 * model.coef_, rtol=1e-6)
    np.testing.assert_allclose(
        other.predict(X * units), 7 * model.predict(X) - 3, rtol=1e-6, atol=1e-6
    )
    assert other.share_ == model.share_


@pytest.mark.parametrize("far", [1e4, 1e7])
def test_large_offsets_do_no_harm(far):
    X, y, _ = linear_rows(300)
    X = noisy(X, FULL, 3)
    model = CorrectedRidge(noise_cov=FULL).fit(X, y)
    away = CorrectedRidge(noise_cov=FULL).fit(X + far, y + far)
    np.testing.assert_allclose(away.coef_, model.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(away.predict(X + far), model.predict(X) + far, atol=1e-3)


def test_more_rows_reduce_the_error():
    medians = []
    for n in (100, 1000, 10000):
        errors = []
        for seed in range(5):
            X, y, coef = linear_rows(n, intercept=1.0, seed=seed)
            model = quietly(CorrectedRidge(noise_cov=FULL).fit, noisy(X, FULL, 3 + seed), y)
            errors.append(np.linalg.norm(model.coef_ - coef))
        medians.append(np.median(errors))
    assert medians == sorted(medians, reverse=True)
    assert medians[-1] < 0.1


def test_collinear_features_give_a_finite_fit():
    X, y, _ = linear_rows(200)
    X = np.column_stack([X, X[:, 0], X[:, 1] - X[:, 2]])
    covariance = np.zeros((5, 5))
    model = quietly(CorrectedRidge(noise_cov=covariance).fit, X, y)
    assert np.isfinite(model.coef_).all()
    assert rmse(model, X, y) < 0.2


def test_more_features_than_rows_give_a_finite_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 60))
    y = X[:, 0] + 0.1 * rng.normal(size=20)
    model = quietly(CorrectedRidge(noise_cov=0.01).fit, X, y)
    assert np.isfinite(model.coef_).all()
    assert np.abs(model.predict(X)).max() < 10


@given(st.lists(st.integers(1, 199), max_size=6, unique=True).map(sorted))
def test_batches_may_be_cut_anywhere(cuts):
    X, y, _ = linear_rows(200, intercept=1.0)
    X = noisy(X, FULL, 3)
    whole, cut = CorrectedRidge(noise_cov=FULL).fit(X, y), CorrectedRidge(noise_cov=FULL)
    for rows in np.split(np.arange(200), cuts):
        quietly(cut.partial_fit, X[rows], y[rows])
    np.testing.assert_allclose(cut.coef_, whole.coef_, rtol=1e-8)
    assert cut.share_ == whole.share_
    assert cut.n_rounds_ == whole.n_rounds_ == 200


def test_selection_is_not_misled_by_consecutive_rows_that_are_alike():
    # Folds that separated a row from its repetitions would select too small an alpha.
    ratios = []
    for seed in range(8):
        X, y, _ = linear_rows(40, 20, seed=seed, target_noise=3.0)
        queries, targets, _ = linear_rows(500, 20, seed=1000 + seed, target_noise=0.0)
        X = noisy(X, 0.2, seed)
        plain = RidgeCV(alphas=np.logspace(-3, 3, 13)).fit(X, y)
        model = CorrectedRidge(noise_cov=0.2)
        quietly(model.fit, np.repeat(X, 4, axis=0), np.repeat(y, 4))
        ratios.append(rmse(model, queries, targets) / rmse(plain, queries, targets))
    assert np.median(ratios) < 1.1
    assert max(ratios) < 1.4


@pytest.mark.parametrize("alpha", [0.0, 1e-8, 1e-3])
def test_nearly_singular_moments_do_not_explode(alpha):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 8)) @ rng.normal(size=(8, 8)) * np.geomspace(1.0, 0.1, 8)
        y = X @ rng.normal(size=8) + rng.normal(size=300)
        a = X + rng.normal(size=X.shape)
        fit = CorrectedRidge(noise_cov=1.0, share=1.0, alpha=alpha)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            error = np.sqrt(np.mean((fit.fit(a, y).predict(X) - y) ** 2)) / y.std()
        assert error < 5.0
        if error > 1.0:
            assert any(issubclass(w.category, OverstatedNoiseWarning) for w in caught)
