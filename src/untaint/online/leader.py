"""Follow the leader: after every round the best fit to the corrected moments so far.

No step size is needed, and of the past only the sums of :mod:`.moments` are kept. In a stream of
single rows the fit is computed at certain rounds only, so that most predictions cost a dot product:

- at rounds t, t + max(1, sqrt(t) / 4), ... the rows since the last such round are added;
- at rounds 1.2, 1.2^2, ... share and alpha are selected again by :mod:`.shrinkage_selection`.

A fit that lags by s of t rounds loses O(s / t) a round: O(sqrt(T)) in total. These rounds do not
depend on when predictions are requested, so that predicting does not change the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isqrt, log
from typing import final

import numpy as np

from .._typing import FloatArray
from .cholesky_ridge import solve_by_cholesky
from .correction import MomentCorrection, centred_moments
from .moments import Moments
from .noise import Noise, RowNoise
from .shrinkage_selection import (
    ALPHAS,
    SHARES,
    Shrinkage,
    has_enough_folds,
    select_shrinkage,
    solve_ridge,
)

MAX_LAG = 128  # largest number of rounds between two fits
_GROWTH = 1.2  # factor between the rounds at which share and alpha are selected again


@final
@dataclass(frozen=True)
class LeaderConfig:
    """A LeaderConfig holds the options of a leader and the candidates that it selects from."""

    shares: tuple[float, ...] = SHARES
    alpha: float | None = None  # penalty of the summed loss; None: selected
    centred: bool = True
    scaled: bool = True
    norm_bound: float | None = None
    lag: float = 0.0  # largest lag as a fraction of the rounds, from round 64 on

    def alphas(self, rounds: float) -> FloatArray:
        """Return the candidates of alpha as penalties of the mean loss."""
        return ALPHAS if self.alpha is None else np.array([self.alpha / rounds])


@final
@dataclass(frozen=True)
class LinearFit:
    """A LinearFit is a linear function of the features with the shrinkage it was fitted with."""

    coef: FloatArray
    intercept: float
    shrinkage: Shrinkage


class Leader:
    """A Leader accumulates the moments of a stream and computes the best corrected fit to them."""

    def __init__(self, n_features: int, config: LeaderConfig, *, noisy: bool = True) -> None:
        self.config = config
        self.moments = Moments(n_features, noisy=noisy)
        self._tuning_moments = self.moments.copy()
        self._shrinkage: Shrinkage | None = None
        self._fit: LinearFit | None = None
        self._next_tuning = 1

    def refit_rounds(self, rounds: int) -> tuple[int, int]:
        """Return the last round up to this one at which the fit is updated, and the next one."""
        last = self.moments.rounds
        while (next_round := last + self._refit_interval(last)) <= rounds:
            last = next_round
        return last, next_round

    def _refit_interval(self, rounds: int) -> int:
        lag = int(self.config.lag * rounds) if rounds >= 64 else 0
        return max(1, min(max(isqrt(rounds) // 4, lag), MAX_LAG))

    def add(self, rows: FloatArray, noise: Noise | None) -> None:
        """Add rows (1, z, y); the last tuning round among them resets the selected shrinkage."""
        before, self._fit = self.moments.rounds, None
        if before + len(rows) >= self._next_tuning:
            boundary = _last_tuning_round(before + len(rows)) - before
            self.moments.add(
                rows[:boundary], noise[:boundary] if isinstance(noise, RowNoise) else noise
            )
            self._tuning_moments, self._shrinkage = self.moments.copy(), None
            self._next_tuning = _next_tuning_round(before + len(rows))
            rows = rows[boundary:]
            noise = noise[boundary:] if isinstance(noise, RowNoise) else noise
        if len(rows):
            self.moments.add(rows, noise)

    def retune(self) -> None:
        """Let the next fit select share and alpha by all rounds so far."""
        self._tuning_moments, self._shrinkage, self._fit = self.moments, None, None

    def invalidate(self) -> None:
        """Discard the fit and its shrinkage, because the correction has changed."""
        self._shrinkage = self._fit = None

    def expand(self, n_features: int) -> None:
        """Add new features, which were zero in all earlier rows."""
        self._tuning_moments = self._tuning_moments.copy()
        self.moments.expand(n_features)
        self._tuning_moments.expand(n_features)
        self._fit = self._shrinkage = None

    def fit(self, correct: MomentCorrection) -> LinearFit:
        """Return the best corrected fit so far."""
        if self._fit is None:
            gram, noise = self.moments.total()
            if self._shrinkage is None:
                scales = self._scales(self._tuning_moments.total()[0])
                self._shrinkage = self._select_shrinkage(correct, scales)
            shrinkage = self._shrinkage or Shrinkage(self.config.shares[0], 1.0 / gram[0, 0])
            self._fit = self._solve(
                correct(gram, noise, shrinkage.share), shrinkage, self._scales(gram)
            )
        return self._fit

    def _scales(self, gram: FloatArray) -> FloatArray | None:
        return feature_scales(gram, self.config.centred) if self.config.scaled else None

    def _select_shrinkage(
        self, correct: MomentCorrection, scales: FloatArray | None
    ) -> Shrinkage | None:
        config, alphas = self.config, self.config.alphas(self._tuning_moments.gram[:, 0, 0].sum())
        if len(config.shares) == len(alphas) == 1:
            return Shrinkage(config.shares[0], float(alphas[0]))
        if not has_enough_folds(self._tuning_moments):
            return None
        return select_shrinkage(
            self._tuning_moments,
            correct,
            shares=config.shares,
            alphas=alphas,
            centred=config.centred,
            scales=scales,
        )

    def _solve(
        self, clean: FloatArray, shrinkage: Shrinkage, scales: FloatArray | None
    ) -> LinearFit:
        config, alpha = self.config, shrinkage.alpha
        if config.alpha is not None:
            alpha = float(config.alphas(clean[0, 0])[0])
        found = solve_by_cholesky(clean, alpha, centred=config.centred, scales=scales)
        if found is None:
            coefs, intercepts = solve_ridge(
                clean, np.array([alpha]), centred=config.centred, scales=scales
            )
            found = coefs[0], float(intercepts[0])
        if config.norm_bound is not None and np.linalg.norm(found[0]) > config.norm_bound:
            found = self._solve_in_ball(clean, alpha, config.norm_bound, scales)
        return LinearFit(*found, shrinkage)

    def _solve_in_ball(
        self, clean: FloatArray, alpha: float, bound: float, scales: FloatArray | None
    ) -> tuple[FloatArray, float]:
        """Return the fit of the smallest alpha, from this one on, whose norm is within a bound."""
        alphas = np.geomspace(max(alpha, 1e-9), 1e9, 2000)  # neighbours differ by 2 %
        coef, intercept = solve_ridge(clean, alphas, centred=self.config.centred, scales=scales)
        inside = np.linalg.norm(coef, axis=1) <= bound
        if inside.any():
            first = int(np.argmax(inside))
            return coef[first], float(intercept[first])
        means = centred_moments(clean, self.config.centred)[0]
        shrunk = coef[-1] * (bound / np.linalg.norm(coef[-1]))
        return shrunk, float(means[-1] - shrunk @ means[:-1])


def feature_scales(gram: FloatArray, centred: bool) -> FloatArray:
    """Return the standard deviations of the features, and 1 for constant features."""
    n = gram[0, 0]
    squares = gram.diagonal()[1:-1] / n
    variances = squares - (gram[0, 1:-1] / n) ** 2 if centred else squares
    varies = variances > 1e-14 * squares
    return np.sqrt(variances if varies.all() else np.where(varies, variances, 1.0))


def _last_tuning_round(rounds: int) -> int:
    """Return the last of the rounds 1.2, 1.2^2, ... (rounded up) that has been reached."""
    k = int(log(rounds) / log(_GROWTH) + 1e-9)
    return ceil(_GROWTH**k) if ceil(_GROWTH**k) <= rounds else ceil(_GROWTH ** (k - 1))


def _next_tuning_round(rounds: int) -> int:
    """Return the first of these rounds that has not been reached."""
    k = int(log(rounds) / log(_GROWTH))
    while ceil(_GROWTH**k) <= rounds:
        k += 1
    return ceil(_GROWTH**k)
