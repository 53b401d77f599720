r"""Maximum-likelihood estimate of the label-noise rate, in a class-conditional noise model.

Leave-one-out class scores F of a sample give the probabilities p of its true class, and these the
probability q of its observed label y, by

.. math:: p = \mathrm{softmax}(b F + a), \qquad
          q = \sum_k p_k T_{k y}, \quad T_{kk} = 1 - \rho_k, \; T_{kj} = \rho_k / (K - 1),

with slope b, offsets a and noise rates :math:`\rho` (one rate for all classes if K > 2) that
maximise the likelihood :math:`\prod q`. Overlapping classes cause disagreement where p is near one
half, label noise also where p is near one, which identifies the rates. The contamination is the
mean of :math:`\sum_k p_k \rho_k`.

Where no p is near one the likelihood is flat. The disagreement rate of confident predictions
(:mod:`~untaint.contamination.disagreement`) is therefore used as a Gaussian measurement of the
contamination, with standard deviation 0.05. It is biased upwards if classes overlap, so a small
rate without evidence in the likelihood is set to zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, final

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, softmax

from .._typing import FloatArray, IntArray
from .disagreement import MAX_CONTAMINATION

# Standard deviation of the disagreement rate as a measurement of the contamination.
DEVIATION = 0.05
# Disagreement rate and evidence below which the contamination is zero.
MIN_DISAGREEMENT, MIN_EVIDENCE = 0.11, 2.0
# Decrease of the log-likelihood at the ends of a 95 % interval.
DECREASE = 1.92
MAX_RATE = 0.95
STARTS = (0.05, 0.2, 0.4)
# Standard deviation of a penalty that fixes the contamination, for profile likelihoods.
FIXED = 2e-3
BISECTIONS = 7


class NoiseRate(NamedTuple):
    """The fraction of wrong labels, its 95 % interval, and its log-likelihood ratio statistic."""

    contamination: float
    interval: tuple[float, float]
    evidence: float


def estimate_noise_rate(
    scores: FloatArray, codes: IntArray, sample_weight: FloatArray, disagreement: float
) -> NoiseRate:
    """Estimate the fraction of wrong labels, at most 0.45, from leave-one-out class scores."""
    channel = _Channel(scores, codes, sample_weight)
    starts = [channel.start(rate) for rate in STARTS]
    clean, _, x = channel.fit(0.0, FIXED, [channel.start(0.0)])
    evidence = 2.0 * (clean - channel.fit(0.0, np.inf, [*starts, x])[0])

    def cost(at: float, deviation: float, starts: list[FloatArray]) -> tuple[float, float]:
        value, contamination, _ = channel.fit(at, deviation, starts)
        return value + 0.5 * ((contamination - disagreement) / DEVIATION) ** 2, contamination

    def decrease(at: float) -> float:
        return cost(at, FIXED, [channel.start(at, x)])[0] - least

    least, contamination = cost(disagreement, DEVIATION, starts)
    contamination = min(contamination, MAX_CONTAMINATION)
    if evidence < MIN_EVIDENCE and disagreement < MIN_DISAGREEMENT:
        contamination = 0.0
    ends = (_end(decrease, contamination, 0.0), _end(decrease, contamination, MAX_CONTAMINATION))
    return NoiseRate(contamination, ends, max(0.0, evidence))


def _end(decrease: Callable[[float], float], inside: float, outside: float) -> float:
    """Return the end of the profile-likelihood interval towards ``outside``, by bisection."""
    if decrease(outside) <= DECREASE:
        return outside
    for _ in range(BISECTIONS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if decrease(middle) <= DECREASE else (inside, middle)
    return 0.5 * (inside + outside)


@final
class _Channel:
    """The negative log-likelihood of the labels under class-conditional noise."""

    def __init__(self, scores: FloatArray, codes: IntArray, sample_weight: FloatArray) -> None:
        centred = scores - scores.mean(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", centred, centred)
        size = np.sqrt(sample_weight @ squares / sample_weight.sum())
        self.scores = centred / size if size > 0 else centred
        self.own = np.eye(scores.shape[1])[codes]
        self.weights = sample_weight
        self.n_classes = scores.shape[1]
        self.n_rates = 2 if self.n_classes == 2 else 1

    def start(self, rate: float, like: FloatArray | None = None) -> FloatArray:
        """Return initial parameters: log b, the offsets a, and the logits of the rates."""
        rate = float(np.clip(rate, 1e-6, 0.9 * MAX_RATE))
        line = np.r_[1.0, np.zeros(self.n_classes)] if like is None else like[: -self.n_rates]
        rates = np.full(self.n_rates, np.log(rate / (MAX_RATE - rate)))
        return np.concatenate([line, rates])

    def fit(
        self, contamination: float, deviation: float, starts: list[FloatArray]
    ) -> tuple[float, float, FloatArray]:
        """Minimise the negative log-likelihood, penalised to be near a contamination.

        Returns the value without the penalty, the contamination reached and the parameters.
        """
        at = (contamination, deviation)
        ends = [minimize(self._value, x, at, jac=True, method="L-BFGS-B") for x in starts]
        best = min(ends, key=lambda end: float(end.fun))
        reached = self._contamination(best.x)
        return float(best.fun) - 0.5 * ((reached - contamination) / deviation) ** 2, reached, best.x

    def _rates(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the rate of each class, and its derivative."""
        part = expit(x[1 + self.n_classes :]) * np.ones(self.n_classes)
        return MAX_RATE * part, MAX_RATE * part * (1.0 - part)

    def _contamination(self, x: FloatArray) -> float:
        p = softmax(np.exp(x[0]) * self.scores + x[1 : 1 + self.n_classes], axis=1)
        return float(self.weights @ (p @ self._rates(x)[0]) / self.weights.sum())

    def _value(
        self, x: FloatArray, contamination: float, deviation: float
    ) -> tuple[float, FloatArray]:
        """Return the penalised value and its gradient, with a weak prior on log b and a."""
        K, w, total = self.n_classes, self.weights, float(self.weights.sum())
        slope, offsets = np.exp(x[0]), x[1 : 1 + K]
        rates, steepness = self._rates(x)
        p = softmax(slope * self.scores + offsets, axis=1)
        dT = np.where(self.own > 0, -1.0, 1.0 / (K - 1))  # derivative of T in the rate
        T = self.own + dT * rates
        q = np.maximum(np.einsum("ij,ij->i", p, T), 1e-300)
        mine = p @ rates
        away = (float(w @ mine) / total - contamination) / deviation
        value = -float(w @ np.log(q)) + 0.5 * away**2
        value += (x[0] - 1.0) ** 2 / 18.0 + float(offsets @ offsets) / 50.0
        slope_of_penalty = away / (deviation * total)
        by_scores = p * (1.0 - T / q[:, None] + slope_of_penalty * (rates - mine[:, None]))
        by_rates = (w @ (p * (slope_of_penalty - dT / q[:, None]))) * steepness
        gradient = np.r_[
            slope * float(w @ np.einsum("ij,ij->i", by_scores, self.scores)),
            w @ by_scores,
            by_rates if self.n_rates == K else by_rates.sum(),
        ]
        gradient[: 1 + K] += np.r_[(x[0] - 1.0) / 9.0, offsets / 25.0]
        return value, gradient
