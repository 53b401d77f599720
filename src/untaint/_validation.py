"""Validation of arguments at the public entry points; inner code trusts its input.

Every error message names the parameter, the values it accepts and the value found. Private names
of scikit-learn are used in this module only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import (
    _safe_indexing,
    assert_all_finite,
    check_array,
    column_or_1d,
)
from sklearn.utils._array_api import (
    _convert_to_numpy,
    _is_numpy_namespace,
    device,
    get_namespace,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ._typing import FloatArray, IntArray
from .exceptions import MemoryLimitError

_UNITS = ("", "K", "M", "G", "T")
# Bounds of a positive sample weight, within which squares and sums of weights are finite.
MIN_WEIGHT, MAX_WEIGHT = 1e-100, 1e100
# The largest target whose square is a number that sums can hold.
MAX_TARGET = 1e150


@contextmanager
def name_argument_in_errors(X: Any, y: Any = None) -> Iterator[None]:
    """Name the argument in errors where scikit-learn does not, and silence its overflows."""
    try:
        # scikit-learn tests finiteness by a sum, which may overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except ValueError as error:
        complaint = str(error)
        if complaint.startswith("could not convert string"):
            raise ValueError(f"X must hold numbers: {complaint}.") from None
        if complaint.startswith("Complex data not supported"):
            found = "X" if np.iscomplexobj(X) else "y"
            raise ValueError(
                f"{found} must hold real numbers. (Complex data not supported.)"
            ) from None
        raise


@contextmanager
def overflow_guard() -> Iterator[None]:
    """Allow overflows of losses, whose samples are trimmed, and explain errors that they cause."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise ValueError(
            "X, y and sample_weight must hold values whose squares are numbers, got some too large "
            f"or too small to compute with ({error}): scale them, or leave such rows out."
        ) from error


def check_training_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, pairwise: bool
) -> tuple[Any, FloatArray, FloatArray]:
    """Return X as float array or CSR, y as (n,) or (n, k), and the sample weights.

    float32 stays float32; anything else becomes float64. Arrays of other libraries are copied to
    the host, where fits are computed.
    """
    X, y, sample_weight = to_numpy(X), to_numpy(y), to_numpy(sample_weight)
    _check_no_text(y)
    with name_argument_in_errors(X, y):
        X, y = validate_data(
            estimator,
            X,
            y,
            accept_sparse=False if pairwise else "csr",
            dtype=[np.float64, np.float32],
            multi_output=True,
            y_numeric=True,
        )
    _check_square(X, pairwise)
    y = _as_targets(y, X.dtype)
    _check_finite_targets(y)
    return X, y, _check_weights(sample_weight, X)


def check_any_rows(estimator: Any, X: Any, *, strict: bool, reset: bool = True) -> Any:
    """Return rows for a learner that checks them itself: frames and text as they came.

    Arrays are checked as far as they must be, and to be dense and not infinite if ``strict``; the
    names and the number of features are noted, or compared with those noted before.
    """
    if hasattr(X, "columns") or (not sparse.issparse(X) and _holds_text(X)):
        validate_data(estimator, X, skip_check_array=True, reset=reset)
        return X
    finite: Any = "allow-nan" if strict else False
    with name_argument_in_errors(X):
        return validate_data(
            estimator,
            X,
            accept_sparse=False if strict else "csr",
            ensure_all_finite=finite,
            reset=reset,
        )


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
    if y is None:
        raise ValueError(
            "y: expected targets; fit requires y to be passed, but the target y is None."
        )
    y = to_numpy(y)
    _check_no_text(y)
    if np.asarray(y).dtype.kind in "mM":
        raise ValueError(f"y must hold numbers, got the type {np.asarray(y).dtype}.")
    with name_argument_in_errors(X, y):
        y = check_array(
            y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y"
        )
    if y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    _check_lengths(X, y)
    _check_finite_targets(y)
    if y.size and np.abs(y).max() > MAX_TARGET:
        raise ValueError(
            f"y must hold numbers of at most {MAX_TARGET:g}, whose squares can be summed, got "
            f"{np.abs(y).max():g}: scale them."
        )
    return np.asarray(y, dtype=np.float64)


