r"""The two-groups model of residuals: contamination and posterior probabilities of inliers.

.. math:: r_i \sim (1 - \epsilon)\, t_\nu(m, s\, s_i) + \epsilon\, g_i

The residuals of inliers have a Student distribution, whose scale is a common s times a given
relative scale :math:`s_i` of each sample. Those of outliers have a density g that does not depend
on the noise of a sample. It is a Gaussian one, :math:`N(c, S^2)`, and outliers are either diffuse
(m is 0 and S is several s) or clustered in a second mode at c; in the latter case the fit may lie
between the modes, and m is free. Or it is a given density :math:`g_i`, that of a target that
belongs to another sample. The parameters are estimated by expectation-maximisation for each of
several models of the outliers, and

.. math:: p_i = (1 - \epsilon)\, t_\nu(r_i; m, s\, s_i) / f_i(r_i)

is the posterior probability that sample i is an inlier, f being the mixture density. A candidate
with outliers competes with null models of heavy-tailed or skewed noise without outliers
(:mod:`.null_models`) by the Bayesian information criterion.

References
----------
Efron (2008), Microarrays, empirical Bayes and the two-groups model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..weighting.base import unit_weight
from ..weighting.trimmed import loss_reached
from .expectation_maximisation import (
    MAX_ITER,
    MIN_RISE,
    OutlierModel,
    Residuals,
    maximise_likelihood,
)
from .null_models import TAILS, johnson_fit, log_student, null_fits, root_mean_square

# Largest ratio S / s of clustered outliers.
MAX_CLUSTER_WIDTH = 4.0
# The density between two modes falls below this fraction of the lower mode.
MAX_DIP = 0.8
# Residuals beyond so many scales are outliers with probability 1.
MAX_RESIDUAL = 50.0
# Fraction of samples spread uniformly within that range: where the densities of both groups are
# negligible, a sample is taken for an outlier.
UNIFORM_FRACTION = 1e-3
# Of more residuals than this, a systematic sample of as many is fitted; of fewer, if the weights
# are about to change.
MAX_SAMPLES, ROUGH_SAMPLES = 3000, 500
# Log-likelihood by which a fit may be behind the best one: more than that of ambiguous candidates,
# and than what the parameters of a varying scale cost, which are not counted there.
MAX_BEHIND = 25.0
# Overlapping groups are reported if the smaller one has at least this fraction.
MIN_OVERLAPPING = 0.25
# Smallest distance of two modes, in steps of a rounded target.
MIN_STEPS = 2.0
# Candidates whose log-likelihoods differ by less are ambiguous.
AMBIGUITY = 2.0


# Narrower outliers could not be distinguished from heavy tails and heteroscedastic noise.
DIFFUSE = OutlierModel(offset=False, min_width=3.0, min_deviation=6.0, parameters=3)
CLUSTERED = OutlierModel(offset=True, min_width=0.5, min_deviation=0.0, parameters=4)
# Outliers with the noise of the inliers, all shifted by the same amount: S = s.
SHIFTED = OutlierModel(True, min_width=1.0, min_deviation=0.0, parameters=3, shifted=True)
# Outliers whose targets are those of other samples; the density is given.
PERMUTED = OutlierModel(False, min_width=0.0, min_deviation=0.0, parameters=2, permuted=True)
# Outliers whose targets have nothing to do with their features: random values, or near one value.
OF_TARGET = OutlierModel(False, min_width=0.1, min_deviation=0.0, parameters=4, of_target=True)


class Start(NamedTuple):
    """Where a fit begins: the number of the residuals, models of both groups, and probabilities."""

    number: int
    outliers: OutlierModel
    tail: float
    inlier_probability: FloatArray


class Effort(NamedTuple):
    """How much to compute: tails of inliers, and the rise of likelihood or steps that end a fit.

    ``contaminated`` leaves models without outliers out of account, ``null`` those with outliers. A
    ``thorough`` search has one more model of skewed noise. Of more than ``max_samples`` residuals a
    systematic sample is fitted. Fits whose log-likelihood is ``max_behind`` less than the best are
    not completed.
    """

    tails: tuple[float, ...] = TAILS
    min_rise: float = MIN_RISE
    max_iter: int = MAX_ITER
    max_samples: int = MAX_SAMPLES
    contaminated: bool = False
    null: bool = False
    thorough: bool = False
    max_behind: float = MAX_BEHIND


#: For weights that count, and for those that are about to change.
FINE = Effort()
ROUGH = Effort((3.0, 10.0, np.inf), 0.05, 30, ROUGH_SAMPLES)


class MixtureStart(NamedTuple):
    """What a mixture is fitted to besides residuals, where it starts, and with how much effort.

    The fields are parameters of :func:`two_groups`.
    """

    sample_weight: FloatArray
    inlier_probability: FloatArray
    least_scale: float = 0.0
    step: float = 0.0
    effort: Effort = FINE


@final
@dataclass(frozen=True)
class TwoGroups:
    """A candidate fit of the two-groups model.

    Attributes
    ----------
    contamination : float
        epsilon, the fraction of outliers.
    scale : float
        s, the scale of the inliers' residuals.
    tail : float
        nu, the degrees of freedom of the inliers' residuals.
    centre : float
        c, the mean of the outliers' residuals.
    width : float
        S, the standard deviation of the outliers' residuals.
    offset : float
        m, the centre of the inliers' residuals.
    log_likelihood : float
        The maximal log-likelihood minus the BIC penalty of the additional parameters.
    outliers : OutlierModel
        The model of the outliers; it does not matter if there are none.
    overlapping : bool
        Whether the groups overlap so much that single outliers cannot be identified.
    least_scale : float
        Lower bound of the noise scale of a sample.
    """

    contamination: float
    scale: float
    tail: float
    centre: float = 0.0
    width: float = np.inf
    offset: float = 0.0
    log_likelihood: float = -np.inf
    outliers: OutlierModel = DIFFUSE
    overlapping: bool = False
    least_scale: float = 0.0

    @property
    def clustered(self) -> bool:
        """Whether the outliers form a mode of their own."""
        return self.outliers.offset

    @property
    def permuted(self) -> bool:
        """Whether the outliers' targets are those of other samples."""
        return self.outliers.permuted

    @property
    def of_target(self) -> bool:
        """Whether c and S are mean and deviation of the outliers' targets."""
        return self.outliers.of_target

    def scales(self, residuals: Residuals) -> FloatArray:
        """Return the noise scale of each sample."""
        return np.maximum(self.scale * residuals.relative_scale, self.least_scale)

    def inlier_probability(self, residuals: Residuals) -> FloatArray:
        """Return the posterior probability of each inlier: one over a sum of odds."""
        inside = ~self.is_gross(residuals)
        if self.contamination == 0:
            return inside.astype(float)
        with np.errstate(over="ignore", invalid="ignore"):
            log_in, log_out = self.log_densities(residuals)
            uniform = UNIFORM_FRACTION / (2 * MAX_RESIDUAL * self.scales(residuals))
            odds = np.exp(log_out - log_in) + uniform * np.exp(-log_in)
            return np.where(inside, 1.0 / (1.0 + odds), 0.0)

    def is_gross(self, residuals: Residuals) -> BoolArray:
        """Return whether each residual is too large for any noise."""
        bounds = MAX_RESIDUAL * self.scales(residuals)
        return ~(np.abs(residuals.values - self.offset) <= bounds)

    def log_densities(self, residuals: Residuals) -> tuple[FloatArray, FloatArray]:
        """Return the log-densities of inliers and outliers, times the groups' fractions."""
        scales = self.scales(residuals)
        log_in = log_student((residuals.values - self.offset) / scales, self.tail) - np.log(scales)
        if self.permuted:
            log_out = residuals.log_background
        else:
            values = residuals.targets if self.of_target else residuals.values
            log_out = log_student((values - self.centre) / self.width, np.inf) - np.log(self.width)
            log_out = log_out + residuals.log_unit if self.of_target else log_out
        return log_in + np.log1p(-self.contamination), log_out + np.log(self.contamination)


