"""Prediction and data checks of kernel classifiers: log-odds of two classes, scores of several.

Targets of the loss are codes 0 and 1 in one column, or indicators in as many columns as classes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from .._typing import FloatArray, IntArray
from .._validation import array_namespace_of, check_labelled_data, to_numpy
from ..losses import LogisticLoss, Loss, SoftmaxLoss, class_codes, class_probabilities
from ..portable import ArrayArithmetic, Value, likeliest_class, probabilities
from .base import KernelEstimator
from .function import as_2d


class KernelClassifier(ClassifierMixin, KernelEstimator):
    """Predicts scores, probabilities and labels of ``classes_``."""

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)

        Returns
        -------
        array of shape (m,) or (m, k)
            For two classes, the log-odds of the second; for several, one score each, whose softmax
            are the probabilities.
        """
        raw = self._query(X)
        return raw[:, 0] if raw.ndim == 2 and raw.shape[1] == 1 else raw

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes, in the order of ``classes_``.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)

        Returns
        -------
        array of shape (m, k)
        """
        scores = self.decision_function(X)
        if array_namespace_of(scores) is not None:
            return probabilities(_as_value(scores), len(self.classes_)).data
        return class_probabilities(as_2d(scores))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)

        Returns
        -------
        array of shape (m,)
        """
        scores = self.decision_function(X)
        namespace = array_namespace_of(scores)
        if namespace is None:
            return self.classes_[likeliest(as_2d(scores))]
        codes = likeliest_class(_as_value(scores), len(self.classes_)).data
        if self.classes_.dtype.kind not in "biuf":  # text is NumPy's
            return self.classes_[to_numpy(codes)]
        return namespace.xp.take(
            namespace.xp.asarray(self.classes_, device=namespace.device), codes, axis=0
        )

    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, FloatArray, FloatArray]:
        """Return X, the targets of the loss in columns, and the weights of the rows."""
        X, self.classes_, codes, sample_weight = check_labelled_data(
            self, X, y, sample_weight, pairwise=self._pairwise
        )
        return X, targets_of(codes, len(self.classes_)), sample_weight

    @property
    def _loss(self) -> Loss:
        return loss_of(len(self.classes_))

    def _observed(self) -> NDArray[Any]:
        return self.classes_[class_codes(self._training.targets)]


def _as_value(scores: Any) -> Value:
    """Return scores in columns, as values of their own library."""
    namespace = array_namespace_of(scores)
    assert namespace is not None
    return ArrayArithmetic.at(namespace, scores).value(as_2d(scores))


def loss_of(n_classes: int) -> Loss:
    """Return the log-loss of so many classes."""
    return LogisticLoss() if n_classes == 2 else SoftmaxLoss()


def targets_of(codes: IntArray, n_classes: int) -> FloatArray:
    """Return the targets of that loss.

    Examples
    --------
    >>> import numpy as np
    >>> targets_of(np.array([1, 0]), 2)
    array([[1.],
           [0.]])
    """
    return as_2d(codes.astype(float)) if n_classes == 2 else np.eye(n_classes)[codes]


def likeliest(raw: FloatArray) -> IntArray:
    """Return the code of the most probable class, from raw predictions in columns."""
    return (raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)
