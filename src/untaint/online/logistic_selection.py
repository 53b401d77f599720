r"""Selection of the share of the noise to remove and of the ridge, by the clean log loss.

For log-odds :math:`t = \beta_0 + \beta^T x` the log loss is :math:`s(t) - y t` with the softplus
:math:`s(t) = \log(1 + e^t)`. No function of the noisy log-odds :math:`\tilde t` has the mean
:math:`s(t)` (Stefanski 1989), because s is not an entire function. Two estimates come close:

*Corrected loss.* The logistic distribution is nearly the normal one of variance :math:`c = 1.7^2`,
so that :math:`s(t) \approx h(t, c)` with :math:`h(t, v) = E[(t + \sqrt v Z)_+]`. Noise of variance
:math:`\tau^2 = \beta^T \Sigma \beta` adds to v, hence :math:`E\,h(\tilde t, c - \tau^2) = h(t, c)`
exactly, and the estimate is :math:`h(\tilde t, (c - \tau^2)_+) + s(\tilde t) - h(\tilde t, c) - y
\tilde t`. It needs no distribution of x. Beyond :math:`\tau^2 = c` it removes too little of the
noise and overstates the loss.

*Expected loss.* If x is normal given the class, with covariance C, then x given the noisy row and
its class is normal, too, and the loss has the conditional mean :math:`h(\hat t, c + v) + s(\hat t)
- h(\hat t, c) - y \hat t`, where :math:`\hat t` and v are the mean and variance of t. Where x is
not normal it tends to understate the loss of large slopes.

Candidates are scored by the mean of both on held-out rows. Selected is the one with the smallest
upper limit (one standard error) of its loss minus that of the naive fit, whose ridge is tuned on
noisy rows as usual; if none is better, the naive fit is kept.
"""

from typing import final

import numpy as np
from scipy.special import ndtr

from .._typing import FloatArray
from .logistic_data import N_FOLDS, LogisticData
from .logistic_fit import LogisticFit, WithinClass, calibration_gain, fit_path

ALPHAS = np.logspace(-5, 1, 13)  # penalties of the mean loss, for features of unit variance
PROBIT_VARIANCE = 1.7**2  # of the normal distribution nearest to the logistic one
MIN_CLASS_ROWS = 16  # kept rows of each class that cross-validation needs


def has_enough_rows(data: LogisticData) -> bool:
    """Return whether there are enough rows of both classes for cross-validation."""
    codes = data.codes[data.weights > 0]
    n_ones = int(np.count_nonzero(codes))
    return min(n_ones, len(codes) - n_ones) >= MIN_CLASS_ROWS


def select_share_and_alpha(
    data: LogisticData, scales: FloatArray, shares: tuple[float, ...], alphas: FloatArray
) -> tuple[float, float]:
    """Return the best share and alpha by cross-validation."""
    clean, naive = _held_out_losses(data, scales, shares, alphas)
    weights = data.weights / data.weights.sum()
    reference = int(np.argmin(weights @ naive))
    difference = clean - clean[:, [reference]]
    mean = weights @ difference
    limit = mean + np.sqrt(weights**2 @ (difference - mean) ** 2)
    limit[reference] = 0.0
    share, alpha = divmod(int(np.argmin(limit)), len(alphas))
    return shares[share], float(np.sort(alphas)[::-1][alpha])


def _held_out_losses(
    data: LogisticData, scales: FloatArray, shares: tuple[float, ...], alphas: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return losses (rows, candidates): estimates on clean rows; of the first share, on noisy ones.

    Candidates are ordered by share, and then by alpha from the largest to the smallest.
    """
    n = len(data.codes)
    clean = np.empty((n, len(shares) * len(alphas)))
    naive = np.empty((n, len(alphas)))
    cov = data.noise_cov()
    for fold in range(N_FOLDS):
        rows = data.folds == fold
        X, codes = data.A[rows, 1:], data.codes[rows]
        expected = ExpectedLoss(data, fold, scales)
        for i, share in enumerate(shares):
            for j, fit in enumerate(fit_path(data, share, alphas, scales, left_out=fold)):
                estimates = corrected_loss(fit, X, codes, cov), expected(fit, X, codes)
                clean[rows, i * len(alphas) + j] = (estimates[0] + estimates[1]) / 2.0
                if i == 0:
                    naive[rows, j] = log_loss(X @ fit.coef + fit.intercept, codes)
    return clean, naive


def log_loss(t: FloatArray, codes: FloatArray) -> FloatArray:
    """Return the log loss of each row for log-odds t of the code 1."""
    return np.logaddexp(0.0, t) - codes * t


def corrected_loss(
    fit: LogisticFit, X: FloatArray, codes: FloatArray, noise_cov: FloatArray
) -> FloatArray:
    """Return the corrected loss of noisy rows, an estimate of their loss without noise."""
    t = X @ fit.coef + fit.intercept
    variance = float(fit.coef @ noise_cov @ fit.coef)
    return _smoothed_loss(t, codes, max(PROBIT_VARIANCE - variance, 0.0))


@final
class ExpectedLoss:
    """The expected loss of the clean rows, given the noisy rows and their classes."""

    def __init__(self, data: LogisticData, left_out: int, scales: FloatArray) -> None:
        gram = np.delete(data.class_gram, left_out, axis=0).sum(axis=0)
        self._moments, cov = WithinClass.of(gram), data.noise_cov()
        clean = self._moments.clean_cov(cov, scales)
        self._gain = calibration_gain(clean, clean + cov, scales)
        self._cov = clean - clean @ self._gain

    def __call__(self, fit: LogisticFit, X: FloatArray, codes: FloatArray) -> FloatArray:
        """Return the expected loss of each row."""
        means = self._moments.class_means @ fit.coef
        slopes = self._gain @ fit.coef
        t = means[codes.astype(int)] + fit.intercept
        t += X @ slopes - (self._moments.class_means @ slopes)[codes.astype(int)]
        variance = max(float(fit.coef @ self._cov @ fit.coef), 0.0)
        return _smoothed_loss(t, codes, PROBIT_VARIANCE + variance)


def _smoothed_loss(t: FloatArray, codes: FloatArray, variance: float) -> FloatArray:
    """Return the log loss of log-odds t, with another variance in place of the probit one."""
    change = expected_positive_part(t, variance) - expected_positive_part(t, PROBIT_VARIANCE)
    return log_loss(t, codes) + change


def expected_positive_part(t: FloatArray, variance: float) -> FloatArray:
    """Return h(t, v), the mean of the positive part of a normal variable."""
    deviation = np.sqrt(max(variance, 1e-12))
    z = t / deviation
    return t * ndtr(z) + deviation * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
