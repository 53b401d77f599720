r"""What honest noise looks like, when no row is bad.

Residuals of good rows may have heavy tails (Student's t), a sharp peak or a flat top
(:math:`e^{-|z|^p}`), or lean to one side (with a scale of its own on either side of the peak). The
better one of these shapes explains the residuals, the less is left for bad rows to explain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from .._typing import FloatArray

# Degrees of freedom that are tried.
TAILS = (3.0, 5.0, 10.0, np.inf)
# Other shapes, exp(-|z|^power): peaked as Laplace's is, or flat as uniform noise.
POWERS = (1.0, 4.0, 12.0)
# Shares of a skewed noise that lie below its peak; of its scales none is less than this part.
PEAKS = (0.02, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
LEAST_SIDE = 0.02
# Skewed noise with heavy tails as well would pass for rows that are wrong to one side.
SKEWED_TAILS = (np.inf,)
STEPS = 200


class Noise(NamedTuple):
    """A shape: its scale, its degrees of freedom, and how likely it makes the residuals."""

    scale: float
    tail: float
    log_likelihood: float


def null_fits(values: FloatArray, weights: FloatArray, least_scale: float) -> list[Noise]:
    """All shapes, fitted.

    Parameters
    ----------
    values, weights : array of shape (n,)
    least_scale : float
        Noise that good rows have at least.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).standard_t(3.0, size=500)
    >>> best = max(null_fits(values, np.ones(500), 0.0), key=lambda noise: noise.log_likelihood)
    >>> best.tail, round(best.scale)
    (3.0, 1)
    """
    return [
        *(_of_student(values, weights, tail, least_scale) for tail in TAILS),
        *(_of_power(values, weights, power, least_scale) for power in POWERS),
        *(_skewed(values, weights, tail, least_scale) for tail in SKEWED_TAILS),
    ]


def log_student(z: FloatArray, tail: float) -> FloatArray:
    """Log-density of Student's distribution, of the Gaussian one for an infinite tail.

    Examples
    --------
    >>> import numpy as np
    >>> log_student(np.zeros(1), np.inf).round(4)
    array([-0.9189])
    """
    if np.isinf(tail):
        return np.asarray(-0.5 * z**2 - 0.5 * np.log(2 * np.pi))
    constant = gammaln(0.5 * (tail + 1)) - gammaln(0.5 * tail) - 0.5 * np.log(tail * np.pi)
    return np.asarray(constant - 0.5 * (tail + 1) * np.log1p(z**2 / tail))


def _of_student(values: FloatArray, weights: FloatArray, tail: float, least_scale: float) -> Noise:
    """Scale and likelihood when all rows are good."""
    scale = max(root_mean_square(values, weights), least_scale)
    for _ in range(STEPS):
        previous = scale
        variance = weights @ (student_weight(values / scale, tail) * values**2) / weights.sum()
        scale = max(float(np.sqrt(variance)), least_scale)
        if abs(scale - previous) <= 1e-6 * previous:
            break
    likelihood = float(weights @ (log_student(values / scale, tail) - np.log(scale)))
    return Noise(scale, tail, likelihood)


def _of_power(values: FloatArray, weights: FloatArray, power: float, least_scale: float) -> Noise:
    """The same for noise of density power / (2 b Gamma(1 / power)) exp(-|r / b|^power)."""
    total, unit = float(weights.sum()), max(float(np.abs(values).max()), least_scale)
    mean = float(weights @ np.abs(values / unit) ** power) / total
    deviation = np.exp(0.5 * (gammaln(3.0 / power) - gammaln(1.0 / power)))
    b = max(unit * (power * mean) ** (1.0 / power), least_scale / deviation)
    likelihood = total * (np.log(0.5 * power / b) - gammaln(1.0 / power))
    likelihood -= float(weights @ np.abs(values / b) ** power)
    return Noise(float(b * deviation), np.inf, likelihood)


def _skewed(values: FloatArray, weights: FloatArray, tail: float, least_scale: float) -> Noise:
    """The same for noise of density 2 / (low + high) t(z), with its own scale on either side.

    The peak need not be at zero: skewed noise with mean zero has its peak elsewhere.
    """
    total, scale = float(weights.sum()), max(root_mean_square(values, weights), least_scale)
    least = max(LEAST_SIDE * scale, least_scale)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / total
    best = -np.inf
    for peak in PEAKS:
        centred = values - values[order[np.searchsorted(reached, min(peak, reached[-1]))]]
        left, scales = centred < 0, np.full(len(values), scale)
        for _ in range(10):
            squares = weights * student_weight(centred / scales, tail) * centred**2
            below, above = np.cbrt(squares[left].sum()), np.cbrt(squares[~left].sum())
            both = np.sqrt((below + above) / total)
            low, high = max(below * both, least), max(above * both, least)
            scales = np.where(left, low, high)
        likelihood = float(weights @ log_student(centred / scales, tail))
        best = max(best, likelihood - total * np.log(0.5 * (low + high)))
    # Two more parameters than a symmetric one has.
    return Noise(scale, tail, best - np.log(total))


def student_weight(z: FloatArray, tail: float) -> FloatArray:
    """Weight of a residual in the scale: heavy tails say little of it."""
    return np.ones_like(z) if np.isinf(tail) else np.asarray((tail + 1) / (tail + z**2))


def root_mean_square(values: FloatArray, weights: FloatArray) -> float:
    """Of the values as they are, so that copies and weights agree."""
    total = float(weights.sum())
    if total == 0:
        return 0.0
    finite = np.where(weights > 0, np.nan_to_num(values), 0.0)
    return float(np.sqrt(weights @ finite**2 / total))
