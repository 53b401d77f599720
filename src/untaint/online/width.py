r"""The kernel's width from noisy rows.

The median rule, :math:`\gamma = 1 / \mathrm{median} \|x - x'\|^2` of the clean rows: noise of one
view adds :math:`2 \, \mathrm{tr} \, \Sigma` to the squared distances of noisy ones, which is taken
off. With enough rows, several multiples of it compete on some frequencies, and :mod:`.guard`, which
judges their fits by the clean loss, decides.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._typing import FloatArray
from ..kernels import resolve_gamma
from .features import Frequencies, WaveCorrection, waves
from .guard import Trial, differences, hold_out, winner
from .mixture import Mixture
from .moments import Moments
from .views import Views, with_constant

FACTORS = (1.0, 1 / 9, 1 / 3, 3.0, 9.0)  # of the median rule's gamma
ENOUGH = 500  # rows that can tell widths apart
_ROWS = 6000
_SHARES = (0.0, 0.8)  # of the noise removed: two, and few folds, for the sake of time
_GROUPS = 4


def median_gamma(Z: FloatArray, weights: FloatArray | None, cov: FloatArray) -> float:
    """The median rule for the rows behind Z, whose noise has this covariance."""
    apart = 1.0 / resolve_gamma("median", Z, weights)
    return 1.0 / max(apart - 2.0 * float(np.trace(cov)), 0.1 * apart)


def best_gamma(
    gammas: list[float],
    views: Views,
    cov: FloatArray,
    noise: str,
    mixture_of: Callable[[float], Mixture],
    budget: int,
    seed: int,
) -> float:
    """The one whose fit promises the smallest clean loss.

    What all are measured by is a naive fit of the median rule's width, the first, or of a wider
    one: of a narrow kernel's fit the clean loss is hardly known, and no difference to it. The
    median rule's stays unless another is better by more than a standard error. All have as many
    frequencies as the fit will have: with fewer, another width would be best.
    """
    rows = slice(0, _ROWS)
    Z, y = views.merged()[0][rows], views.y[rows]
    weights = None if views.weights is None else views.weights[rows]
    trials = []
    for gamma in gammas:
        omega = Frequencies(mixture_of(gamma), budget, seed).matrix(len(cov))
        moments = Moments(2 * budget, noisy=False)
        moments.add(with_constant(waves(Z, omega), y, weights, level=float(y.mean())), None)
        correction = WaveCorrection(omega, cov, noise, views.n_copies)
        trial = hold_out(moments, correction, _SHARES, n_groups=_GROUPS)
        trials.append(trial if gamma <= gammas[0] else trial.without_naive())
    joined = Trial.joined(trials)
    best, usual = winner(joined), winner(trials[0])
    mean, error, _ = differences(joined, usual)
    return gammas[best // trials[0].clean.shape[1] if mean[best] + error[best] < 0 else 0]
