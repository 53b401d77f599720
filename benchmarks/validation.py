"""Validation errors on rows that a fit has not seen, whether they are clean or not.

bounded error    mean of the squared errors, each up to a bound that is the same for every fit: bad
                 rows, which no good fit meets, cost all fits alike
balanced error   one minus the mean recall of the classes, by labels as they are: wrong labels
                 lower every fit's score alike
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Rows: TypeAlias = NDArray[np.intp]
Folds: TypeAlias = Iterable[tuple[Rows, Rows]]
Make: TypeAlias = Callable[[Rows], Any]

# In robust standard deviations of the targets, good and bad.
BOUND = 1.5


def held_out(make: Make, X: Array, y: Array, folds: Folds) -> Array:
    """Predict each row by a fit without its fold; ``make`` is given which rows the fit is given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.model_selection import KFold
    >>> from benchmarks.validation import held_out
    >>> X, y = np.zeros((4, 1)), np.array([0.0, 1.0, 2.0, 3.0])
    >>> held_out(lambda train: DummyRegressor(), X, y, KFold(2).split(X))
    array([2.5, 2.5, 0.5, 0.5])
    """
    predicted = np.empty_like(y)
    for train, test in folds:
        predicted[test] = make(train).fit(X[train], y[train]).predict(X[test])
    return predicted


def bounded_error(y: Array, predicted: Array) -> float:
    """Return the mean squared error, each error bounded by 1.5 robust target deviations.

    There is no bound if most targets are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.validation import bounded_error
    >>> y = np.array([-1.0, 0.0, 1.0, 1e6])
    >>> bool(bounded_error(y, np.zeros(4)) < 2.0)
    True
    """
    deviation = 1.4826 * float(np.median(np.abs(y - np.median(y))))
    bound = (BOUND * deviation) ** 2 or np.inf
    return float(np.mean(np.minimum(np.square(y - predicted), bound)))


def balanced_error(y: Array, predicted: Array) -> float:
    """Return one minus the mean recall.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.validation import balanced_error
    >>> balanced_error(np.array([0, 0, 0, 1]), np.zeros(4))
    0.5
    """
    right = predicted == y
    return 1.0 - float(np.mean([right[y == name].mean() for name in np.unique(y)]))