def _check_lengths(X: Any, y: Any) -> None:
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != len(y):
        raise ValueError(
            f"y must have {rows:,} rows like X, got {len(y):,}. (Inconsistent numbers of samples.)"
        )


def check_any_labels(X: Any, y: Any, sample_weight: FloatArray) -> tuple[NDArray[Any], IntArray]:
    """Return the classes and the code of each row's label."""
    if y is None:
        raise ValueError(
            "y: expected labels; fit requires y to be passed, but the target y is None."
        )
    y = to_numpy(y)
    _check_no_missing_label(y)
    y = column_or_1d(y, warn=True)
    _check_lengths(X, y)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    return _class_codes(y, sample_weight)


def check_any_weights(sample_weight: Any, X: Any) -> FloatArray:
    """Return the weights of rows, ones by default."""
    return _check_weights(sample_weight, X)


def take_rows(X: Any, rows: IntArray) -> Any:
    """Return some rows of an array, a sparse matrix, a list or a frame of any library."""
    return _safe_indexing(X, rows)


def _as_targets(y: NDArray[Any], dtype: Any) -> FloatArray:
    """Return the targets in the precision of X, unless that would round them."""
    same = np.asarray(y, dtype=dtype)
    exact = dtype == np.float64 or (y.dtype != np.float64 and bool((same == y).all()))
    return same if exact else np.asarray(y, dtype=np.float64)


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


def check_chunk(
    X: Any, y: Any, sample_weight: Any, number: int, *, labels: bool
) -> tuple[FloatArray, NDArray[Any], FloatArray]:
    """Return features, targets or labels, and weights of one chunk of the data, maybe empty.

    Parameters
    ----------
    X, y, sample_weight : array or data frame
    number : int
        Index of the chunk, for error messages.
    labels : bool
        Whether y holds labels, of any type.
    """
    try:
        dtype = [np.float64, np.float32]
        X = check_array(X, dtype=dtype, order="C", ensure_all_finite=False, **_EMPTY)
        _check_finite_rows(X)
        y = np.asarray(y)
        if len(y) != len(X):
            raise ValueError(f"y must have {len(X):,} rows like X, got {len(y):,}.")
        if labels:
            _check_no_missing_label(y)
            y = column_or_1d(y)
            if len(y):
                check_classification_targets(y)
        else:
            _check_no_text(y)
            y = np.asarray(y, dtype=np.float64)
            y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
            _check_finite_targets(y)
        if sample_weight is not None and len(sample_weight) != len(X):
            raise ValueError(
                f"sample_weight must have {len(X):,} rows like X, got {len(sample_weight):,}."
            )
        if not len(X) or (sample_weight is not None and not np.asarray(sample_weight).any()):
            return X, y, np.zeros(len(X))  # other chunks may have positive weights
        return X, y, _check_weights(sample_weight, X)
    except (ValueError, TypeError) as error:
        sentence = str(error).split("\n")[0]
        raise ValueError(f"Chunk {number} of X: {sentence}") from None


# Options of check_array that allow an empty chunk.
_EMPTY: dict[str, Any] = {"ensure_min_samples": 0, "ensure_min_features": 1}


def name_features(estimator: Any, meta: Any) -> None:
    """Set number and names of the features from the metadata of a table."""
    validate_data(estimator, X=meta, skip_check_array=True)


def check_rows(estimator: Any, X: Any) -> FloatArray:
    """Return X without targets as a float array."""
    rows: FloatArray = validate_data(estimator, X, dtype=[np.float64, np.float32])
    return rows


def _check_finite_rows(X: FloatArray) -> None:
    if np.isfinite(X).all():
        return
    row, column = np.argwhere(~np.isfinite(X))[0].tolist()
    found = "NaN" if np.isnan(X[row, column]) else "an infinite number"
    raise ValueError(
        f"X must hold finite numbers, got {found} in column {column} of the chunk's row {row}."
    )


