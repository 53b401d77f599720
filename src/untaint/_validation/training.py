"""Rows and numeric targets of a fit, and rows to predict."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from .._typing import FloatArray
from .arrays import array_namespace_of, to_numpy
from .errors import name_argument_in_errors
from .targets import as_targets, check_finite_targets, check_no_text
from .weights import check_weights

# Dtypes that are kept; any other becomes the first.
FLOATS = [np.float64, np.float32]


def check_training_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, pairwise: bool
) -> tuple[Any, FloatArray, FloatArray]:
    """Return X as float array or CSR, y as (n,) or (n, k), and the sample weights.

    float32 stays float32; anything else becomes float64. Arrays of other libraries are copied to
    the host, where fits are computed.
    """
    y = to_numpy(y)
    check_no_text(y)
    numeric = {"multi_output": True, "y_numeric": True}
    X, y, weights = check_rows_and_weights(estimator, X, y, sample_weight, pairwise, **numeric)
    y = as_targets(y, X.dtype)
    check_finite_targets(y)
    return X, y, weights


def check_rows_and_weights(
    estimator: Any, X: Any, y: Any, sample_weight: Any, pairwise: bool, **options: Any
) -> tuple[Any, Any, FloatArray]:
    """Return X as float array or CSR, square if it is a kernel matrix, y and the weights."""
    X, sample_weight = to_numpy(X), to_numpy(sample_weight)
    sparse_format = False if pairwise else "csr"
    with name_argument_in_errors(X):
        X, y = validate_data(estimator, X, y, accept_sparse=sparse_format, dtype=FLOATS, **options)
    if pairwise and X.shape[0] != X.shape[1]:
        raise ValueError(
            "X must be the square kernel matrix of the training rows when "
            f"kernel='precomputed', got shape {X.shape}."
        )
    return X, y, check_weights(sample_weight, X)


def in_double(X: Any) -> Any:
    """Return X in double precision, without a copy if it is.

    Examples
    --------
    >>> in_double(np.ones((1, 1), dtype=np.float32)).dtype
    dtype('float64')
    """
    if X.dtype == np.float64:
        return X
    return X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)


def check_rows(estimator: Any, X: Any) -> FloatArray:
    """Return X without targets as a float array."""
    return validate_data(estimator, X, dtype=FLOATS)


def check_finite_rows(X: FloatArray) -> None:
    if np.isfinite(X).all():
        return
    row, column = np.argwhere(~np.isfinite(X))[0].tolist()
    found = "NaN" if np.isnan(X[row, column]) else "an infinite number"
    raise ValueError(
        f"X must hold finite numbers, got {found} in column {column} of the chunk's row {row}."
    )


def check_query_data(estimator: Any, X: Any, *, pairwise: bool, n_fit: int) -> Any:
    """Return X of a prediction as float array or CSR, in the library of its array."""
    namespace = array_namespace_of(X)
    with name_argument_in_errors(X):
        X = validate_data(
            estimator,
            X,
            accept_sparse=False if pairwise else "csr",
            dtype=FLOATS if namespace is None else namespace.floats(),
            reset=False,
        )
    if pairwise and X.shape[1] != n_fit:
        raise ValueError(
            "X must hold the kernel of each new row with every training row when "
            f"kernel='precomputed': {n_fit} columns, got shape {X.shape}."
        )
    return X
