"""Selection of alpha and gamma, alike for every classifier, on the rows that it is given.

Each setting is scored by cross-validation of the method itself, by the balanced accuracy (mean
recall) of the labels as they are, wrong ones included. Wrong labels lower every setting's score
alike: flips that all go one way would favour the class they went to, which the mean over classes
mends. Of equals, the smoothest wins: smallest gamma, then largest alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from ..validation import balanced_error, held_out

N_FOLDS = 5

Array = NDArray[Any]
Make: TypeAlias = Callable[[float, float], Any]


class Setting(NamedTuple):
    """One point of the grid."""

    gamma: float
    alpha: float


@dataclass(frozen=True)
class Method:
    """A learner, as the tuning sees it.

    Attributes
    ----------
    make : callable (gamma, alpha) -> estimator
    has_gamma : bool
        False for linear methods, which are not fitted once for every gamma.
    """

    make: Make
    has_gamma: bool = True


class Tuned(NamedTuple):
    """The fitted model of the best setting."""

    model: Any
    setting: Setting


def cross_validated_error(make: Make, setting: Setting, X: Array, y: Array) -> float:
    """Return one minus the mean recall of the labels, each predicted without the row's fold.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from benchmarks.classification.tuning import Setting, cross_validated_error
    >>> X, y = np.zeros((20, 1)), np.tile([0, 1], 10)
    >>> cross_validated_error(lambda *setting: DummyClassifier(), Setting(1.0, 1.0), X, y)
    0.5
    """
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y)
    return balanced_error(y, held_out(lambda train: make(*setting), X, y, folds))


def tune(
    method: Method, X: Array, y: Array, *, gammas: Sequence[float], alphas: Sequence[float]
) -> Tuned:
    """Fit the method with the setting of the best score.

    Parameters
    ----------
    method : Method
    X, y : arrays of training rows, corrupted or not
    gammas, alphas : sequences of float

    Returns
    -------
    Tuned
    """
    settings = grid(gammas if method.has_gamma else [np.nan], alphas)
    errors = [cross_validated_error(method.make, setting, X, y) for setting in settings]
    best = settings[int(np.argmin(errors))]
    return Tuned(method.make(*best).fit(X, y), best)


def grid(gammas: Sequence[float], alphas: Sequence[float]) -> list[Setting]:
    """Return every setting, the smoothest first.

    Examples
    --------
    >>> from benchmarks.classification.tuning import grid
    >>> grid([0.1, 0.2], [1.0, 5.0])[0]
    Setting(gamma=0.1, alpha=5.0)
    """
    return [Setting(*pair) for pair in product(sorted(gammas), sorted(alphas, reverse=True))]