def two_groups(
    residuals: Residuals,
    sample_weight: FloatArray,
    initial_probability: FloatArray,
    least_scale: float = 0.0,
    step: float = 0.0,
    effort: Effort = FINE,
    known: Sequence[TwoGroups] = (),
) -> list[TwoGroups]:
    """Return the candidate fits of the residuals, the likeliest first.

    Candidates without outliers are among them, unless ``effort`` requests contaminated ones only
    and there is one. Those with overlapping groups come last, however likely they are, because they
    do not identify outliers.

    Parameters
    ----------
    residuals : Residuals
        Signed leave-one-out residuals, centred at zero for inliers, with their relative scales.
    sample_weight : array of shape (n,)
    initial_probability : array of shape (n,)
        Inlier probabilities from which expectation-maximisation starts.
    least_scale : float
        Lower bound of the noise scale s.
    step : float
        Rounding step of the targets. It bounds the noise, and the distance of two modes.
    effort : Effort
        Tails, tolerances and iterations of the fits, and which candidates are fitted.
    known : sequence of TwoGroups
        The candidates for the same residuals without a density of other samples' targets: if there
        are any, only outliers of that density are fitted.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> values = np.r_[rng.normal(size=800), rng.normal(5.0, 20.0, size=200)]
    >>> start = np.abs(values) < 2
    >>> best = two_groups(Residuals.of(values), np.ones(1000), start)[0]
    >>> round(best.contamination, 2)
    0.2
    """
    start = MixtureStart(sample_weight, initial_probability, least_scale, step, effort)
    return two_groups_of_each([residuals], start, known)[0]


