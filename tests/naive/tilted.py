"""TERM as a function to be minimised by anybody: Li et al. (2021), eq. (2), times the rows."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize


def tilted_sum(losses, sample_weight, tilt):
    """N / t log of the mean exponential of t times the losses, by compensated sums."""
    total = math.fsum(sample_weight)
    lowest = min(losses)
    mean = math.fsum(
        v * math.exp(tilt * (loss - lowest)) for v, loss in zip(sample_weight, losses, strict=True)
    )
    return total * (lowest + math.log(mean / total) / tilt)


class TiltedObjective:
    """The tilted loss plus ridge, of coefficients of features whose linear kernel is K."""

    def __init__(self, loss, K, y, tilt, ridge, fit_intercept=True):
        values, vectors = np.linalg.eigh(K)
        keep = values > 1e-12 * values.max()
        self.features = vectors[:, keep] * np.sqrt(values[keep])
        self.loss, self.y, self.tilt, self.ridge = loss, y, tilt, ridge
        self.fit_intercept = fit_intercept
        self.shape = (self.features.shape[1] + 1, y.shape[1])

    def predictions(self, theta):
        coef = theta.reshape(self.shape)
        return self.features @ coef[:-1] + self.fit_intercept * coef[-1]

    def coefficients(self, smooth, intercept):
        """Of given values without the intercept, and that intercept."""
        coef = np.linalg.lstsq(self.features, smooth, rcond=None)[0]
        return np.vstack([coef, intercept]).ravel()

    def __call__(self, theta):
        losses = self.loss.value(self.y, self.predictions(theta))
        coef = theta.reshape(self.shape)[:-1]
        ones = np.ones(len(losses))
        return tilted_sum(losses, ones, self.tilt) + self.ridge * float(np.sum(coef**2))

    def gradient(self, theta, step=1e-6):
        """By central differences."""
        slope = np.empty(len(theta))
        for j in range(len(theta)):
            up, down = theta.copy(), theta.copy()
            up[j] += step
            down[j] -= step
            slope[j] = (self(up) - self(down)) / (2 * step)
        return slope

    def minimise(self, theta):
        """The local minimum that a general optimiser finds from here."""
        return minimize(self, theta, method="BFGS", options={"gtol": 1e-7, "maxiter": 2000})
