"""Rows to predict."""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from .arrays import array_namespace_of
from .errors import name_argument_in_errors


def check_query_data(estimator: Any, X: Any, *, pairwise: bool, n_fit: int) -> Any:
    """Return X of a prediction as float array or CSR, in the library of its array."""
    namespace = array_namespace_of(X)
    with name_argument_in_errors(X):
        X = validate_data(
            estimator,
            X,
            accept_sparse=False if pairwise else "csr",
            dtype=[np.float64, np.float32] if namespace is None else namespace.floats(),
            reset=False,
        )
    if pairwise and X.shape[1] != n_fit:
        raise ValueError(
            "X must hold the kernel of each new row with every training row when "
            f"kernel='precomputed': {n_fit} columns, got shape {X.shape}."
        )
    return X
