"""Rows whose features carry noise, and their copies."""

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from .._typing import FloatArray
from .errors import name_argument_in_errors
from .targets import check_finite_targets, check_no_text
from .weights import check_weights


def check_noisy_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool, gaps: bool
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Return dense float64 X and y of shape (n,), and the weights or None.

    Arrays that need no conversion are checked here, because a stream of small batches would spend
    most of its time in scikit-learn's checks.
    """
    if not reset and sample_weight is None and not gaps and _ready(estimator, X, y):
        return X, y, None
    check_no_text(y)
    with name_argument_in_errors(X):
        X, y = validate_data(estimator, X, y, reset=reset, y_numeric=True, **_doubles(gaps))
    y = np.asarray(y, dtype=np.float64)
    check_finite_targets(y)
    _check_squares(X, y)
    return X, y, None if sample_weight is None else check_weights(sample_weight, X)


def _ready(estimator: Any, X: Any, y: Any) -> bool:
    """Return whether X and y are finite float64 arrays of the expected shapes."""
    return (
        type(X) is type(y) is np.ndarray
        and X.dtype == y.dtype == np.float64
        and X.ndim == 2
        and not hasattr(estimator, "feature_names_in_")
        and X.shape[1] == getattr(estimator, "n_features_in_", -1)
        and y.shape == X.shape[:1] != (0,)
        and bool(np.isfinite(np.vdot(X, X) + np.vdot(y, y)))
    )


def _check_squares(X: FloatArray, y: FloatArray) -> None:
    """Raise if sums of squares of X and y, which the learners store, overflow."""
    with np.errstate(over="ignore"):
        total = np.nansum(X * X) + y @ y
    if not np.isfinite(total):
        raise ValueError(
            "X and y must be small enough for their squares to be finite numbers, got values as "
            f"large as {max(np.nanmax(np.abs(X)), np.abs(y).max()):.3g}: choose other units."
        )


def check_copy(estimator: Any, X_copy: Any, X: FloatArray) -> FloatArray:
    """Return X_copy, a second measurement of X of the same shape, NaN where there is none."""
    plain = type(X_copy) is np.ndarray and X_copy.dtype == np.float64 and X_copy.shape == X.shape
    if plain and np.isfinite(np.vdot(X_copy, X_copy)):
        return X_copy
    names, own = getattr(estimator, "feature_names_in_", None), getattr(X_copy, "columns", None)
    if names is not None and own is not None and list(own) != list(names):
        raise ValueError(
            f"X_copy must have the columns of X in the same order, {list(names)}, got {list(own)}."
        )
    try:
        copy = check_array(X_copy, input_name="X_copy", estimator=estimator, **_doubles(gaps=True))
    except (TypeError, ValueError) as error:
        said = str(error).split("\n")[0].rstrip(":")
        named = said if said.startswith("Input X_copy") else f"must hold rows like X: {said}"
        raise ValueError(named if named is said else f"X_copy {named}") from None
    if copy.shape != X.shape:
        raise ValueError(
            f"X_copy must have the shape of X, {X.shape}, got {copy.shape}: one second "
            "measurement of every row."
        )
    return copy


def check_noisy_query(estimator: Any, X: Any, *, gaps: bool) -> FloatArray:
    """Return X of a prediction as a dense float64 array."""
    check_is_fitted(estimator)
    with name_argument_in_errors(X):
        return validate_data(estimator, X, reset=False, **_doubles(gaps))


def _doubles(gaps: bool) -> dict[str, Any]:
    return {"dtype": np.float64, "ensure_all_finite": "allow-nan" if gaps else True}
