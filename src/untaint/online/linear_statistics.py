r"""Sufficient statistics of the linear learners: corrected moments about an origin.

Beside the fit they give the distribution of the clean rows, with mean m and covariance :math:`S_x`.
For a query that is noisy itself the best linear predictor of the clean row is

.. math:: E[x \mid \tilde x] = m + S_x (S_x + \Sigma)^{-1} (\tilde x - m),

which is the conditional mean if the rows are Gaussian. Without it a corrected fit predicts noisy
rows worse than a naive fit does.
"""

import warnings
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from .._typing import BoolArray, FloatArray
from ..exceptions import UnidentifiedNoiseWarning
from .correction import MissingCorrection, centred_moments, remove_noise
from .leader import Leader, LeaderConfig, LinearFit
from .noise_check import check_declared_noise, warn_if_only_rows_were_scaled
from .noisy_batch import NoisyBatch, augmented_rows

_MIN_ROWS_FOR_ORIGIN = 30
_MAX_OFFSET = 3.0  # largest mean in standard deviations that needs no other origin than zero


@final
class LinearStatistics:
    """LinearStatistics accumulates moments about an origin and fits the linear model to them."""

    def __init__(self, first: NoisyBatch, config: LeaderConfig, *, allow_missing: bool) -> None:
        d = first.X.shape[1]
        self._missing = MissingCorrection(d) if allow_missing else None
        self.leader = Leader(d, config, self._missing or remove_noise)
        self.origin, self.target_origin = np.zeros(d), 0.0
        # The fit does not depend on the origin, which only limits rounding.
        if config.centred and (allow_missing or not _is_near_zero(first)):
            observed = ~np.isnan(first.X)
            counts = np.maximum(observed.sum(axis=0), 1)
            self.origin = np.where(observed, first.X / counts, 0.0).sum(axis=0)
            self.target_origin = float(np.mean(first.y))
        self._row_origin = self._origin_of_rows()
        self._weight_per_copy = 0.0  # sum over rows of weight / number of copies
        self._noise_declared = True

    def add(self, batch: NoisyBatch, *, overwrite: bool = False) -> None:
        """Add a batch of noisy rows; its X and y may be overwritten if nothing else needs them."""
        Z, noise = batch.merged()
        self._noise_declared = batch.noise is not None and not batch.estimates_noise
        self._weight_per_copy += batch.weight_per_copy()
        if self._missing is not None:
            missing = np.isnan(Z)
            if (batch.noise is None or batch.has_replicates) and missing.any():
                raise ValueError(
                    'missing="random" needs noise_cov beside X_copy: the noise is not estimated '
                    "from copies with gaps."
                )
            self._set_new_origins(Z, missing, self._missing.observed)
            present, ones = (~missing).astype(float), np.ones(len(missing))
            self._missing.count(augmented_rows(present, ones, batch.sample_weight))
            Z = np.where(missing, self.origin, Z)
        own = batch.rows if overwrite and Z is batch.X else None
        rows = augmented_rows(Z, batch.y, batch.sample_weight, self._row_origin, rows=own)
        self.leader.add(rows, noise)

    def _set_new_origins(self, Z: FloatArray, missing: BoolArray, observed: FloatArray) -> None:
        """Set the origin of features that are observed for the first time."""
        new = ~missing.all(axis=0) & (np.diag(observed)[1:-1] == 0)
        if self.leader.config.centred and new.any():
            self.origin = self.origin.copy()
            self.origin[new] = np.nanmean(Z[:, new], axis=0)
            self._row_origin = self._origin_of_rows()

    def _origin_of_rows(self) -> FloatArray | None:
        """Return the origin of rows (1, z, y), or None if it is zero."""
        origin = np.concatenate([[0.0], self.origin, [self.target_origin]])
        return origin if origin.any() else None

    def check_noise(self, names: Sequence[Any], was_scaled: bool = False) -> None:
        """Raise or warn if the declared noise exceeds what the rows' variance allows.

        ``was_scaled`` is whether the noise has been scaled with the rows.
        """
        if self.leader.moments.lacks_replicates:
            warnings.warn(
                "the noise cannot be identified: no row has a second measurement (X_copy) or true "
                "features (X_true) so far. Nothing is removed: with more noise and larger "
                "coefficients the rows would look the same.",
                UnidentifiedNoiseWarning,
                stacklevel=6,
            )
        elif self._noise_declared:
            gram, noise = self.leader.moments.total()
            if self._missing is not None:  # moments of the observed entries only
                gram = self._missing(gram, noise, 0.0)
                never = np.diag(self._missing.observed)[1:-1] == 0
                noise = noise.copy()
                noise[never] = noise[:, never] = 0.0
            if not was_scaled:
                warn_if_only_rows_were_scaled(gram, noise, self.origin, names)
            check_declared_noise(gram, noise, self.leader.config.centred, names)

    def expand(self, n_features: int) -> None:
        """Add new features, which were zero in all earlier rows."""
        self.leader.expand(n_features)
        if self._missing is not None:
            self._missing.expand(n_features)
        self.origin = np.pad(self.origin, (0, n_features - len(self.origin)))
        self._row_origin = self._origin_of_rows()

    def fit(self) -> LinearFit:
        """Return the leader's fit, with the intercept for rows that are not centred."""
        coef, intercept, shrinkage = self.leader.fit()
        shift = self.target_origin - float(coef.dot(self.origin))
        return LinearFit(coef, intercept + shift, shrinkage)

    def copy_noise_cov(self) -> FloatArray:
        """Return the mean noise covariance of one copy."""
        return self.leader.moments.total()[1] / max(self._weight_per_copy, np.finfo(float).tiny)

    def posterior_mean(self, X: FloatArray, *, noisy: bool, share: float = 1.0) -> FloatArray:
        """Return the expected clean rows, given rows that are noisy or have missing entries.

        A fit from which only a share of the noise was removed predicts from rows that carry the
        rest of it, and these are then the rows whose expectation is returned. With share 0 and one
        copy, they are the noisy queries themselves.
        """
        mean, prior_cov, observed_cov = self._clean_distribution(share if noisy else 1.0)
        out = np.empty_like(X)
        patterns, which = np.unique(np.isnan(X), axis=0, return_inverse=True)
        for k, missing in enumerate(patterns):
            rows, observed = which.ravel() == k, ~missing
            gain = np.linalg.pinv(
                (observed_cov if noisy else prior_cov)[np.ix_(observed, observed)], hermitian=True
            )
            gain = gain @ prior_cov[observed]
            if not noisy:
                gain[:, observed] = np.eye(int(observed.sum()))
            out[rows] = mean + (X[np.ix_(rows, observed)] - mean[observed]) @ gain
        return out

    def posterior_cov(self, share: float = 1.0) -> FloatArray:
        """Return the covariance of a row about its posterior mean, given a noisy query."""
        _, prior_cov, observed_cov = self._clean_distribution(share)
        return prior_cov - prior_cov @ np.linalg.pinv(observed_cov, hermitian=True) @ prior_cov

    def _clean_distribution(self, share: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the rows' mean, their covariance less a share of noise, and one copy's."""
        gram, noise = self.leader.moments.total()
        clean = self.leader.correct(gram, noise, 1.0)
        means, cov = centred_moments(clean, self.leader.config.centred)
        values, vectors = np.linalg.eigh(cov[:-1, :-1])
        clean = (vectors * np.maximum(values, 0.0)) @ vectors.T
        residual_noise = (1.0 - share) * noise / max(gram[0, 0], np.finfo(float).tiny)
        return means[:-1] + self.origin, clean + residual_noise, clean + self.copy_noise_cov()


def _is_near_zero(first: NoisyBatch) -> bool:
    """Return whether rows vary so much about zero that they need no other origin."""
    if len(first.y) < _MIN_ROWS_FOR_ORIGIN:
        return False
    values = [first.X, first.y[:, None]]
    return all((np.abs(v.mean(axis=0)) <= _MAX_OFFSET * v.std(axis=0)).all() for v in values)
