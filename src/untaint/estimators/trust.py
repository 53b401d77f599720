r"""How far each row is trusted, and what share of them is bad, when nobody says.

A row is judged by the others: by its leave-one-out residual, in units of what such a prediction
leaves open. The residuals of all rows are read as two groups (:mod:`untaint.selection.two_groups`),
and a row weighs as much in the fit as it is likely to belong to the good one. Rows with wild
features are not heard at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np
from scipy.stats import chi2

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..learners import Rows
from ..screening import weighted_median
from ..selection import Smallest, TwoGroups, two_groups
from ..selection.base import unit_weight
from ..selection.two_groups import CERTAIN, CLOSE_CALL, LARGEST_SHARE, as_rows
from ..solvers import Agreement, RidgePath, agree
from ..solvers.agreement import standard_residuals
from .second_look import SAME_END, worth_asking

# Share given up while the share itself is being estimated.
CAUTIOUS_SHARE = 0.45
# Fewest rows from which a share can be estimated.
FEWEST_ROWS = 20
# A second truth that so many rows share might be the first one.
RIVAL_SHARE = 0.3
# Quartiles so many scales apart, or less, are those of rows that agree (Gaussian ones: 1.35).
GATHERED = 2.5
# Log-likelihood by which it may be behind and still has to be mentioned.
COHERENT_CALL = 3.5
# Readings that differ by less are the same to a user.
SAME_SHARE = 0.15
# Part of the rows that no reading takes all trust from: fewer than half of them are ever bad.
LEAST_TRUSTED = 0.25
# Noise that any target has, in units of its spread: a fit to formulas has errors of its own.
LEAST_NOISE = 1e-3
# Ridge of the judging fits when none is asked for, relative to the features' squares.
LEAST_RIDGE = 1e-8


@final
@dataclass(frozen=True)
class Trust:
    """What the jury says.

    Attributes
    ----------
    trust : array of shape (n,)
        Probability that each row is good.
    residuals : array of shape (n,)
        Signed, leave-one-out, over the deviation of such a prediction.
    share : float
        Share of bad rows, wild ones included.
    interval : tuple of float
        Of that share, at 95 %.
    readings : list of TwoGroups
        Of the residuals, the likeliest first.
    """

    trust: FloatArray
    residuals: FloatArray
    share: float
    interval: tuple[float, float]
    readings: list[TwoGroups]

    @property
    def scale(self) -> float:
        """Of the good residuals."""
        return self.readings[0].scale

    @property
    def scores(self) -> FloatArray:
        """Sizes of the residuals in units of the good ones' scale; the largest for wild rows."""
        heard = self.trust > 0
        with np.errstate(over="ignore"):
            scores = np.nan_to_num(np.abs(self.residuals) / self.scale)
        far = ~heard & (scores < scores[heard].max(initial=0.0))
        return np.where(far, scores[heard].max(initial=0.0), scores)

    @property
    def doubt(self) -> str:
        """Both readings, in words, where the data cannot decide; else empty."""
        best, bad = self.readings[0], self.trust < 0.5
        if best.share >= RIVAL_SHARE and bad.any():
            low, middle, high = np.quantile(self.residuals[bad], [0.25, 0.5, 0.75])
            if high - low < GATHERED * self.scale:
                part, rest = f"{bad.mean():.0%}", f"{1 - bad.mean():.0%}"
                return (
                    f"{part} of the rows agree with one another on targets that are {middle:+.3g} "
                    f"away from what the other {rest} say: either these {part} are wrong (which "
                    "was assumed), or the others are"
                )
        for rival in self.readings[1:]:
            behind = best.log_likelihood - rival.log_likelihood
            second_truth = rival.coherent and not best.coherent and rival.share >= RIVAL_SHARE
            differs = second_truth or abs(rival.share - best.share) >= SAME_SHARE
            if differs and behind <= (COHERENT_CALL if second_truth else CLOSE_CALL):
                return (
                    f"that {best.share:.0%} of the rows are wrong (which was assumed) explains the "
                    f"residuals about as well as that {rival.share:.0%} are"
                    + f", by {rival.centre - rival.offset:+.3g}"
                    * rival.coherent
                )
        return ""


