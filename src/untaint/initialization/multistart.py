r"""Where to begin: a coarse-to-fine search for the rows to trust.

Concentration only descends, so it ends in the basin it starts in. Two traps are laid for it. A
flexible fit bends to reach the bad rows, whose residuals then look small; and bad rows that agree
with one another (a cluster, a shift, a bad region) look like a second truth. The search avoids the
first by judging each row as if it had not been fitted, and the second by starting from fits too
stiff to follow a second truth.

1. On a few hundred rows, begin with the ridge at which the fit has five (or twenty) degrees of
   freedom: least absolute deviations, or a lower and an upper quantile for errors that all go one
   way. Trim by cost.
2. The two starts of the lowest objective climb down on more rows: divide the ridge by ten, trim
   again, until the ridge asked for is reached. The better one wins.
3. Let it settle on all rows.

What a row costs, and how a fit climbs down, is in :mod:`~untaint.initialization.continuation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..design.base import Design
from ..design.subsample import Subset
from .continuation import RidgeContinuation

# Degrees of freedom and quantile of the first starts: the stiffest first.
STARTS = tuple((dof, quantile) for dof in (5.0, 20.0) for quantile in (0.5, 0.25, 0.75))
LARGEST_DOF = STARTS[-1][0]
# Starts that are followed all the way down.
FINALISTS = 2


@dataclass(frozen=True)
class Search:
    """What the search found: the costs z^2 of all rows and the weights that they select."""

    costs: FloatArray
    weights: FloatArray


def find_inliers(
    design: Design, y: FloatArray, contamination: float, n_starts: int, rng: np.random.Generator
) -> Search:
    """Search a design for the samples to start from; see :func:`coarse_to_fine`."""
    # The products are small, and threads would only wait for one another.
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        return coarse_to_fine(
            design.init_features,
            y,
            design.levels,
            contamination,
            design.alpha,
            near=design.near,
            n_starts=n_starts,
            rng=rng,
        )


def coarse_to_fine(
    features: FloatArray,
    y: FloatArray,
    levels: Sequence[Subset],
    contamination: float,
    alpha: float,
    *,
    near: BoolArray,
    n_starts: int = 6,
    rng: np.random.Generator,
) -> Search:
    """Search for the share of rows that agree best.

    Parameters
    ----------
    features : array of shape (n, m)
        Dense, of moderate width: Nystroem features or the columns of X.
    y : array of shape (n, k)
    levels : sequence of Subset
        Each within the next, the last being all rows with their own weights. On the first the stiff
        starts are made, on the second they climb down, on the others they only settle.
    contamination : float
    alpha : float
    near : bool array of shape (n,)
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

    def continuation_on(sample: Subset) -> RidgeContinuation:
        rows, weights = sample.rows, sample.weights
        # The ridge is meant for the weight of all rows; a part of them takes its part of it.
        part = float(weights.sum()) / total
        return RidgeContinuation(
            features[rows], y[rows], weights, near[rows], contamination, part * alpha
        )

    level, continuation = levels[0], continuation_on(levels[0])
    strong_alpha = continuation.alpha_for_dof(LARGEST_DOF)
    starts = [
        continuation.follow_path(
            continuation.coarse_start(*start), continuation.alpha_for_dof(start[0]), strong_alpha
        )
        for start in _starts(near[level.rows], n_starts, rng)
    ]
    candidates, reached = continuation.best(starts, strong_alpha, FINALISTS), strong_alpha
    for wider in levels[1:] or levels:
        if wider is not level:
            continuation, inside = continuation_on(wider), np.searchsorted(wider.rows, level.rows)
            candidates = [continuation.extend(inside, weights, reached) for weights in candidates]
            reached *= float(wider.weights.sum() / level.weights.sum())
            level = wider
        ends = [
            continuation.follow_path(weights, reached, continuation.alpha) for weights in candidates
        ]
        candidates, reached = continuation.best(ends, continuation.alpha, 1), continuation.alpha
    (weights,) = candidates
    return Search(continuation.costs(weights, continuation.alpha), weights)


def _starts(
    near: BoolArray, n_starts: int, rng: np.random.Generator
) -> Iterable[tuple[float, float, BoolArray]]:
    for start in range(n_starts):
        if start < len(STARTS):
            yield *STARTS[start], near
        else:
            dof, quantile = STARTS[0]
            yield dof, quantile, near & (rng.random(len(near)) < 0.5)
