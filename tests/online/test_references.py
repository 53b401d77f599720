"""The slow references themselves: means over noise by quadrature and by simulation."""

import itertools
import math

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from naive import noisy_views as naive

# A covariance in one, two correlated and three dimensions; all below gamma^-1 / 2 for gamma = 0.5.
COVARIANCES = [
    np.array([[0.4]]),
    np.array([[0.3, -0.15], [-0.15, 0.5]]),
    np.array([[0.2, 0.1, 0.0], [0.1, 0.3, -0.1], [0.0, -0.1, 0.25]]),
]
GAMMA = 0.5
each_covariance = pytest.mark.parametrize("covariance", COVARIANCES, ids=lambda s: f"{len(s)}d")
small = pytest.mark.parametrize("covariance", COVARIANCES[:2], ids=lambda s: f"{len(s)}d")


def gaussian_mean(function, covariance, nodes=60):
    """E f(n), n ~ N(0, covariance), by Gauss-Hermite quadrature along each axis."""
    root = np.linalg.cholesky(covariance)
    points, weights = np.polynomial.hermite.hermgauss(nodes)
    total = 0.0
    for index in itertools.product(range(nodes), repeat=len(covariance)):
        weight = math.prod(weights[i] for i in index) / math.pi ** (len(covariance) / 2)
        total = total + weight * function(root @ (math.sqrt(2) * points[list(index)]))
    return total


def assert_unbiased(draws, expected):
    """The mean of the draws lies within three standard errors of what it should be."""
    draws = np.asarray(draws)
    error = draws.std(axis=0, ddof=1) / math.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - expected) <= 3 * error + 1e-12)


@small
def test_surrogate_kernel_is_unbiased(covariance):
    d = len(covariance)
    x, z = np.full(d, 0.3), np.linspace(-0.5, 0.9, d)
    nodes = 120 if d == 1 else 70
    mean = gaussian_mean(
        lambda n: naive.surrogate_kernel(x + n, z, GAMMA, covariance), covariance, nodes
    )
    assert mean == pytest.approx(math.exp(-GAMMA * naive.dot(x - z, x - z)), abs=1e-12)


def test_surrogate_square_of_a_diagonal_covariance_is_that_of_the_paper():
    variances, width = [0.3, 0.1, 0.6], 1 / GAMMA
    printed = math.prod(width / (width - 2 * s) for s in variances) ** 0.25
    assert naive.surrogate_square(GAMMA, np.diag(variances)) == pytest.approx(printed**2, rel=1e-14)
    same = np.array([0.1, 0.2, 0.3])
    assert naive.surrogate_kernel(same, same, GAMMA, np.diag(variances)) == pytest.approx(
        printed**2, rel=1e-14
    )


def test_surrogate_kernel_without_noise_is_the_kernel_itself():
    x, z = np.array([0.2, -1.0]), np.array([0.5, 0.4])
    expected = math.exp(-GAMMA * naive.dot(x - z, x - z))
    assert naive.surrogate_kernel(x, z, GAMMA, np.zeros((2, 2))) == pytest.approx(expected)


def test_surrogate_kernel_turns_with_the_axes(rng):
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    variances = np.diag([0.1, 0.3, 0.5])
    x, z = rng.normal(size=(2, 3))
    turned = naive.surrogate_kernel(turn @ x, turn @ z, GAMMA, turn @ variances @ turn.T)
    assert turned == pytest.approx(naive.surrogate_kernel(x, z, GAMMA, variances), rel=1e-12)


@small
def test_gradient_of_one_copy_is_unbiased_when_twice_the_noise_is_removed(covariance):
    d = len(covariance)
    w, x, y = np.linspace(1.0, -0.7, d), np.full(d, 0.6), 0.4
    clean = np.array(naive.gradient_two_copies(w, x, x, y))
    mean = gaussian_mean(
        lambda n: np.array(naive.gradient_known_covariance(w, x + n, y, covariance)), covariance, 6
    )
    np.testing.assert_allclose(mean, clean, atol=1e-12)
    # As printed, with Sigma w in place of 2 Sigma w, half of the bias stays.
    np.testing.assert_allclose(mean + covariance @ w - clean, covariance @ w, atol=1e-12)


