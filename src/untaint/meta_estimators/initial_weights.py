r"""Starting weights by a kernel and a forest.

Both are quick: one fit of kernel ridge has leave-one-out predictions, and one fit of a forest has
out-of-bag predictions. Their best average on the present inliers predicts the targets, and rounds
of predictions and posterior weights (:mod:`.reweighting`) start from the inliers of the kernel's
own robust fit and from all rows. Where features differ in their standard deviations once they are
scaled by medians, there are two kernels, one on either scale. So the learner in question is fitted
only a few times, and to weights that are close to the last ones.

Of many rows a random part has such weights. The learner is fitted to these, and its predictions say
how the others begin.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor

from .._typing import FloatArray, IntArray
from ..optim.stack_weights import convex_weights
from .kernel_member import KernelPredictions
from .learner import Learner, WeightedRows
from .reweighting import MAX_GROUPS, Reweighting, ReweightingResult

N_TREES = 100
# Rows beyond which each tree of the forest is grown on so many; the others are out of its bag.
MANY_ROWS, TREE_ROWS = 20_000, 5_000
# Rows that weights are found for by kernel and forest, with so many trees if there are more.
START_ROWS, START_TREES, START_TREE_ROWS = 10_000, 50, 2000
MAX_ROUNDS = 3
# Fewer rows have the posterior of the kernel's tests of outliers.
FEWEST_ROWS = 40


class InitialWeights(NamedTuple):
    """Weights to begin with, the rounds that they are for, and whether any row is wrong.

    The predictions (n, k) are those that the weights come from.
    """

    weights: FloatArray
    reweighting: Reweighting
    contaminated: bool
    predictions: FloatArray | None = None


def start_rows(n: int, seed: int) -> IntArray:
    """Return all rows, or as many random ones as kernel and forest find weights for."""
    if n <= START_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, START_ROWS, replace=False))


def make_forest(n_rows: int, seed: int, n_jobs: int | None, *, of_many: bool = False) -> Any:
    """Return extra trees with predictions out of bag, for so many rows, or for some of many."""
    rows = START_TREE_ROWS if of_many else TREE_ROWS
    return ExtraTreesRegressor(
        START_TREES if of_many else N_TREES,
        bootstrap=True,
        max_samples=min(rows / n_rows, 1.0) if of_many or n_rows > MANY_ROWS else None,
        oob_score=True,
        random_state=seed,
        n_jobs=n_jobs,
    )


@final
class DistinctRows:
    """A learner on rows of which copies are one, with their total weight.

    A forest draws rows: copies of a row out of the bag would be predicted by those within. The
    learner has the rows ``first``; ``place`` is that of each row among them.
    """

    def __init__(
        self,
        learner: Learner,
        y: FloatArray,
        sample_weight: FloatArray,
        first: IntArray,
        place: IntArray,
    ) -> None:
        self.learner, self.y, self.place = learner, y[first], place
        self.sample_weight = np.bincount(place, sample_weight).astype(float)

    def out_of_fold(self, weights: FloatArray) -> FloatArray:
        """Return predictions (n, k) of each row by fits without it."""
        return self.learner.out_of_fold(self._rows(weights))[self.place]

    def fit(self, weights: FloatArray) -> Any:
        """Return a fit to all rows."""
        return self.learner.fit(self._rows(weights))

    def predictions(self, weights: FloatArray) -> FloatArray:
        """Return predictions (n, k) of all rows by one fit."""
        return self.learner.predictions(self._rows(weights))[self.place]

    def _rows(self, weights: FloatArray) -> WeightedRows:
        return weighted(self.y, np.bincount(self.place, weights).astype(float), self.sample_weight)

    @property
    def n_fits(self) -> int:
        """Fits so far."""
        return self.learner.n_fits


def find_start(
    kernels: Sequence[KernelPredictions], reweighting: Reweighting, forest: DistinctRows
) -> InitialWeights:
    """Return the weights of the likeliest end of all starts."""
    for _ in range(MAX_GROUPS):
        end = _likeliest(kernels, reweighting, forest)
        group = reweighting.misfit(end)
        if not group.any():
            break
        reweighting = reweighting.with_misfit(group)
    weights = reweighting.weights(end)
    return InitialWeights(weights, reweighting, end.finds_outliers, end.predictions)


def _likeliest(
    kernels: Sequence[KernelPredictions], reweighting: Reweighting, forest: DistinctRows
) -> ReweightingResult:
    """Return the likeliest of the ends, or a fit to all rows if that is about as likely."""
    null: ReweightingResult | None = None
    y, everything = reweighting.y, reweighting.everything

    def out_of_fold(weights: FloatArray) -> FloatArray:
        nonlocal null
        parts = [*(kernel.predictions for kernel in kernels), forest.out_of_fold(weights)]
        mixed = convex_weights(np.stack(parts, axis=-1), y, weights)
        found = np.stack(parts, axis=-1) @ mixed
        if null is None and weights is everything:
            null = reweighting.null(found)
        return np.asarray(found)

    ends = [reweighting.run(out_of_fold, everything, MAX_ROUNDS)]
    for kernel in kernels:
        kept = np.where(everything > 0, kernel.inlier_probability, 0.0)
        robust = kept * reweighting.sample_weight
        if np.abs(robust - everything).mean() > 0:
            ends.append(reweighting.run(out_of_fold, robust, MAX_ROUNDS))
    return reweighting.best(ends, null)


def weighted(y: FloatArray, weights: FloatArray, sample_weight: FloatArray) -> WeightedRows:
    """Return all rows with posterior weights, for a fit to targets (n, k)."""
    rows = np.flatnonzero(weights > 0)
    targets = y[:, 0] if y.shape[1] == 1 else y
    parts = weights[rows] / sample_weight[rows]
    return WeightedRows(rows, targets[rows], weights[rows], parts)
