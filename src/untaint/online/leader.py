"""Follow the leader: after every round the best fit to the corrected moments so far.

No step size is needed, and of the past only the sums of :mod:`.moments` are kept. In a stream of
single rows the fit is computed at certain rounds only, so that most predictions cost a dot product:
at the ends of the blocks of :mod:`.schedule` the rows of the block are added, and at the rounds 2,
4, 8, ... share and alpha are selected again by :mod:`.shrinkage_selection`. A leader that may
forget predicts with the fit to a window of the last rows where that is better: :mod:`.windows`.
"""

from copy import deepcopy
from math import sqrt
from typing import NamedTuple

import numpy as np

from .._typing import FloatArray
from .correction import MomentCorrection, feature_variances, remove_noise
from .moments import Moments
from .noise import Noise, noise_of
from .ridge_solvers import solve_by_cholesky, solve_floored, solve_in_ball, solve_ridge
from .schedule import Schedule, powers_around
from .shrinkage_selection import ALPHAS, SHARES, Shrinkage, select_shrinkage
from .windows import MAX_FEATURES, Windows

_SHORT_STREAM = 1024  # rounds up to which share and alpha are selected more often


class LeaderConfig(NamedTuple):
    """A LeaderConfig holds the options of a leader and the candidates that it selects from."""

    shares: tuple[float, ...] = SHARES
    alpha: float | None = None  # penalty of the summed loss; None: selected
    centred: bool = True
    scaled: bool = True
    norm_bound: float | None = None
    coarse: bool = False  # whether fits are expensive: longer blocks, tuned more often
    forgets: bool = False  # whether windows of the last rows are candidates

    def alphas(self, rounds: float) -> FloatArray:
        """Return the candidates of alpha as penalties of the mean loss."""
        return ALPHAS if self.alpha is None else np.array([self.alpha / rounds])


class LinearFit(NamedTuple):
    """A LinearFit is a linear function of the features with the shrinkage it was fitted with."""

    coef: FloatArray
    intercept: float
    shrinkage: Shrinkage