@each_covariance
@pytest.mark.parametrize("gradient", [naive.gradient_two_copies, naive.gradient_symmetric])
def test_gradient_of_two_copies_is_unbiased(gradient, covariance, rng):
    d = len(covariance)
    w, x, y = np.linspace(1.0, -0.7, d), np.full(d, 0.6), 0.4
    noise = rng.multivariate_normal(np.zeros(d), covariance, size=(4000, 2))
    draws = [gradient(w, x + a, x + b, y) for a, b in noise]
    assert_unbiased(draws, naive.gradient_two_copies(w, x, x, y))


def test_symmetric_gradient_scatters_less_than_that_of_one_order(rng):
    # By half in the limit of many features: the two orders share only what lies along w.
    w, x, y = rng.normal(size=(3, 12))
    noise = rng.normal(size=(2000, 2, 12))
    plain = np.var([naive.gradient_two_copies(w, x + a, x + b, y[0]) for a, b in noise], axis=0)
    both = np.var([naive.gradient_symmetric(w, x + a, x + b, y[0]) for a, b in noise], axis=0)
    assert np.all(both < 1.02 * plain)
    assert 0.49 < both.sum() / plain.sum() < 0.6


def test_three_forms_of_algorithm_1_are_one_without_noise(rng):
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    left = naive.algorithm_1_left(X, X, y, 0.05, 0.4)
    np.testing.assert_allclose(naive.algorithm_1_symmetric(X, X, y, 0.05, 0.4), left, atol=1e-14)
    nothing = np.zeros((30, 3, 3))
    np.testing.assert_allclose(naive.algorithm_1_right(X, y, nothing, 0.05, 0.4), left, atol=1e-14)
    lengths = np.linalg.norm(left, axis=1)
    assert lengths.max() == pytest.approx(0.4) and lengths.min() < 0.39


def test_algorithm_2_without_noise_is_kernel_gradient_descent(rng):
    X, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    nothing = np.zeros((2, 2))
    alpha = naive.algorithm_2(X, X, y, GAMMA, nothing, 0.1)
    kept = []
    for t in range(12):
        kept.append(-0.2 * (naive.gaussian_expansion(kept, X[:t], X[t], GAMMA) - y[t]))
    np.testing.assert_allclose(alpha, kept, atol=1e-14)


def test_algorithm_2_stays_in_the_ball(rng):
    X, y = rng.normal(size=(2, 12, 2)), 3 * rng.normal(size=12)
    alpha = naive.algorithm_2(*X, y, GAMMA, COVARIANCES[1], 0.2, 0.5)
    square = sum(
        a * b * naive.surrogate_kernel(x, z, GAMMA, COVARIANCES[1])
        for a, x in zip(alpha, X[0], strict=True)
        for b, z in zip(alpha, X[0], strict=True)
    )
    assert square <= 0.25 * (1 + 1e-12)


@each_covariance
def test_corrected_moments_are_unbiased(covariance, rng):
    d = len(covariance)
    X, y = rng.normal(size=(5, d)), rng.normal(size=5)
    noise = rng.multivariate_normal(np.zeros(d), covariance, size=(1500, 2, 5))
    one = [naive.corrected_moments(X + a, y, [covariance] * 5) for a, _ in noise]
    two = [naive.paired_moments(X + a, X + b, y) for a, b in noise]
    for draws in (one, two):
        assert_unbiased([S for S, _ in draws], X.T @ X)
        assert_unbiased([c for _, c in draws], X.T @ y)
    assert_unbiased([naive.paired_covariance(X + a, X + b) for a, b in noise], covariance)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_corrected_ridge_without_noise_is_ridge(fit_intercept, rng):
    X, y = rng.normal(size=(40, 3)) + 2, rng.normal(size=40)
    weights = rng.integers(1, 4, 40).astype(float)
    ridge = Ridge(alpha=0.7, fit_intercept=fit_intercept).fit(X, y, weights)
    coef, intercept = naive.corrected_ridge(
        X, y, np.zeros((3, 3)), 0.7, weights=weights, fit_intercept=fit_intercept
    )
    np.testing.assert_allclose(coef, ridge.coef_, atol=1e-12)
    assert intercept == pytest.approx(ridge.intercept_, abs=1e-12)


def test_corrected_ridge_finds_the_slopes_that_noise_would_shrink(rng):
    X = rng.normal(size=(20000, 2))
    noise = rng.multivariate_normal(np.zeros(2), COVARIANCES[1], size=20000)
    y = X @ [1.0, -2.0] + 3
    corrected, intercept = naive.corrected_ridge(X + noise, y, COVARIANCES[1], 1e-6)
    shrunken, _ = naive.corrected_ridge(X + noise, y, COVARIANCES[1], 1e-6, share=0.0)
    np.testing.assert_allclose(corrected, [1.0, -2.0], atol=0.06)
    assert intercept == pytest.approx(3.0, abs=0.06)
    assert np.linalg.norm(shrunken) < 0.8 * np.linalg.norm(corrected)


