"""Gradient-boosted trees in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator

from .._typing import FloatArray
from ..portable import TreeEnsemble
from ..target_transform import TargetTransform, inverse_of


class BoostedTrees(BaseEstimator):
    """Predict with trees.

    Parameters
    ----------
    trees : TreeEnsemble
    classes : array of labels, or None for numeric targets
    transform : TargetTransform, optional
        Transformation of the targets to which the trees were fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from untaint.cleaning.boosted_trees import BoostedTrees
    >>> from untaint.portable import tree_ensemble_of
    >>> X = np.arange(100.0)[:, None]
    >>> model = HistGradientBoostingClassifier().fit(X, X[:, 0] > 50)
    >>> BoostedTrees(tree_ensemble_of(model), classes=np.array(["low", "high"])).predict(X[:1])
    array(['low'], dtype='<U4')
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
