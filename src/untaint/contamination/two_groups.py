r"""Which rows are wrong, and how many, when nobody says: two groups of residuals.

.. math:: r_i \sim (1 - \epsilon)\, t_\nu(m, s) + \epsilon\, N(c, S^2)

Good rows scatter around the fit, possibly with heavy tails; bad rows lie anywhere. They are either
scattered themselves (m is 0 and S is many s) or gathered elsewhere: a second peak, at c. Then the
fit may lie between the peaks, and m is free. Expectation and maximisation find shares and scales,
and

.. math:: p_i = (1 - \epsilon)\, t_\nu(r_i; m, s) / f(r_i)

is the probability that row i is good. Honest noise of unknown shape is a strong rival: there are
bad rows only if they explain the residuals better than heavy tails alone do, by more than the
additional parameters are worth (BIC).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from .._typing import FloatArray
from ..weighting.base import unit_weight
from ..weighting.trimmed import loss_reached
from .null_models import TAILS, log_student, null_fits, root_mean_square, student_weight

# Bad rows that gather scatter less than so many times wider than good ones.
WIDER = 4.0
# Between two peaks the density falls below this part of the lower one.
DIP = 0.8
# Residuals beyond so many scales are all alike: certainly wrong.
CERTAIN = 50.0
# Share of rows that may lie anywhere within that: where both groups have thinned out, neither is to
# be believed.
ANYWHERE = 1e-3
# Residuals that are told apart; more are binned.
BINS = 2000
STEPS = 200
# Groups that overlap are worth mentioning if the smaller one has at least this share.
MIN_OVERLAPPING = 0.25
# Peaks at neighbouring values of a rounded target are no groups.
STEPS_APART = 2.0
# Fewer rows than this do not make a peak.
MIN_CLUSTER = 8.0
MAX_CONTAMINATION = 0.49
# Log-likelihood that separates readings which the data tell apart.
CLOSE_CALL = 2.0


class Kind(NamedTuple):
    """What the bad rows are like.

    ``offset``: whether good rows may lie off the fit; ``least_width`` and ``least_reach``: how far
    bad rows deviate from their centre and from zero, in scales; ``parameters``: how many a reading
    has more than one without bad rows.
    """

    offset: bool
    least_width: float
    least_reach: float
    parameters: int


# Less than that is what heavy tails and uneven noise look like.
DIFFUSE = Kind(offset=False, least_width=3.0, least_reach=6.0, parameters=3)
CLUSTERED = Kind(offset=True, least_width=0.5, least_reach=0.0, parameters=4)
# The same noise as good rows have: all are wrong by the same amount.
SHIFTED = Kind(offset=True, least_width=1.0, least_reach=0.0, parameters=3)


@final
@dataclass(frozen=True)
class TwoGroups:
    """A reading of the residuals.

    Attributes
    ----------
    contamination : float
        epsilon, the share of bad rows.
    scale : float
        s, of the good residuals.
    tail : float
        nu, their degrees of freedom.
    centre, width : float
        c and S of the bad ones.
    offset : float
        m, where the good ones lie.
    log_likelihood : float
        Less what the parameters are worth.
    interval : tuple of float
        Shares that the data do not exclude, at 95 %.
    clustered : bool
        Whether the bad rows agree with one another.
    overlapping : bool
        Whether the groups overlap so much that no row can be told to be bad.
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

    def good(self, residuals: FloatArray) -> FloatArray:
        """Probability that each row is good."""
        inside = np.abs(residuals - self.offset) <= CERTAIN * self.scale
        good = inside.astype(float)
        if self.contamination > 0:
            log_good, log_bad = self._log_densities(residuals[inside])
            log_bad = np.logaddexp(log_bad, np.log(ANYWHERE / (2 * CERTAIN * self.scale)))
            good[inside] = np.exp(log_good - np.logaddexp(log_good, log_bad))
        return good

    def _log_densities(self, residuals: FloatArray) -> tuple[FloatArray, FloatArray]:
        z = (residuals - self.offset) / self.scale
        good = np.log1p(-self.contamination) + log_student(z, self.tail)
        bad = np.log(self.contamination) + log_student(
            (residuals - self.centre) / self.width, np.inf
        )
        return good - np.log(self.scale), bad - np.log(self.width)


