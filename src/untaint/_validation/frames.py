"""Rows, targets and labels for learners of any kind: frames, text and missing cells are allowed."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing, assert_all_finite, check_array, column_or_1d
from sklearn.utils.validation import validate_data

from .._typing import AnyArray, FloatArray, IntArray
from .arrays import to_numpy
from .errors import name_argument_in_errors
from .labels import check_no_missing_label, class_codes
from .targets import MAX_TARGET, check_finite_targets, check_no_text, check_target_sizes


def check_any_rows(estimator: Any, X: Any, *, strict: bool, reset: bool = True) -> Any:
    """Return rows for a learner that checks them itself: frames and text unchanged.

    Arrays are checked as far as they must be, and to be dense and not infinite if ``strict``; the
    names and the number of features are noted, or compared with those noted before.
    """
    if hasattr(X, "columns") or (not sparse.issparse(X) and _holds_text(X)):
        with name_argument_in_errors(X, numbers=False):
            validate_data(estimator, X, skip_check_array=True, reset=reset)
        return X
    kinds: Any = {"accept_sparse": "csr", "ensure_all_finite": False}
    if strict:
        kinds = {"accept_sparse": False, "ensure_all_finite": "allow-nan"}
    with name_argument_in_errors(X):
        return validate_data(estimator, X, reset=reset, **kinds)


def _holds_text(X: Any) -> bool:
    """Return whether an array holds text, in some of its cells at least."""
    try:
        array = np.asarray(X)
    except ValueError:  # ragged, which scikit-learn reports
        return False
    if array.dtype.kind in "US":
        return True
    return array.dtype.kind == "O" and any(isinstance(cell, str) for cell in array.ravel())


def check_any_targets(X: Any, y: Any) -> FloatArray:
    """Return numeric targets as floats, (n,) or (n, k), one for each row of X."""
    y = _passed(y, "targets")
    check_no_text(y)
    with name_argument_in_errors(X, numbers=False):
        y = check_array(
            y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y"
        )
    if y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    _check_lengths(X, y)
    check_finite_targets(y)
    check_target_sizes(y)
    if y.size and np.abs(y).max() > MAX_TARGET:
        raise ValueError(
            f"y must hold numbers of at most {MAX_TARGET:g}, whose squares can be summed, got "
            f"{np.abs(y).max():g}: scale them."
        )
    return np.asarray(y, dtype=np.float64)


def _passed(y: Any, expected: str) -> Any:
    if y is None:
        raise ValueError(
            f"y: expected {expected}; fit requires y to be passed, but the target y is None."
        )
    return to_numpy(y)


def _check_lengths(X: Any, y: Any) -> None:
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != len(y):
        raise ValueError(
            f"y must have {rows:,} rows like X, got {len(y):,} "
            f"(inconsistent numbers of samples: [{rows}, {len(y)}])."
        )


def check_any_labels(X: Any, y: Any, sample_weight: FloatArray) -> tuple[AnyArray, IntArray]:
    """Return the classes and the code of each row's label."""
    y = _passed(y, "labels")
    check_no_missing_label(y)
    if np.asarray(y).dtype.kind == "c":
        raise ValueError("y must hold labels, got complex numbers. (Complex data not supported.)")
    y = column_or_1d(y, warn=True)
    _check_lengths(X, y)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    return class_codes(y, sample_weight)


def take_rows(X: Any, rows: IntArray) -> Any:
    """Return some rows of an array, a sparse matrix, a list or a frame of any library."""
    return _safe_indexing(X, rows)
