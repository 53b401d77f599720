"""Corrupt a known share of a clean data set, and say which rows.

A kind of corruption is a choice of rows and something written into them: round(epsilon n) rows,
no more and no fewer, all others left as they were, in the order given.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _choice as choice
from . import _classification_kinds as classification
from . import _regression_kinds as regression
from ._random import RandomState, as_generator
from ._table import Task

Array = NDArray[Any]


class _Kind(NamedTuple):
    task: Task
    apply: Callable[[Array, Array, NDArray[np.intp], np.random.Generator], None]
    choose: Callable[[Array, Array, int, np.random.Generator], NDArray[np.intp]] = choice.anywhere
    n_classes: int = 2  # at least so many, of a classification target


KINDS: dict[str, _Kind] = {
    "label": _Kind("regression", regression.draw_targets),
    "label+feature": _Kind("regression", regression.inflate_both),
    "cluster": _Kind("regression", regression.gather_targets),
    "shift": _Kind("regression", regression.raise_by_3),
    "mirror": _Kind("regression", regression.mirror_targets),
    "local": _Kind("regression", regression.raise_by_5, choice.half_of_a_region),
    "local-solid": _Kind("regression", regression.raise_by_5, choice.whole_region),
    "leverage": _Kind("regression", regression.move_away),
    "adversarial": _Kind("regression", regression.contradict),
    "huge-label": _Kind("regression", regression.make_targets_huge),
    "huge-feature": _Kind("regression", regression.make_features_huge),
    "flip": _Kind("classification", classification.flip),
    "flip+feature": _Kind("classification", classification.flip_and_inflate),
    "flip-one-sided": _Kind("classification", classification.flip_to_second, choice.largest_class),
    "flip-one-sided-back": _Kind(
        "classification", classification.flip_to_largest, choice.second_class
    ),
    "flip-spare-rare": _Kind(
        "classification", classification.flip_among_frequent, choice.all_but_rarest_class, 3
    ),
}


def contaminate(
    X: ArrayLike,
    y: ArrayLike,
    *,
    epsilon: float,
    kind: str = "label",
    random_state: RandomState = None,
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return corrupted copies of ``X`` and ``y`` and the mask of the rows that were corrupted.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,), or (n, k) for regression
    epsilon : float in [0, 1)
        Share of rows to corrupt; ``round(epsilon * n)`` of them are.
    kind : str, default="label"
        For regression, where m and s are the clean target's mean and standard deviation:

        - ``"label"``: y ~ m + s N(5, 5^2);
        - ``"label+feature"``: 100 x and 10,000 y, of the values as given (standardise first);
        - ``"cluster"``: y ~ m + s N(5, 0.05^2), all near one value;
        - ``"shift"``: y + 3 s;
        - ``"mirror"``: 2 m - y;
        - ``"local"``: y + 5 s for a random half of the 2 epsilon n rows nearest (in standardised
          features) to a random row;
        - ``"local-solid"``: y + 5 s for all of the epsilon n nearest rows. A worst case: no clean
          row is left there, so nothing in the data tells the region's truth from the lie;
        - ``"leverage"``: x at 10 deviations from the mean in every feature, y = m + 5 s;
        - ``"adversarial"``: y = m - 3 s u(x), u the standardised linear function of x along which
          the clean squared loss falls fastest from the mean predictor;
        - ``"huge-label"``, ``"huge-feature"``: 10^12 as target, or in every feature.

        For classification:

        - ``"flip"``: another class, with equal chance where there are several;
        - ``"flip+feature"``: the same, and 100 x;
        - ``"flip-one-sided"``: rows of the most frequent class only, all to the second;
        - ``"flip-one-sided-back"``: rows of the second class only, all to the most frequent;
        - ``"flip-spare-rare"``: as ``"flip"``, but never from or to the least frequent of three or
          more classes.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X, y : ndarray
        Copies in the order given.
    corrupted : ndarray of shape (n,), bool

    Examples
    --------
    >>> from untaint.datasets import contaminate, make_polynomial
    >>> X, y = make_polynomial(100, random_state=0)
    >>> X_bad, y_bad, corrupted = contaminate(X, y, epsilon=0.2, kind="shift", random_state=0)
    >>> int(corrupted.sum()), bool((y_bad[~corrupted] == y[~corrupted]).all())
    (20, True)
    """
    recipe = _recipe(kind)
    if not 0.0 <= epsilon < 1.0:
        raise ValueError(f"epsilon must be in [0, 1), got {epsilon!r}.")
    X, y = _copies(X, y)
    _check_target(y, kind, recipe)
    if recipe.task == "regression" and not np.issubdtype(y.dtype, np.floating):
        y = y.astype(np.float64)
    rng = as_generator(random_state)
    rows = recipe.choose(X, y, round(epsilon * len(X)), rng)
    corrupted = np.zeros(len(X), dtype=bool)
    corrupted[rows] = True
    recipe.apply(X, y, np.flatnonzero(corrupted), rng)
    return X, y, corrupted


def task_of(kind: str) -> Task:
    """Say whether a kind of corruption is for regression or classification.

    Examples
    --------
    >>> from untaint.datasets.corruption import task_of
    >>> task_of("label"), task_of("flip")
    ('regression', 'classification')
    """
    return _recipe(kind).task


def _recipe(kind: str) -> _Kind:
    if kind in KINDS:
        return KINDS[kind]
    close = get_close_matches(str(kind), KINDS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(KINDS)}."
    raise ValueError(f"Unknown kind {kind!r}: {hint}")


def _copies(X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    if hasattr(X, "toarray"):
        raise TypeError("contaminate needs a dense X, got a sparse matrix; pass X.toarray().")
    X_copy, y_copy = np.array(X), np.array(y)
    if not np.issubdtype(X_copy.dtype, np.floating):
        X_copy = X_copy.astype(np.float64)
    if X_copy.ndim != 2 or len(X_copy) == 0:
        raise ValueError(f"X must have rows and columns, got shape {X_copy.shape}.")
    if y_copy.ndim not in (1, 2) or len(y_copy) != len(X_copy):
        raise ValueError(
            f"y must have shape ({len(X_copy)},) or ({len(X_copy)}, k), got {y_copy.shape}."
        )
    return X_copy, y_copy


def _check_target(y: Array, kind: str, recipe: _Kind) -> None:
    """Refuse a target that belongs to the other task; integers may serve either."""
    if recipe.task == "regression":
        numeric = np.issubdtype(y.dtype, np.number)
        if not numeric or (np.all(y == np.round(y)) and len(np.unique(y)) == 2):
            raise ValueError(
                f"kind={kind!r} needs a numeric target, but y holds class labels; use kind='flip'."
            )
        return
    if y.ndim != 1:
        raise ValueError(f"kind={kind!r} needs class labels of shape (n,), got shape {y.shape}.")
    if np.issubdtype(y.dtype, np.floating) and not np.all(y == np.round(y)):
        raise ValueError(
            f"kind={kind!r} needs class labels, but y is continuous; use kind='label'."
        )
    found = len(np.unique(y))
    if found < recipe.n_classes:
        raise ValueError(f"kind={kind!r} needs at least {recipe.n_classes} classes, got {found}.")
