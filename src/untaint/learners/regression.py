"""Prediction and data checks of kernel regressors, for one output or several."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from .._typing import FloatArray
from .._validation import array_namespace_of, check_target_sizes, check_training_data
from ..losses import SquaredLoss
from ..portable import ArrayArithmetic
from ..target_transform import BackTransform
from .base import KernelEstimator
from .function import as_2d


class KernelRegressor(RegressorMixin, KernelEstimator):
    """Predicts targets in the shape and in the units that the user gave them."""

    #: The way back from a transformed scale of the targets, if the fit was made on one.
    _back_transform: BackTransform | None = None

    def predict(self, X: Any) -> FloatArray:
        """Predict targets.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)
            The kernel with the training rows, of shape (m, n), if ``kernel="precomputed"``.

        Returns
        -------
        array of shape (m,) or (m, k)
        """
        return self._query(X)

    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, FloatArray, FloatArray]:
        """Return X, the targets in columns, and the weights of the rows."""
        X, y, sample_weight = check_training_data(
            self, X, y, sample_weight, pairwise=self._pairwise
        )
        contamination = getattr(self, "contamination", 0)
        if not np.isscalar(contamination) or contamination != 0:  # squares are compared
            check_target_sizes(y)
        self._flat = y.ndim == 1
        return X, as_2d(y), sample_weight

    def _to_own_units(self, raw: Any) -> Any:
        if self._back_transform is None:
            return raw
        namespace = array_namespace_of(raw)
        if namespace is None:
            return self._back_transform(raw)
        column = ArrayArithmetic.at(namespace, raw).value(raw)
        return self._back_transform.formula(column).narrow().data

    @property
    def _loss(self) -> SquaredLoss:
        return SquaredLoss()

    def _observed(self) -> FloatArray:
        record = self._training
        return self._shaped_dual(record.targets if record.observed is None else record.observed)

    def _shaped_coef(self, coef: FloatArray) -> FloatArray:
        return coef[0] if self._flat else coef

    def _shaped_dual(self, dual: FloatArray) -> FloatArray:
        return dual[:, 0] if self._flat else dual

    def _shaped_intercept(self, intercept: FloatArray) -> Any:
        return intercept[0] if self._flat else intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
