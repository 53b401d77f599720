r"""Null models of the residuals: noise without outliers.

The residuals of inliers may have heavy tails (Student's t), a generalised normal density
:math:`\propto e^{-|z|^p}`, or a two-piece density, Gaussian or Student's, with one scale on either
side of its mode. Where outliers have to prove themselves, Johnson's density of skewed noise
(:mod:`.johnson`) is one more. The better one of these models fits the residuals, the weaker is the
evidence for outliers.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from .._typing import BoolArray, FloatArray
from .expectation_maximisation import log_student_rows
from .johnson import johnson_likelihood

# Degrees of freedom of Student's distribution.
TAILS = (3.0, 5.0, 10.0, np.inf)
# Powers of the generalised normal distribution: from Laplace's to nearly uniform.
POWERS = (1.0, 4.0, 12.0)
# Quantiles at which the mode of a two-piece density may lie, and the smallest scale of a side
# relative to the overall scale.
MODES = (0.02, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
MIN_SIDE = 0.02
# Degrees of freedom of a two-piece density, and updates of its scales.
SKEWED_TAILS = (5.0, np.inf)
SIDE_ITER = 8
MAX_ITER = 200
# Smallest scale relative to the root mean square: most residuals may be zero.
LEAST_RELATIVE = 1e-100


class NullFit(NamedTuple):
    """A fitted null model: scale, degrees of freedom of the tail, and log-likelihood."""

    scale: float
    tail: float
    log_likelihood: float


def null_fits(values: FloatArray, weights: FloatArray, least_scale: float) -> list[NullFit]:
    """Fit all null models to residuals, with a lower bound of the noise scale."""
    return [
        *_of_student(values, weights, least_scale),
        *(_of_power(values, weights, power, least_scale) for power in POWERS),
        *_skewed(values, weights, least_scale),
    ]


def johnson_fit(values: FloatArray, weights: FloatArray, least_scale: float) -> NullFit:
    """Fit Johnson's density of skewed noise to residuals."""
    total, scale = float(weights.sum()), max(root_mean_square(values, weights), least_scale)
    if not np.isfinite(scale):
        return NullFit(scale, np.inf, -np.inf)
    least = max(MIN_SIDE, least_scale / scale)
    # The BIC penalty of three more parameters than a symmetric density has.
    penalty = total * np.log(scale) + 1.5 * np.log(total)
    likelihood = johnson_likelihood(values / scale, weights, least) - penalty
    return NullFit(scale, np.inf, float(likelihood))


def log_student(z: FloatArray, tail: float) -> FloatArray:
    """Return the log-density of Student's distribution; an infinite tail is the Gaussian one."""
    return log_student_squares(z**2, tail)


def log_student_squares(squares: FloatArray, tail: float) -> FloatArray:
    """Return the log-density of Student's distribution where z has these squares."""
    if np.isinf(tail):
        return np.asarray(-0.5 * squares - 0.5 * np.log(2 * np.pi))
    constant = gammaln(0.5 * (tail + 1)) - gammaln(0.5 * tail) - 0.5 * np.log(tail * np.pi)
    return np.asarray(constant - 0.5 * (tail + 1) * np.log1p(squares / tail))


def _of_student(values: FloatArray, weights: FloatArray, least_scale: float) -> list[NullFit]:
    r"""Fit the scale s of Student's distribution for each tail.

    The likelihood is largest where the mean of :math:`u_i = (\nu + 1) z_i^2 / (\nu + z_i^2)`, with
    :math:`z_i = r_i / s`, is one. Newton's method in log s solves that.
    """
    tails, total = np.array(TAILS), float(weights.sum())
    inverse_nu, squares = 1.0 / tails[:, None], values**2
    first = max(root_mean_square(values, weights), least_scale)
    if not np.isfinite(first):  # squares of the residuals are beyond what floating point holds
        return [NullFit(first, tail, -np.inf) for tail in TAILS]
    least = max(least_scale, LEAST_RELATIVE * first)
    scale = np.full(len(tails), first)
    for _ in range(MAX_ITER):
        z2 = squares / (scale**2)[:, None]
        shrunk = 1.0 / (1.0 + inverse_nu * z2)
        u = (1.0 + inverse_nu) * z2 * shrunk
        slope = 2.0 * (u * shrunk) @ weights
        step = (u @ weights - total) / np.maximum(slope, 1e-8 * total)
        previous, scale = scale, np.maximum(scale * np.exp(np.clip(step, -1.0, 1.0)), least)
        if np.all(np.abs(scale - previous) <= 1e-6 * previous):
            break
    densities = log_student_rows(values / scale[:, None], tails)
    likelihoods = densities @ weights - total * np.log(scale)
    return [NullFit(*map(float, fit)) for fit in zip(scale, tails, likelihoods, strict=True)]


