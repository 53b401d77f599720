r"""Gradient-boosted trees as arrays.

.. math:: f_k(x) = b_k + \sum_{t \in \text{trees of } k} v\big(\text{leaf}_t(x)\big)

A node leads to its left child if :math:`x_j \le c` and to its right child otherwise. Model files
and graphs hold these numbers in place of scikit-learn's own trees, which are not checked when they
are loaded: a tree with an invalid child ends the process. Here a child comes after its parent,
which is checked when arrays are loaded, so that every path ends.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray

# Rows that go down the trees at once.
BLOCK = 4096
LEAF = -1


@final
@dataclass(eq=False)
class TreeEnsemble:
    """A sum of trees.

    Parameters
    ----------
    feature, left, right, tree : int arrays of shape (m,)
        For each node, the feature that it tests, its children (-1 at a leaf) and its tree.
    missing_left : bool array of shape (m,)
        Whether a missing value leads to the left.
    value : array of shape (m,)
        What a node compares with, or a leaf adds.
    output : int array of shape (n_trees,)
        Output that a tree adds to.
    baseline : array of shape (k,)
    """

    feature: IntArray
    left: IntArray
    right: IntArray
    tree: IntArray
    missing_left: BoolArray
    value: FloatArray
    output: IntArray
    baseline: FloatArray

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def __post_init__(self) -> None:
        """Raise unless every path from a root ends at a leaf."""
        nodes = (self.feature, self.left, self.right, self.tree)
        if any(part.dtype.kind != "i" or part.ndim != 1 for part in (*nodes, self.output)):
            raise ValueError("nodes of trees must be numbered by integers.")
        n, values = len(self.feature), (self.missing_left, self.value)
        if n == 0 or any(part.shape != (n,) for part in (*nodes, *values)):
            raise ValueError("trees must have as many children and values as nodes.")
        inner = self.left != LEAF
        for child in (self.left, self.right):
            own = child[inner]
            if (own <= np.flatnonzero(inner)).any() or (own >= n).any():
                raise ValueError("a child in a tree must come after its parent.")
        if (self.feature < 0).any() or not np.isfinite(self.value[~inner]).all():
            raise ValueError("trees must have features and finite values.")
        if self.tree[0] != 0 or not np.isin(np.diff(self.tree), (0, 1)).all():
            raise ValueError("nodes must be in the order of their trees.")
        if self.tree[-1] + 1 != len(self.output) or self.output.min() < 0:
            raise ValueError("every tree must add to an output.")
        if self.baseline.ndim != 1 or self.output.max() >= len(self.baseline):
            raise ValueError("every output must have a baseline.")

    @property
    def is_leaf(self) -> BoolArray:
        """Whether a node is a leaf."""
        return self.left == LEAF

    @property
    def roots(self) -> IntArray:
        """The first node of each tree."""
        return np.searchsorted(self.tree, np.arange(len(self.output)))

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the outputs (n, k) of rows (n, d)."""
        if self.feature.max() >= X.shape[1]:
            raise ValueError(f"X must have {self.feature.max() + 1} columns, got {X.shape[1]}.")
        found = [self._outputs(X[start : start + BLOCK]) for start in range(0, len(X), BLOCK)]
        return np.concatenate(found) if found else np.empty((0, len(self.baseline)))

    def _outputs(self, X: FloatArray) -> FloatArray:
        node = np.tile(self.roots, (len(X), 1))
        rows, inside = np.arange(len(X))[:, None], ~self.is_leaf[node]
        while inside.any():
            x = X[rows, self.feature[node]]
            to_left = (x <= self.value[node]) | (np.isnan(x) & self.missing_left[node])
            child = np.where(to_left, self.left[node], self.right[node])
            node = np.where(inside, child, node)
            inside = ~self.is_leaf[node]
        total = np.tile(np.asarray(self.baseline, float), (len(X), 1))
        for k in range(total.shape[1]):
            total[:, k] += self.value[node[:, self.output == k]].sum(axis=1)
        return total


def tree_ensemble_of(model: Any) -> TreeEnsemble:
    """Return the trees of a fitted ``HistGradientBoostingRegressor`` or ``...Classifier``.

    Its outputs are raw predictions: targets of the squared or absolute error, or log-odds.
    """
    # scikit-learn has the nodes only here; the tests compare predictions.
    predictors = [tree for iteration in model._predictors for tree in iteration]
    sizes = np.array([len(predictor.nodes) for predictor in predictors])
    nodes = np.concatenate([predictor.nodes for predictor in predictors])
    if nodes["is_categorical"].any():
        raise ValueError("trees that ask for categories cannot be exported; encode these first.")
    offset = np.repeat(np.cumsum(sizes) - sizes, sizes)
    leaf, n_outputs = nodes["is_leaf"].astype(bool), len(model._predictors[0])
    return TreeEnsemble(
        np.where(leaf, 0, nodes["feature_idx"]).astype(np.intp),
        np.where(leaf, LEAF, nodes["left"] + offset).astype(np.intp),
        np.where(leaf, LEAF, nodes["right"] + offset).astype(np.intp),
        np.repeat(np.arange(len(sizes)), sizes),
        nodes["missing_go_to_left"].astype(bool) & ~leaf,
        np.where(leaf, nodes["value"], nodes["num_threshold"]).astype(float),
        np.tile(np.arange(n_outputs), len(model._predictors)),
        np.asarray(model._baseline_prediction, float).reshape(-1),
    )