@final
class Jury:
    """Judges rows by their residuals.

    Parameters
    ----------
    y : array of shape (n, k)
    row_weights : array of shape (n,)
    wild : bool array of shape (n,)
        Rows that are not heard.
    """

    def __init__(self, y: FloatArray, row_weights: FloatArray, wild: BoolArray) -> None:
        self.row_weights = row_weights
        self.wild = wild
        self.heard = np.where(wild, 0.0, row_weights)
        self.least_scale = LEAST_NOISE * spread(y, self.heard)
        self.step = resolution(y, self.heard)

    def weigh(self, residuals: FloatArray, weights: FloatArray) -> FloatArray:
        """New weights from residuals under the present ones."""
        signed = signed_sizes(residuals, weights)
        return self._trust(self._read(signed, weights)[0], signed, weights) * self.heard

    def verdict(self, residuals: FloatArray, weights: FloatArray) -> Trust:
        """The same with the reasons."""
        signed = signed_sizes(residuals, weights)
        readings = self._read(signed, weights)
        trust = np.where(self.wild, 0.0, self._trust(readings[0], signed, weights))
        far = 1.0 - float(self.heard.sum() / self.row_weights.sum())
        low, high = (far + (1.0 - far) * end for end in readings[0].interval)
        found = max(readings[0].share, certain_share(readings[0], signed, self.heard))
        share = min(far + (1.0 - far) * found, LARGEST_SHARE)
        low, high = min(low, share), max(high, share)
        return Trust(trust, signed, float(share), (float(low), float(high)), readings)

    def evidence(self, agreement: Agreement) -> float:
        """Log-density of the targets of all rows that are heard, each foretold by the others.

        Residuals are counted in units of a prediction's deviation, hence its logarithm.
        """
        signed = signed_sizes(agreement.residuals, agreement.weights)
        likelihood = self._read(signed, agreement.weights)[0].log_likelihood
        return likelihood - float(as_rows(self.heard) @ np.log(agreement.deviations))

    def _read(self, signed: FloatArray, weights: FloatArray) -> list[TwoGroups]:
        trusted = self._trusted(weights)
        return two_groups(signed, self.heard, trusted, self.least_scale, self.step)

    def _trust(self, reading: TwoGroups, signed: FloatArray, weights: FloatArray) -> FloatArray:
        """Probabilities of being good; where hardly a row has any, those of before.

        A reading may fall in with equal targets, which are no noise, and leave all others out.
        """
        good = reading.good(signed)
        few = float(self.heard @ good) < LEAST_TRUSTED * float(self.heard.sum())
        return self._trusted(weights) if few else good

    def _trusted(self, weights: FloatArray) -> FloatArray:
        return weights / np.where(self.row_weights > 0, self.row_weights, 1.0)


@final
class Trimmer:
    """Keeps a given share of the rows, those of the smallest residuals.

    Parameters
    ----------
    share : float
    row_weights : array of shape (n,)
    wild : bool array of shape (n,)
        Rows that are the first to go.
    """

    def __init__(self, share: float, row_weights: FloatArray, wild: BoolArray) -> None:
        self.rule = Smallest(share)
        self.row_weights = row_weights
        self.wild = wild

    def weigh(self, residuals: FloatArray, weights: FloatArray) -> FloatArray:
        """New weights from residuals under the present ones."""
        sizes = np.abs(signed_sizes(residuals, weights))
        return self.rule.weights(np.where(self.wild, np.inf, sizes), self.row_weights)


def agree_on(
    candidates: Sequence[Rows],
    ridges: FloatArray,
    y: FloatArray,
    share: float | None,
    n_starts: int,
    rng: np.random.Generator,
    first: tuple[int, int] = (0, 0),
) -> tuple[Agreement, Trust | None]:
    """Search for rows that agree, then judge rows and settings by turns until nothing changes.

    Where many rows seem wrong, turns are also taken from all rows, at the setting agreed upon, and
    the end counts that foretells the targets better (:mod:`~untaint.estimators.second_look`).

    Parameters
    ----------
    candidates : sequence of Rows
        The same rows under different kernels, neighbours alike.
    ridges : array
    y : array of shape (n, k)
    share : float or None
        Share to give up; None judges every row by itself.
    n_starts : int
    rng : Generator
    first : pair of int
        Kernel and ridge to begin with; the search is at that kernel's own ridge.

    Returns
    -------
    Agreement
    Trust or None
        None if the share was given.
    """
    start = candidates[first[0]]
    row_weights = start.row_weights
    wild = np.zeros(len(y), dtype=bool) if share == 0 else start.wild
    jury = Jury(y, row_weights, wild)
    judge = jury.weigh if share is None else Trimmer(share, row_weights, wild).weigh
    weights = row_weights
    if share != 0:
        found = start.search(y, CAUTIOUS_SHARE if share is None else share, n_starts, rng)
        weights = np.where(wild, 0.0, found.weights)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        features = [partial(getattr, rows, "judging_features") for rows in candidates]
        ridges = np.maximum(ridges, _least_ridge(start, wild))
        settle = partial(
            agree, y=y, row_weights=row_weights, judge=judge, fit_intercept=start.fit_intercept
        )
        agreement = settle(features, ridges, weights=weights, first=first)
        if share is not None:
            return agreement, None
        trust = jury.verdict(agreement.residuals, agreement.weights)
        chosen = agreement.kernel, agreement.ridge
        if worth_asking(trust.share, features[chosen[0]](), y, as_rows(row_weights)):
            rival = settle([features[chosen[0]]], ridges[[chosen[1]]], weights=jury.heard)
            if jury.evidence(rival) > jury.evidence(agreement) + SAME_END:
                agreement = settle(features, ridges, weights=rival.weights, first=chosen)
                trust = jury.verdict(agreement.residuals, agreement.weights)
        return agreement, trust