def _of_power(values: FloatArray, weights: FloatArray, power: float, least_scale: float) -> NullFit:
    """Fit the density power / (2 b Gamma(1 / power)) exp(-|r / b|^power)."""
    total, unit = float(weights.sum()), max(float(np.abs(values).max()), least_scale)
    mean = float(weights @ np.abs(values / unit) ** power) / total
    deviation = np.exp(0.5 * (gammaln(3.0 / power) - gammaln(1.0 / power)))
    b = max(unit * (power * mean) ** (1.0 / power), least_scale / deviation)
    likelihood = total * (np.log(0.5 * power / b) - gammaln(1.0 / power))
    likelihood -= float(weights @ np.abs(values / b) ** power)
    return NullFit(float(b * deviation), np.inf, likelihood)


def _skewed(values: FloatArray, weights: FloatArray, least_scale: float) -> list[NullFit]:
    """Fit two-piece Student densities 2 / (low + high) t(z), with a scale on either side.

    The mode is free, because that of skewed noise with mean zero is not at zero. It is one of some
    quantiles, which are the rows of the arrays.
    """
    total, scale = float(weights.sum()), max(root_mean_square(values, weights), least_scale)
    least = max(MIN_SIDE * scale, least_scale)
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / total
    modes = values[order[np.searchsorted(reached, np.minimum(MODES, reached[-1]))]]
    squares = np.subtract.outer(modes, values) / scale
    left = squares > 0
    squares *= squares
    fits = list[NullFit]()
    for tail in SKEWED_TAILS:
        likelihood = _skewed_likelihood(squares, left, weights, tail, least / scale)
        # The BIC penalty of two more parameters than a symmetric density has.
        penalty = total * np.log(scale) + np.log(total)
        fits.append(NullFit(scale, np.inf, float(likelihood - penalty)))
    return fits


def _skewed_likelihood(
    squares: FloatArray, left: BoolArray, weights: FloatArray, tail: float, least: float
) -> float:
    """Return the largest log-likelihood of some modes, (k,), given squared distances, (k, n)."""
    total, gaussian = float(weights.sum()), bool(np.isinf(tail))
    weighted, inverse = squares * weights, np.ones(squares.shape)
    for _ in range(1 if gaussian else SIDE_ITER):
        u = weighted
        if not gaussian:
            inverse *= squares
            inverse += tail
            u = np.divide(weighted, inverse, out=inverse)
            u *= tail + 1.0
        below = np.einsum("kn,kn->k", u, left)
        below, above = np.cbrt(below), np.cbrt(np.maximum(u.sum(axis=1) - below, 0.0))
        both = np.sqrt((below + above) / total)
        low, high = np.maximum(below * both, least), np.maximum(above * both, least)
        inverse = np.where(left, (1.0 / low**2)[:, None], (1.0 / high**2)[:, None])
    likelihood = log_student_squares(squares * inverse, tail) @ weights
    return float((likelihood - total * np.log(0.5 * (low + high))).max())


def root_mean_square(values: FloatArray, weights: FloatArray) -> float:
    """Return the weighted root mean square, without centring."""
    total = float(weights.sum())
    if total == 0:
        return 0.0
    finite = np.where(weights > 0, np.nan_to_num(values), 0.0)
    return float(np.sqrt(weights @ finite**2 / total))
