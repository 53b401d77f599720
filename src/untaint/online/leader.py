"""Follow the leader: after every round the best fit to the corrected sums so far.

No step size is needed, and nothing of the past is kept but sums, :mod:`.moments`. In a stream of
single rows the fit follows at certain rounds only, so that most predictions cost a dot product:

- at rounds t, t + max(1, sqrt(t) / 4), ... the sums take in the rows since the last of them;
- at rounds 1.2, 1.2^2, ... share and ridge are chosen anew by :mod:`.guard`.

A fit that is a few rounds late, s of t, loses O(s / t) a round: O(sqrt(T)) in all. These rounds do
not depend on when predictions are asked for, and fits are computed then: asking changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isqrt, log
from typing import final

import numpy as np

from .._typing import FloatArray
from .correction import Correction, spread
from .guard import RIDGES, SHARES, Choice, can_judge, choose, solve
from .moments import Moments
from .noise import Noise, RowNoise

LATEST = 128  # rounds that a fit may be late
_GROWTH = 1.2  # of the rounds until share and ridge are chosen anew


@final
@dataclass(frozen=True)
class Plan:
    """What the leader may choose from."""

    shares: tuple[float, ...] = SHARES
    alpha: float | None = None  # ridge in the units of the summed loss; None: chosen
    centred: bool = True
    scaled: bool = True
    norm_bound: float | None = None
    late: float = 0.0  # share of the rounds that a fit may be late, from round 64 on

    def ridges(self, rounds: float) -> FloatArray:
        """Ridges to choose from, for the mean loss."""
        return RIDGES if self.alpha is None else np.array([self.alpha / rounds])


@final
@dataclass(frozen=True)
class Fit:
    """A function of the features, and how it was chosen."""

    coef: FloatArray
    intercept: float
    choice: Choice


class Leader:
    """Sums of a stream, and the fit to them."""

    def __init__(self, n_features: int, plan: Plan, *, noisy: bool = True) -> None:
        self.plan = plan
        self.moments = Moments(n_features, noisy=noisy)
        self._tuned = self.moments.copy()
        self._choice: Choice | None = None
        self._fit: Fit | None = None

    def marks(self, rounds: int) -> tuple[int, int]:
        """The last round up to this one at which the fit is due, and the next."""
        last = self.moments.rounds
        while (following := last + self._pause(last)) <= rounds:
            last = following
        return last, following

    def _pause(self, rounds: int) -> int:
        late = int(self.plan.late * rounds) if rounds >= 64 else 0
        return max(1, min(max(isqrt(rounds) // 4, late), LATEST))

    def add(self, rows: FloatArray, noise: Noise | None) -> None:
        """Add rows (1, z, y), halting where share and ridge are to be chosen anew."""
        before, self._fit = self.moments.rounds, None
        halt = _last_tuning(before + len(rows)) - before
        if halt > 0:
            self.moments.add(rows[:halt], noise[:halt] if isinstance(noise, RowNoise) else noise)
            self._tuned, self._choice = self.moments.copy(), None
            rows, noise = rows[halt:], noise[halt:] if isinstance(noise, RowNoise) else noise
        if len(rows):
            self.moments.add(rows, noise)

    def tune(self) -> None:
        """Let the next fit choose share and ridge by all rounds so far."""
        self._tuned, self._choice, self._fit = self.moments, None, None

    def forget_fit(self) -> None:
        """The correction is another one."""
        self._choice = self._fit = None

    def widen(self, n_features: int) -> None:
        """Make room for features that have been zero so far."""
        self._tuned = self._tuned.copy()
        self.moments.widen(n_features)
        self._tuned.widen(n_features)
        self._fit = self._choice = None

    def fit(self, correct: Correction) -> Fit:
        """The leader."""
        if self._fit is None:
            second, noise = self.moments.total()
            scales = feature_scales(second, self.plan.centred) if self.plan.scaled else None
            if self._choice is None:
                tuned = self._tuned.total()[0]
                self._choice = self._choose(
                    correct, feature_scales(tuned, self.plan.centred) if self.plan.scaled else None
                )
            choice = self._choice or Choice(self.plan.shares[0], 1.0 / second[0, 0])
            self._fit = self._solve(correct(second, noise, choice.share), choice, scales)
        return self._fit

    def _choose(self, correct: Correction, scales: FloatArray | None) -> Choice | None:
        plan, ridges = self.plan, self.plan.ridges(self._tuned.second[:, 0, 0].sum())
        if len(plan.shares) == len(ridges) == 1:
            return Choice(plan.shares[0], float(ridges[0]))
        if not can_judge(self._tuned):
            return None
        return choose(
            self._tuned,
            correct,
            shares=plan.shares,
            ridges=ridges,
            centred=plan.centred,
            scales=scales,
        )

    def _solve(self, clean: FloatArray, choice: Choice, scales: FloatArray | None) -> Fit:
        ridge = np.array([choice.ridge])
        if self.plan.alpha is not None:
            ridge = self.plan.ridges(clean[0, 0])
        coef, intercept = solve(clean, ridge, centred=self.plan.centred, scales=scales)
        bound = self.plan.norm_bound
        if bound is not None and np.linalg.norm(coef[0]) > bound:
            ridges = np.geomspace(max(ridge[0], 1e-9), 1e9, 2000)  # fine enough: 2 % apart
            coef, intercept = solve(clean, ridges, centred=self.plan.centred, scales=scales)
            inside = np.linalg.norm(coef, axis=1) <= bound
            if not inside.any():  # beyond the largest ridge: only its direction is left
                means = spread(clean, self.plan.centred)[0]
                coef = coef[-1:] * (bound / np.linalg.norm(coef[-1]))
                intercept = means[-1] - coef @ means[:-1]
            else:
                first = int(np.argmax(inside))
                coef, intercept = coef[first:], intercept[first:]
        return Fit(coef[0], float(intercept[0]), choice)


def feature_scales(second: FloatArray, centred: bool) -> FloatArray:
    """Deviations of the features; 1 for those that do not vary."""
    variances = np.diag(spread(second, centred)[1])[:-1]
    largest = np.diag(second)[1:-1] / second[0, 0]
    varies = variances > 1e-14 * np.maximum(largest, np.finfo(float).tiny)
    return np.sqrt(np.where(varies, variances, 1.0))


def _last_tuning(rounds: int) -> int:
    """The last of the rounds 1.2, 1.2^2, ... (rounded up) that has been reached."""
    k = int(log(rounds) / log(_GROWTH) + 1e-9)
    return ceil(_GROWTH**k) if ceil(_GROWTH**k) <= rounds else ceil(_GROWTH ** (k - 1))
