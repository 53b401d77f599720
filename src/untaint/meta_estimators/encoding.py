"""Any table as an array of scaled numbers, for kernels and forests.

Arrays and frames of numbers have their missing cells filled with medians; other frames are encoded
as files are (:class:`untaint.io.TableEncoder`).
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from ..io.encoder.table_encoder import TableEncoder
from ..io.frame import frame_table, is_frame, is_numeric
from ..preprocessing import MedianScaler

LARGEST = 1e30


class NumericEncoder(BaseEstimator):
    """Encode rows of numbers, categories, text and dates, some missing, as scaled numbers.

    Attributes
    ----------
    names_ : list of str
        Names of the features.
    notes_ : list of str
        What was set aside or filled in.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find out what the columns hold.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : ignored
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit, and return the features of the same rows."""
        values = self._fit(X)
        return self._scaled(values)

    def transform(self, X: Any) -> FloatArray:
        """Return the features of rows."""
        check_is_fitted(self)
        if self.encoder_ is not None:
            if not is_frame(X):
                found = type(X).__name__
                raise TypeError(f"X should be a data frame, as the one of the fit, got {found}.")
            values = self.encoder_.transform(frame_table(X))
        else:
            values = _filled(as_numbers(X), self.medians_)
        return self._scaled(values)

    def _scaled(self, values: FloatArray) -> FloatArray:
        """Return scaled values within the range of single precision, which trees have."""
        return np.clip(self.scaler_.transform(values), -LARGEST, LARGEST)

    def _fit(self, X: Any) -> FloatArray:
        self.notes_: list[str] = []
        self.encoder_: TableEncoder | None = None
        self.medians_: FloatArray = np.empty(0)
        if is_frame(X) and not is_numeric(X):
            self.encoder_ = TableEncoder()
            values = self.encoder_.fit_transform(frame_table(X))
            self.names_, self.notes_ = list(self.encoder_.names_), list(self.encoder_.notes_)
        else:
            values = as_numbers(X)
            with np.errstate(invalid="ignore"):
                known = [column[np.isfinite(column)] for column in values.T]
            self.medians_ = np.array([np.median(c) if len(c) else 0.0 for c in known])
            values = _filled(values, self.medians_)
            names = list(X.columns) if is_frame(X) else range(values.shape[1])
            self.names_ = [str(name) for name in names]
        self.scaler_ = MedianScaler().set_output(transform="default").fit(values)
        return values


def as_numbers(X: Any) -> FloatArray:
    """Return rows of numbers as a dense array of floats."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    missing = {"dtype": float, "na_value": np.nan} if hasattr(dense, "iloc") else {}
    try:
        array = dense.to_numpy(**missing) if hasattr(dense, "to_numpy") else dense
        values = np.asarray(array, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X must hold numbers, or be a data frame with columns of any kind, got an array of "
            f"something else ({error})."
        ) from error
    if np.isinf(values).any():
        column = int(np.argmax(np.isinf(values).any(axis=0)))
        raise ValueError(f"X must hold finite numbers, got an infinite one in column {column}.")
    return values


def _filled(values: FloatArray, medians: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values, medians)