def two_groups_of_each(
    views: Sequence[Residuals], start: MixtureStart, known: Sequence[TwoGroups]
) -> list[list[TwoGroups]]:
    """Return the candidate fits of the same residuals under each of several relative scales.

    All fits are computed at a time; ``known`` is as in :func:`two_groups`.
    """
    sample, effort = _Sample.of(views, start), start.effort
    if sample is None:
        # The density of noise that has no scale is infinite.
        return [[TwoGroups(0.0, np.finfo(float).tiny, np.inf, log_likelihood=np.inf)]] * len(views)
    found: list[list[TwoGroups]] = [[] for _ in views]
    if not effort.null:
        starts = _starts(sample, effort.tails, only_permuted=len(known) > 0)
        likelihood = max(
            (one.log_likelihood for one in known if not one.overlapping), default=-np.inf
        )
        for number, candidate in _fit(sample, starts, effort, likelihood):
            found[number].append(candidate)
    for one, candidates in zip(sample.views, found, strict=True):
        candidates += [candidate for candidate in known if candidate.contamination > 0]
        if not effort.contaminated or all(candidate.overlapping for candidate in candidates):
            null = [candidate for candidate in known if candidate.contamination == 0]
            candidates += null or _null_candidates(sample, one, thorough=effort.thorough)
        candidates.sort(key=lambda one: (one.overlapping, -one.log_likelihood))
    return found


def refit_two_groups(
    known: TwoGroups, residuals: Residuals, start: MixtureStart
) -> TwoGroups | None:
    """Return the fit of a known candidate's model to other residuals, None if it has vanished.

    A candidate without outliers is returned as it is.
    """
    if known.contamination == 0:
        return known
    sample = _Sample.of([residuals], start)
    if sample is None:
        return None
    fits = _fit(sample, [Start(0, known.outliers, known.tail, sample.start)], start.effort)
    return fits[0][1] if fits else None


@final
@dataclass(frozen=True)
class _Sample:
    """Residuals to fit, clipped, how many each is, and the inlier probabilities to start from.

    The views are the same residuals with different relative scales.
    """

    views: list[Residuals]
    counts: FloatArray
    start: FloatArray
    least_scale: float
    step: float

    @staticmethod
    def of(views: Sequence[Residuals], start: MixtureStart) -> _Sample | None:
        """Return the sample of residuals that are present, None if their scale is zero."""
        quotients = views[0].values / views[0].relative_scale
        counts = as_rows(start.sample_weight)
        rows, counts = _systematic_sample(quotients, counts, start.effort.max_samples)
        inlying = np.asarray(start.inlier_probability, dtype=float)[rows]
        least_scale = max(start.least_scale, start.step / np.sqrt(12.0))
        clipped = [_clipped(view.at(rows), inlying * counts, least_scale) for view in views]
        found = [view for view in clipped if view is not None]
        complete = len(found) == len(views)
        return _Sample(found, counts, inlying, least_scale, start.step) if complete else None


