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
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

from untaint.online import NoisyLogisticRegression

from ..data.drawn import Array
from ..data.noisy import NoisyRows
from .noisy import Method, calibration, extrapolated, one_pass

CS = np.logspace(-4.0, 3.0, 15)


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


def regression_calibration(rows: NoisyRows, seed: int) -> LogOdds:
    """Return a fit to the expected clean rows, given the noisy ones."""
    mean = rows.A.mean(axis=0)
    model = tuned_logistic((rows.A - mean) @ calibration(rows.A, rows.noise_cov), rows.y)
    return LogOdds(model.coef_[0], float(model.intercept_[0] - model.coef_[0] @ mean))


def simex(rows: NoisyRows, seed: int) -> LogOdds:
    """Return coefficients by simulation and extrapolation."""
    naive = tuned_logistic(rows.A, rows.y)
    model = LogisticRegression(C=naive.C_[0], max_iter=1000)
    end = extrapolated(naive, model, rows.A, rows.y, rows.noise_cov, seed)
    return LogOdds(end[:-1], float(end[-1]))


METHODS: dict[str, Method] = {
    "untaint": lambda rows, seed: NoisyLogisticRegression(noise_cov=rows.noise_cov).fit(
        rows.A, rows.y
    ),
    "untaint-stream": lambda rows, seed: one_pass(
        NoisyLogisticRegression(noise_cov=rows.noise_cov), rows, classes=(0, 1)
    ),
    "naive": lambda rows, seed: tuned_logistic(rows.A, rows.y),
    "calibration": regression_calibration,
    "simex": simex,
    "untaint-two": lambda rows, seed: NoisyLogisticRegression().fit(rows.A, rows.y, X_copy=rows.B),
    "naive-two": lambda rows, seed: tuned_logistic((rows.A + rows.B) / 2.0, rows.y),
}
