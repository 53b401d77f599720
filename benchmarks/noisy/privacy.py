"""Features released with Gaussian noise, once and row by row: what is protected, and by how much.

Each row x is scaled to a norm of at most C and released as x + N(0, s^2 I). Whoever sees the
release of a row learns little of that row's features, whatever else is known: of two rows that
could have been meant, which differ by at most 2 C (the sensitivity), either makes any event about
as likely,

    P(event | x) <= e^epsilon P(event | x') + delta,   s = 2 C sqrt(2 ln(1.25 / delta)) / epsilon.

That is local (epsilon, delta) differential privacy of the features of one row, released once. The
targets, the number of rows and the constants that scale the columns are taken to be public; two
releases of a row (two copies) would cost twice the epsilon. The formula is proved for epsilon < 1
only. The delta that the noise gives at any epsilon is, exactly,

    delta = F(D / 2s - epsilon s / D) - e^epsilon F(-D / 2s - epsilon s / D),

with D = 2 C and F the normal distribution function (Balle and Wang 2018, Theorem 8).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

Array: TypeAlias = NDArray[np.float64]


def clip(X: Array, norm: float) -> Array:
    """Scale rows that are longer to this norm.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.noisy.privacy import clip
    >>> clip(np.array([[3.0, 4.0], [0.3, 0.4]]), 1.0).tolist()
    [[0.6, 0.8], [0.3, 0.4]]
    """
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.maximum(lengths / norm, 1.0)


def gaussian_mechanism(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return deviation of the noise by the classical formula.

    Examples
    --------
    >>> from benchmarks.noisy.privacy import gaussian_mechanism
    >>> round(gaussian_mechanism(1.0, 1e-5, 2.0), 3)
    9.69
    """
    return sensitivity * math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


def exact_delta(epsilon: float, deviation: float, sensitivity: float) -> float:
    """Return the smallest delta that noise of this deviation gives at epsilon.

    Examples
    --------
    >>> from benchmarks.noisy.privacy import exact_delta, gaussian_mechanism
    >>> exact_delta(0.9, gaussian_mechanism(0.9, 1e-5, 2.0), 2.0) < 1e-5
    True
    """
    half, shift = sensitivity / (2.0 * deviation), epsilon * deviation / sensitivity
    return float(ndtr(half - shift) - math.exp(epsilon + log_ndtr(-half - shift)))