def trust_rows(rows: Rows, y: FloatArray, n_starts: int, rng: np.random.Generator) -> Trust:
    """How far each row is trusted at the one setting that is asked for."""
    _, trust = agree_on([rows], np.array([rows.ridge]), y, None, n_starts, rng)
    assert trust is not None
    return trust


def judge_rows(
    rows: Rows, y: FloatArray, weights: FloatArray, wild: BoolArray
) -> tuple[FloatArray, Trust]:
    """Leave-one-out residuals of a fit with these weights, and what they say of each row."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(rows.judging_features, weights, rows.fit_intercept)
        ridge = max(rows.ridge, _least_ridge(rows, wild))
        residuals, _ = path.leave_one_out(y, ridge, rows.row_weights)
        standard, _ = standard_residuals(path, y, ridge, rows.row_weights)
        jury = Jury(y, rows.row_weights, wild)
        return np.nan_to_num(residuals), jury.verdict(standard, weights)


def _least_ridge(rows: Rows, wild: BoolArray) -> float:
    """Never zero: a fit that leaves no residuals says nothing of its rows."""
    heard = rows.judging_features[~wild]
    return LEAST_RIDGE * float(np.einsum("ij,ij->", heard, heard)) / max(len(heard), 1)


def certain_share(reading: TwoGroups, signed: FloatArray, heard: FloatArray) -> float:
    """Rows out of all proportion are wrong, even if they are too few to make a group."""
    certain = np.abs(signed - reading.offset) > CERTAIN * reading.scale
    return float(heard @ certain) / max(float(heard.sum()), 1e-300)


@final
@dataclass(frozen=True)
class Sizing:
    """One number a row; of several outputs, one that is Gaussian where they are.

    The squared norm of Gaussian residuals is about chi-squared, with as many degrees of freedom as
    outputs go their own way; its quantile becomes that of a single one.

    Attributes
    ----------
    freedom, variance : float
        Of several outputs.
    """

    freedom: float = 1.0
    variance: float = 1.0

    def signed(self, residuals: FloatArray) -> FloatArray:
        """Of each row."""
        if residuals.shape[1] == 1:
            return residuals[:, 0]
        ratio = _squares(residuals) / self.variance
        beyond = chi2.sf(ratio, self.freedom)
        sizes = np.where(beyond > 1e-300, chi2.isf(np.maximum(beyond, 1e-300), 1), ratio)
        return np.where(residuals.sum(axis=1) < 0, -1.0, 1.0) * np.sqrt(sizes * self.variance)


def sizing_of(residuals: FloatArray, weights: FloatArray) -> Sizing:
    """What residuals with these weights say of their spread."""
    if residuals.shape[1] == 1:
        return Sizing()
    inside = weights > 0
    middle = float(weighted_median(_squares(residuals[inside]), weights[inside]))
    freedom = _own_ways(residuals[inside], weights[inside])
    return Sizing(freedom, max(middle / float(chi2.ppf(0.5, freedom)), np.finfo(float).tiny))


def signed_sizes(residuals: FloatArray, weights: FloatArray) -> FloatArray:
    """One number a row, by the spread of the rows themselves."""
    return sizing_of(residuals, weights).signed(residuals)


def _squares(residuals: FloatArray) -> FloatArray:
    return np.nan_to_num(np.einsum("ij,ij->i", residuals, residuals), nan=np.inf)


def _own_ways(residuals: FloatArray, weights: FloatArray) -> float:
    """Between 1, outputs of one noise, and their number, outputs that are independent and alike."""
    products = (residuals * weights[:, None]).T @ residuals
    size = float(np.trace(products))
    if not 0 < size < np.inf:
        return float(residuals.shape[1])
    return size**2 / float(np.sum(products**2))


def spread(y: FloatArray, weights: FloatArray) -> float:
    """Median distance from the median, of all outputs together."""
    inside = weights > 0
    distances = np.abs(y[inside] - weighted_median(y[inside], weights[inside]))
    return float(np.sqrt(np.sum(weighted_median(distances, weights[inside]) ** 2)))


def resolution(y: FloatArray, weights: FloatArray) -> float:
    """Step to which the targets are rounded: the median gap between values that recur.

    Zero unless most rows share their target with others, and for several outputs.

    Examples
    --------
    >>> import numpy as np
    >>> resolution(np.array([[1.0], [1.0], [2.0], [2.0], [3.0], [3.0], [7.5]]), np.ones(7))
    1.0
    """
    if y.shape[1] > 1:
        return 0.0
    levels, places = np.unique(y[weights > 0, 0], return_inverse=True)
    counts = np.bincount(places, weights[weights > 0])
    recurring = counts >= 2.0 * (unit_weight(weights) or 1.0)
    if recurring.sum() < 2 or counts[recurring].sum() < 0.5 * counts.sum():
        return 0.0
    return float(np.median(np.diff(levels[recurring])))
