r"""Noise rates of labels, with the kernel and the alpha that suit them, by marginal likelihood.

Labels are true classes seen through a noise matrix T. Its marginal likelihood
(:mod:`untaint.optim.laplace`) is a proper criterion on labels as they are, for the rates as for
kernel and alpha, which accuracy and log-loss on corrupted labels are not. Candidates are

* no noise;
* one rate for all classes;
* two classes: errors of one class alone, of either;
* several classes: one rate at which some classes, each, are mistaken for one other; which, an EM
  algorithm finds from the class probabilities of the candidates before.

Each has its own best kernel and alpha, found by hill climbing from those of its neighbour. The
candidate of the largest evidence is taken. That some classes are mistaken for others has to be
worth the logarithm of the number of ways in which K classes can be, K log K, and more where these
classes overlap, because they then look like that without noise.

Rates are hardly identified where classes overlap: noise-free labels of overlapping classes and
noisy labels of separate classes look alike. The posterior probabilities of the candidates quantify
this; the interval of the rates and the probability of any noise are computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from itertools import chain
from typing import NamedTuple, final

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import entr, softmax

from .._progress import tracked
from .._threads import map_blocks, map_in_threads
from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.label_posterior import true_class_posterior, uncertain_class_posterior
from ..losses import CorrectedLogLoss, class_codes, class_probabilities
from ..optim.laplace import LaplaceApproximation, Mode
from ..optim.laplace_curvature import LaplaceCurvature

# Rates of errors of all classes, of all classes of several, and of one class.
SYMMETRIC = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
UNIFORM = (0.2, 0.1, 0.3, 0.4)
ONE_SIDED = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# Prior probabilities of no noise, of one rate for all classes, and of the others.
PRIOR = {"none": 0.05, "uniform": 0.475, "other": 0.475}
# Steps of the EM algorithm, and the smallest rate of a class that is mistaken for another.
EM_STEPS, MIN_RATE = 20, 0.03
# Evidence by which classes that are mistaken for one other must exceed classes that overlap: on
# 25 clean samples of vehicles, whose opel and saab look alike, the largest difference was 8.7.
# Classes overlap, in full, if the class of a row that is mistaken has half a bit of entropy on
# average.
OVERLAP, FULL_OVERLAP = 10.0, 0.5
LEVEL = 0.95
# Half of the distance between rates, and the loss of evidence beyond which more are not tried.
HALF_WIDTHS = {"uniform": 0.025, "other": 0.05}
MAX_BEHIND = 10.0
# Loss of evidence of candidates that count for nothing in the posterior.
NEGLIGIBLE = 30.0
# Most that the difference in evidence of two neighbouring settings changes with the next rate.
CHANGE = 4.0
# Gain in evidence below which no noise is taken: labels that the features do not predict.
MIN_EVIDENCE = 0.25
# Probability of any noise from which it is evident.
EVIDENT = 0.5
# Logarithm of the steepest slope that scores are calibrated with.
MAX_LOG_SLOPE = 3.0
TINY = float(np.finfo(float).tiny)

#: Features of the rows under one kernel, computed when called.
Features = Callable[[], FloatArray]


class NoiseCandidate(NamedTuple):
    """A noise matrix with its best setting, and what follows from both.

    These are the evidence, the mode and class probabilities, which are leave-one-out ones if the
    candidate is ``assessed``. The rates stand for others within ``half_width``.
    ``bounds`` are evidences of other settings, or what they are at most.
    """

    family: str
    matrix: FloatArray
    half_width: float
    setting: tuple[int, int]
    evidence: float
    mode: Mode
    probabilities: FloatArray
    bounds: dict[tuple[int, int], float]
    assessed: bool = False


class LabelNoise(NamedTuple):
    """The posterior of the label noise.

    ``fitted`` is the noise matrix of the fit, ``interval`` the 95 % interval, entry by entry,
    (2, K, K), ``contamination`` the share of wrong labels that the fit expects, and
    ``class_contamination``, (K,), that of each label.
    ``probability`` is that of any noise, and ``mean`` the mean noise matrix if there is any, by
    which labels are assessed; ``slope`` calibrates the scores of the fit for that.
    """

    fitted: FloatArray
    mean: FloatArray
    interval: FloatArray
    probability: float
    contamination: float
    contamination_interval: tuple[float, float]
    class_contamination: FloatArray
    slope: float = 1.0

    @property
    def corrects(self) -> bool:
        """Whether the fit takes any label for wrong."""
        return not np.array_equal(self.fitted, np.eye(len(self.fitted)))

    def calibrated(self, scores: FloatArray, codes: IntArray, weights: FloatArray) -> LabelNoise:
        """Return the noise with the slope of scores (n, k) that makes the labels most likely.

        A strong penalty shrinks scores towards zero; the probabilities of a label that is right
        would be too near to those of a label that is wrong.
        """
        y = codes[:, None].astype(float) if scores.shape[1] == 1 else np.eye(len(self.mean))[codes]
        loss, inside = CorrectedLogLoss(self.fitted), weights > 0
        y, scores, weights = y[inside], scores[inside], weights[inside]

        def cost(log_slope: float) -> float:
            losses = loss.value(y, np.exp(log_slope) * scores)
            return float(weights @ losses) + 0.5 * log_slope**2  # a weak prior: it may be flat

        found = minimize_scalar(cost, bounds=(0.0, MAX_LOG_SLOPE), method="bounded")
        # A minimum is found to half of the digits, and weights are to mean copies to more.
        return self._replace(slope=float(np.exp(np.round(found.x, 3))))

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return calibrated class probabilities (n, K) of scores (n, k)."""
        return class_probabilities(self.slope * scores)

    def right_label(self, scores: FloatArray, codes: IntArray) -> FloatArray:
        """Return the probability that each label is right, from the scores of the classes."""
        return np.take_along_axis(self.posterior(scores, codes), codes[:, None], axis=1)[:, 0]

    def posterior(self, scores: FloatArray, codes: IntArray) -> FloatArray:
        """Return the posterior of the true class of each row (n, K), from scores and labels."""
        own = self.probabilities(scores)
        return uncertain_class_posterior(own, codes, self.mean, self.probability)

    @property
    def loss_thresholds(self) -> FloatArray:
        """The log-loss from which a label of each class is probably wrong, infinite if never.

        For several classes, it is that of a row whose other classes are equally probable.
        """
        own, k = np.diag(self.mean), len(self.mean)
        others = (self.mean.sum(axis=0) - own) / (k - 1)
        least = max(1.0 - 0.5 / max(self.probability, TINY), 0.0)
        with np.errstate(divide="ignore"):
            odds = (others * least / (own * (1.0 - least))) ** (1.0 / self.slope)
            return np.asarray(-np.log(odds / (1.0 + odds)), dtype=np.float64)

    @property
    def ambiguity_message(self) -> str:
        """A sentence if the fit corrects for noise that is not evident, else nothing."""
        if not self.corrects or self.probability >= EVIDENT:
            return ""
        return (
            f"labels of which {self.contamination:.0%} are wrong (which was assumed) are about "
            f"as likely as labels without errors of classes that overlap; labels are flagged as "
            f"far as the probability of any error, {self.probability:.2f}, allows"
        )


