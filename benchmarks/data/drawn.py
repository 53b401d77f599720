"""Clean rows that look like bad ones, and rows that carry little information.

All targets are a smooth function of some features plus noise. The noise has heavy tails, is skewed
or grows with a feature; nothing is wrong with any row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from untaint.datasets import make_smooth

Array: TypeAlias = NDArray[np.float64]
Noise: TypeAlias = Callable[[Array, np.random.Generator], Array]

N_FEATURES = 5
# Of the noise, where the function's is about 1.
DEVIATION = 0.5


def student(X: Array, rng: np.random.Generator) -> Array:
    """Draw Student's t of three degrees of freedom, the fewest with a variance."""
    return rng.standard_t(3, size=len(X)) / np.sqrt(3.0)


def laplace(X: Array, rng: np.random.Generator) -> Array:
    """Draw from the two-sided exponential distribution."""
    return rng.laplace(size=len(X)) / np.sqrt(2.0)


def skewed(X: Array, rng: np.random.Generator) -> Array:
    """Draw from the lognormal distribution, about its mean."""
    mean, deviation = np.exp(0.5), np.sqrt(np.exp(2.0) - np.exp(1.0))
    return (rng.lognormal(size=len(X)) - mean) / deviation


def growing(X: Array, rng: np.random.Generator) -> Array:
    """Draw normal values of a deviation proportional to the size of the first feature."""
    return np.abs(X[:, 0]) * rng.normal(size=len(X))


def make_noisy(n_samples: int, *, noise: Noise, random_state: int) -> tuple[Array, Array]:
    """Draw a smooth surface with noise of a kind."""
    rng = np.random.default_rng(random_state)
    X, f = make_smooth(n_samples, n_features=N_FEATURES, noise=0.0, random_state=rng)
    return X, f + DEVIATION * noise(X, rng)


def make_wide(n_samples: int, *, n_features: int = 200, random_state: int) -> tuple[Array, Array]:
    """Draw a linear function of many features, with normal noise."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n_samples, n_features))
    f = X @ rng.normal(size=n_features) / np.sqrt(n_features)
    return X, f + DEVIATION * rng.normal(size=n_samples)


def make_counts(n_samples: int, *, random_state: int) -> tuple[Array, Array]:
    """Draw counts that vary more than Poisson's, of skewed features: rooms, visits, claims.

    y ~ Poisson(g exp(1 + f(log x))), g of mean 1 and variance 1/3, x lognormal.
    """
    rng = np.random.default_rng(random_state)
    Z, f = make_smooth(n_samples, n_features=N_FEATURES, noise=0.0, random_state=rng)
    rate = np.exp(1.0 + f) * rng.gamma(3.0, 1.0 / 3.0, size=n_samples)
    return np.exp(0.7 * Z), rng.poisson(rate).astype(np.float64)


def make_weak(n_samples: int, *, signal: float, random_state: int) -> tuple[Array, Array]:
    """Draw a smooth surface under normal noise of ``1 / signal`` times its variance."""
    rng = np.random.default_rng(random_state)
    X, f = make_smooth(n_samples, n_features=N_FEATURES, noise=0.0, random_state=rng)
    f = (f - f.mean()) / f.std()
    return X, np.sqrt(signal) * f + rng.normal(size=n_samples)


def sample(n_samples: int, *, source: Callable[[], Any], random_state: int) -> tuple[Any, Any]:
    """Draw rows of a data set that has more, without putting any back."""
    X, y = source()
    if n_samples > len(y):
        raise ValueError(f"n_samples must be at most the data set's {len(y)}, got {n_samples}.")
    rows = np.random.default_rng(random_state).permutation(len(y))[:n_samples]
    return X[rows], y[rows]
