"""Mixtures of learners: fitted estimators, and the weights of their mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from .._typing import FloatArray


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
