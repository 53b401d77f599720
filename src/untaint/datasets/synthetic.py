"""Problems with a known truth, drawn from a seed."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .._validation import check_at_most, check_count, check_real
from ._random_state import RandomState, as_generator

_N_FREQUENCIES = 128


def make_polynomial(
    n_samples: int = 1000, *, degree: int = 3, noise: float = 0.1, random_state: RandomState = None
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
    check_count("n_samples", n_samples)
    check_count("degree", degree, low=0)
    check_real("noise", noise, low=0)
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
    check_count("n_samples", n_samples)
    check_count("n_features", n_features)
    check_real("noise", noise, low=0)
    rng = as_generator(random_state)
    surface = _draw_surface(n_features, rng)
    X = rng.normal(size=(n_samples, n_features))
    return X, surface(X) + noise * rng.normal(size=n_samples)


def make_classes(
    n_samples: int = 1000,
    *,
    n_classes: int = 2,
    n_features: int = 8,
    overlap: float = 0.1,
    rare_share: float | None = None,
    random_state: RandomState = None,
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Draw classes whose borders are smooth and curved, for studies of speed and of rare classes.

    x ~ N(0, I),  P(y = c | x) = exp(f_c(x) / overlap) / sum_k exp(f_k(x) / overlap)

    with one surface f_c for each class, drawn as in `make_smooth` and centred over the rows, so
    that classes are of about equal size. This is the model of kernel logistic regression, and gamma
    = 1 / (2 n_features) is right for it. Each class is drawn as the argmax over c of f_c(x) +
    overlap g_c with standard Gumbel variables g_c, which have just these probabilities.

    Parameters
    ----------
    n_samples : int, default=1000
    n_classes : int, default=2
    n_features : int, default=8
    overlap : float, default=0.1
        Overlap of the classes; with 0, x determines the class.
    rare_share : float or None, default=None
        Share of the rows in the last class: its surface is shifted until
        ``round(rare_share * n_samples)`` rows belong to it.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), integers from 0

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.datasets import make_classes
    >>> X, y = make_classes(200, n_classes=3, rare_share=0.03, random_state=0)
    >>> X.shape, int(np.sum(y == 2))
    ((200, 8), 6)
    """
    check_count("n_samples", n_samples)
    check_count("n_classes", n_classes)
    check_count("n_features", n_features)
    check_real("overlap", overlap, low=0)
    if rare_share is not None:
        check_real("rare_share", rare_share, low=0)
        check_at_most("rare_share", rare_share, 1.0)
    rng = as_generator(random_state)
    surfaces = [_draw_surface(n_features, rng) for _ in range(n_classes)]
    X = rng.normal(size=(n_samples, n_features))
    heights = np.column_stack([surface(X) for surface in surfaces])
    heights += overlap * rng.gumbel(size=heights.shape) - heights.mean(axis=0)
    if rare_share is not None:
        heights[:, -1] -= _level(heights, round(rare_share * n_samples))
    return X, np.argmax(heights, axis=1)


def _draw_surface(
    n_features: int, rng: np.random.Generator
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Draw f(x) = sqrt(2 / m) sum_j cos(w_j . x + b_j), as `make_smooth` describes it."""
    frequencies = rng.normal(size=(n_features, _N_FREQUENCIES)) / np.sqrt(n_features)
    phases = rng.uniform(0.0, 2.0 * np.pi, size=_N_FREQUENCIES)
    return lambda X: np.sqrt(2.0 / _N_FREQUENCIES) * np.cos(X @ frequencies + phases).sum(axis=1)


def _level(heights: NDArray[np.float64], count: int) -> float:
    """Return by how much to lower the last column to make it the largest in ``count`` rows."""
    leads = np.sort(heights[:, -1] - heights[:, :-1].max(axis=1))[::-1]
    # Halfway between two rows; one beyond the last at either end.
    edges = np.concatenate([[leads[0] + 1.0], leads, [leads[-1] - 1.0]])
    return float((edges[count] + edges[count + 1]) / 2.0)
