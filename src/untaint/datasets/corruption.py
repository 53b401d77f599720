"""Corrupt a known fraction of a clean data set, and return which rows.

A kind of corruption is a choice of rows and something written into them: round(epsilon n) rows,
no more and no fewer, all others left as they were, in the order given. An attack on a model settles
both at once (`_attacks`). Subquantile Minimization, Definition 1: any rows, any values.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import AnyArray, BoolArray
from .._validation import MAX_TARGET
from ._kinds import KINDS, Kind, recipe_of
from ._random_state import RandomState, as_generator
from ._table import Task


def contaminate(
    X: ArrayLike,
    y: ArrayLike,
    *,
    epsilon: float,
    kind: str = "label",
    model: Any = None,
    random_state: RandomState = None,
) -> tuple[AnyArray, AnyArray, BoolArray]:
    """Return corrupted copies of ``X`` and ``y`` and the mask of the rows that were corrupted.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Clean features.
    y : array-like of shape (n,), or (n, k) for regression
        Clean targets or labels.
    epsilon : float in [0, 1)
        Share of rows to corrupt, rounded to ``round(epsilon * n)`` rows.
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
          row is left there, so the true function of the region is not identified;
        - ``"leverage"``: x at 10 deviations from the mean in every feature, y = m + 5 s;
        - ``"adversarial"``: y = m - 3 s u(x), u the standardised linear function of x along which
          the clean squared loss falls fastest from the mean predictor. With a ``model``, every
          wrong target is at the end of the clean range that is farther from the model's prediction,
          for the rows where this distance is largest, which is about the worst case for a refit;
        - ``"huge-label"``, ``"huge-feature"``: 10^12 as target, or in every feature.

        For classification:

        - ``"flip"``: another class, with equal chance where there are several;
        - ``"flip+feature"``: the same, and 100 x;
        - ``"flip-one-sided"``: rows of the most frequent class only, all to the second;
        - ``"flip-one-sided-back"``: rows of the second class only, all to the most frequent;
        - ``"flip-spare-rare"``: as ``"flip"``, but never from or to the least frequent of three or
          more classes;
        - ``"flip-adversarial"``: the rows of the most frequent class (then of the next) whose
          labels the ``model`` is surest of, all to the class that most often comes second there;
          without a model, by distances to the classes' means.
    model : object or None, default=None
        A model fitted to the clean rows, for ``"adversarial"`` (which calls ``predict``) and
        ``"flip-adversarial"`` (``predict_proba``, ``decision_function`` or ``predict``, the first
        of them that exists). It is not refitted. Only ties between rows are then random.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n, d)
        Copy of the features, with the rows in the given order.
    y : ndarray of shape (n,) or (n, k)
        Copy of the targets or labels.
    corrupted : ndarray of shape (n,), bool
        True for corrupted rows.

    Examples
    --------
    >>> from untaint.datasets import contaminate, make_polynomial
    >>> X, y = make_polynomial(100, random_state=0)
    >>> found = contaminate(X, y, epsilon=0.2, kind="shift", random_state=0)
    >>> X_bad, y_bad, corrupted = found
    >>> int(corrupted.sum()), bool((y_bad[~corrupted] == y[~corrupted]).all())
    (20, True)

    Adversarial targets stay within the range of the clean targets:

    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.arange(10.0)[:, np.newaxis], np.arange(10.0)
    >>> model = LinearRegression().fit(X, y)
    >>> attack = {"kind": "adversarial", "model": model}
    >>> contaminate(X, y, epsilon=0.4, random_state=0, **attack)[1]
    array([9., 9., 2., 3., 4., 5., 6., 7., 0., 0.])
    """
    recipe = recipe_of(kind)
    if not 0.0 <= epsilon < 1.0:
        raise ValueError(f"epsilon must be in [0, 1), got {epsilon!r}.")
    given: Any = X
    X, y = _copies(X, y)
    _check_target(y, kind, recipe)
    _check_model(model, kind, recipe)
    if recipe.task == "regression" and not np.issubdtype(y.dtype, np.floating):
        y = y.astype(np.float64)
    rng = as_generator(random_state)
    count = round(epsilon * len(X))
    corrupted = np.zeros(len(X), dtype=bool)
    if recipe.attack is not None and (model is not None or recipe.apply is None):
        # A model that was fitted to a frame knows its columns by name.
        seen = given if model is not None and hasattr(given, "columns") else X
        rows, targets = recipe.attack(seen, y, count, model, rng)
        corrupted[rows] = True
        y[rows] = targets
    elif recipe.apply is not None:
        corrupted[recipe.choose(X, y, count, rng)] = True
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
    return recipe_of(kind).task


def _copies(X: ArrayLike, y: ArrayLike) -> tuple[AnyArray, AnyArray]:
    if hasattr(X, "toarray"):
        raise TypeError("contaminate needs a dense X, got a sparse matrix; pass X.toarray().")
    X_copy, y_copy = np.array(X), np.array(y)
    for name, values in (("X", X_copy), ("y", y_copy)):
        if values.dtype.kind == "c":
            raise ValueError(f"{name} must hold real numbers, got the type {values.dtype}.")
    if y_copy.dtype.kind == "f" and not (np.abs(y_copy) <= MAX_TARGET).all():
        raise ValueError(f"y must hold finite numbers of at most {MAX_TARGET:g} in size.")
    if not np.issubdtype(X_copy.dtype, np.floating):
        X_copy = X_copy.astype(np.float64)
    if X_copy.ndim != 2 or len(X_copy) == 0:
        raise ValueError(f"X must have rows and columns, got shape {X_copy.shape}.")
    if y_copy.ndim not in (1, 2) or len(y_copy) != len(X_copy):
        raise ValueError(
            f"y must have shape ({len(X_copy)},) or ({len(X_copy)}, k), got {y_copy.shape}."
        )
    return X_copy, y_copy


def _check_model(model: Any, kind: str, recipe: Kind) -> None:
    if model is None:
        return
    if recipe.attack is None:
        attacking = ", ".join(repr(name) for name, other in KINDS.items() if other.attack)
        raise ValueError(f"kind={kind!r} uses no model; leave it out or use one of {attacking}.")
    if not callable(getattr(model, "predict", None)):
        raise TypeError(f"model must have a method predict, got {model!r}.")


def _check_target(y: AnyArray, kind: str, recipe: Kind) -> None:
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
