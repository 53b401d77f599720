r"""How much of the noise to remove, and how much ridge to add.

Removing all of the declared noise is unbiased and may be wild: :math:`S - \Sigma` can be nearly
singular. Candidates remove a share of it and add a ridge,

.. math:: w = ((S - share \, \Sigma)_+ + \lambda I)^{-1} c,

with negative eigenvalues set to zero. Folds left out estimate each candidate's *clean* loss from
noisy rows without bias, :math:`u^T \hat M u` for the residual :math:`u^T r` and the corrected sums
of r r'. The candidate with the smallest upper limit (one standard error) of its difference to the
naive fit wins, if that difference is known well enough, or beyond doubt, and if the loss is not
less than nothing; else the naive fit stays. Nothing worse than naive, by more than chance, can be
chosen. Few rows cannot judge, and get the naive fit with the ridge of a single row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import stdtrit

from .._typing import FloatArray
from .correction import Correction, spread
from .moments import FOLDS, Moments

SHARES = (0.0, 0.5, 0.8, 1.0)  # the naive fit first
RIDGES = np.logspace(-8, 1, 19)  # in units of the features' variance
KNOWN_TO = 0.1  # largest standard error of a difference that may be in doubt, over the naive loss
_ENOUGH = 10  # folds that hold a row
_ONE_SIGMA, _THREE_SIGMA = 0.8413, 0.99865  # probabilities below so many standard deviations


@final
@dataclass(frozen=True)
class Choice:
    """Share of the noise to remove and ridge: a candidate."""

    share: float
    ridge: float


def can_judge(moments: Moments) -> bool:
    """Whether there are rows enough."""
    return int(np.count_nonzero(moments.second[:, 0, 0])) >= _ENOUGH


def choose(
    moments: Moments,
    correct: Correction,
    *,
    shares: tuple[float, ...] = SHARES,
    ridges: FloatArray = RIDGES,
    centred: bool = True,
    scales: FloatArray | None = None,
) -> Choice:
    """The share and ridge that the folds trust."""
    trial = hold_out(moments, correct, shares, ridges, centred=centred, scales=scales)
    share, ridge = divmod(winner(trial), len(ridges))
    return Choice(shares[share], float(ridges[ridge]))


@final
@dataclass(frozen=True)
class Trial:
    """Losses of candidates on folds left out, of shape (folds, candidates)."""

    clean: FloatArray  # on the clean rows, estimated without bias
    naive: FloatArray  # on the noisy rows; infinite for candidates that remove noise
    parts: FloatArray  # each fold's part of all rows

    def without_naive(self) -> Trial:
        """The same candidates, none of which the others are to be measured by."""
        return Trial(self.clean, np.full_like(self.naive, np.inf), self.parts)

    @classmethod
    def joined(cls, trials: Sequence[Trial]) -> Trial:
        """Trials of different models on the same folds."""
        clean = np.concatenate([trial.clean for trial in trials], axis=1)
        naive = np.concatenate([trial.naive for trial in trials], axis=1)
        return cls(clean, naive, trials[0].parts)


def winner(trial: Trial) -> int:
    """The candidate with the best upper limit, by the rule above."""
    parts = trial.parts
    naive = int(np.argmin(parts @ trial.naive))
    mean, error, doubt = differences(trial, naive)
    limit = mean + error
    scale = max(parts @ trial.clean[:, naive], 0.1 * parts @ trial.naive[:, naive])
    limit[(error > KNOWN_TO * scale) & (mean + doubt > 0)] = np.inf
    limit[parts @ trial.clean + error < 0] = np.inf
    limit[naive] = 0.0
    return int(np.argmin(limit))


def differences(trial: Trial, to: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean clean loss less that of one candidate, and one and three standard errors of it."""
    parts, k = trial.parts, len(trial.parts)
    apart = trial.clean - trial.clean[:, [to]]
    mean = parts @ apart
    deviation = np.sqrt(parts**2 @ (apart - mean) ** 2 * k / (k - 1))
    one, three = (deviation * stdtrit(k - 1, level) for level in (_ONE_SIGMA, _THREE_SIGMA))
    return mean, one, three


def solve(
    second: FloatArray, ridges: FloatArray, *, centred: bool, scales: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Weights (..., ridges, d) and intercepts (..., ridges) from corrected sums of r r'."""
    means, about = spread(second, centred)
    S, c = about[..., :-1, :-1], about[..., :-1, -1]
    if scales is not None:
        S, c = S / (scales[:, None] * scales), c / scales
    values, vectors = np.linalg.eigh(S)
    along = (vectors.swapaxes(-1, -2) @ c[..., None])[..., 0]
    damped = np.maximum(values, 0.0)[..., None, :] + ridges[:, None]
    lost = damped <= 1e-14 * np.abs(values).max(axis=-1, initial=0.0)[..., None, None]
    inverse = np.where(lost, 0.0, 1.0 / np.where(lost, 1.0, damped))  # alpha=0: the shortest fit
    coef = (along[..., None, :] * inverse) @ vectors.swapaxes(-1, -2)
    if scales is not None:
        coef = coef / scales
    return coef, means[..., None, -1] - (coef @ means[..., :-1, None])[..., 0]


def hold_out(
    moments: Moments,
    correct: Correction,
    shares: tuple[float, ...] = SHARES,
    ridges: FloatArray = RIDGES,
    *,
    centred: bool = True,
    scales: FloatArray | None = None,
    n_groups: int | None = None,
) -> Trial:
    """Every candidate's losses on every fold; candidates by share, then by ridge."""
    second, noise = moments.grouped(n_groups or _n_groups(moments.n_features))
    rest, rest_noise = second.sum(axis=0) - second, noise.sum(axis=0) - noise
    clean, seen = correct(second, noise, 1.0), correct(second, noise, 0.0)
    clean_losses, naive_losses = [], []
    for share in shares:
        coef, intercept = solve(
            correct(rest, rest_noise, share), ridges, centred=centred, scales=scales
        )
        residual = np.concatenate(
            [-intercept[..., None], -coef, np.ones((*coef.shape[:-1], 1))], axis=-1
        )
        clean_losses.append(_quadratic(residual, clean))
        naive = _quadratic(residual, seen) if share == shares[0] else np.inf
        naive_losses.append(np.broadcast_to(naive, clean_losses[-1].shape))
    parts = second[:, 0, 0] / second[:, 0, 0].sum()
    return Trial(np.concatenate(clean_losses, axis=1), np.concatenate(naive_losses, axis=1), parts)


def _quadratic(u: FloatArray, second: FloatArray) -> FloatArray:
    """u' M u / n for every u (folds, candidates, d + 2) and the M of its fold."""
    return ((u @ second) * u).sum(axis=-1) / second[:, :1, 0]


def _n_groups(n_features: int) -> int:
    """All folds while that is cheap: each costs an eigendecomposition a share."""
    return FOLDS if n_features <= 64 else FOLDS // 2 if n_features <= 640 else FOLDS // 4
