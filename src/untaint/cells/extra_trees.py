r"""Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006), grown for all folds at once.

A node draws, for every feature that varies among its rows, a threshold between the smallest and the
largest value, and is split by that feature, of a random part of them, for which

.. math:: \sum_c \frac{(\sum_{i\ \text{below}} y_{ic})^2}{n_\text{below}}
          + \frac{(\sum_{i\ \text{above}} y_{ic})^2}{n_\text{above}}

is largest: the least squared error of numbers, or Gini impurity of levels, whose targets y are
indicators. Nodes of one depth, of all trees and all folds, are split together, by sums over the
segments of one array. Where rows are few, library calls for every fold and tree take many times as
long. A missing value is below all others.
"""

from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray

# How far below the smallest value of a feature a missing one is.
BELOW = 1.0
# Sums of squares that differ by this part are equal.
ROUNDING = 1e-6
# Cells (features times rows of all trees) that are looked at together.
MAX_CELLS = 2_000_000

SingleArray = NDArray[np.float32]


class Forest(NamedTuple):
    """Trees of one fold.

    Attributes
    ----------
    roots : int array of shape (t,)
    features : int array of shape (m,)
        That each node compares, of all trees of all folds.
    thresholds : array of shape (m,)
        Infinite for leaves.
    children : int array of shape (m,)
        The child below; the child above is the next node. A leaf is its own child.
    values : array of shape (m, q)
    missing : array of shape (p,)
        What stands for a missing value.
    """

    roots: IntArray
    features: IntArray
    thresholds: SingleArray
    children: IntArray
    values: FloatArray
    missing: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        """Return predictions (n, q) of rows."""
        X = np.where(np.isnan(X), self.missing, X).astype(np.float32)
        rows = np.arange(len(X))[:, None]
        nodes = np.broadcast_to(self.roots, (len(X), len(self.roots)))
        while True:
            above = X[rows, self.features[nodes]] > self.thresholds[nodes]
            lower = self.children[nodes] + above
            if (lower == nodes).all():
                return np.asarray(self.values[nodes].mean(axis=1))
            nodes = lower


def grow_forests(
    X: FloatArray,
    y: FloatArray,
    train: BoolArray,
    n_trees: int,
    *,
    leaf: int,
    tried: float = 1.0,
    seed: int = 0,
) -> list[Forest]:
    """Return a forest of each fold.

    Parameters
    ----------
    X : array of shape (n, p)
        NaN where it is missing.
    y : array of shape (n, q)
    train : bool array of shape (k, n)
        Rows that each of k folds is fitted to.
    n_trees : int
    leaf : int
        Rows of a leaf at least.
    tried : float
        Part of the features that a split is chosen from.
    seed : int
    """
    known = X[train.any(axis=0)]
    missing = np.nan_to_num(np.fmin.reduce(known, axis=0, initial=np.inf), posinf=0.0) - BELOW
    rows = np.ascontiguousarray(np.where(np.isnan(X), missing, X).T, dtype=np.float32)
    y = np.asarray(y, dtype=np.float32)
    rng = np.random.default_rng(seed)
    count = max(MAX_CELLS // max(rows.shape[0] * int(train.sum()), 1), 1)
    found: list[list[Forest]] = [[] for _ in train]
    for start in range(0, n_trees, count):
        grown = _Growth(rows, y, train, min(count, n_trees - start), leaf, tried, rng)
        nodes = grown.nodes()
        roots = np.arange(len(train) * grown.n_trees).reshape(len(train), -1)
        for fold, own in enumerate(roots):
            found[fold].append(Forest(own, *nodes, missing))
    return [joined(parts) for parts in found]


def joined(parts: list[Forest]) -> Forest:
    """Return the trees of several forests as one."""
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0, *(len(part.features) for part in parts[:-1])])
    pairs = list(zip(parts, offsets, strict=True))
    return Forest(
        np.concatenate([part.roots + offset for part, offset in pairs]),
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.thresholds for part in parts]),
        np.concatenate([part.children + offset for part, offset in pairs]),
        np.concatenate([part.values for part in parts]),
        parts[0].missing,
    )


