"""Errors on clean rows estimated from noisy ones, and predictions for noisy queries."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from naive import noisy_views as naive
from online.cases import (
    FULL,
    as_matrix,
    assert_unbiased,
    linear_rows,
    needs_copies,
    noisy,
    quietly,
    rmse,
    views,
    wavy_rows,
)
from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor

LINEAR = [
    NoisyLinearRegressor(noise_cov=FULL),
    NoisyLinearRegressor(noise_cov=FULL, learning_rate="adaptive"),
    NoisyLinearRegressor(noise_cov=FULL, learning_rate=0.02),
    CorrectedRidge(noise_cov=FULL),
]
NOISE = np.array([[0.1, 0.05], [0.05, 0.2]])
KERNEL = [
    NoisyKernelRegressor(noise_cov=NOISE, gamma=0.5, budget=40, random_state=0),
    NoisyKernelRegressor(
        noise_cov=NOISE, gamma=0.5, budget=40, random_state=0, kernel="exponential"
    ),
    NoisyKernelRegressor(
        noise_cov=NOISE, gamma=0.5, budget=40, random_state=0, kernel="rational_quadratic"
    ),
]
ALGORITHM_2 = [
    NoisyKernelRegressor(noise_cov=NOISE, gamma=0.5, learning_rate=0.1),
    NoisyKernelRegressor(noise_cov=NOISE, gamma=0.5, learning_rate=0.1, budget=40, random_state=0),
]


def name(model):
    return f"{type(model).__name__} {model.get_params().get('learning_rate', '')}" + (
        f" {model.kernel} {model.budget}" if isinstance(model, NoisyKernelRegressor) else ""
    )


def fitted(model, copies=1):
    """The model, fitted to noisy rows, and clean rows of the same kind."""
    if isinstance(model, NoisyKernelRegressor):
        X, y = wavy_rows(400)
        a, b = views(X, NOISE)
        more = {} if copies == 1 else {"X_copy": b}
        clean = wavy_rows(25, seed=9)
        return clone(model).fit(a, y, **more), *clean, NOISE
    X, y, _ = linear_rows(400, intercept=1.0, target_noise=0.5)
    clean = linear_rows(25, intercept=1.0, target_noise=0.5, seed=9)
    return quietly(clone(model).fit, noisy(X, FULL, 3), y), *clean[:2], FULL


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("model", [*LINEAR, *KERNEL, *ALGORITHM_2], ids=name)
def test_corrected_score_is_unbiased_for_the_clean_error(model, copies):
    if needs_copies(model) and copies == 1:
        pytest.skip("Algorithm 2 needs two copies")
    model, X, y, covariance = fitted(model, copies)
    clean = np.mean((model.predict(X) - y) ** 2)
    draws = []
    for seed in range(150):
        a, b = views(X, covariance, 100 + seed)
        draws.append(quietly(model.corrected_score, a, y, X_copy=b if copies == 2 else None))
    assert_unbiased(draws, clean)
    assert np.std(draws) > 0


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("model", [KERNEL[0], ALGORITHM_2[0]], ids=name)
def test_kernel_models_score_another_number_of_copies_without_bias_or_refuse(model, copies):
    if needs_copies(model) and copies == 1:
        copies = 2
    model, X, y, covariance = fitted(model, copies)
    clean = np.mean((model.predict(X) - y) ** 2)
    draws = []
    for seed in range(150):
        a, b = views(X, covariance, 100 + seed)
        try:
            draws.append(model.corrected_score(a, y, X_copy=b if copies == 1 else None))
        except ValueError as error:
            assert "X_copy" in str(error)
            return
    assert_unbiased(draws, clean)


@pytest.mark.parametrize("model", LINEAR, ids=name)
def test_corrected_score_of_a_linear_model_is_its_formula(model):
    model, X, y, covariance = fitted(model)
    a, _ = views(X, covariance)
    expected = naive.corrected_squared_error(model.coef_, model.intercept_, a, y, covariance)
    assert model.corrected_score(a, y) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("model", [NoisyLinearRegressor(), CorrectedRidge()], ids=name)
def test_corrected_score_of_copies_needs_no_covariance(model):
    X, y, _ = linear_rows(300, intercept=1.0)
    model = clone(model).fit(*views(X, FULL)[:1], y, X_copy=views(X, FULL)[1])
    clean, target, _ = linear_rows(20, intercept=1.0, seed=5)
    expected = np.mean((model.predict(clean) - target) ** 2)
    draws = [
        model.corrected_score(a, target, X_copy=b)
        for a, b in (views(clean, FULL, 50 + seed) for seed in range(200))
    ]
    assert_unbiased(draws, expected)
    a, b = views(clean, FULL)
    formula = naive.paired_squared_error(model.coef_, model.intercept_, a, b, target)
    assert model.corrected_score(a, target, X_copy=b) == pytest.approx(formula, rel=1e-10)


def test_corrected_score_of_one_copy_uses_the_noise_estimated_from_copies():
    X, y, _ = linear_rows(300)
    a, b = views(X, FULL)
    model = CorrectedRidge().fit(a, y, X_copy=b)
    excess = model.coef_ @ model.noise_cov_ @ model.coef_
    expected = np.mean((model.predict(a) - y) ** 2) - excess
    assert model.corrected_score(a, y) == pytest.approx(expected, rel=1e-10)


def test_corrected_score_uses_the_noise_that_was_given_to_fit():
    X, y, _ = linear_rows(300)
    a, _ = views(X, FULL)
    told = CorrectedRidge(noise_cov=0.0, share=1.0, alpha=1.0).fit(a, y, noise_cov=FULL)
    same = CorrectedRidge(noise_cov=FULL, share=1.0, alpha=1.0).fit(a, y)
    assert told.corrected_score(a, y) == pytest.approx(same.corrected_score(a, y), rel=1e-10)


def test_corrected_score_without_noise_is_the_mean_squared_error():
    X, y, _ = linear_rows(100)
    model = NoisyLinearRegressor(noise_cov=0.0).fit(X, y)
    expected = np.mean((model.predict(X) - y) ** 2)
    assert model.corrected_score(X, y) == pytest.approx(expected, rel=1e-10)
    assert model.corrected_score(X, y, X_copy=X) == pytest.approx(expected, rel=1e-10)


# --- noisy queries --------------------------------------------------------------------------


@pytest.mark.parametrize("model", [*LINEAR[:2], LINEAR[3], *KERNEL, *ALGORITHM_2], ids=name)
def test_noisy_queries_are_predicted_better_with_noisy_true(model):
    kernel = isinstance(model, NoisyKernelRegressor)
    X, y = wavy_rows(3000) if kernel else linear_rows(3000, intercept=1.0)[:2]
    covariance = 3 * NOISE if kernel else FULL
    if model.get_params().get("learning_rate") == 0.1:
        covariance = NOISE
    a, b = views(X, covariance)
    options = {"noise_cov": covariance}
    if model.get_params().get("learning_rate") == 0.1:
        options.update(learning_rate=0.05, norm_bound=10.0)
        fit = clone(model).set_params(**options).fit(a[:800], y[:800], X_copy=b[:800])
    else:
        fit = clone(model).set_params(**options).fit(a, y)
    queries, targets = wavy_rows(2000, seed=7) if kernel else linear_rows(2000, seed=7)[:2]
    targets = targets if kernel else targets + 1.0
    seen = noisy(queries, covariance, 77)
    said, unsaid = rmse(fit, seen, targets, noisy=True), rmse(fit, seen, targets)
    # Where the guard left all of the noise in, the fit is one for noisy rows already.
    assert said <= unsaid * (1 + 1e-9) if kernel else said < unsaid
    assert rmse(fit, queries, targets) < said  # clean queries are better still


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_noisy_queries_get_the_naive_fit_whatever_share_of_the_noise_was_removed(share):
    # Least squares on noisy rows is the best linear guess for rows just as noisy: a corrected fit
    # has to come back to it, and a naive one, which is it, must not be shrunken again.
    X, y, _ = linear_rows(3000, intercept=1.0)
    seen = noisy(X, FULL, 3)
    model = CorrectedRidge(noise_cov=FULL, alpha=0.0, share=share).fit(seen, y)
    expected = LinearRegression().fit(seen, y).predict(seen)
    np.testing.assert_allclose(model.predict(seen, noisy=True), expected, atol=1e-8)


@pytest.mark.parametrize("learning_rate", ["auto", "adaptive", 0.02])
def test_noisy_query_of_a_linear_model_is_replaced_by_its_conditional_mean(learning_rate):
    X, y, _ = linear_rows(3000, intercept=1.0)
    seen = noisy(X, FULL, 3)
    model = NoisyLinearRegressor(noise_cov=FULL, learning_rate=learning_rate).fit(seen, y)
    mean = seen.mean(axis=0)
    spread = np.cov(seen.T, bias=True) - FULL
    queries = seen[:20]
    guesses = [naive.posterior(query, mean, spread, FULL)[0] for query in queries]
    expected = np.array(guesses) @ model.coef_ + model.intercept_
    # Without an intercept the mean of the rows may count as zero, which here it almost is.
    tol = 2e-2 if learning_rate == 0.02 else 5e-3
    np.testing.assert_allclose(model.predict(queries, noisy=True), expected, atol=tol)


def test_noisy_query_without_noise_is_a_query():
    X, y, _ = linear_rows(200, intercept=1.0)
    for model in (NoisyLinearRegressor(noise_cov=0.0), CorrectedRidge(noise_cov=0.0)):
        model.fit(X, y)
        np.testing.assert_allclose(model.predict(X, noisy=True), model.predict(X), atol=1e-8)


def test_a_query_with_very_large_noise_gets_the_mean_prediction():
    X, y, _ = linear_rows(4000, intercept=1.0)
    hidden = noisy(X, 0.9 * np.eye(3), 1)
    model = CorrectedRidge(noise_cov=0.9, share=1.0).fit(hidden, y)
    spread = model.predict(hidden, noisy=True).std() / model.predict(hidden).std()
    assert spread == pytest.approx(1 / 1.9, abs=0.08)


def test_noise_of_queries_can_be_learned_from_copies():
    X, y, _ = linear_rows(4000, intercept=1.0)
    a, b = views(X, FULL)
    model = CorrectedRidge().fit(a, y, X_copy=b)
    np.testing.assert_allclose(model.noise_cov_, as_matrix(FULL, 3), atol=0.03)
    np.testing.assert_allclose(model.noise_cov_, naive.paired_covariance(a, b), atol=2e-3)
    assert rmse(model, a, y, noisy=True) < rmse(model, a, y)


@pytest.mark.parametrize("model", KERNEL[:1], ids=name)
def test_noisy_query_of_a_kernel_model_comes_near_the_conditional_mean(model):
    # Rows are Gaussian, so what is expected of a clean row given its copy is known.
    rng = np.random.default_rng(0)
    X, y = wavy_rows(6000)
    fit = clone(model).set_params(budget=100).fit(noisy(X, NOISE, 3), y)
    queries = np.array([[0.5, -0.5], [1.0, 0.3], [-0.8, 0.9]])
    expected = []
    for query in queries:
        mean, spread = naive.posterior(query, np.zeros(2), np.eye(2), NOISE)
        rows = rng.multivariate_normal(mean, spread, size=20000)
        expected.append(fit.predict(rows).mean())
    np.testing.assert_allclose(fit.predict(queries, noisy=True), expected, atol=0.06)