@each_covariance
def test_squared_errors_are_unbiased(covariance, rng):
    d = len(covariance)
    X, y, w = rng.normal(size=(4, d)), rng.normal(size=4), np.linspace(-1.0, 0.5, d)
    noise = rng.multivariate_normal(np.zeros(d), covariance, size=(1500, 2, 4))
    clean = np.mean((X @ w + 0.3 - y) ** 2)
    assert_unbiased(
        [naive.corrected_squared_error(w, 0.3, X + a, y, covariance) for a, _ in noise], clean
    )
    assert_unbiased([naive.paired_squared_error(w, 0.3, X + a, X + b, y) for a, b in noise], clean)


def test_moments_with_gaps_are_unbiased(rng):
    X, y, shares = rng.normal(size=(5, 3)), rng.normal(size=5), [0.9, 0.5, 0.7]
    gaps = rng.random((3000, 5, 3)) >= shares
    draws = [naive.moments_with_gaps(np.where(gap, np.nan, X), y, shares) for gap in gaps]
    assert_unbiased([S for S, _ in draws], X.T @ X)
    assert_unbiased([c for _, c in draws], X.T @ y)


@small
def test_corrected_features_and_products_are_unbiased(covariance):
    d = len(covariance)
    frequencies = np.array([[0.5, -1.0], [1.2, 0.3], [-0.4, 0.8]])[:, :d]
    x = np.array([0.4, -0.9])[:d]
    clean = naive.features(x, frequencies)
    mean = gaussian_mean(
        lambda n: naive.corrected_features(x + n, frequencies, covariance), covariance, 30
    )
    np.testing.assert_allclose(mean, clean, atol=1e-12)
    mean = gaussian_mean(
        lambda n: naive.corrected_products(x + n, frequencies, covariance), covariance, 30
    )
    np.testing.assert_allclose(mean, np.outer(clean, clean), atol=1e-12)


def test_products_without_noise_are_products():
    frequencies = [[0.5, -1.0], [1.2, 0.3]]
    z = naive.features([0.4, -0.9], frequencies)
    products = naive.corrected_products([0.4, -0.9], frequencies, np.zeros((2, 2)))
    np.testing.assert_allclose(products, np.outer(z, z), atol=1e-15)


def test_corrected_products_take_laplace_noise(rng):
    frequencies, x = [[0.5, -1.0], [1.2, 0.3]], np.array([0.4, -0.9])
    variances = np.array([0.5, 0.3])
    noise = rng.laplace(scale=np.sqrt(variances / 2), size=(4000, 2))
    clean = naive.features(x, frequencies)
    options = (frequencies, np.diag(variances), naive.laplace_damping)
    assert_unbiased([naive.corrected_features(x + n, *options) for n in noise], clean)
    draws = [naive.corrected_products(x + n, *options) for n in noise]
    assert_unbiased(draws, np.outer(clean, clean))


def test_posterior_is_the_regression_of_clean_on_noisy_rows(rng):
    mean, S, noise = np.array([1.0, -2.0]), np.array([[1.0, 0.6], [0.6, 2.0]]), COVARIANCES[1]
    X = rng.multivariate_normal(mean, S, size=40000)
    noisy = X + rng.multivariate_normal(np.zeros(2), noise, size=40000)
    guess = np.array([naive.posterior(row, mean, S, noise)[0] for row in noisy])
    left = X - guess
    # What is left has no mean, does not depend on what was seen, and scatters as it should.
    assert_unbiased(left, 0.0)
    for j in range(2):
        assert_unbiased(left * noisy[:, [j]], 0.0)
    spread = naive.posterior(mean, mean, S, noise)[1]
    assert_unbiased(left[:, :, None] * left[:, None, :], spread)


@small
def test_expected_features_are_means_over_rows(covariance):
    d = len(covariance)
    frequencies = np.array([[0.5, -1.0], [1.2, 0.3]])[:, :d]
    m = np.array([0.4, -0.9])[:d]
    mean = gaussian_mean(lambda n: naive.features(m + n, frequencies), covariance, 30)
    expected = naive.expected_features(m, covariance, frequencies)
    np.testing.assert_allclose(mean, expected, atol=1e-12)
