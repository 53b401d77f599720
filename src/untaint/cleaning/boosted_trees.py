"""Gradient-boosted trees in a model file."""

from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator

from .._typing import FloatArray
from ..portable import TreeEnsemble
from ..target_transform import TargetTransform, inverse_of

# Values of a feature that boosting tells apart.
N_BINS = 255


def binned(X: FloatArray) -> FloatArray:
    """Return features of at most 255 values each, medians of as many intervals of equal counts.

    Boosting finds such intervals itself, but anew in every fit, and by one weighted quantile after
    the other if rows have weights, which takes longer than growing trees.
    """
    return np.column_stack([_binned(column) for column in X.T])


def _binned(column: FloatArray) -> FloatArray:
    ordered = np.sort(column)
    if (np.diff(ordered) > 0).sum() < N_BINS:
        return column
    last = np.linspace(0, len(ordered), N_BINS + 1)[1:-1].astype(np.intp) - 1
    limits = np.unique(ordered[last])
    ends = np.r_[0, np.searchsorted(ordered, limits, side="right"), len(ordered)]
    medians = ordered[(ends[:-1] + ends[1:]) // 2 - (ends[1:] == ends[:-1])]
    return np.asarray(medians[np.searchsorted(limits, column)])


class BoostedTrees(BaseEstimator):
    """Predict with trees.

    Parameters
    ----------
    trees : TreeEnsemble
    classes : array of labels, or None for numeric targets
    transform : TargetTransform, optional
        Transformation of the targets to which the trees were fitted.
    """

    def __init__(
        self, trees: TreeEnsemble, classes: Any = None, transform: TargetTransform | None = None
    ) -> None:
        self.trees = trees
        self.classes = classes
        self.transform = transform

    @property
    def classes_(self) -> Any:
        """The labels, in the order of the probabilities."""
        return self.classes

    def predict(self, X: FloatArray) -> Any:
        """Return predicted targets or labels of rows (n, d)."""
        if self.classes is not None:
            return self.classes[self.predict_proba(X).argmax(axis=1)]
        found = self.trees(X)[:, 0]
        return found if self.transform is None else inverse_of(self.transform, found)

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the probabilities (n, k) of the labels of rows (n, d)."""
        raw = self.trees(X)
        if raw.shape[1] == 1:  # log-odds of the second class
            return np.asarray(expit(raw * np.array([-1.0, 1.0])))
        return np.asarray(softmax(raw, axis=1))
