"""Folds of rows in which copies of a row stay together."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv

from .._typing import IntArray
from .._validation import check_count
from ..io.frame import frame_rows, is_frame
from .learner import Folds


def make_folds(
    cv: Any,
    X: Any,
    y: NDArray[Any],
    groups: Any,
    seed: int,
    codes: IntArray | None = None,
    places: tuple[IntArray, IntArray] | None = None,
    classes: NDArray[Any] | None = None,
) -> Folds:
    """Return training and test rows of each fold.

    A number of folds means random ones, with classes in equal parts if there are ``codes``; equal
    rows are in one fold. Anything else is a splitter or an iterable, as scikit-learn's. ``places``
    are what :func:`distinct_rows` returns, if that is known, and ``classes`` the labels of codes.
    """
    if isinstance(cv, int | np.integer):
        check_count("cv", cv, low=2)
        if groups is None:
            return _random_folds(int(cv), places or distinct_rows(X, y), seed, codes, classes)
        cv = GroupKFold(int(cv)) if codes is None else StratifiedGroupKFold(int(cv))
    if groups is not None and len(groups) != len(y):
        raise ValueError(f"groups must have {len(y):,} rows like X, got {len(groups):,}.")
    try:
        splits = check_cv(cv, y, classifier=codes is not None).split(X, y, groups)
        folds = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    except TypeError as error:
        raise ValueError(
            f"cv must be a number of folds, a splitter or pairs of rows, got {cv!r}: {error}."
        ) from error
    for train, test in folds:
        within = all(part.min() >= 0 and part.max() < len(y) for part in (train, test) if len(part))
        if not within or not len(train) or not len(test):
            raise ValueError(
                f"cv: expected folds with training and test rows among {len(y):,}, found one with "
                f"{len(train):,} and {len(test):,}{'' if within else ', some beyond'}."
            )
    if not folds:
        raise ValueError("cv: expected at least one fold, found none.")
    return folds


def _random_folds(
    n_folds: int,
    places: tuple[IntArray, IntArray],
    seed: int,
    codes: IntArray | None,
    classes: NDArray[Any] | None,
) -> Folds:
    first, place = places
    n_folds = min(n_folds, len(first))
    if n_folds < 2:
        raise ValueError(f"y: expected at least 2 rows that differ, found n_samples={len(first)}.")
    order = np.random.default_rng(seed).permutation(len(first))
    if codes is not None:  # classes are dealt out one after the other
        rarest = int(np.argmin(np.bincount(codes[first])))
        if np.bincount(codes[first])[rarest] < 2:
            name = rarest if classes is None else classes.tolist()[rarest]
            raise ValueError(
                "y: expected at least 2 rows that differ of every class, found 1 of class "
                f"{name!r} (n_samples = {len(first)}); leave it out, or give more rows."
            )
        order = order[np.argsort(codes[first][order], kind="stable")]
    fold = np.empty(len(first), dtype=np.intp)
    fold[order] = np.arange(len(first)) % n_folds
    own = fold[place]
    return [
        (np.flatnonzero(own != number), np.flatnonzero(own == number)) for number in range(n_folds)
    ]


def distinct_rows(X: Any, y: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the first row of each kind of equal rows, and the place of each row among these.

    Examples
    --------
    >>> import numpy as np
    >>> first, place = distinct_rows(np.array([[1], [2], [1]]), np.array([0.0, 0.0, 0.0]))
    >>> first, place
    (array([0, 1]), array([0, 1, 0]))
    """
    alike = _alike(X, y)
    of_row = np.arange(len(y))  # the first row that is equal
    if alike is None:
        of_row = _first_equal(_keys(X, y), of_row)
    elif len(alike):
        of_row[alike] = _first_equal(_keys(np.asarray(X)[alike], np.asarray(y)[alike]), alike)
    first, place = np.unique(of_row, return_inverse=True)
    return first.astype(np.intp), place.astype(np.intp)


def _first_equal(keys: Iterable[Any], rows: IntArray) -> IntArray:
    """Return of each row the first one that has the same key."""
    known: dict[Any, int] = {}
    pairs = zip(keys, rows.tolist(), strict=True)
    return np.array([known.setdefault(key, row) for key, row in pairs], dtype=np.intp)


def _alike(X: Any, y: NDArray[Any]) -> IntArray | None:
    """Return the rows of numbers that share a 64-bit hash, None if rows are no arrays of numbers.

    Only these can be equal.
    """
    numbers = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == float
    if not numbers or y.dtype.kind not in "iuf":
        return None
    rows = np.column_stack([X, y.astype(float)])
    bits = rows.view(np.uint64)
    factors = np.random.default_rng(0).integers(2**63, size=bits.shape[1], dtype=np.uint64) | 1
    hashes = (bits ^ (bits >> np.uint64(32))) @ factors
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[place] > 1)


def _keys(X: Any, y: NDArray[Any]) -> Any:
    """Yield something hashable for each row."""
    targets = [np.asarray(value).tobytes() for value in np.asarray(y)]
    if sparse.issparse(X):
        X = X.tocsr()
        for i, target in enumerate(targets):
            part = slice(X.indptr[i], X.indptr[i + 1])
            yield (X.indices[part].tobytes(), X.data[part].tobytes(), target)
    elif is_frame(X):
        for row, target in zip(frame_rows(X), targets, strict=True):
            yield (*(str(cell) for cell in row), target)
    else:
        for row, target in zip(np.asarray(X), targets, strict=True):
            cells = row.tobytes() if row.dtype != object else tuple(map(str, np.atleast_1d(row)))
            yield (cells, target)
