"""The choice of a transformation by refits without each row, and back-transforms as loops."""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.optimize import minimize_scalar

from .ridge import leave_one_out

TAILS = (3.0, 5.0, 10.0)


def student_log_likelihood(residuals):
    """Largest log-likelihood of Student's distribution centred at zero, over scales and tails."""
    size = float(np.log(np.sqrt(np.mean(residuals**2))))
    families = [stats.norm, *(stats.t(tail) for tail in TAILS)]

    def minus(log_scale, family):
        scale = np.exp(log_scale)
        return -float(np.sum(family.logpdf(residuals / scale) - log_scale))

    return max(
        -minimize_scalar(minus, bounds=(size - 4, size + 2), method="bounded", args=(family,)).fun
        for family in families
    )


def log_density(K, z, alphas):
    """Log-density of targets, each given the others, at the alpha of the smallest error."""
    ones = np.ones(len(z))
    fits = [leave_one_out(K, z[:, None], ones, alpha)[:, 0] for alpha in alphas]
    return student_log_likelihood(min(fits, key=lambda residuals: np.mean(residuals**2)))


def log_gain(K, y, alphas):
    """Log-likelihood that the logarithm gains over the targets as they are."""
    return log_density(K, np.log(y), alphas) - np.sum(np.log(y)) - log_density(K, y, alphas)


def yeo_johnson(z, exponent):
    """One number, transformed by the definition."""
    if z >= 0:
        return np.log(z + 1) if exponent == 0 else ((z + 1) ** exponent - 1) / exponent
    other = 2 - exponent
    return -np.log(1 - z) if other == 0 else -((1 - z) ** other - 1) / other


def smeared(inverse, prediction, scale, shifts):
    """Mean of the inverse over shifted predictions, one at a time."""
    return sum(inverse(prediction + scale * shift) for shift in shifts) / len(shifts)