class LabelNoiseSelection(NamedTuple):
    """The label noise with the positions of the kernel and the alpha of the fit."""

    noise: LabelNoise
    kernel: int
    alpha: int


def select_label_noise(
    features: Sequence[Features],
    alphas: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    *,
    first: tuple[int, int] = (0, 0),
    fit_intercept: bool = True,
) -> LabelNoiseSelection:
    """Select noise matrix, kernel and alpha by their marginal likelihood.

    The features are those of each kernel, the alphas positive and ascending; ``first`` are the
    positions to begin with. Rows of weight zero take no part.
    """
    search = _NoiseSearch(features, alphas, y, weights, first, fit_intercept)
    candidates = list(tracked(search.candidates(), search.n_candidates))
    best = max(candidates, key=lambda candidate: candidate.evidence)
    least = best.evidence - NEGLIGIBLE
    if best.evidence < candidates[0].evidence + MIN_EVIDENCE:
        best = candidates[0]
    best = search.assessed(best)
    likely = [place for place, one in enumerate(candidates) if one.evidence >= least]
    assessed = map_in_threads(lambda place: search.assessed(candidates[place]), likely)
    for place, one in zip(likely, assessed, strict=True):
        candidates[place] = one
    return LabelNoiseSelection(_summary(candidates, best, weights), *best.setting)