def _check_finite_targets(y: FloatArray) -> None:
    if not np.isfinite(y).all():  # None, which scikit-learn silently converts to NaN
        row = int(np.flatnonzero(~np.isfinite(y.reshape(len(y), -1)).all(axis=1))[0])
        raise ValueError(
            f"y must hold finite numbers, got none in row {row}. (Input contains NaN.)"
        )


def check_labelled_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, pairwise: bool
) -> tuple[Any, NDArray[Any], IntArray, FloatArray]:
    """Return X as :func:`check_training_data` does, the classes, class codes, and weights."""
    X, y, sample_weight = to_numpy(X), to_numpy(y), to_numpy(sample_weight)
    _check_no_missing_label(y)
    with name_argument_in_errors(X, y):
        X, y = validate_data(
            estimator,
            X,
            y,
            accept_sparse=False if pairwise else "csr",
            dtype=[np.float64, np.float32],
        )
    _check_square(X, pairwise)
    sample_weight = _check_weights(sample_weight, X)
    return X, *_class_codes(y, sample_weight), sample_weight


def _class_codes(y: Any, sample_weight: FloatArray) -> tuple[NDArray[Any], IntArray]:
    """Return the classes, two at least, and the code of each label."""
    _check_label_size(y)
    try:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:  # a mixture of text and numbers
        raise ValueError(f"y must hold labels that can be put in order: {error}.") from None
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes, got only one class: {classes.tolist()[0]!r} in all "
            "rows."
        )
    weightless = np.bincount(codes, sample_weight) == 0
    if weightless.any():
        raise ValueError(
            "sample_weight must be positive for at least one row of each class, got only zeros for "
            f"class {classes[weightless].tolist()[0]!r}."
        )
    return classes, codes


def _check_label_size(y: Any) -> None:
    """Raise for whole numbers of more than 64 bits, which are no kind of label to scikit-learn."""
    for label in y.flat if y.dtype.kind == "O" else ():
        if isinstance(label, int) and not -(2**63) <= label < 2**64:
            raise ValueError(
                "y must hold labels that are text or whole numbers of at most 64 bits, got "
                f"{label}: write such labels as text."
            )


def _check_no_text(y: Any) -> None:
    """Raise for targets that are neither numbers nor text that represents a number."""
    try:
        targets = np.asarray(y)
    except ValueError:  # a ragged list, which scikit-learn reports
        return
    if targets.dtype.kind not in "USO" or targets.ndim == 0:
        return
    for row, values in enumerate(targets):
        for value in np.atleast_1d(values):
            if isinstance(value, str):
                try:
                    float(value)
                except ValueError:
                    raise ValueError(
                        f"y must hold numbers, got {str(value)!r} in row {row}."
                    ) from None


def _check_no_missing_label(y: Any) -> None:
    labels = np.asarray(y)
    if labels.dtype.kind != "O" or labels.ndim != 1:
        return
    missing = [row for row, label in enumerate(labels) if label is None or label != label]
    if missing:
        raise ValueError(
            f"y must hold a label for every row, got {len(missing)} missing, the first in row "
            f"{missing[0]}. (Input contains NaN or None.)"
        )


def check_class_weight(
    class_weight: Any, classes: NDArray[Any], codes: IntArray, sample_weight: FloatArray
) -> FloatArray:
    """Return the sample weights times the weights of their classes."""
    if class_weight is None:
        return sample_weight
    totals = np.bincount(codes, sample_weight).astype(float)
    weights: FloatArray = sample_weight * class_factors(class_weight, classes, totals)[codes]
    return weights


