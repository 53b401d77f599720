r"""Gradient-boosted regression trees of fixed depth, grown for all folds at once.

Every feature is compared with at most 31 thresholds, its quantiles. With :math:`A_{it} = 1` if row
i is above threshold t, the sums of residuals r over the rows of node v above each threshold are one
matrix product for all nodes and folds,

.. math:: S_{vt} = \sum_{i \in v} r_i A_{it}, \qquad N_{vt} = \sum_{i \in v} A_{it},

and node v is split where :math:`S^2 / N` of both sides adds up to most. Of two children one is
computed, the other is what remains. Where rows are few, such products take a small part of the time
that library calls for each node and fold do. A missing value is below every threshold.
"""

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from ..optim.stack_weights import adds

N_TREES, DEPTH, LEARNING_RATE = 40, 4, 0.2
# So many trees say whether trees are worth while: twice their gain in log-likelihood is that large.
TEST_TREES, SOME_GAIN = 10, 3.0
# Intervals of a feature, rows of a leaf at least, and what is added to the number of rows.
N_BINS, LEAF, SHRINKAGE = 32, 3, 0.01
LEAVES = 2**DEPTH

SingleArray = NDArray[np.float32]


@final
class QuickTrees:
    """Boosted trees of one fold.

    Parameters
    ----------
    mean : float
        Mean of the targets.
    features : int array of shape (N_TREES, LEAVES - 1)
        Feature that each node compares; the children of node v are 2 v + 1 and 2 v + 2.
    thresholds : array of shape (N_TREES, LEAVES - 1)
    values : array of shape (N_TREES, LEAVES)
        What each leaf adds.
    """

    def __init__(
        self, mean: float, features: IntArray, thresholds: FloatArray, values: FloatArray
    ) -> None:
        self.mean, self.features, self.thresholds, self.values = mean, features, thresholds, values

    def predict(self, X: FloatArray) -> FloatArray:
        """Return predictions of rows."""
        X = np.where(np.isnan(X), -np.inf, X)
        trees, rows = np.arange(len(self.features)), np.arange(len(X))[:, None]
        node = np.zeros((len(X), len(trees)), dtype=np.intp)
        for _ in range(DEPTH):
            above = X[rows, self.features[trees, node]] > self.thresholds[trees, node]
            node = 2 * node + 1 + above
        return np.asarray(self.mean + self.values[trees, node - (LEAVES - 1)].sum(axis=1))


def fit_quick_trees(X: FloatArray, y: FloatArray, train: BoolArray) -> list[QuickTrees]:
    """Return boosted trees of each fold.

    Parameters
    ----------
    X : array of shape (n, p)
        NaN where it is missing.
    y : array of shape (n,) or (k, n)
        The same for all folds, or of each.
    train : bool array of shape (k, n)
        Rows that each of k folds is fitted to.
    """
    boosting = _Boosting(X, y, train)
    boosting.grow(N_TREES)
    return boosting.trees()


def fit_trees_that_add(
    X: FloatArray, y: FloatArray, train: BoolArray, simple: FloatArray
) -> list[QuickTrees] | None:
    """Return boosted trees of each fold, or None if a few add nothing to simple predictions.

    Those, (n,), are by fits without the row; other parameters are as in :func:`fit_quick_trees`.
    """
    boosting = _Boosting(X, y, train)
    boosting.grow(TEST_TREES)
    predicted, targets = boosting.held_out()
    if not adds(simple[boosting.rows, None], predicted[:, None], targets[:, None], SOME_GAIN):
        return None
    boosting.grow(N_TREES)
    return boosting.trees()


@final
class _Boosting:
    """Boosted trees of all folds; parameters are those of :func:`fit_quick_trees`.

    Attributes
    ----------
    rows : int array
        Rows that any fold is fitted to.
    """

    def __init__(self, X: FloatArray, y: FloatArray, train: BoolArray) -> None:
        self.rows = np.flatnonzero(train.any(axis=0))
        X, self.y, self.train = X[self.rows], y[..., self.rows], train[:, self.rows]
        self.features, self.thresholds = _thresholds(X)
        if not len(self.features):  # no feature varies
            self.features, self.thresholds = np.zeros(1, dtype=np.intp), np.full(1, np.inf)
        above = np.where(np.isnan(X), -np.inf, X).T[self.features] > self.thresholds[:, None]
        self.growth = _Growth(above.astype(np.float32), self.train.astype(np.float32))
        weights, k = self.growth.weights, len(train)
        self.mean = (weights * self.y).sum(axis=1) / weights.sum(axis=1)
        self.predicted = np.repeat(self.mean[:, None], len(self.rows), axis=1)
        self.chosen = np.empty((k, 0, LEAVES - 1), dtype=np.intp)
        self.values = np.empty((k, 0, LEAVES))

    def grow(self, count: int) -> None:
        """Grow trees until there are so many."""
        chosen, values = [self.chosen], [self.values]
        for _ in range(self.chosen.shape[1], count):
            residuals = ((self.y - self.predicted) * self.growth.weights).astype(np.float32)
            best, leaf = self.growth.grow(residuals)
            added = LEARNING_RATE * self.growth.means(residuals, leaf)
            self.predicted += np.take_along_axis(added, leaf, axis=1)
            chosen.append(best[:, None])
            values.append(added[:, None])
        self.chosen, self.values = np.concatenate(chosen, axis=1), np.concatenate(values, axis=1)

    def held_out(self) -> FloatArray:
        """Return the prediction (2, n) and the target of each row in the first fold without it."""
        targets = np.broadcast_to(self.y, self.predicted.shape)
        place = self.train.argmin(axis=0), np.arange(len(self.rows))
        return np.stack([self.predicted[place], targets[place]])

    def trees(self) -> list[QuickTrees]:
        """Return the trees of each fold."""
        features = np.append(self.features, 0)
        thresholds = np.append(self.thresholds, np.inf)  # -1: no split
        parts = zip(self.mean.tolist(), self.chosen, self.values, strict=True)
        return [
            QuickTrees(mean, features[chosen], thresholds[chosen], values)
            for mean, chosen, values in parts
        ]


