"""Methods of logistic classification from noisy features, by name.

naive        logistic regression on the noisy rows, its C by cross-validation of the log loss
calibration  the same on E[x | noisy row], of rows that are normal (regression calibration)
simex        refit with more noise, (1 + k) s^2 for k up to 2, and extrapolate the coefficients to
             k = -1 by a parabola; the C is that of the naive fit
untaint      NoisyLogisticRegression; ``stream`` in one pass of small batches, ``two`` from both
             copies, without knowledge of the noise
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

from .class_rows import NoisyClasses
from .competitors import EXTRA_NOISE, N_DRAWS
from .rows import Array

Method: TypeAlias = Callable[[NoisyClasses, int], Any]

CS = np.logspace(-4.0, 3.0, 15)
BATCH = 32


class LogOdds(NamedTuple):
    """A fitted linear log-odds function."""

    coef: Array
    intercept: float

    def predict_proba(self, X: Array) -> Array:
        """Return the probabilities of both classes."""
        second = expit(X @ self.coef + self.intercept)
        return np.column_stack([1.0 - second, second])


def tuned_logistic(X: Array, y: Any) -> Any:
    """Return logistic regression whose C minimises the log loss of five folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        return LogisticRegressionCV(Cs=CS, cv=5, scoring="neg_log_loss", max_iter=1000).fit(X, y)


def regression_calibration(rows: NoisyClasses, seed: int) -> LogOdds:
    """Return a fit to the expected clean rows, given the noisy ones."""
    mean, noise = rows.A.mean(axis=0), np.diag(rows.noise_cov)
    values, vectors = np.linalg.eigh(np.cov(rows.A.T, bias=True) - noise)
    clean = (vectors * np.maximum(values, 0.0)) @ vectors.T
    gain = np.linalg.pinv(clean + noise, hermitian=True) @ clean
    model = tuned_logistic((rows.A - mean) @ gain, rows.y)
    return LogOdds(model.coef_[0], float(model.intercept_[0] - model.coef_[0] @ mean))


def simex(rows: NoisyClasses, seed: int) -> LogOdds:
    """Return coefficients by simulation and extrapolation."""
    rng = np.random.default_rng(seed).spawn(4)[3]
    naive = tuned_logistic(rows.A, rows.y)
    paths = [_coefficients(naive)]
    for extra in EXTRA_NOISE:
        fits = []
        for _ in range(N_DRAWS):
            drawn = rows.A + np.sqrt(extra * rows.noise_cov) * rng.normal(size=rows.A.shape)
            fits.append(LogisticRegression(C=naive.C_[0], max_iter=1000).fit(drawn, rows.y))
        paths.append(np.mean([_coefficients(fit) for fit in fits], axis=0))
    parabola = np.polynomial.polynomial.polyfit([0.0, *EXTRA_NOISE], np.array(paths), deg=2)
    end: Array = np.dot([1.0, -1.0, 1.0], parabola)
    return LogOdds(end[:-1], float(end[-1]))


def _coefficients(model: Any) -> Array:
    return np.append(model.coef_[0], model.intercept_[0])


def untaint(rows: NoisyClasses, seed: int) -> Any:
    """Return our fit, given the noise."""
    from untaint.online import NoisyLogisticRegression

    return NoisyLogisticRegression(noise_cov=rows.noise_cov).fit(rows.A, rows.y)


def untaint_stream(rows: NoisyClasses, seed: int) -> Any:
    """Return one pass of our learner in small batches, given the noise."""
    from untaint.online import NoisyLogisticRegression

    model = NoisyLogisticRegression(noise_cov=rows.noise_cov)
    for start in range(0, len(rows.y), BATCH):
        part = slice(start, start + BATCH)
        model.partial_fit(rows.A[part], rows.y[part], classes=(0, 1))
    return model


def untaint_two(rows: NoisyClasses, seed: int) -> Any:
    """Return our fit to both copies."""
    from untaint.online import NoisyLogisticRegression

    return NoisyLogisticRegression().fit(rows.A, rows.y, X_copy=rows.B)


METHODS: dict[str, Method] = {
    "untaint": untaint,
    "untaint-stream": untaint_stream,
    "naive": lambda rows, seed: tuned_logistic(rows.A, rows.y),
    "calibration": regression_calibration,
    "simex": simex,
    "untaint-two": untaint_two,
    "naive-two": lambda rows, seed: tuned_logistic((rows.A + rows.B) / 2.0, rows.y),
}