def two_groups(
    residuals: FloatArray,
    sample_weight: FloatArray,
    initial_probability: FloatArray,
    least_scale: float = 0.0,
    step: float = 0.0,
) -> list[TwoGroups]:
    """Readings of the residuals, the likeliest first; one of them says that no row is bad.

    Readings of groups that cannot be told apart row by row come last, however likely they are.

    Parameters
    ----------
    residuals : array of shape (n,)
        Signed, around zero for good rows, without the flattery of an in-sample fit.
    sample_weight : array of shape (n,)
    initial_probability : array of shape (n,)
        Between 0 and 1, how far each row is trusted: where to begin.
    least_scale : float
        Noise that good rows have at least.
    step : float
        Rounding of the targets. It is noise too, and peaks so close together are no groups.

    Returns
    -------
    list of TwoGroups

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
    scale = max(
        least_scale,
        _first_scale(residuals[present], (initial_probability * sample_weight)[present]),
    )
    if scale == 0:
        return [TwoGroups(0.0, np.finfo(float).tiny, np.inf)]
    bound = CERTAIN * scale
    clipped = np.clip(np.nan_to_num(residuals[present], nan=bound), -bound, bound)
    values, weights, good = _binned(clipped, sample_weight[present], initial_probability[present])
    candidates = [
        TwoGroups(0.0, scale, tail, log_likelihood=likelihood)
        for scale, tail, likelihood in null_fits(values, weights, least_scale)
    ]
    apart = _two_means(values, weights)
    starts = [(DIFFUSE, tail, good) for tail in TAILS]
    starts += [(CLUSTERED, np.inf, good), (CLUSTERED, np.inf, apart), (SHIFTED, np.inf, apart)]
    for kind, tail, start in starts:
        candidate = _separate(values, weights, start, tail, kind, least_scale)
        near = candidate is not None and kind.offset and _distance(candidate) < STEPS_APART * step
        if candidate is not None and not near:
            candidates.append(candidate)
    candidates.sort(key=lambda candidate: (candidate.overlapping, -candidate.log_likelihood))
    return [_with_interval(candidate, candidates, values, weights) for candidate in candidates]


def as_rows(sample_weight: FloatArray) -> FloatArray:
    """How many rows each one counts for.

    Rows of one weight are rows, whatever the weight is; of several weights, on average.

    Examples
    --------
    >>> import numpy as np
    >>> as_rows(np.array([0.5, 0.5, 0.0]))
    array([1., 1., 0.])
    """
    present = sample_weight > 0
    if not present.any():
        return sample_weight
    return sample_weight / (unit_weight(sample_weight) or sample_weight[present].mean())


def _separate(
    values: FloatArray,
    weights: FloatArray,
    good: FloatArray,
    tail: float,
    kind: Kind,
    least_scale: float,
) -> TwoGroups | None:
    """Expectation and maximisation; None if what comes out are not two groups of this kind."""
    total, likelihood = float(weights.sum()), -np.inf
    state = TwoGroups(0.0, max(least_scale, root_mean_square(values, weights * good)), tail)
    for _ in range(STEPS):
        n_bad = float(weights @ (1.0 - good))
        fewest = MIN_CLUSTER if kind.offset else 1e-9 * total
        if n_bad <= fewest or (np.isfinite(likelihood) and n_bad >= 0.6 * total):
            return None
        state = _maximised(values, weights, good, state, kind, least_scale)
        if state.scale == 0:
            return None
        log_good, log_bad = state._log_densities(values)
        both = np.logaddexp(log_good, log_bad)
        previous, likelihood = likelihood, float(weights @ both)
        good = np.exp(log_good - both)
        if likelihood - previous <= 1e-4:
            break
    overlapping = kind.offset and not (state.width < WIDER * state.scale and _two_peaks(state))
    if overlapping and not (kind is SHIFTED and state.contamination >= MIN_OVERLAPPING):
        return None
    price = 0.5 * kind.parameters * np.log(total)
    worth = likelihood - price
    return replace(state, log_likelihood=worth, clustered=kind.offset, overlapping=overlapping)


def _maximised(
    values: FloatArray,
    weights: FloatArray,
    good: FloatArray,
    state: TwoGroups,
    kind: Kind,
    least_scale: float,
) -> TwoGroups:
    """Shares, centres and scales of rows that are good with these probabilities."""
    n_bad = float(weights @ (1.0 - good))
    student_mass = (
        weights * good * student_weight((values - state.offset) / state.scale, state.tail)
    )
    offset = float(student_mass @ values / student_mass.sum()) if kind.offset else 0.0
    variance = float(student_mass @ (values - offset) ** 2 / (weights @ good))
    bad = weights * (1.0 - good)
    centre = float(bad @ values) / n_bad
    squares = float(bad @ (values - centre) ** 2)
    if kind is SHIFTED:
        variance = (variance * float(weights @ good) + squares) / float(weights.sum())
    scale = max(float(np.sqrt(variance)), least_scale)
    width = scale
    if kind is not SHIFTED:
        # Counted from the good rows: bad ones that lie off to one side need not scatter as much.
        reach = np.sqrt(max(0.0, (kind.least_reach * scale) ** 2 - centre**2))
        width = max(float(np.sqrt(squares / n_bad)), kind.least_width * scale, reach)
    contamination = min(n_bad / float(weights.sum()), MAX_CONTAMINATION)
    return TwoGroups(contamination, scale, state.tail, centre, width, offset)


def _distance(candidate: TwoGroups) -> float:
    """Between the groups."""
    return abs(candidate.centre - candidate.offset)


def _two_peaks(candidate: TwoGroups) -> bool:
    """Whether the density dips between m and c."""
    grid = np.linspace(candidate.offset, candidate.centre, 41)
    density = np.exp(np.logaddexp(*candidate._log_densities(grid)))
    return bool(density.min() < DIP * min(density[0], density[-1]))


def _two_means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """One for the larger of two groups that lie apart, zero for the other."""
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
    """Its own 95 % interval, widened to those of readings that are as likely."""
    low, high = _own_interval(candidate, values, weights)
    for rival in candidates:
        if abs(rival.log_likelihood - candidate.log_likelihood) <= CLOSE_CALL:
            other = _own_interval(rival, values, weights)
            low, high = min(low, other[0]), max(high, other[1])
    return replace(candidate, interval=(low, high))


def _own_interval(
    candidate: TwoGroups, values: FloatArray, weights: FloatArray
) -> tuple[float, float]:
    """By the information that the residuals carry on the share, and the rule of three for none."""
    total = float(weights.sum())
    if candidate.contamination == 0:
        return 0.0, min(1.0, 3.0 / total)
    log_good, log_bad = candidate._log_densities(values)
    both = np.logaddexp(log_good, log_bad)
    slope = np.exp(log_bad - both) / candidate.contamination - np.exp(log_good - both) / (
        1 - candidate.contamination
    )
    error = 1.96 / np.sqrt(max(float(weights @ slope**2), 1.0))
    return max(0.0, candidate.contamination - error), min(1.0, candidate.contamination + error)


def _first_scale(residuals: FloatArray, weights: FloatArray) -> float:
    """Of the rows that are trusted at first, some of them wrongly."""
    inside = (weights > 0) & ~np.isnan(residuals)
    if not inside.any():
        return 0.0
    sizes, weights = np.abs(residuals[inside]), weights[inside]
    middle = loss_reached(sizes, weights, 0.5 * float(weights.sum()))
    return root_mean_square(np.minimum(sizes, CERTAIN * middle), weights)


def _binned(
    values: FloatArray, weights: FloatArray, good: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """At most so many values, each the mean of its neighbours."""
    if len(values) <= BINS:
        return values, weights, np.asarray(good, dtype=float)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    bins = np.minimum((reached / reached[-1] * BINS).astype(np.intp), BINS - 1)
    total = np.asarray(np.bincount(bins, weights[order], BINS), dtype=float)
    used = total > 0
    means = [
        np.bincount(bins, weights[order] * x[order], BINS)[used] / total[used]
        for x in (values, good)
    ]
    return means[0], total[used], means[1]