def class_factors(class_weight: Any, classes: NDArray[Any], totals: FloatArray) -> FloatArray:
    """Return the weight factor of each class.

    "balanced" gives all classes equal total weight, so that a weight of k is still k copies.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(totals.sum() / (len(classes) * totals))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}.')
    known = classes.tolist()
    for name, weight in class_weight.items():
        if name not in known:
            raise ValueError(f"class_weight names the class {name!r}, which y does not hold.")
        check_real(f"class_weight[{name!r}]", weight, low=0, inclusive=False)
    return np.array([float(class_weight.get(name, 1.0)) for name in known])


def check_class_sizes(
    contamination: float | None, classes: NDArray[Any], codes: IntArray, sample_weight: FloatArray
) -> None:
    """Raise unless every class has at least two samples, if samples are to be trimmed."""
    if not contamination:
        return
    counts = np.maximum(np.bincount(codes, sample_weight), np.bincount(codes, sample_weight > 0))
    smallest = int(np.argmin(counts))
    if counts[smallest] < 2:
        raise ValueError(
            f"too few rows to trim: class {classes.tolist()[smallest]!r} has {counts[smallest]:g}, "
            f"and contamination={contamination!r} needs at least 2 in each class; give more rows, "
            "leave the class out, or set contamination=0."
        )


def _check_square(X: Any, pairwise: bool) -> None:
    if pairwise and X.shape[0] != X.shape[1]:
        raise ValueError(
            "X must be the square kernel matrix of the training rows when "
            f"kernel='precomputed', got shape {X.shape}."
        )


class ArrayNamespace(NamedTuple):
    """The array API namespace and the device of an array that is not NumPy's."""

    xp: Any
    device: Any

    @property
    def widest(self) -> Any:
        """NumPy's float64, or float32 if the device does not support float64."""
        known = self.xp.__array_namespace_info__().dtypes(kind="real floating", device=self.device)
        return np.float64 if "float64" in known else np.float32

    def floats(self) -> list[Any]:
        """Return the dtypes that are not converted; any other is converted to the first."""
        both = [self.xp.float64, self.xp.float32]
        return both if self.widest is np.float64 else both[1:]


def array_namespace_of(array: Any) -> ArrayNamespace | None:
    """Return the namespace of an array of another library, if array API dispatch is enabled."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack__"):
        return None
    xp, dispatched = get_namespace(array)
    if not dispatched or _is_numpy_namespace(xp):
        return None
    return ArrayNamespace(xp, device(array))


def to_numpy(array: Any) -> Any:
    """Convert an array of another library to NumPy if array API dispatch is enabled."""
    namespace = array_namespace_of(array)
    return array if namespace is None else _convert_to_numpy(array, namespace.xp)


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


def check_noisy_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool, gaps: bool
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Return dense float64 X and y of shape (n,), and the weights or None.

    Arrays that need no conversion are checked here, because a stream of small batches would spend
    most of its time in scikit-learn's checks.
    """
    if not reset and sample_weight is None and not gaps and _ready(estimator, X, y):
        return X, y, None
    _check_no_text(y)
    with name_argument_in_errors(X, y):
        X, y = validate_data(
            estimator,
            X,
            y,
            reset=reset,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if gaps else True,
            y_numeric=True,
        )
    y = np.asarray(y, dtype=np.float64)
    _check_finite_targets(y)
    _check_squares(X, y)
    return X, y, None if sample_weight is None else _check_weights(sample_weight, X)


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


def check_copy(estimator: Any, X_copy: Any, X: FloatArray, *, gaps: bool) -> FloatArray | None:
    """Return X_copy, a second measurement of X of the same shape, or None."""
    if X_copy is None:
        return None
    plain = type(X_copy) is np.ndarray and X_copy.dtype == np.float64 and X_copy.shape == X.shape
    if plain and np.isfinite(np.vdot(X_copy, X_copy)):
        return X_copy
    names, own = getattr(estimator, "feature_names_in_", None), getattr(X_copy, "columns", None)
    if names is not None and own is not None and list(own) != list(names):
        raise ValueError(
            f"X_copy must have the columns of X in the same order, {list(names)}, got {list(own)}."
        )
    copy = check_array(
        X_copy,
        dtype=np.float64,
        ensure_all_finite="allow-nan" if gaps else True,
        input_name="X_copy",
        estimator=estimator,
    )
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
        return validate_data(
            estimator,
            X,
            reset=False,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if gaps else True,
        )


