"""Regression problems with a known truth, drawn from a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._random import RandomState, as_generator

_N_WAVES = 128


def make_polynomial(
    n_samples: int = 1000,
    *,
    degree: int = 3,
    noise: float = 0.1,
    random_state: RandomState = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw one feature and a noisy polynomial of it, the papers' synthetic regression.

    x ~ N(0, 1),  a_i ~ N(0, 1),  y ~ N(a_0 + a_1 x + ... + a_degree x^degree, noise^2).

    Parameters
    ----------
    n_samples : int, default=1000
    degree : int, default=3
    noise : float, default=0.1
        Standard deviation of the noise; the papers' variance is 0.01.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
    y : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from untaint.datasets import make_polynomial
    >>> X, y = make_polynomial(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 1), (50,))
    """
    rng = as_generator(random_state)
    coefficients = rng.normal(size=degree + 1)
    x = rng.normal(size=n_samples)
    y = np.polynomial.polynomial.polyval(x, coefficients) + noise * rng.normal(size=n_samples)
    return x[:, np.newaxis], y


def make_smooth(
    n_samples: int = 1000,
    *,
    n_features: int = 8,
    noise: float = 0.1,
    random_state: RandomState = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw a smooth nonlinear surface in several dimensions, for studies of speed and growth.

    x ~ N(0, I),  y ~ N(f(x), noise^2),  f(x) = sqrt(2 / m) sum_{j=1}^m cos(w_j . x + b_j)

    with w_j ~ N(0, I / n_features), b_j uniform on a circle and m = 128: to a close approximation
    a draw from the Gaussian process with kernel exp(-gamma ||x - x'||^2), gamma = 1 / (2
    n_features), so that this gamma is right for every dimension and f has variance about one.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=8
    noise : float, default=0.1
        Standard deviation of the noise.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from untaint.datasets import make_smooth
    >>> X, y = make_smooth(50, n_features=3, random_state=0)
    >>> X.shape, y.shape
    ((50, 3), (50,))
    """
    rng = as_generator(random_state)
    frequencies = rng.normal(size=(n_features, _N_WAVES)) / np.sqrt(n_features)
    phases = rng.uniform(0.0, 2.0 * np.pi, size=_N_WAVES)
    X = rng.normal(size=(n_samples, n_features))
    surface = np.sqrt(2.0 / _N_WAVES) * np.cos(X @ frequencies + phases).sum(axis=1)
    return X, surface + noise * rng.normal(size=n_samples)