def predict_out_of_fold(
    X: FloatArray, y: FloatArray, fitted: Sequence[BoolArray], folds: IntArray
) -> list[FloatArray]:
    """Return predictions (n,) of every row by fits to other folds, for each choice of rows.

    Parameters
    ----------
    X : array of shape (n, p)
    y : array of shape (n,)
    fitted : sequence of bool array of shape (n,)
        Rows that fits may use.
    folds : int array of shape (n,)
    """
    numbers = np.unique(folds)
    train = np.array([rows & (folds != fold) for rows in fitted for fold in numbers])
    with single_threaded_blas():  # products are small: threads would wait for one another
        trees = iter(fit_quick_trees(X, y, train))
    found: list[FloatArray] = [np.empty(len(y)) for _ in fitted]
    for predicted in found:
        for fold in numbers:
            predicted[folds == fold] = next(trees).predict(X[folds == fold])
    return found


def _thresholds(X: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the thresholds of all features, and the feature of each."""
    parts, grid = [], np.linspace(0, 1, N_BINS + 1)[1:-1]
    for column in X.T:
        ordered = np.sort(column)
        ordered = ordered[: len(ordered) - int(np.isnan(ordered).sum())]
        distinct = ordered[np.r_[True, np.diff(ordered) > 0]] if len(ordered) else ordered
        found = (distinct[1:] + distinct[:-1]) / 2
        if len(distinct) > N_BINS:
            places = ordered[(grid * (len(ordered) - 1)).astype(np.intp)]
            found = places[np.r_[True, np.diff(places) > 0]]
        if 0 < len(ordered) < len(column):  # missing or not
            found = np.r_[np.finfo(float).min, found]
        parts.append(found)
    counts = [len(found) for found in parts]
    return np.repeat(np.arange(len(parts)), counts), np.concatenate([np.empty(0), *parts])


@final
class _Growth:
    """Trees of k folds on the same n rows and m thresholds.

    Parameters
    ----------
    above : array of shape (m, n)
        1 where a row is above a threshold.
    weights : array of shape (k, n)
        1 where a fold has a row.
    """

    def __init__(self, above: SingleArray, weights: SingleArray) -> None:
        self.above, self.weights = above, weights
        self.by_row = np.ascontiguousarray(above.T)  # products with it take half the time
        self.counts = weights @ self.by_row

    def grow(self, residuals: SingleArray) -> tuple[IntArray, IntArray]:
        """Return the thresholds (k, LEAVES - 1) of a tree, -1 for none, and leaves (k, n)."""
        k, n = residuals.shape
        chosen = np.empty((k, LEAVES - 1), dtype=np.intp)
        leaf = np.zeros((k, n), dtype=np.intp)
        # Of each node: residuals and weights of its rows (2, k, nodes, n), their sums above.
        rows = np.stack([residuals, self.weights])[:, :, None]
        sums = np.stack([residuals @ self.by_row, self.counts])[:, :, None]
        totals = rows.sum(axis=-1)
        for depth in range(DEPTH):
            best, is_split = _best_splits(sums, totals)
            nodes = best.shape[1]
            chosen[:, nodes - 1 : 2 * nodes - 1] = np.where(is_split, best, -1)
            goes_up = self.above[best]
            goes_up[~is_split] = 0.0
            leaf = 2 * leaf + np.take_along_axis(goes_up, leaf[:, None], axis=1)[:, 0].astype(
                np.intp
            )
            if depth < DEPTH - 1:
                right = rows * goes_up
                products = np.asarray(right.reshape(-1, n) @ self.by_row, dtype=np.float32)
                products = products.reshape(2, k, nodes, -1)
                totals = _children(totals, right.sum(axis=-1))
                rows, sums = _children(rows, right), _children(sums, products)
        return chosen, leaf

    def means(self, residuals: SingleArray, leaf: IntArray) -> FloatArray:
        """Return the mean residual (k, LEAVES) of each leaf."""
        k = len(leaf)
        place = (leaf + LEAVES * np.arange(k)[:, None]).ravel()
        total = np.bincount(place, residuals.ravel(), minlength=k * LEAVES)
        number = np.bincount(place, self.weights.ravel(), minlength=k * LEAVES)
        return np.asarray((total / (number + SHRINKAGE)).reshape(k, LEAVES))


def _best_splits(sums: SingleArray, totals: SingleArray) -> tuple[IntArray, BoolArray]:
    """Return the best threshold (k, nodes) of each node, and whether its sides have rows enough."""
    (up, n_up), (whole, n_whole) = sums, totals[..., None]
    n_down = n_whole - n_up
    gain = up * up
    gain /= n_up + SHRINKAGE
    other = whole - up
    other *= other
    other /= n_down + SHRINKAGE
    gain += other
    gain[np.minimum(n_up, n_down) < LEAF] = -1.0
    best = gain.argmax(axis=-1)
    return best, np.take_along_axis(gain, best[..., None], axis=-1)[..., 0] >= 0


def _children(parents: SingleArray, right: SingleArray) -> SingleArray:
    """Return what is in the left and right child of every node, side by side."""
    shape = (*parents.shape[:2], 2 * parents.shape[2], *parents.shape[3:])
    found = np.empty(shape, dtype=np.float32)
    np.subtract(parents, right, out=found[:, :, 0::2])
    found[:, :, 1::2] = right
    return found
