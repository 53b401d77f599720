"""Columns on a common scale that almost half of the rows cannot move.

The scale is that of :mod:`untaint.screening.median_scale`.
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ._typing import FloatArray, IntArray
from ._validation import (
    array_namespace_of,
    check_flag,
    check_weights,
    name_argument_in_errors,
    to_numpy,
)
from .portable import ArrayArithmetic, bounded, scaled, unscaled
from .screening.median_scale import ROUNDING, center_and_scale

DTYPES = [np.float64, np.float32]


class MedianScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Centre columns on their medians, and divide them by their median absolute deviations.

    Almost half of the rows may be outliers without a large effect on the result. A column whose
    median absolute deviation is zero, such as most binary, count and sparse columns, is divided by
    the typical size of its nonzero deviations, and a constant column by one.

    Parameters
    ----------
    with_centering : bool, default=True
        Whether to subtract the medians. Must be False for sparse rows.
    with_scaling : bool, default=True
        Whether to divide by the scales.
    copy : bool, default=True
        Whether to copy X; False scales it in place if possible.

    Attributes
    ----------
    center_ : array of shape (d,) or None
        Medians; None if ``with_centering=False``.
    scale_ : array of shape (d,) or None
        Median absolute deviations times 1.4826, or their replacement, in units of the column;
        None if ``with_scaling=False``. Does not depend on ``with_centering``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    See Also
    --------
    sklearn.preprocessing.RobustScaler : Divides by the distance between quartiles, which a quarter
        of the rows can move, and by one where that is zero.

    Notes
    -----
    Missing values (NaN) are passed over by ``fit`` and kept by ``transform``. A column that has no
    value at all is left as it is. The zeros that a sparse matrix does not store count like any
    other value.

    Values that overflow when scaled become the largest number of their type, since later steps
    would refuse infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.preprocessing import MedianScaler
    >>> X = np.array([[1.0, 0], [2, 0], [3, 0], [4, 1], [5e9, 0]])  # an outlier
    >>> scaler = MedianScaler().fit(X)
    >>> scaler.center_
    array([3., 0.])
    >>> scaler.scale_.round(2)
    array([1.48, 1.  ])
    >>> scaler.transform(X[:4]).round(2)
    array([[-1.35,  0.  ],
           [-0.67,  0.  ],
           [ 0.  ,  0.  ],
           [ 0.67,  1.  ]])
    """

    def __init__(
        self, *, with_centering: bool = True, with_scaling: bool = True, copy: bool = True
    ) -> None:
        self.with_centering = with_centering
        self.with_scaling = with_scaling
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the median and the scale of each column.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), optional
            A weight of k means k copies of the row, exactly.

        Returns
        -------
        MedianScaler
            The scaler itself.
        """
        for name in ("with_centering", "with_scaling", "copy"):
            check_flag(name, getattr(self, name))
        X, sample_weight = to_numpy(X), to_numpy(sample_weight)
        with name_argument_in_errors(X):
            X = validate_data(
                self, X, accept_sparse="csc", dtype=DTYPES, ensure_all_finite="allow-nan"
            )
        _check_sparse(X, self.with_centering)
        weights = check_weights(sample_weight, X)
        unit = ROUNDING * float(np.finfo(X.dtype).eps)
        found = np.array([center_and_scale(x, w, unit) for x, w in _columns(X, weights)])
        self.center_ = found[:, 0] if self.with_centering else None
        self.scale_ = found[:, 1] if self.with_scaling else None
        return self

    def transform(self, X: Any) -> Any:
        """Centre and scale X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)

        Returns
        -------
        array or sparse matrix of shape (m, d)
        """
        return self._scaled(X, inverse=False)

    def inverse_transform(self, X: Any) -> Any:
        """Undo :meth:`transform`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)

        Returns
        -------
        array or sparse matrix of shape (m, d)
        """
        return self._scaled(X, inverse=True)

    def _scaled(self, X: Any, *, inverse: bool) -> Any:
        check_is_fitted(self)
        namespace = array_namespace_of(X)
        options: dict[str, Any] = {
            "accept_sparse": ("csr", "csc"),
            "dtype": DTYPES if namespace is None else namespace.floats(),
            "copy": self.copy,
            "force_writeable": True,
            "ensure_all_finite": "allow-nan",
        }
        if inverse:  # the rows may have lost their names
            X = check_array(X, **options)
            self._check_width(X)
        else:
            with name_argument_in_errors(X):
                X = validate_data(self, X, reset=False, **options)
        if namespace is not None:
            x = ArrayArithmetic.at(namespace, X).value(X)
            formula = unscaled if inverse else scaled
            return bounded(formula(x, self.center_, self.scale_).narrow()).data
        _check_sparse(X, self.center_ is not None)
        values, columns = _values(X)
        steps: list[tuple[Any, Any]] = [(np.subtract, self.center_), (np.divide, self.scale_)]
        if inverse:
            steps = [(np.multiply, self.scale_), (np.add, self.center_)]
        with np.errstate(over="ignore"):
            for operation, numbers in steps:
                if numbers is not None:
                    operation(values, numbers[columns], out=values)
        return _finite(X, values)

    def _check_width(self, X: Any) -> None:
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X must have {self.n_features_in_} columns, as in fit, got shape {X.shape}."
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scale_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.with_centering
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _check_sparse(X: Any, with_centering: bool) -> None:
    if with_centering and sparse.issparse(X):
        raise ValueError(
            "with_centering must be False for sparse X, whose zeros it would fill in, got True."
        )


def _columns(X: Any, weights: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield values and weights of each column, without missing values and zero weights."""
    total = float(weights.sum())
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    for j in range(X.shape[1]):
        if sparse.issparse(X):
            stored = slice(X.indptr[j], X.indptr[j + 1])
            x, w = X.data[stored], weights[X.indices[stored]]
            if len(x) < X.shape[0]:
                x, w = np.append(x, 0.0), np.append(w, total - w.sum())
        else:
            x, w = X[:, j], weights
        known = ~np.isnan(x) & (w > 0)
        yield x[known].astype(float), w[known]


def _values(X: Any) -> tuple[FloatArray, Any]:
    """Return the numbers that X stores, and the column of each."""
    if not sparse.issparse(X):
        return X, slice(None)
    columns: IntArray = np.arange(X.shape[1])
    return X.data, X.indices if X.format == "csr" else np.repeat(columns, np.diff(X.indptr))


def _finite(X: Any, values: FloatArray) -> Any:
    """Return X with infinite values replaced by the largest finite ones."""
    largest = np.finfo(X.dtype).max
    np.clip(values, -largest, largest, out=values)
    return X
