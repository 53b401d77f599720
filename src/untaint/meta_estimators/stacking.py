r"""Mixtures of learners by weights that are not negative and sum to one.

Given out-of-fold predictions :math:`F` of several learners, and inlier weights w of the rows,

.. math:: \min_{v \ge 0,\, \sum v = 1} \sum_i w_i (y_i - \textstyle\sum_j v_j F_{ij})^2
          \quad\text{or}\quad \max \sum_i w_i \log \textstyle\sum_j v_j p_{ij},

selects the stack weights v; the second form is for probabilities p of the observed labels.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from .._typing import FloatArray

# Weight of the equation that makes weights sum to one, relative to all others.
SUM_TO_ONE = 1e3
EM_STEPS = 50


def convex_weights(predictions: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weights (m,) of learners whose predictions (n, k, m) are closest to y (n, k).

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([[0.0], [1.0], [2.0]])
    >>> convex_weights(np.stack([y, 1 - y], axis=-1), y, np.ones(3)).round(3)
    array([1., 0.])
    """
    root = np.sqrt(weights)[:, None]
    differences = (predictions - y[:, :, None]) * root[:, :, None]
    rows = differences.reshape(-1, predictions.shape[-1])
    size = float(np.sqrt(np.mean(rows**2))) or 1.0
    last = np.full((1, rows.shape[1]), SUM_TO_ONE * np.sqrt(len(rows)))
    found, _ = nnls(np.vstack([rows / size, last]), np.r_[np.zeros(len(rows)), last[0, 0]])
    total = found.sum()
    return found / total if total > 0 else np.full(len(found), 1.0 / len(found))


def mixture_weights(likelihoods: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weights (m,) of learners under which what was observed is likeliest.

    The likelihoods (n, m) are the probabilities of each label by each learner.
    """
    found = np.full(likelihoods.shape[1], 1.0 / likelihoods.shape[1])
    for _ in range(EM_STEPS):
        joint = likelihoods * found
        total = np.maximum(joint.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        found = weights @ (joint / total) / weights.sum()
    return found


class StackedRegressor(RegressorMixin, BaseEstimator):
    """Fitted regressors on encoded rows, and the weights of their mean.

    Parameters
    ----------
    encoder : fitted
    learners : list of (str, fitted regressor)
    weights : array of shape (m,)
    """

    def __init__(self, encoder: Any, learners: Sequence[tuple[str, Any]], weights: Any) -> None:
        self.encoder, self.learners, self.weights = encoder, learners, weights

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the weighted mean of the learners' predictions."""
        features = self.encoder.transform(X)
        used = [(m, v) for (_, m), v in zip(self.learners, self.weights, strict=True) if v > 0]
        return np.asarray(sum(v * np.asarray(m.predict(features)) for m, v in used))


class StackedClassifier(ClassifierMixin, BaseEstimator):
    """Fitted classifiers on encoded rows, and the weights of their mean probabilities.

    Parameters
    ----------
    encoder : fitted
    learners : list of (str, fitted classifier)
    weights : array of shape (m,)
    classes : array of shape (k,)
    """

    def __init__(
        self, encoder: Any, learners: Sequence[tuple[str, Any]], weights: Any, classes: Any
    ) -> None:
        self.encoder, self.learners = encoder, learners
        self.weights, self.classes = weights, classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels."""
        return np.asarray(self.classes)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the weighted mean of the learners' class probabilities."""
        features = self.encoder.transform(X)
        used = [(m, v) for (_, m), v in zip(self.learners, self.weights, strict=True) if v > 0]
        return np.asarray(sum(v * m.predict_proba(features) for m, v in used))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest labels."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
