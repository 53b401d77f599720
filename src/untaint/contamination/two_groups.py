r"""The two-groups model of residuals: contamination and posterior probabilities of inliers.

.. math:: r_i \sim (1 - \epsilon)\, t_\nu(m, s) + \epsilon\, N(c, S^2)

The residuals of inliers have a Student distribution of scale s, those of outliers a Gaussian one.
Outliers are either diffuse (m is 0 and S is several s) or clustered in a second mode at c; in the
latter case the fit may lie between the modes, and m is free. The parameters are estimated by
expectation-maximisation for each of several models of the outliers, and

.. math:: p_i = (1 - \epsilon)\, t_\nu(r_i; m, s) / f(r_i)

is the posterior probability that sample i is an inlier, f being the mixture density. A candidate
with outliers competes with null models of heavy-tailed or skewed noise without outliers
(:mod:`.null_models`) by the Bayesian information criterion.

References
----------
Efron (2008), Microarrays, empirical Bayes and the two-groups model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from .._typing import FloatArray
from ..weighting.base import unit_weight
from ..weighting.trimmed import loss_reached
from .null_models import TAILS, log_student, null_fits, root_mean_square, student_weight

# Largest ratio S / s of clustered outliers.
MAX_CLUSTER_WIDTH = 4.0
# The density between two modes falls below this fraction of the lower mode.
MAX_DIP = 0.8
# Residuals beyond so many scales are outliers with probability 1.
MAX_RESIDUAL = 50.0
# Fraction of samples spread uniformly within that range: where the densities of both groups are
# negligible, a sample is taken for an outlier.
UNIFORM_FRACTION = 1e-3
# More residuals than this are binned.
BINS = 2000
MAX_ITER = 200
# Overlapping groups are reported if the smaller one has at least this fraction.
MIN_OVERLAPPING = 0.25
# Smallest distance of two modes, in steps of a rounded target.
MIN_STEPS = 2.0
# Smallest number of samples of a mode.
MIN_CLUSTER = 8.0
MAX_CONTAMINATION = 0.49
# Candidates whose log-likelihoods differ by less are ambiguous.
AMBIGUITY = 2.0


class OutlierModel(NamedTuple):
    """A model of the outliers' residuals.

    ``offset`` tells whether the centre m of the inliers is free. ``min_width`` and
    ``min_deviation`` are lower bounds of S and of the root mean square of the outliers' residuals,
    in units of s. ``parameters`` is the number of parameters besides those of a null model.
    """

    offset: bool
    min_width: float
    min_deviation: float
    parameters: int


# Narrower outliers could not be distinguished from heavy tails and heteroscedastic noise.
DIFFUSE = OutlierModel(offset=False, min_width=3.0, min_deviation=6.0, parameters=3)
CLUSTERED = OutlierModel(offset=True, min_width=0.5, min_deviation=0.0, parameters=4)
# Outliers with the noise of the inliers, all shifted by the same amount: S = s.
SHIFTED = OutlierModel(offset=True, min_width=1.0, min_deviation=0.0, parameters=3)


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
    centre, width : float
        c and S, mean and standard deviation of the outliers' residuals.
    offset : float
        m, the centre of the inliers' residuals.
    log_likelihood : float
        The maximal log-likelihood minus the BIC penalty of the additional parameters.
    interval : tuple of float
        95 % confidence interval of the contamination.
    clustered : bool
        Whether the outliers form a mode of their own.
    overlapping : bool
        Whether the groups overlap so much that single outliers cannot be identified.
    """

    contamination: float
    scale: float
    tail: float
    centre: float = 0.0
    width: float = np.inf
    offset: float = 0.0
    log_likelihood: float = -np.inf
    interval: tuple[float, float] = (0.0, 0.0)
    clustered: bool = False
    overlapping: bool = False

    def inlier_probability(self, residuals: FloatArray) -> FloatArray:
        """Return the posterior probability that each sample is an inlier."""
        inside = np.abs(residuals - self.offset) <= MAX_RESIDUAL * self.scale
        probability = inside.astype(float)
        if self.contamination > 0:
            log_in, log_out = self._log_densities(residuals[inside])
            uniform = UNIFORM_FRACTION / (2 * MAX_RESIDUAL * self.scale)
            log_out = np.logaddexp(log_out, np.log(uniform))
            probability[inside] = np.exp(log_in - np.logaddexp(log_in, log_out))
        return probability

    def _log_densities(self, residuals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log-densities of inliers and outliers, times the groups' fractions."""
        z = (residuals - self.offset) / self.scale
        log_in = np.log1p(-self.contamination) + log_student(z, self.tail)
        z = (residuals - self.centre) / self.width
        log_out = np.log(self.contamination) + log_student(z, np.inf)
        return log_in - np.log(self.scale), log_out - np.log(self.width)


def two_groups(
    residuals: FloatArray,
    sample_weight: FloatArray,
    initial_probability: FloatArray,
    least_scale: float = 0.0,
    step: float = 0.0,
) -> list[TwoGroups]:
    """Return the candidate fits of the residuals, the likeliest first.

    Candidates without outliers are among them. Those with overlapping groups come last, however
    likely they are, because they do not identify outliers.

    Parameters
    ----------
    residuals : array of shape (n,)
        Signed leave-one-out residuals, centred at zero for inliers.
    sample_weight : array of shape (n,)
    initial_probability : array of shape (n,)
        Inlier probabilities from which expectation-maximisation starts.
    least_scale : float
        Lower bound of the noise scale s.
    step : float
        Rounding step of the targets. It bounds the noise, and the distance of two modes.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> residuals = np.r_[rng.normal(size=800), rng.normal(5.0, 20.0, size=200)]
    >>> best = two_groups(residuals, np.ones(1000), np.abs(residuals) < 2)[0]
    >>> round(best.contamination, 2), bool(best.interval[0] < 0.2 < best.interval[1])
    (0.2, True)
    """
    present, sample_weight = sample_weight > 0, as_rows(sample_weight)
    least_scale = max(least_scale, step / np.sqrt(12.0))
    inlying = (initial_probability * sample_weight)[present]
    scale = max(least_scale, _first_scale(residuals[present], inlying))
    if scale == 0:
        return [TwoGroups(0.0, np.finfo(float).tiny, np.inf)]
    bound = MAX_RESIDUAL * scale
    clipped = np.clip(np.nan_to_num(residuals[present], nan=bound), -bound, bound)
    values, weights, start = _binned(clipped, sample_weight[present], initial_probability[present])
    nulls = null_fits(values, weights, least_scale)
    candidates = [TwoGroups(0.0, *null[:2], log_likelihood=null.log_likelihood) for null in nulls]
    means = _two_means(values, weights)
    starts = [(DIFFUSE, tail, start) for tail in TAILS]
    starts += [(CLUSTERED, np.inf, start), (CLUSTERED, np.inf, means), (SHIFTED, np.inf, means)]
    for model, tail, p in starts:
        candidate = _fit(values, weights, p, tail, model, least_scale)
        if candidate is None:
            continue
        if not (model.offset and abs(candidate.centre - candidate.offset) < MIN_STEPS * step):
            candidates.append(candidate)
    candidates.sort(key=lambda candidate: (candidate.overlapping, -candidate.log_likelihood))
    return [_with_interval(candidate, candidates, values, weights) for candidate in candidates]


def as_rows(sample_weight: FloatArray) -> FloatArray:
    """Return the weights as numbers of samples.

    A common weight becomes 1, counts are unchanged, and other weights have the mean 1.
    """
    present = sample_weight > 0
    if not present.any():
        return sample_weight
    return sample_weight / (unit_weight(sample_weight) or sample_weight[present].mean())


def _fit(
    values: FloatArray,
    weights: FloatArray,
    p: FloatArray,
    tail: float,
    model: OutlierModel,
    least_scale: float,
) -> TwoGroups | None:
    """Fit by expectation-maximisation from inlier probabilities p; None if a group vanishes."""
    total, likelihood = float(weights.sum()), -np.inf
    state = TwoGroups(0.0, max(least_scale, root_mean_square(values, weights * p)), tail)
    for _ in range(MAX_ITER):
        n_outliers = float(weights @ (1.0 - p))
        min_outliers = MIN_CLUSTER if model.offset else 1e-9 * total
        majority = np.isfinite(likelihood) and n_outliers >= 0.6 * total
        if n_outliers <= min_outliers or majority:
            return None
        state = _maximise(values, weights, p, state, model, least_scale)
        if state.scale == 0:
            return None
        log_in, log_out = state._log_densities(values)
        log_f = np.logaddexp(log_in, log_out)
        previous, likelihood = likelihood, float(weights @ log_f)
        p = np.exp(log_in - log_f)
        if likelihood - previous <= 1e-4:
            break
    separate = state.width < MAX_CLUSTER_WIDTH * state.scale and _is_bimodal(state)
    overlapping = model.offset and not separate
    if overlapping and not (model is SHIFTED and state.contamination >= MIN_OVERLAPPING):
        return None
    penalised = likelihood - 0.5 * model.parameters * np.log(total)
    return replace(state, log_likelihood=penalised, clustered=model.offset, overlapping=overlapping)


def _maximise(
    values: FloatArray,
    weights: FloatArray,
    p: FloatArray,
    state: TwoGroups,
    model: OutlierModel,
    least_scale: float,
) -> TwoGroups:
    """Return the parameters that maximise the expected likelihood at inlier probabilities p."""
    n_outliers = float(weights @ (1.0 - p))
    inlying = weights * p * student_weight((values - state.offset) / state.scale, state.tail)
    offset = float(inlying @ values / inlying.sum()) if model.offset else 0.0
    variance = float(inlying @ (values - offset) ** 2 / (weights @ p))
    outlying = weights * (1.0 - p)
    centre = float(outlying @ values) / n_outliers
    squares = float(outlying @ (values - centre) ** 2)
    if model is SHIFTED:
        variance = (variance * float(weights @ p) + squares) / float(weights.sum())
    scale = max(float(np.sqrt(variance)), least_scale)
    width = scale
    if model is not SHIFTED:
        # A bound of the deviation from zero: outliers to one side need less width of their own.
        min_width = np.sqrt(max(0.0, (model.min_deviation * scale) ** 2 - centre**2))
        width = max(float(np.sqrt(squares / n_outliers)), model.min_width * scale, min_width)
    contamination = min(n_outliers / float(weights.sum()), MAX_CONTAMINATION)
    return TwoGroups(contamination, scale, state.tail, centre, width, offset)


def _is_bimodal(candidate: TwoGroups) -> bool:
    """Return whether the mixture density dips between m and c."""
    grid = np.linspace(candidate.offset, candidate.centre, 41)
    density = np.exp(np.logaddexp(*candidate._log_densities(grid)))
    return bool(density.min() < MAX_DIP * min(density[0], density[-1]))


def _two_means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return 1 for the larger of two clusters by 2-means, 0 for the other."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    low, high = (float(values[order[np.searchsorted(reached, q)]]) for q in (0.25, 0.75))
    for _ in range(20):
        upper = values > 0.5 * (low + high)
        if not upper.any() or upper.all():
            return np.ones(len(values))
        low = float(weights[~upper] @ values[~upper] / weights[~upper].sum())
        high = float(weights[upper] @ values[upper] / weights[upper].sum())
    larger = upper if weights @ upper > 0.5 * weights.sum() else ~upper
    return larger.astype(float)


def _with_interval(
    candidate: TwoGroups, candidates: list[TwoGroups], values: FloatArray, weights: FloatArray
) -> TwoGroups:
    """Return the candidate with its 95 % interval, united with those of ambiguous candidates."""
    low, high = _own_interval(candidate, values, weights)
    for other in candidates:
        if abs(other.log_likelihood - candidate.log_likelihood) <= AMBIGUITY:
            bounds = _own_interval(other, values, weights)
            low, high = min(low, bounds[0]), max(high, bounds[1])
    return replace(candidate, interval=(low, high))


def _own_interval(
    candidate: TwoGroups, values: FloatArray, weights: FloatArray
) -> tuple[float, float]:
    """Return the Wald interval of the contamination; by the rule of three if that is zero."""
    total = float(weights.sum())
    if candidate.contamination == 0:
        return 0.0, min(1.0, 3.0 / total)
    epsilon, (log_in, log_out) = candidate.contamination, candidate._log_densities(values)
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


def _binned(
    values: FloatArray, weights: FloatArray, p: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return at most ``BINS`` values, weights and probabilities: means of neighbouring samples."""
    if len(values) <= BINS:
        return values, weights, np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    bins = np.minimum((reached / reached[-1] * BINS).astype(np.intp), BINS - 1)
    total = np.asarray(np.bincount(bins, weights[order], BINS), dtype=float)
    used = total > 0
    sums = [np.bincount(bins, weights[order] * x[order], BINS) for x in (values, p)]
    return sums[0][used] / total[used], total[used], sums[1][used] / total[used]