def _check_weights(sample_weight: Any, X: Any) -> FloatArray:
    if sample_weight is not None:
        _check_weights_are_numbers(np.asarray(sample_weight))
    with np.errstate(over="ignore", invalid="ignore"):
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight must not be negative, got a smallest weight of {weights.min():g}."
        )
    odd = weights[(weights > 0) & ((weights < MIN_WEIGHT) | (weights > MAX_WEIGHT))]
    if len(odd):
        raise ValueError(
            f"sample_weight must be zero or between {MIN_WEIGHT:g} and {MAX_WEIGHT:g}, "
            f"got {odd[0]:g}."
        )
    return weights


def _check_weights_are_numbers(weights: NDArray[Any]) -> None:
    if weights.dtype.kind not in "biuf":
        try:
            weights = weights.astype(float)
        except (ValueError, TypeError):
            raise ValueError(
                f"sample_weight must hold numbers, got the type {weights.dtype}."
            ) from None
    if not weights.any():
        raise ValueError("sample_weight must be positive for at least one row, got only zeros.")


def check_contamination(contamination: Any, sample_weight: FloatArray) -> float | None:
    """Return the contamination in [0, 0.5), None for "auto"."""
    if isinstance(contamination, str) and contamination == "auto":
        return None
    return check_known_contamination(contamination, sample_weight, ' or "auto"')


def check_known_contamination(
    contamination: Any, sample_weight: FloatArray | None = None, or_else: str = ""
) -> float:
    """Return the contamination in [0, 0.5), of at least one sample if the weights are given."""
    if not _is_real(contamination) or not 0 <= contamination < 0.5:
        raise ValueError(
            f"contamination must be a number in [0, 0.5){or_else}, got {contamination!r}."
        )
    if sample_weight is not None:
        _check_trimmable(contamination, sample_weight)
    return float(contamination)


def _check_trimmable(contamination: float, sample_weight: FloatArray) -> None:
    rows = max(float(sample_weight.sum()), float(np.count_nonzero(sample_weight)))
    if 0 < contamination * rows < 1 - 1e-9:
        raise ValueError(
            f"too few rows to trim: contamination={contamination!r} of n_samples = {rows:g} is "
            f"less than one row; give at least {int(np.ceil(1 / contamination))} rows, or "
            "contamination=0."
        )


def check_real(
    name: str,
    value: Any,
    *,
    low: float,
    inclusive: bool = True,
    high: float = np.inf,
    optional: bool = False,
) -> None:
    """Raise unless the value is a finite number of at least (or above) low, and below high."""
    if optional and value is None:
        return
    good = _is_real(value) and -np.inf < value < min(high, np.inf)
    if not good or (value < low if inclusive else value <= low):
        bound = f"of at least {low:g}" if inclusive else f"greater than {low:g}"
        below = f" and less than {high:g}" if np.isfinite(high) else ""
        alternative = " or None" if optional else ""
        raise ValueError(
            f"{name} must be a finite number {bound}{below}{alternative}, got {value!r}."
        )


def check_at_most(name: str, value: Any, high: float) -> None:
    """Raise unless the value is a finite number of at most high."""
    if not _is_real(value) or not -np.inf < value <= high:
        raise ValueError(f"{name} must be a finite number of at most {high:g}, got {value!r}.")


def check_grid(name: str, values: Any) -> None:
    """Raise unless the values are positive numbers, or "auto"."""
    if isinstance(values, str) and values == "auto":
        return
    expected = f'{name} must be "auto" or a sequence of positive finite numbers'
    try:
        flat = not isinstance(values, str) and np.ndim(values) == 1 and len(values) > 0
    except ValueError:  # a ragged list
        flat = False
    if not flat:
        raise ValueError(f"{expected}, got {values!r}.")
    for value in values:
        if not _is_real(value) or not 0 < value < np.inf:
            raise ValueError(f"{expected}, got one of {value!r}.")


