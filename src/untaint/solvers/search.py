r"""Where to begin: a coarse-to-fine search for the rows to trust.

Concentration only descends, so it ends in the basin it starts in. Two traps are laid for it. A
flexible fit bends to reach the bad rows, whose residuals then look small; and bad rows that agree
with one another (a cluster, a shift, a bad region) look like a second truth. The search avoids the
first by judging each row as if it had not been fitted, and the second by starting from fits too
stiff to follow a second truth.

**The cost of a row.** Let e be the residual that the fit to all other rows leaves at a row, and v
the variance of that fit there, in units of the noise. If the row joins the others, their objective
rises by :math:`e^2 / (1 + v)`. With r the residual of the fit at hand, w the row's weight in it and
:math:`q = \phi^T (G + \alpha I)^{-1} \phi`,

.. math:: e = r / (1 - w q), \qquad v = q / (1 - w q), \qquad z^2 = e^2 / (1 + \min(v, 1)).

Kept and given-up rows are measured alike, so neither is stuck where it is. The bound on v denies a
lonely row most of the excuse that nobody knows better.

**The ladder.** Starting from the ridge at which the fit has five (or twenty) degrees of freedom:
least absolute deviations (or a lower and an upper quantile, for errors that all go one way), then
trim by z, divide the ridge by ten, trim again, until the ridge asked for is reached. Of several
starts, the best objective wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import eigh, lapack
from scipy.optimize import brentq

from .._typing import BoolArray, FloatArray, IntArray
from ..losses import SquaredLoss
from ..selection import Smallest

# Degrees of freedom and quantile of the first starts: the stiffest first.
STARTS = tuple((freedom, quantile) for freedom in (5.0, 20.0) for quantile in (0.5, 0.25, 0.75))
LEAST_STIFF = STARTS[-1][0]
# Starts that are followed all the way down.
FINALISTS = 2
REWEIGHTINGS = 5
TRIMS_PER_RUNG = 3
RUNG = 10.0
# Columns of the features that a ridge shrinks to less than this share say nothing at its rung.
NEGLIGIBLE = 0.1
# Largest predictive variance that excuses a row's error.
LARGEST_EXCUSE = 1.0


@dataclass(frozen=True)
class Search:
    """What the search found: the costs z^2 of all rows and the weights that they select."""

    costs: FloatArray
    weights: FloatArray


@dataclass(frozen=True)
class Sample:
    """Rows that stand for all, and the weight that each has among them."""

    rows: IntArray
    weights: FloatArray


def coarse_to_fine(
    features: FloatArray,
    y: FloatArray,
    levels: Sequence[Sample],
    contamination: float,
    ridge: float,
    *,
    plausible: BoolArray,
    n_starts: int = 6,
    rng: np.random.Generator,
) -> Search:
    """Search for the share of rows that agree best.

    Parameters
    ----------
    features : array of shape (n, m)
        Dense, of moderate width: Nystroem features or the columns of X.
    y : array of shape (n, k)
    levels : sequence of Sample
        Each within the next, the last being all rows with their own weights. On the first the stiff
        starts are made, on the second they climb down, on the others they only settle.
    contamination : float
    ridge : float
    plausible : bool array of shape (n,)
        Rows that may take part in these fits; the others must wait to be judged later.
    n_starts : int
        1: a stiff median. 2 and 3: a lower and an upper quantile too. 4 to 6: all three less
        stiff. More: the median of random halves of the rows.
    rng : Generator

    Returns
    -------
    Search
    """
    total = float(levels[-1].weights.sum())

    def ladder_on(sample: Sample) -> Ladder:
        rows, weights = sample.rows, sample.weights
        # The ridge is meant for the weight of all rows; a part of them takes its part of it.
        part = float(weights.sum()) / total
        return Ladder(
            features[rows], y[rows], weights, plausible[rows], contamination, part * ridge
        )

    level, ladder = levels[0], ladder_on(levels[0])
    stiff = ladder.stiff_ridge(LEAST_STIFF)
    tops = [
        ladder.climb_down(ladder.coarse_start(*start), ladder.stiff_ridge(start[0]), stiff)
        for start in _starts(plausible[level.rows], n_starts, rng)
    ]
    candidates, reached = ladder.best(tops, stiff, FINALISTS), stiff
    for wider in levels[1:] or levels:
        if wider is not level:
            ladder, inside = ladder_on(wider), np.searchsorted(wider.rows, level.rows)
            candidates = [ladder.extend(inside, weights, reached) for weights in candidates]
            reached *= float(wider.weights.sum() / level.weights.sum())
            level = wider
        ends = [ladder.climb_down(weights, reached, ladder.ridge) for weights in candidates]
        candidates, reached = ladder.best(ends, ladder.ridge, 1), ladder.ridge
    (weights,) = candidates
    return Search(ladder.fit(weights, ladder.ridge)[1], weights)


def _starts(
    plausible: BoolArray, n_starts: int, rng: np.random.Generator
) -> Iterable[tuple[float, float, BoolArray]]:
    for start in range(n_starts):
        if start < len(STARTS):
            yield *STARTS[start], plausible
        else:
            freedom, quantile = STARTS[0]
            yield freedom, quantile, plausible & (rng.random(len(plausible)) < 0.5)


@final
class Ladder:
    """Trimmed ridge fits on features, from a stiff ridge down to the one asked for."""

    def __init__(
        self,
        features: FloatArray,
        y: FloatArray,
        row_weights: FloatArray,
        plausible: BoolArray,
        contamination: float,
        ridge: float,
    ) -> None:
        self.y = np.asarray(y, dtype=float)
        self.row_weights = row_weights
        self.plausible = plausible
        self.size = max(float(row_weights.sum()), len(y))
        self.ridge = ridge
        self.rule = Smallest(contamination)
        self.loss = SquaredLoss()
        frame = np.where(plausible, row_weights, 0.0)
        self.values, self.columns = _principal(np.asarray(features, dtype=float), frame)

    def stiff_ridge(self, freedom: float) -> float:
        """Ridge at which the fit has so many degrees of freedom, or the one asked for if larger."""
        return max(self.ridge, self._ridge_of_dimension(min(freedom, max(1.0, self.size / 10.0))))

    def coarse_start(self, freedom: float, quantile: float, members: BoolArray) -> FloatArray:
        """Weights after a stiff quantile fit, by reweighted least squares."""
        ridge = self.stiff_ridge(freedom)
        own = np.where(members, self.row_weights, 0.0)
        # From the constant fit: a least-squares one would have to forget the wildest targets.
        residuals = self.y - weighted_quantile(self.y[members], own[members], quantile)
        judged = self._sizes(residuals)
        side = self._sides(residuals, quantile)
        for _ in range(REWEIGHTINGS):
            middle = weighted_quantile(judged[members, None], own[members], self._middle())[0]
            if not 0 < middle < np.inf:
                break
            weights = own * side * 0.05 / np.maximum(judged / (1.4826 * middle), 0.1)
            # So stiff a fit bends to no row: its residuals need no correction.
            design, beta, _ = self._solve(weights, ridge)
            residuals = self.y - design @ beta
            judged, side = self._sizes(residuals), self._sides(residuals, quantile)
        return self.rule.weights(np.where(members, judged * side, np.inf), self.row_weights)

    def climb_down(self, weights: FloatArray, ridge: float, last: float) -> FloatArray:
        """Settle at ever smaller ridges, the first and the last included."""
        weights = self.settle(weights, ridge)
        while ridge > last:
            ridge = max(ridge / RUNG, last)
            weights = self.settle(weights, ridge)
        return weights

    def extend(self, inside: IntArray, weights: FloatArray, ridge: float) -> FloatArray:
        """Weights of all rows here, from weights found on some of them at some ridge."""
        spread = np.zeros(len(self.y))
        spread[inside] = weights
        return self.trim(self.fit(spread, ridge)[1])

    def best(self, candidates: list[FloatArray], ridge: float, count: int) -> list[FloatArray]:
        """At most so many different ones, of the lowest trimmed objectives."""
        distinct: list[FloatArray] = []
        for weights in candidates:
            if not any(np.array_equal(weights, known) for known in distinct):
                distinct.append(weights)
        if len(distinct) > count:
            distinct.sort(key=lambda weights: self.objective(weights, ridge))
        return distinct[:count]

    def settle(self, weights: FloatArray, ridge: float) -> FloatArray:
        """Fit and trim by cost, a few times."""
        for _ in range(TRIMS_PER_RUNG):
            _, costs = self.fit(weights, ridge)
            previous, weights = weights, self.trim(costs)
            if np.array_equal(previous, weights):
                break
        return weights

    def trim(self, costs: FloatArray) -> FloatArray:
        """Weights of the plausible rows that cost least."""
        return self.rule.weights(np.where(self.plausible, costs, np.inf), self.row_weights)

    def objective(self, weights: FloatArray, ridge: float) -> float:
        """Trimmed objective of the fit to these weights."""
        design, beta, _ = self._solve(weights, ridge)
        losses = self.loss.value(self.y, design @ beta)
        norm = float(np.sum(beta[1:] ** 2))
        return self.rule.value(losses, self.row_weights) + ridge * norm

    def fit(self, weights: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray]:
        """Residuals and costs z^2 of all rows; a row beyond all bounds costs infinity."""
        design, beta, inverse = self._solve(weights, ridge)
        residuals = self.y - design @ beta
        q = np.einsum("ij,ij->i", design @ inverse, design)
        # Of a row that stands for several copies, one copy is left out.
        own = weights / np.maximum(self.row_weights, 1.0)
        others = 1.0 - np.minimum(own * q, 1.0 - 1e-9)
        errors = self.loss.value(residuals / others[:, None], np.zeros_like(residuals))
        costs = errors / (1.0 + np.minimum(q / others, LARGEST_EXCUSE))
        return residuals, np.nan_to_num(costs, copy=False, nan=np.inf, posinf=np.inf)

    def _solve(
        self, weights: FloatArray, ridge: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Ridge fit with an intercept in the leading columns that matter at this ridge.

        Returns these columns, the coefficients and the inverse of the regularised Gram matrix.
        """
        width = max(1, int(np.count_nonzero(self.values > NEGLIGIBLE * ridge)))
        design = self.columns[:, : width + 1]
        weighted = design * weights[:, None]
        A = design.T @ weighted
        penalty = np.full(width + 1, max(ridge, 1e-12 * float(A.trace())))
        penalty[0] = 1e-10 * max(float(A[0, 0]), np.finfo(float).tiny)
        A.flat[:: width + 2] += penalty
        inverse = _inverse(A)
        return design, inverse @ (weighted.T @ self.y), inverse

    def _sizes(self, residuals: FloatArray) -> FloatArray:
        return np.sqrt(self.loss.value(residuals, np.zeros_like(residuals)))

    def _sides(self, residuals: FloatArray, quantile: float) -> FloatArray:
        """How much an error counts by its sign: 1 and 1 for the median."""
        return 2.0 * np.where(residuals.sum(axis=1) > 0, quantile, 1.0 - quantile)

    def _middle(self) -> float:
        """Quantile in the middle of the rows that are to be kept."""
        return 0.5 * (1.0 - self.rule.contamination)

    def _ridge_of_dimension(self, dimension: float) -> float:
        """Ridge at which the fit has so many degrees of freedom."""
        positive = self.values[self.values > 0]
        if len(positive) <= dimension:
            return 0.0

        def excess(log_ridge: float) -> float:
            return float(np.sum(positive / (positive + np.exp(log_ridge)))) - dimension

        low = float(np.log(positive[-1])) - 20.0
        high = float(np.log(positive[0])) + 20.0
        return float(np.exp(brentq(excess, low, high, xtol=1e-10))) if excess(low) > 0 else 0.0


def _principal(features: FloatArray, row_weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Columns rotated so that the leading ones vary most, after a column of ones."""
    inside = row_weights > 0
    mean = row_weights[inside] @ features[inside] / row_weights.sum()
    centred = features - mean
    part = centred[inside]
    values, vectors = eigh(part.T @ (part * row_weights[inside, None]), check_finite=False)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    return values, np.column_stack([np.ones(len(features)), centred @ vectors])


def _inverse(A: FloatArray) -> FloatArray:
    """Inverse of a small positive definite matrix; LAPACK itself, for the wrappers cost more."""
    factor, failed = lapack.dpotrf(A, lower=1, clean=1)
    if failed:
        return np.linalg.pinv(A, hermitian=True)
    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    return lower + np.tril(lower, -1).T


def weighted_quantile(values: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """Quantile of each column, of rows that count ``weights`` times.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_quantile(np.array([[1.0], [2.0], [3.0]]), np.ones(3), 0.5)
    array([2.])
    """
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    ranks = np.argmax(reached >= level * reached[-1], axis=0)
    return np.take_along_axis(values, order, axis=0)[ranks, np.arange(values.shape[1])]
