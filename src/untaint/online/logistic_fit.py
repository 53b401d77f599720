r"""Penalised logistic regression on calibrated rows.

Given the class, let x be normal with the common covariance C, and :math:`\tilde x = x + n` the
noisy row, with noise covariance :math:`\Sigma`. Both log-odds are then linear,

.. math:: \log\frac{P(1 \mid x)}{P(0 \mid x)} = \beta_0 + \beta^T x, \qquad
          \log\frac{P(1 \mid \tilde x)}{P(0 \mid \tilde x)} = \gamma_0 + \gamma^T \tilde x, \qquad
          \gamma = (C + \Sigma)^{-1} C \beta,

because :math:`\beta = C^{-1} \delta` and :math:`\gamma = (C + \Sigma)^{-1} \delta` for the
difference :math:`\delta` of the class means. So :math:`\beta` are the slopes of a logistic
regression on the calibrated rows :math:`m + C (C + \Sigma)^{-1} (\tilde x - m)`, with m the mean of
both classes. The covariance is that within classes. Regression calibration takes that of all rows,
which makes slopes too small where the classes are far apart.

A *share* below one removes that part of the noise: C is :math:`(S - share \, \Sigma)_+` for the
covariance S of noisy rows within classes, with negative eigenvalues set to zero.
"""

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from .._typing import BoolArray, FloatArray
from .logistic_data import LogisticData

_MAX_STEPS = 50
_TOLERANCE = 1e-10  # of the mean loss


class LogisticFit(NamedTuple):
    """A LogisticFit is a linear log-odds function of clean features about the origin."""

    coef: FloatArray
    intercept: float
    share: float
    alpha: float  # penalty of the mean loss, for features scaled to unit variance


class WithinClass(NamedTuple):
    """Mean of the rows, means of the classes, and covariance of noisy rows within classes."""

    mean: FloatArray
    class_means: FloatArray  # (2, d)
    cov: FloatArray

    @classmethod
    def of(cls, class_gram: FloatArray) -> Self:
        """Return the moments from the sums of (1, x)(1, x)' of each class."""
        counts = np.maximum(class_gram[:, 0, 0], np.finfo(float).tiny)
        means = class_gram[:, 0, 1:] / counts[:, None]
        total = class_gram[:, 0, 0].sum()
        scatter = class_gram[:, 1:, 1:].sum(axis=0) - (means.T * class_gram[:, 0, 0]) @ means
        mean = class_gram[:, 0, 1:].sum(axis=0) / total
        return cls(mean, means, scatter / total)

    def clean_cov(self, noise_cov: FloatArray, scales: FloatArray) -> FloatArray:
        """Return the covariance less that of the noise, without negative eigenvalues."""
        outer = scales[:, None] * scales
        values, vectors = np.linalg.eigh((self.cov - noise_cov) / outer)
        return (vectors * np.maximum(values, 0.0)) @ vectors.T * outer


def calibration_gain(clean: FloatArray, observed: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the matrix G for which d' G is the expected clean deviation, given d observed."""
    outer = scales[:, None] * scales
    inverse = np.linalg.pinv(observed / outer, hermitian=True)
    return (inverse @ (clean / outer)) * scales / scales[:, None]


def fit_path(
    data: LogisticData,
    share: float,
    alphas: FloatArray,
    scales: FloatArray,
    left_out: int | None = None,
) -> Iterator[LogisticFit]:
    """Yield the fits of all alphas, the largest first, to all folds but the one left out."""
    folds = np.arange(len(data.hessian)) != left_out
    rows: BoolArray | slice = slice(None) if left_out is None else data.folds != left_out
    moments = WithinClass.of(data.class_gram[folds].sum(axis=0))
    to_slopes = np.eye(data.n_features + 1)  # from scaled slopes of calibrated rows
    noise = share * data.noise_cov()
    clean = moments.clean_cov(noise, scales)
    to_slopes[1:, 1:] = calibration_gain(clean, clean + noise, scales) / scales
    to_slopes[0, 1:] = -moments.mean @ to_slopes[1:, 1:]
    problem = _Problem(
        data.A[rows] @ to_slopes,
        data.codes[rows],
        data.weights[rows],
        to_slopes.T @ data.hessian[folds].sum(axis=0) @ to_slopes,
        to_slopes.T @ data.linear[folds].sum(axis=0),
        float(data.class_gram[folds][:, :, 0, 0].sum()),
    )
    p: FloatArray = np.zeros(data.n_features + 1)
    for alpha in sorted(alphas, reverse=True):
        p = problem.minimise(float(alpha), p)
        coef = p[1:] / scales
        yield LogisticFit(coef, float(p[0] - moments.mean @ coef), share, float(alpha))


def naive_slopes(data: LogisticData) -> FloatArray:
    """Return intercept and slopes of the noisy rows, with the penalty of a single row."""
    alpha = np.array([1.0 / data.total_weight])
    fit = next(fit_path(data, 0.0, alpha, data.feature_scales()))
    return np.concatenate([[fit.intercept], fit.coef])


class _Problem(NamedTuple):
    """The mean loss of rows Z and of the summarised rows, plus a ridge on all but the first p."""

    Z: FloatArray
    codes: FloatArray
    weights: FloatArray
    hessian: FloatArray
    linear: FloatArray
    total: float

    def objective(self, p: FloatArray, alpha: float) -> float:
        t = self.Z @ p
        exact = self.weights @ (np.logaddexp(0.0, t) - self.codes * t)
        summarised = 0.5 * p @ self.hessian @ p - self.linear @ p
        return float((exact + summarised) / self.total + 0.5 * alpha * p[1:] @ p[1:])

    def minimise(self, alpha: float, p: FloatArray) -> FloatArray:
        """Return the minimiser by Newton's method with step halving."""
        penalty = np.full(len(p), alpha)
        penalty[0] = 0.0
        value = self.objective(p, alpha)
        for _ in range(_MAX_STEPS):
            step, slope = self._newton_step(p, penalty)
            scale = 1.0
            while True:
                moved = p - scale * step
                new_value = self.objective(moved, alpha)
                if new_value <= value - 1e-4 * scale * slope or scale < 1e-6:
                    break
                scale /= 2.0
            decrease = value - new_value
            if decrease > 0:
                p, value = moved, new_value
            if decrease <= _TOLERANCE:
                break
        return p

    def _newton_step(self, p: FloatArray, penalty: FloatArray) -> tuple[FloatArray, float]:
        """Return the step and the decrease that it promises to first order."""
        q = expit(self.Z @ p)
        gradient = self.Z.T @ (self.weights * (q - self.codes)) + self.hessian @ p - self.linear
        gradient = gradient / self.total + penalty * p
        H = (self.Z * (self.weights * q * (1.0 - q))[:, None]).T @ self.Z + self.hessian
        H /= self.total
        H.flat[:: len(H) + 1] += penalty + 1e-12 * (1.0 + H.trace())
        try:
            step = cho_solve(cho_factor(H), gradient)
        except LinAlgError:
            step = np.linalg.lstsq(H, gradient, rcond=None)[0]
        return step, float(gradient @ step)