class Leader:
    """A Leader accumulates the moments of a stream and computes the best corrected fit to them."""

    def __init__(
        self,
        n_features: int,
        config: LeaderConfig,
        correct: MomentCorrection = remove_noise,
        *,
        noisy: bool = True,
    ) -> None:
        self.config, self.correct = config, correct
        self.moments = Moments(n_features, noisy=noisy)
        self._tuning_moments = deepcopy(self.moments)
        self._shrinkage: Shrinkage | None = None
        self._fit: LinearFit | None = None
        self._next_tuning = 1
        self.schedule = Schedule(coarse=config.coarse)
        self._windows = self._make_windows()

    def refit_rounds(self, rounds: int) -> tuple[int, int]:
        """Return the last round up to this one at which the fit is updated, and the next one.

        If the first one is later than the rows so far, this is to be called again when these have
        been added, because a change may be suspected then.
        """
        schedule, now = self.schedule, self.moments.rounds
        last = max(schedule.last_end(rounds, group=True), now)
        if self._windows is not None and last == now:
            if rounds >= schedule.next_end(now):
                self.fit()
            if self._windows.suspect_change:
                last = max(schedule.last_end(rounds), now)
                return last, schedule.next_end(last)
        return last, schedule.next_end(last, group=True)

    def _make_windows(self) -> Windows | None:
        config = self.config
        unable = self.moments.n_features > MAX_FEATURES or self.correct is not remove_noise
        if unable or not config.forgets:
            return None
        return Windows(self.schedule, centred=config.centred, norm_bound=config.norm_bound)

    def add(self, rows: FloatArray, noise: Noise | None) -> None:
        """Add rows (1, z, y); the last tuning round among them resets the selected shrinkage."""
        before, self._fit = self.moments.rounds, None
        after = before + len(rows)
        if after < self._next_tuning:
            self._add(rows, noise)
            return
        growth = 1.2 if self.config.coarse else sqrt(2.0) if after < _SHORT_STREAM else 2.0
        tuning, self._next_tuning = powers_around(after, growth)
        cut = max(tuning - before, 0)
        self._add(rows[:cut], noise_of(noise, slice(cut)))
        self._tuning_moments, self._shrinkage = deepcopy(self.moments), None
        self._add(rows[cut:], noise_of(noise, slice(cut, None)))

    def _add(self, rows: FloatArray, noise: Noise | None) -> None:
        """Add rows to the moments, and record the sums up to the ends of blocks."""
        if not len(rows):
            return
        windows, before = self._windows, self.moments.rounds
        blocks = () if windows is None else windows.blocks_to_record(before, before + len(rows))
        sums = self.moments.add(rows, noise, [self.schedule.end_of(block) for block in blocks])
        if windows is not None:
            windows.record(blocks, sums)

    def retune(self) -> None:
        """Let the next fit select share and alpha by all rounds so far."""
        self._tuning_moments, self._shrinkage, self._fit = self.moments, None, None

    def set_correction(self, correct: MomentCorrection) -> None:
        """Let the next fit correct the moments in another way."""
        self.correct, self._shrinkage, self._fit = correct, None, None

    def expand(self, n_features: int) -> None:
        """Add new features, which were zero in all earlier rows."""
        self._tuning_moments = deepcopy(self._tuning_moments)
        self.moments.expand(n_features)
        self._tuning_moments.expand(n_features)
        self._fit = self._shrinkage = None
        self._windows = self._make_windows()

    def fit(self) -> LinearFit:
        """Return the best corrected fit so far."""
        if self._fit is None:
            if self._shrinkage is None:
                tuning, config = self._tuning_moments, self.config
                self._shrinkage = select_shrinkage(
                    tuning,
                    self.correct,
                    config.shares,
                    config.alphas(tuning.total_gram[0, 0]),
                    centred=config.centred,
                    scaled=config.scaled,
                )
                if self._windows is not None:
                    self._windows.reset_shrinkage()
            gram, noise = self.moments.total()
            shrinkage = self._shrinkage or Shrinkage(self.config.shares[0], 1.0 / gram[0, 0])
            self._fit = LinearFit(*self._solve(gram, noise, shrinkage), shrinkage)
            if self._windows is not None:
                self._fit = self._fit_to_window(self._windows, self._fit)
        return self._fit

    def _fit_to_window(self, windows: Windows, all_rows: LinearFit) -> LinearFit:
        """Return the fit to the best window, or that to all rows."""
        total, noise = self.moments.total()
        shrinkage = all_rows.shrinkage

        def fit_all(gram: FloatArray, noise: FloatArray) -> tuple[FloatArray, float]:
            if gram[0, 0] == total[0, 0]:
                return all_rows.coef, all_rows.intercept
            return self._solve(gram, noise, shrinkage)

        found = windows.fit(total, noise, shrinkage, fit_all)
        if found is None:
            return all_rows
        coef, intercept, share = found
        return LinearFit(coef, intercept, Shrinkage(share, shrinkage.alpha))

    def _solve(
        self, gram: FloatArray, noise: FloatArray, shrinkage: Shrinkage
    ) -> tuple[FloatArray, float]:
        """Return the coefficients and the intercept of a given shrinkage."""
        config, alpha = self.config, shrinkage.alpha
        if config.alpha is not None:
            alpha = float(config.alphas(gram[0, 0])[0])
        if config.scaled and self.correct is remove_noise:
            removed = shrinkage.share * noise
            found = solve_by_cholesky(gram, alpha, removed=removed, centred=config.centred)
            bound = config.norm_bound
            if found is not None and (bound is None or np.linalg.norm(found[0]) <= bound):
                return found
        clean = self.correct(gram, noise, shrinkage.share)
        penalties = feature_variances(gram, config.centred) if config.scaled else 1.0
        scales = np.sqrt(penalties) if config.scaled else None
        found = solve_by_cholesky(clean, alpha, penalties=penalties, centred=config.centred)
        if found is None and config.alpha is not None and shrinkage.share > 0.0:
            found = solve_floored(gram, clean, alpha, centred=config.centred)
        if found is None:
            coefs, intercepts = solve_ridge(
                clean, np.array([alpha]), centred=config.centred, scales=scales
            )
            found = coefs[0], float(intercepts[0])
        if config.norm_bound is not None and np.linalg.norm(found[0]) > config.norm_bound:
            return solve_in_ball(
                clean, alpha, config.norm_bound, centred=config.centred, scales=scales
            )
        return found