def _one_sided(true: int, rate: float) -> FloatArray:
    """Return the noise matrix of two classes of which one has all errors."""
    matrix = np.eye(2)
    matrix[true] = rate
    matrix[true, true] = 1.0 - rate
    return matrix


def known_noise(noise_matrix: FloatArray) -> LabelNoise:
    """Return the label noise of a noise matrix without uncertainty."""
    interval, identity = np.stack([noise_matrix, noise_matrix]), np.eye(len(noise_matrix))
    anything = float(not np.array_equal(noise_matrix, identity))
    shares = (0.0, (0.0, 0.0), np.zeros(len(noise_matrix)))
    return LabelNoise(noise_matrix, noise_matrix, interval, anything, *shares)


def uniform_noise(n_classes: int, rate: float) -> FloatArray:
    """Return the matrix of labels that are wrong at a rate, each other class equally often.

    Examples
    --------
    >>> uniform_noise(2, 0.25)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    off = rate / (n_classes - 1)
    return np.full((n_classes, n_classes), off) + (1.0 - rate - off) * np.eye(n_classes)


@final
class _NoiseSearch:
    """Evidences of noise matrices, each at the kernel and the alpha that suit it best."""

    def __init__(
        self,
        features: Sequence[Features],
        alphas: FloatArray,
        y: FloatArray,
        weights: FloatArray,
        first: tuple[int, int],
        fit_intercept: bool,
    ) -> None:
        self.features, self.alphas, self.first = features, alphas, first
        self.y, self.weights, self.fit_intercept = y, weights, fit_intercept
        self.n_classes = 2 if y.shape[1] == 1 else y.shape[1]
        self.best = -np.inf
        self._models: dict[int, LaplaceApproximation] = {}
        self._curvatures: dict[int, LaplaceCurvature] = {}

    @property
    def n_candidates(self) -> int:
        """How many there are at most."""
        rates = len(SYMMETRIC) + 2 * len(ONE_SIDED) if self.n_classes == 2 else 2 * len(UNIFORM)
        return 1 + rates

    def candidates(self) -> Iterator[NoiseCandidate]:
        """Yield no noise first, then each family in the order of its rates."""
        # The first search tries the neighbours of its kernel in any case.
        kernels = range(len(self.features))[max(self.first[0] - 1, 0) : self.first[0] + 2]
        map_blocks(lambda at: self._model(kernels[at.start]), len(kernels), 1)
        none = self._climb("none", np.eye(self.n_classes), 0.0, None)
        self.best = none.evidence
        yield none
        yield from (self._two_classes if self.n_classes == 2 else self._several_classes)(none)

    def _two_classes(self, none: NoiseCandidate) -> Iterator[NoiseCandidate]:
        """Yield equal rates of both classes, then rates of one of them, in ascending order."""
        families = [[uniform_noise(2, rate) for rate in SYMMETRIC]]
        families += [[_one_sided(true, rate) for rate in ONE_SIDED] for true in (0, 1)]
        yield from chain.from_iterable(map_in_threads(partial(self._chain, none), families))

    def _chain(self, none: NoiseCandidate, matrices: Sequence[FloatArray]) -> list[NoiseCandidate]:
        """Return candidates from neighbour to neighbour, until their evidence is small."""
        own = copy(self)  # whatever the other threads have found
        own._curvatures = self._curvatures.copy()
        family = "other" if (matrices[0] == 1.0).any() else "uniform"
        found, last = list[NoiseCandidate](), none
        for matrix in matrices:
            last = own._climb(family, matrix, HALF_WIDTHS[family], last)
            found.append(last)
            own.best = max(own.best, last.evidence)
            if last.evidence < own.best - MAX_BEHIND:
                break
        return found

    def _several_classes(self, none: NoiseCandidate) -> Iterator[NoiseCandidate]:
        """Yield equal rates of all classes, then of each class to the one it is mistaken for."""
        k, first = self.n_classes, UNIFORM[0]
        uniform = [self._climb("uniform", uniform_noise(k, first), 0.05, none)]
        for rate in UNIFORM[1:]:
            matrix = uniform_noise(k, rate)
            uniform.append(self._climb("uniform", matrix, 0.05, uniform[-1], climb=False))
        best = max(range(len(uniform)), key=lambda place: uniform[place].evidence)
        uniform[best] = self.assessed(uniform[best])
        yield from uniform
        rates = self._em(uniform[best])
        others = rates - np.diag(np.diag(rates))
        mistaken, last = others.max(axis=1) >= MIN_RATE, none
        for rate in UNIFORM if mistaken.any() else ():
            matrix = np.eye(k)
            matrix[mistaken] *= 1.0 - rate
            matrix[mistaken, others.argmax(axis=1)[mistaken]] = rate
            last = self.assessed(self._climb("other", matrix, 0.05, last))
            price = k * float(np.log(k)) + OVERLAP * self._overlap(last, mistaken)
            yield last._replace(evidence=float(np.round(last.evidence - price, 4)))

    def _overlap(self, candidate: NoiseCandidate, mistaken: BoolArray) -> float:
        """Return how far classes overlap, from 0 to 1, by the entropy of the classes of rows."""
        p = candidate.probabilities
        share = self.weights * p[:, mistaken].sum(axis=1)
        bits = float(share @ entr(p).sum(axis=1)) / float(np.log(2.0) * share.sum())
        return min(bits / FULL_OVERLAP, 1.0)

    def _em(self, start: NoiseCandidate) -> FloatArray:
        """Return the rates that an EM algorithm finds for a candidate's class probabilities."""
        codes, matrix = class_codes(self.y), start.matrix
        labels = self.weights[:, None] * np.eye(self.n_classes)[codes]
        for _ in range(EM_STEPS):
            posterior = true_class_posterior(start.probabilities, codes, matrix)
            counts = posterior.T @ labels + np.eye(self.n_classes)
            matrix = counts / counts.sum(axis=1, keepdims=True)
        return matrix

    def _climb(
        self,
        family: str,
        matrix: FloatArray,
        half_width: float,
        last: NoiseCandidate | None,
        *,
        climb: bool = True,
    ) -> NoiseCandidate:
        """Return the candidate at the setting that no neighbour exceeds in evidence.

        The search begins at the setting and the mode of the last candidate. Settings that were far
        from the best one at the last rate are not tried, and none where this one is far from the
        best candidate.
        """
        modes: dict[tuple[int, int], Mode] = {}
        best, around = (self.first, None) if last is None else (last.setting, last.mode.predictions)
        bounds: dict[tuple[int, int], float] = {}

        def at(setting: tuple[int, int]) -> float:
            if setting not in modes:
                kernel, alpha = setting[0], self.alphas[setting[1]]
                start = around if best not in modes else modes[best].predictions
                parts = (alpha, matrix, start, self._curvatures.get(kernel))
                modes[setting] = found = self._model(kernel).mode(*parts)
                bounds[setting], self._curvatures[kernel] = found.evidence, found.curvature
            return modes[setting].evidence

        if last is not None and last.family == family:
            rise = at(best) - last.bounds[best] + CHANGE
            bounds = {s: value + rise for s, value in last.bounds.items()} | bounds
            climb = climb and at(best) >= self.best - MAX_BEHIND - CHANGE
        before = None
        while best != before:
            before, reached = best, at(best)
            near = self._neighbours(best) if climb else []
            near = [s for s in near if s in modes or bounds.get(s, np.inf) >= reached]
            best = max([best, *near], key=at)
        mode = modes[best]
        # Less than that is rounding, and weights are to mean copies.
        evidence = float(np.round(mode.evidence, 4))
        parts = (best, evidence, mode, class_probabilities(mode.predictions), bounds)
        return NoiseCandidate(family, matrix, half_width, *parts)

    def assessed(self, candidate: NoiseCandidate) -> NoiseCandidate:
        """Return a candidate with leave-one-out class probabilities."""
        if candidate.assessed:
            return candidate
        kernel, alpha = candidate.setting
        parts = (self.alphas[alpha], candidate.matrix, candidate.mode)
        scores = self._model(kernel).leave_one_out(*parts)
        return candidate._replace(probabilities=class_probabilities(scores), assessed=True)

    def _neighbours(self, setting: tuple[int, int]) -> list[tuple[int, int]]:
        kernel, alpha = setting
        near = [(kernel, alpha - 1), (kernel, alpha + 1), (kernel - 1, alpha), (kernel + 1, alpha)]
        near += [(kernel - 1, alpha - 1), (kernel + 1, alpha + 1)]  # smoother, at the same size
        sizes = (len(self.features), len(self.alphas))
        return [(k, a) for k, a in near if 0 <= k < sizes[0] and 0 <= a < sizes[1]]

    def _model(self, kernel: int) -> LaplaceApproximation:
        if kernel not in self._models:
            parts = (self.y, self.weights, self.fit_intercept)
            model = LaplaceApproximation(self.features[kernel](), *parts)
            return self._models.setdefault(kernel, model)  # another thread may have made it too
        return self._models[kernel]