def check_count(
    name: str, value: Any, *, low: int = 1, optional: bool = False, alternative: str = ""
) -> None:
    """Raise unless the value is an integer of at least low."""
    if optional and value is None:
        return
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or value < low:
        alternative = " or None" if optional else f" {alternative}" if alternative else ""
        raise ValueError(
            f"{name} must be an integer of at least {low}{alternative}, got {value!r}."
        )


def check_flag(name: str, value: Any) -> None:
    """Raise unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}.")


def check_choice(name: str, value: Any, choices: Collection[str | None]) -> None:
    """Raise unless the value is one of the choices."""
    if value is None or isinstance(value, str):
        if value in choices:
            return
        close = get_close_matches(str(value), [c for c in choices if c], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
    else:
        hint = ""
    listed = ", ".join(repr(choice) for choice in choices)
    raise ValueError(f"{name} must be one of {listed}, got {value!r}.{hint}")


def check_rate(learning_rate: Any) -> float | Callable[[int], float] | None:
    """Return the step size or schedule, None for "auto"."""
    if isinstance(learning_rate, str) and learning_rate == "auto":
        return None
    if callable(learning_rate):
        return learning_rate
    if _is_real(learning_rate) and 0 < learning_rate < np.inf:
        return float(learning_rate)
    raise ValueError(
        'learning_rate must be a positive number, a function of the iteration or "auto", '
        f"got {learning_rate!r}."
    )


def check_new_file(name: str, path: Any) -> None:
    """Raise unless the path is None, or names a file in an existing directory."""
    if path is None:
        return
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise ValueError(f"{name} must be the path of a file or None, got {path!r}.")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{name} must name a file in a directory that exists, got {str(path)!r}.")
    if Path(path).is_dir():
        raise ValueError(f"{name} must name a file, got the directory {str(path)!r}.")


def check_matrix_memory(
    n_rows: int, dtype: Any, memory_limit: Any, otherwise: str = 'kernel="linear"'
) -> None:
    """Raise if the kernel matrix would exceed the memory limit, before it is computed."""
    limit = memory_bytes(memory_limit)
    needed = n_rows**2 * np.dtype(dtype).itemsize
    if needed > limit:
        raise MemoryLimitError(
            f"the kernel matrix of {n_rows:,} rows takes {readable_bytes(needed)}, more than "
            f"memory_limit={memory_limit!r} allows ({readable_bytes(limit)}): raise memory_limit, "
            f"pass fewer rows, or use {otherwise}, which needs no matrix."
        )


def memory_bytes(memory_limit: Any) -> int:
    """Return the bytes of a number, of "4GB", or of "auto", half of the free memory.

    Examples
    --------
    >>> memory_bytes("1.5GB")
    1500000000
    """
    if isinstance(memory_limit, str):
        if memory_limit == "auto":
            return _free_memory() // 2
        found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)(i?)B?\s*", memory_limit, re.IGNORECASE)
        if found and found[1].count(".") <= 1 and found[1] != ".":
            size = int(
                float(found[1]) * (1024 if found[3] else 1000) ** _UNITS.index(found[2].upper())
            )
            if size > 0:
                return size
    elif _is_real(memory_limit) and 0 < memory_limit < np.inf:
        return int(memory_limit)
    raise ValueError(
        'memory_limit must be a number of bytes, a string such as "4GB" or "auto", '
        f"got {memory_limit!r}."
    )


def _free_memory() -> int:
    """Return the bytes of available memory, 4 GB if the system does not provide them."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError, AttributeError):
        return 4 * 10**9


def readable_bytes(size: float) -> str:
    """Return a size in bytes in a readable unit.

    Examples
    --------
    >>> readable_bytes(1.5e9)
    '1.5 GB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