def _clipped(view: Residuals, weights: FloatArray, least_scale: float) -> Residuals | None:
    """Return residuals within many times the scale of initial inliers, None if that is zero."""
    quotients = view.values / view.relative_scale
    scale = max(least_scale, _first_scale(quotients, weights))
    if scale == 0:
        return None
    bound = MAX_RESIDUAL * scale
    quotients = np.clip(np.nan_to_num(quotients, nan=bound), -bound, bound)
    return view._replace(values=quotients * view.relative_scale)


def _null_candidates(sample: _Sample, view: Residuals, *, thorough: bool) -> list[TwoGroups]:
    """Return the fits without outliers; a thorough search has one more model of the noise."""
    jacobian = float(sample.counts @ np.log(view.relative_scale))
    rows = (view.values / view.relative_scale, sample.counts, sample.least_scale)
    return [
        TwoGroups(
            *(0.0, null.scale, null.tail),
            log_likelihood=null.log_likelihood - jacobian,
            least_scale=sample.least_scale,
        )
        for null in (*null_fits(*rows), *([johnson_fit(*rows)] if thorough else []))
    ]


def contamination_interval(
    candidates: list[TwoGroups], residuals: Residuals, sample_weight: FloatArray
) -> tuple[float, float]:
    """Return the 95 % interval of the first candidate, united with those of ambiguous ones.

    Parameters
    ----------
    candidates : list of TwoGroups
        Candidate fits, the likeliest first.
    residuals : Residuals
        The residuals that they were fitted to.
    sample_weight : array of shape (n,)
        Weights of the samples.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> values = np.r_[rng.normal(size=800), rng.normal(0.0, 20.0, size=200)]
    >>> residuals, weights = Residuals.of(values), np.ones(1000)
    >>> candidates = two_groups(residuals, weights, np.abs(values) < 2)
    >>> low, high = contamination_interval(candidates, residuals, weights)
    >>> bool(0.15 < low < 0.2 < high < 0.25)
    True
    """
    counts, first = as_rows(sample_weight), candidates[0]
    present = counts > 0
    sample, counts = residuals.at(present), counts[present]
    alternatives = [
        candidate
        for candidate in candidates[1:]
        if abs(candidate.log_likelihood - first.log_likelihood) <= AMBIGUITY
    ]
    bounds = [_interval(candidate, sample, counts) for candidate in (first, *alternatives)]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _fit(
    sample: _Sample, starts: Sequence[Start], effort: Effort, known: float = -np.inf
) -> list[tuple[int, TwoGroups]]:
    """Return the fits with outliers, each with the number of its residuals.

    The largest likelihood ``known`` is that of candidates for the same residuals.
    """
    if not starts:
        return []
    numbers, models, tails, p = (list(part) for part in zip(*starts, strict=True))
    of_each = zip(*(sample.views[number] for number in numbers), strict=True)
    residuals = Residuals(*(np.array(part) for part in of_each))
    parts = (sample.counts, models, np.array(tails), np.array(p, dtype=float), sample.least_scale)
    limits = (effort.min_rise, effort.max_iter, effort.max_behind)
    fits = maximise_likelihood(residuals, *parts, *limits, known)
    found, log_total = [], np.log(float(sample.counts.sum()))
    for number, model, tail, *fit in zip(numbers, models, tails, *fits, strict=True):
        contamination, scale, centre, width, offset, likelihood = map(float, fit)
        # Modes of rounded targets, and values that recur because of the rounding, are no outliers.
        apart = abs(centre - offset) if model.offset else width if model.of_target else np.inf
        if likelihood == -np.inf or apart < MIN_STEPS * sample.step:
            continue
        candidate = TwoGroups(
            *(contamination, scale, float(tail), centre, width, offset),
            log_likelihood=likelihood - 0.5 * model.parameters * log_total,
            outliers=model,
            least_scale=sample.least_scale,
        )
        narrow = width < MAX_CLUSTER_WIDTH * scale
        if not model.offset or (narrow and _is_bimodal(candidate)):
            found.append((number, candidate))
        elif model.shifted and contamination >= MIN_OVERLAPPING:
            found.append((number, replace(candidate, overlapping=True)))
    return found


