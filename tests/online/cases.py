"""Problems that the tests of the online learners share."""

import warnings

import numpy as np
from sklearn.base import clone

from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor

FULL = np.array([[0.3, 0.1, 0.0], [0.1, 0.2, -0.05], [0.0, -0.05, 0.4]])
VARIANCES = np.array([0.3, 0.2, 0.4])


def linear_rows(n, d=3, *, seed=0, intercept=0.0, target_noise=0.1):
    """Clean rows, their targets and the slopes."""
    rng = np.random.default_rng(seed)
    X, coef = rng.normal(size=(n, d)), np.linspace(1.0, -1.5, d)
    return X, X @ coef + intercept + target_noise * rng.normal(size=n), coef


def wavy_rows(n, d=2, *, seed=0, target_noise=0.1):
    """Clean rows of a smooth surface and their targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, -1] + target_noise * rng.normal(size=n)


def as_matrix(covariance, d):
    """The covariance in full, whatever form it was given in."""
    covariance = np.asarray(covariance, dtype=float)
    if covariance.ndim == 2:
        return covariance
    return np.diag(np.broadcast_to(covariance, (d,)))


def noisy(X, covariance, seed):
    """A copy of the rows with Gaussian noise."""
    rng = np.random.default_rng(seed)
    n, d = X.shape
    return X + rng.multivariate_normal(np.zeros(d), as_matrix(covariance, d), size=n)


def views(X, covariance, seed=1):
    """Two independent noisy copies."""
    return noisy(X, covariance, 2 * seed), noisy(X, covariance, 2 * seed + 1)


def quietly(method, *args, **kwargs):
    """Call without a word of warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return method(*args, **kwargs)


def rmse(model, X, y, **options):
    return float(np.sqrt(np.mean((model.predict(X, **options) - y) ** 2)))


def as_dicts(X, names=None):
    """Rows as river hands them out."""
    names = [f"x{j}" for j in range(np.shape(X)[1])] if names is None else names
    return [dict(zip(names, map(float, row), strict=True)) for row in X]


def assert_unbiased(draws, expected):
    """The mean of the draws lies within three standard errors of what it should be."""
    draws = np.asarray(draws)
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - expected) <= 3 * error + 1e-12)


def name(model):
    """For the test's own name."""
    return repr(clone(model)).replace("Regressor", "")


# Every way of learning, with one copy of the rows.
LINEAR = [
    NoisyLinearRegressor(noise_cov=0.1),
    NoisyLinearRegressor(noise_cov=0.1, learning_rate="adaptive"),
    NoisyLinearRegressor(noise_cov=0.1, learning_rate=0.01, norm_bound=3.0),
    NoisyLinearRegressor(
        noise_cov=0.1,
        learning_rate="theory",
        horizon=500,
        norm_bound=3.0,
        feature_bound=3.0,
        target_bound=5.0,
    ),
]
RIDGE = [CorrectedRidge(noise_cov=0.1), CorrectedRidge(noise_cov=0.1, alpha=1.0, share=1.0)]
KERNEL = [
    NoisyKernelRegressor(noise_cov=0.1, budget=20, random_state=0),
    NoisyKernelRegressor(noise_cov=0.1, kernel="exponential", budget=20, random_state=0),
    NoisyKernelRegressor(noise_cov=0.1, kernel="rational_quadratic", budget=20, random_state=0),
    NoisyKernelRegressor(noise_cov=0.1, noise="laplace", budget=20, random_state=0),
]
# Those that need a second copy.
ALGORITHM_2 = [
    NoisyKernelRegressor(noise_cov=0.1, gamma=0.5, learning_rate=0.1, norm_bound=3.0),
    NoisyKernelRegressor(
        noise_cov=0.1,
        gamma=0.5,
        learning_rate="theory",
        horizon=500,
        norm_bound=3.0,
        target_bound=3.0,
    ),
    NoisyKernelRegressor(
        noise_cov=0.1, gamma=0.5, learning_rate=0.1, norm_bound=3.0, budget=30, random_state=0
    ),
]
ONE_COPY = [*LINEAR, *RIDGE, *KERNEL]
EVERY = [*ONE_COPY, *ALGORITHM_2]


def needs_copies(model):
    """Whether this is Algorithm 2, which learns from pairs only."""
    return isinstance(model, NoisyKernelRegressor) and model.learning_rate != "auto"


def copies_for(model, X, covariance=0.1, seed=1):
    """What ``fit`` needs besides the rows: a second copy, or nothing."""
    a, b = views(X, covariance, seed)
    return (a, {"X_copy": b}) if needs_copies(model) else (a, {})
