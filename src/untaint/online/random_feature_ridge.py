r"""Ridge regression on random Fourier features, fitted to moments corrected for noise.

The predictor is :math:`f(x) = \langle w, \phi(x) \rangle + b` with the features of :mod:`.fourier`.
Its clean loss over some rows is :math:`u^T \hat M u`, where :math:`u^T r` is the residual and
:math:`\hat M` the corrected second-moment matrix of r = (1, features, target).
"""

import warnings
from typing import final

import numpy as np

from .._typing import FloatArray
from .engine import Engine
from .fourier import FourierCorrection, SpectralSampler, evaluate_features, fourier_features
from .leader import Leader, LeaderConfig
from .mixture import KernelMixture
from .noisy_batch import NoisyBatch, augmented_rows


@final
class RandomFeatureRidge(Engine):
    """RandomFeatureRidge is the best ridge fit to the corrected moments of random features."""

    def __init__(self, mixture: KernelMixture, budget: int, seed: int, noise: str) -> None:
        self._sampler = SpectralSampler(mixture, budget, seed)
        self._noise = noise
        self._leader = Leader(2 * budget, LeaderConfig(scaled=False, coarse=True), noisy=False)
        self._target_origin: float | None = None

    def prepare(self, mixture: KernelMixture, cov: FloatArray, n_copies: int) -> None:
        """Draw the frequencies and compute the correction of their moments."""
        self._omega = self._sampler.sample(len(cov))
        correction = FourierCorrection(self._omega, cov, self._noise, n_copies)
        self._leader.set_correction(correction)

    def learn(self, batch: NoisyBatch, target_bound: float | None) -> None:
        """Add a batch to the moments."""
        if self._target_origin is None:
            self._target_origin = float(np.average(batch.y, weights=batch.sample_weight))
        self._leader.add(self._augmented(batch), None)

    def predict(self, X: FloatArray, input_cov: FloatArray | None) -> FloatArray:
        """Evaluate the random features; ``input_cov`` damps each of them accordingly."""
        fit = self._leader.fit()
        values = evaluate_features(X, self._omega, fit.coef, input_cov)
        return values + (fit.intercept + (self._target_origin or 0.0))

    def clean_error(self, batch: NoisyBatch) -> float:
        """Return u' M u for the residual u' r and the corrected second-moment matrix M of r."""
        fit = self._leader.fit()
        rows = self._augmented(batch)
        u = np.concatenate([[-fit.intercept], -fit.coef, [1.0]])
        errors, sizes = [], []
        for part in np.array_split(rows, min(16, len(rows))):
            gram = self._leader.correct(part.T @ part / len(part), np.empty(0), 1.0)
            errors.append(float(u @ gram @ u))
            sizes.append(len(part))
        spread = float(np.std(errors)) / np.sqrt(len(errors))
        if spread > np.var(batch.y):
            warnings.warn(
                f"the corrected score is known to about {spread:.2g} only: noise leaves too little "
                "of this kernel's features for so few rows.",
                stacklevel=4,
            )
        return float(np.average(errors, weights=sizes))

    def removed_share(self) -> float:
        """Return the share of the noise that the leader has selected."""
        return self._leader.fit().shrinkage.share

    def refit_rounds(self, rounds: int) -> tuple[int, int]:
        """Return the leader's last and next round of refitting."""
        return self._leader.refit_rounds(rounds)

    def coef(self) -> FloatArray:
        """Return the coefficients of the cosines, then of the sines."""
        return self._leader.fit().coef.copy()

    def frequencies(self) -> FloatArray:
        """Return the frequencies, one in each row."""
        return self._omega.copy()

    def _augmented(self, batch: NoisyBatch) -> FloatArray:
        Z = batch.X if batch.X_copy is None else (batch.X + batch.X_copy) / 2
        y = batch.y - (self._target_origin or 0.0)
        return augmented_rows(fourier_features(Z, self._omega), y, batch.sample_weight)