def _starts(sample: _Sample, tails: tuple[float, ...], only_permuted: bool) -> list[Start]:
    """Return models of both groups, and probabilities to begin with, for each of the views."""
    start, starts = sample.start, list[Start]()
    for number, view in enumerate(sample.views):
        if not only_permuted:
            means = _two_means(view.values, sample.counts)
            starts += [Start(number, DIFFUSE, tail, start) for tail in tails]
            starts += [Start(number, CLUSTERED, np.inf, p) for p in (start, means)]
            starts += [Start(number, SHIFTED, np.inf, means)]
            if np.isfinite(view.targets).all():
                starts += [Start(number, OF_TARGET, tail, start) for tail in tails[1:]]
        if np.isfinite(view.log_background).any():
            starts += [Start(number, PERMUTED, tail, start) for tail in tails[1:]]
    return starts


def _systematic_sample(
    quotients: FloatArray, counts: FloatArray, size: int
) -> tuple[IntArray, FloatArray]:
    """Return the samples that are present, or every k-th in their order, and how many each is."""
    present = np.flatnonzero(counts > 0)
    if len(present) <= size:
        return present, counts[present]
    order = present[np.argsort(quotients[present], kind="stable")]
    reached = np.cumsum(counts[order])
    places = (np.arange(size) + 0.5) * (reached[-1] / size)
    drawn, times = np.unique(np.searchsorted(reached, places), return_counts=True)
    return order[drawn], times * (reached[-1] / size)


def as_rows(sample_weight: FloatArray) -> FloatArray:
    """Return the weights as numbers of samples.

    A common weight becomes 1, counts are unchanged, and other weights have the mean 1.
    """
    present = sample_weight > 0
    if not present.any():
        return sample_weight
    return sample_weight / (unit_weight(sample_weight) or sample_weight[present].mean())


def _is_bimodal(candidate: TwoGroups) -> bool:
    """Return whether the mixture density dips between m and c."""
    grid = np.linspace(candidate.offset, candidate.centre, 41)
    density = np.exp(np.logaddexp(*candidate.log_densities(Residuals.of(grid))))
    return bool(density.min() < MAX_DIP * min(density[0], density[-1]))


def _two_means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return 1 for the larger of two clusters by 2-means, 0 for the other."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    # The weight of the smallest values, and their sum.
    below, sums = np.cumsum(weights[order]), np.cumsum(weights[order] * ordered)
    total, quarters = below[-1], np.searchsorted(below, below[-1] * np.array([0.25, 0.75]))
    low, high = (float(ordered[min(place, len(ordered) - 1)]) for place in quarters)
    split = -1
    for _ in range(20):
        previous, split = split, int(np.searchsorted(ordered, 0.5 * (low + high), "right"))
        if split in (0, len(ordered)):
            return np.ones(len(values))
        if split == previous:
            break
        low = float(sums[split - 1] / below[split - 1])
        high = float((sums[-1] - sums[split - 1]) / (total - below[split - 1]))
    upper = values >= ordered[split]
    larger = upper if total - below[split - 1] > 0.5 * total else ~upper
    return larger.astype(float)


def _interval(candidate: TwoGroups, sample: Residuals, weights: FloatArray) -> tuple[float, float]:
    """Return the Wald interval of the contamination; by the rule of three if that is zero."""
    total = float(weights.sum())
    if candidate.contamination == 0:
        return 0.0, min(1.0, 3.0 / total)
    epsilon, reach = candidate.contamination, MAX_RESIDUAL * candidate.scales(sample)
    low, high = candidate.offset - reach, candidate.offset + reach
    values = np.clip(np.nan_to_num(sample.values, nan=np.inf), low, high)
    log_in, log_out = candidate.log_densities(sample._replace(values=values))
    log_f = np.logaddexp(log_in, log_out)
    score = np.exp(log_out - log_f) / epsilon - np.exp(log_in - log_f) / (1 - epsilon)
    error = 1.96 / np.sqrt(max(float(weights @ score**2), 1.0))
    return max(0.0, epsilon - error), min(1.0, epsilon + error)


def _first_scale(residuals: FloatArray, weights: FloatArray) -> float:
    """Return the scale of the initial inliers, among which there may be outliers."""
    inside = (weights > 0) & ~np.isnan(residuals)
    if not inside.any():
        return 0.0
    sizes, weights = np.abs(residuals[inside]), weights[inside]
    middle = loss_reached(sizes, weights, 0.5 * float(weights.sum()))
    return root_mean_square(np.minimum(sizes, MAX_RESIDUAL * middle), weights)
