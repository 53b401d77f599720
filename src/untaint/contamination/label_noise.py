r"""How many labels were changed, by the likelihood of those that are there.

Scores F that a row's own label had no part in are turned into probabilities of its right class,
and these into probabilities of its label, by

.. math:: p = \mathrm{softmax}(b F + a), \qquad
          q = \sum_k p_k T_{k y}, \quad T_{kk} = 1 - \rho_k, \; T_{kj} = \rho_k / (K - 1),

with slope b, offsets a and rates of error :math:`\rho` (one for all of several classes) of the
largest likelihood :math:`\prod q`. Classes that overlap are contradicted where p is near one half,
wrong labels just as often where p is near one: that is how the two are told apart. The share is
the mean of :math:`\sum_k p_k \rho_k`.

Where scores never come near certainty the likelihood is flat. A second opinion, the rate at which
sure predictions are contradicted (:mod:`~untaint.contamination.disagreement`), then decides: it is taken for
a measurement of deviation 0.05. It is too large where classes overlap, so that a small share, which
the likelihood can do without, is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, softmax

from .._typing import FloatArray, IntArray
from .disagreement import MAX_CONTAMINATION

# Deviation of the second opinion.
DEVIATION = 0.05
# Largest second opinion, and largest evidence, for which there are no wrong labels at all.
SMALL, WEAK = 0.11, 2.0
# Fall of the log-likelihood at the ends of a 95 % interval.
DECREASE = 1.92
LARGEST_RATE = 0.95
STARTS = (0.05, 0.2, 0.4)
# How closely a share is held on to while the likelihood of others is asked for.
TIGHT = 2e-3
HALVINGS = 7


@dataclass(frozen=True)
class NoiseRate:
    """Share of wrong labels, its 95 % interval, and twice the log-likelihood that it adds."""

    contamination: float
    interval: tuple[float, float]
    evidence: float


def estimate_noise_rate(
    scores: FloatArray, codes: IntArray, sample_weight: FloatArray, disagreement: float
) -> NoiseRate:
    """Share of the rows whose labels are wrong, and what else it might be.

    Parameters
    ----------
    scores : array of shape (n, K)
        Of the classes, each row's by a fit that was made without it.
    codes : array of shape (n,), int
        Classes that the rows claim to have.
    sample_weight : array of shape (n,)
    disagreement : float
        Another estimate; see :func:`~untaint.weighting.estimate_disagreement`.

    Returns
    -------
    NoiseRate
        All shares are at most 0.45.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-3.0, 3.0, 200)
    >>> codes = (x > 0).astype(int)
    >>> codes[::5] = 1 - codes[::5]
    >>> found = estimate_noise_rate(np.column_stack([-x, x]), codes, np.ones(200), 0.2)
    >>> round(found.contamination, 2), found.interval[0] < 0.2 < found.interval[1]
    (0.2, True)
    """
    channel = _Channel(scores, codes, sample_weight)
    starts = [channel.start(rate) for rate in STARTS]
    clean, _, x = channel.fit(0.0, TIGHT, [channel.start(0.0)])
    evidence = 2.0 * (clean - channel.fit(0.0, np.inf, [*starts, x])[0])

    def cost(at: float, deviation: float, starts: list[FloatArray]) -> tuple[float, float]:
        value, contamination, _ = channel.fit(at, deviation, starts)
        return value + 0.5 * ((contamination - disagreement) / DEVIATION) ** 2, contamination

    def decrease(at: float) -> float:
        return cost(at, TIGHT, [channel.start(at, x)])[0] - least

    least, contamination = cost(disagreement, DEVIATION, starts)
    contamination = min(contamination, MAX_CONTAMINATION)
    if evidence < WEAK and disagreement < SMALL:
        contamination = 0.0
    ends = (_end(decrease, contamination, 0.0), _end(decrease, contamination, MAX_CONTAMINATION))
    return NoiseRate(contamination, ends, max(0.0, evidence))


def _end(decrease: Callable[[float], float], inside: float, outside: float) -> float:
    """Between a share and a bound, where the likelihood has fallen enough; else the bound."""
    if decrease(outside) <= DECREASE:
        return outside
    for _ in range(HALVINGS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if decrease(middle) <= DECREASE else (inside, middle)
    return 0.5 * (inside + outside)


@final
class _Channel:
    """Minus the log-likelihood of labels, and its minimum near a share."""

    def __init__(self, scores: FloatArray, codes: IntArray, sample_weight: FloatArray) -> None:
        centred = scores - scores.mean(axis=1, keepdims=True)
        size = np.sqrt(
            sample_weight @ np.einsum("ij,ij->i", centred, centred) / sample_weight.sum()
        )
        self.scores = centred / size if size > 0 else centred
        self.own = np.eye(scores.shape[1])[codes]
        self.weights = sample_weight
        self.n_classes = scores.shape[1]
        self.n_rates = 2 if self.n_classes == 2 else 1

    def start(self, rate: float, like: FloatArray | None = None) -> FloatArray:
        """Unknowns to begin with: logarithm of the slope, offsets, rates on a logistic scale."""
        rate = float(np.clip(rate, 1e-6, 0.9 * LARGEST_RATE))
        line = np.r_[1.0, np.zeros(self.n_classes)] if like is None else like[: -self.n_rates]
        rates = np.full(self.n_rates, np.log(rate / (LARGEST_RATE - rate)))
        return np.concatenate([line, rates])

    def fit(
        self, contamination: float, deviation: float, starts: list[FloatArray]
    ) -> tuple[float, float, FloatArray]:
        """Largest likelihood near a share: minus its logarithm, the share reached, unknowns."""
        ends = [
            minimize(self._value, x, (contamination, deviation), jac=True, method="L-BFGS-B")
            for x in starts
        ]
        best = min(ends, key=lambda end: float(end.fun))
        reached = self._contamination(best.x)
        return float(best.fun) - 0.5 * ((reached - contamination) / deviation) ** 2, reached, best.x

    def _rates(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rate of each class, and its derivative."""
        part = expit(x[1 + self.n_classes :]) * np.ones(self.n_classes)
        return LARGEST_RATE * part, LARGEST_RATE * part * (1.0 - part)

    def _contamination(self, x: FloatArray) -> float:
        p = softmax(np.exp(x[0]) * self.scores + x[1 : 1 + self.n_classes], axis=1)
        return float(self.weights @ (p @ self._rates(x)[0]) / self.weights.sum())

    def _value(
        self, x: FloatArray, contamination: float, deviation: float
    ) -> tuple[float, FloatArray]:
        """With the gradient; slope and offsets are held on to loosely, lest they run away."""
        K, w, total = self.n_classes, self.weights, float(self.weights.sum())
        slope, offsets = np.exp(x[0]), x[1 : 1 + K]
        rates, steepness = self._rates(x)
        p = softmax(slope * self.scores + offsets, axis=1)
        turn = np.where(self.own > 0, -1.0, 1.0 / (K - 1))  # of T with the rate
        T = self.own + turn * rates
        q = np.maximum(np.einsum("ij,ij->i", p, T), 1e-300)
        mine = p @ rates
        away = (float(w @ mine) / total - contamination) / deviation
        value = -float(w @ np.log(q)) + 0.5 * away**2
        value += (x[0] - 1.0) ** 2 / 18.0 + float(offsets @ offsets) / 50.0
        slope_of_penalty = away / (deviation * total)
        by_scores = p * (1.0 - T / q[:, None] + slope_of_penalty * (rates - mine[:, None]))
        by_rates = (w @ (p * (slope_of_penalty - turn / q[:, None]))) * steepness
        gradient = np.r_[
            slope * float(w @ np.einsum("ij,ij->i", by_scores, self.scores)),
            w @ by_scores,
            by_rates if self.n_rates == K else by_rates.sum(),
        ]
        gradient[: 1 + K] += np.r_[(x[0] - 1.0) / 9.0, offsets / 25.0]
        return value, gradient