@final
class _Growth:
    """Trees that grow together, depth by depth.

    ``rows`` (p, n) are features. The rows of a node are a segment of one array.
    """

    def __init__(
        self,
        rows: SingleArray,
        y: SingleArray,
        train: BoolArray,
        n_trees: int,
        leaf: int,
        tried: float,
        rng: np.random.Generator,
    ) -> None:
        self.rows, self.y, self.n_trees, self.leaf, self.rng = rows, y.T, n_trees, leaf, rng
        self.n_tried = max(int(tried * len(rows)), 1)
        folds = [np.flatnonzero(own) for own in train]
        self.members = np.concatenate([np.tile(own, n_trees) for own in folds])
        self.sizes = np.repeat([len(own) for own in folds], n_trees)

    def nodes(self) -> tuple[IntArray, SingleArray, IntArray, FloatArray]:
        """Return features, thresholds, children and values of all nodes, roots first."""
        parts, n_nodes = [], 0
        members, sizes = self.members, self.sizes
        while len(sizes):
            n_nodes += len(sizes)
            features, thresholds, values, is_split, above = self._split(members, sizes)
            place = np.cumsum(is_split) - 1
            own = np.arange(n_nodes - len(sizes), n_nodes)
            children = np.where(is_split, n_nodes + 2 * place, own)
            parts.append((features, thresholds, children, values))
            kept = np.repeat(is_split, sizes)
            side = 2 * np.repeat(place, sizes)[kept] + above[kept]
            members = members[kept][np.argsort(side, kind="stable")]
            sizes = np.bincount(side, minlength=2 * int(is_split.sum()))
        features, thresholds, children, values = (
            np.concatenate(each) for each in zip(*parts, strict=True)
        )
        return features, thresholds, children, values

    def _split(
        self, members: IntArray, sizes: IntArray
    ) -> tuple[IntArray, SingleArray, FloatArray, BoolArray, BoolArray]:
        """Return of each node its feature, threshold, value and whether it is split.

        The last part says which of the members are above.
        """
        starts = np.cumsum(sizes) - sizes
        y = np.take(self.y, members, axis=1)
        totals = np.add.reduceat(y, starts, axis=1, dtype=float)
        cells = np.take(self.rows, members, axis=1)
        low = np.minimum.reduceat(cells, starts, axis=1)
        high = np.maximum.reduceat(cells, starts, axis=1)
        cut = low + self.rng.random(low.shape, dtype=np.float32) * (high - low)
        above = cells > np.repeat(cut, sizes, axis=1)
        n_above = np.add.reduceat(above, starts, axis=1, dtype=np.int32).astype(float)
        n_below = sizes - n_above
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.zeros(low.shape)
            for target, total in zip(y, totals, strict=True):
                sums = np.add.reduceat(above * target, starts, axis=1)
                gain += sums**2 / n_above + (total - sums) ** 2 / n_below
        gain[~(np.minimum(n_above, n_below) >= self.leaf)] = -1.0
        varying = high > low
        if self.n_tried < len(gain):
            gain[~_first(varying, self.n_tried, self.rng)] = -1.0
        best = gain.argmax(axis=0)
        nodes = np.arange(len(sizes))
        squares = np.add.reduceat(np.square(y).sum(axis=0), starts, dtype=float)
        mean_part = np.square(totals).sum(axis=0) / sizes
        is_split = (gain[best, nodes] >= 0) & (squares - mean_part > ROUNDING * squares)
        thresholds = np.where(is_split, cut[best, nodes], np.float32(np.inf))
        chosen = above[np.repeat(best, sizes), np.arange(len(members))]
        return best, thresholds, (totals / sizes).T, is_split, chosen


def _first(varying: BoolArray, count: int, rng: np.random.Generator) -> BoolArray:
    """Return which features (p, nodes) are among so many random ones that vary."""
    order = np.where(varying, rng.random(varying.shape), 2.0)
    last = np.partition(order, count - 1, axis=0)[count - 1]
    return np.asarray(order <= last)
