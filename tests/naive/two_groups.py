"""Two groups of residuals by a general optimiser, on the likelihood as it is written."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import gamma

LARGEST_SHARE = 0.49


def density(z, tail):
    """Of Student's distribution, of the Gaussian one for an infinite tail."""
    if np.isinf(tail):
        return np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    constant = gamma((tail + 1) / 2) / gamma(tail / 2) / np.sqrt(tail * np.pi)
    return constant * (1 + z**2 / tail) ** (-(tail + 1) / 2)


def log_likelihood(residuals, share, scale, tail, centre, width, offset=0.0):
    """Sum of log((1 - share) t(r; offset, scale) + share N(r; centre, width))."""
    good = density((residuals - offset) / scale, tail) / scale
    bad = density((residuals - centre) / width, np.inf) / width
    return float(np.log(np.maximum((1 - share) * good + share * bad, 1e-300)).sum())


def scattered(residuals, tail, least_width, least_reach):
    """Largest likelihood when the fit lies among the good rows.

    Bad rows deviate by at least ``least_width`` scales from their centre and by ``least_reach``
    scales from zero.
    """

    def minus(theta):
        share, log_scale, centre, log_ratio = theta
        scale = np.exp(log_scale)
        floor = max(least_width, np.sqrt(max(0.0, least_reach**2 - (centre / scale) ** 2)))
        width = scale * floor * np.exp(log_ratio)
        return -log_likelihood(residuals, share, scale, tail, centre, width)

    size = float(np.log(np.median(np.abs(residuals)) / 0.67))
    far = float(np.abs(residuals).max())
    bounds = [(1e-6, LARGEST_SHARE), (size - 5, size + 5), (-far, far), (0.0, 5.0)]
    starts = [(share, size, 0.0, ratio) for share in (0.05, 0.3) for ratio in (0.1, 1.0)]
    return -min(minimize(minus, start, bounds=bounds).fun for start in starts)


def shifted(residuals):
    """Largest likelihood of two Gaussians of one width, wherever they lie."""

    def minus(theta):
        share, log_scale, centre, offset = theta
        scale = np.exp(log_scale)
        return -log_likelihood(residuals, share, scale, np.inf, centre, scale, offset)

    low, high = np.quantile(residuals, [0.1, 0.9])
    size = float(np.log(0.5 * residuals.std()))
    bounds = [(1e-6, LARGEST_SHARE), (size - 5, size + 5), (None, None), (None, None)]
    starts = [(0.3, size, low, high), (0.3, size, high, low)]
    return -min(minimize(minus, start, bounds=bounds).fun for start in starts)