def _log_prior(candidates: Sequence[NoiseCandidate]) -> FloatArray:
    """Return log prior probabilities; all rates of a family share that of their family."""
    two = len(candidates[0].matrix) == 2
    sizes = {
        "none": 1,
        "uniform": len(SYMMETRIC if two else UNIFORM),
        "other": 2 * len(ONE_SIDED) if two else len(UNIFORM),
    }
    return np.log([PRIOR[c.family] / sizes[c.family] for c in candidates])


def _summary(
    candidates: Sequence[NoiseCandidate], best: NoiseCandidate, weights: FloatArray
) -> LabelNoise:
    """Return means and intervals of the noise matrix and of the share of wrong labels."""
    evidence = np.array([candidate.evidence for candidate in candidates])
    posterior = softmax(evidence + _log_prior(candidates))
    matrices = np.array([candidate.matrix for candidate in candidates])
    probability = float(posterior[1:].sum())
    mean = np.tensordot(posterior[1:] / max(probability, TINY), matrices[1:], axes=1)
    widths = np.array([candidate.half_width for candidate in candidates])
    margins = widths[:, None, None] * ((matrices > 0) & (matrices < 1))
    ends = ((matrices - margins, 1.0 - LEVEL), (matrices + margins, LEVEL))
    interval = np.clip([_quantile(values, posterior, level) for values, level in ends], 0.0, 1.0)
    shares = np.array([_share(candidate, weights) for candidate in candidates])
    margin = np.minimum(widths, shares)
    low = _quantile(shares - margin, posterior, 1.0 - LEVEL)
    high = _quantile(shares + margin, posterior, LEVEL)
    # Wrong labels of each class over all of them, under the classes' expected frequencies.
    joint = (weights @ best.probabilities)[:, None] * best.matrix
    by_label = 1.0 - np.diag(joint) / np.maximum(joint.sum(axis=0), TINY)
    shares_of_fit = (_share(best, weights), (float(low), float(high)), by_label)
    return LabelNoise(best.matrix, mean, interval, probability, *shares_of_fit)


def _share(candidate: NoiseCandidate, weights: FloatArray) -> float:
    """Return the share of wrong labels that a candidate expects."""
    classes = weights @ candidate.probabilities / weights.sum()
    return float(classes @ (1.0 - np.diag(candidate.matrix)))


def _quantile(values: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """Return weighted quantiles of the first axis; a level beyond one half is an upper one."""
    upper = level > 0.5
    tail = 0.5 * (1.0 - level if upper else level)
    order = np.argsort(-values if upper else values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    position = np.argmax(reached >= tail, axis=0)
    ordered = np.take_along_axis(values, order, axis=0)
    return np.take_along_axis(ordered, position[None], axis=0)[0]
