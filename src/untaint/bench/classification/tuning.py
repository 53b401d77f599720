"""The same choice of alpha and gamma for every classifier, on the rows that it is given.

1. Fit the method with every setting, and let the fits vote: the rows that most of them keep, as
   many as the median fit keeps, are the ones to trust. A method that trims nothing trusts all rows.
2. Score each setting by cross-validation over the trusted rows, of the method's learner without
   trimming, and take the best. Of equals, the smoothest: smallest gamma, then largest alpha.

The rows are the same for all settings, for the reason that `untaint.bench.tuning` gives. Step 2
is one function, `cross_validated_loss`; hand `tune` another to try another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from ..tuning import vote
from .measures import log_loss

N_FOLDS = 5

Array = NDArray[Any]
Rows = NDArray[np.intp]


class Setting(NamedTuple):
    """One point of the grid."""

    gamma: float
    alpha: float


Make: TypeAlias = Callable[[float, float], Any]


@dataclass(frozen=True)
class Method:
    """A learner, as the tuning sees it.

    Attributes
    ----------
    plain : callable (gamma, alpha) -> estimator
        The learner that trims nothing; settings are scored by it.
    trimmed : callable (gamma, alpha) -> estimator with ``inlier_mask_``, or None
        The learner that trims; None is for methods that do not.
    loss : callable (fitted estimator, X, y) -> float
        Mean loss of rows that the estimator has not seen.
    has_gamma : bool
        False for linear methods, which are not fitted once for every gamma.
    """

    plain: Make
    trimmed: Make | None = None
    loss: Callable[[Any, Array, Array], float] = log_loss
    has_gamma: bool = True


class Tuned(NamedTuple):
    """The fitted model of the best setting."""

    model: Any
    setting: Setting


Score: TypeAlias = Callable[[Method, Setting, Array, Array, Rows], float]


def cross_validated_loss(
    method: Method, setting: Setting, X: Array, y: Array, trusted: Rows
) -> float:
    """Mean loss of the trusted rows, each under the plain learner without the row's fold.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from untaint.bench.classification.tuning import Method, Setting, cross_validated_loss
    >>> method = Method(plain=lambda gamma, alpha: DummyClassifier())
    >>> X, y = np.zeros((20, 1)), np.tile([0, 1], 10)
    >>> cross_validated_loss(method, Setting(1.0, 1.0), X, y, np.arange(20))  # log 2
    0.693
    """
    X, y = X[trusted], y[trusted]
    total = 0.0
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y):
        if len(np.unique(y[train])) == 1:
            return np.inf  # all classes but one were voted out: there is nothing to learn
        model = method.plain(*setting).fit(X[train], y[train])
        total += len(test) * method.loss(model, X[test], y[test])
    return total / len(y)


def tune(
    method: Method,
    X: Array,
    y: Array,
    *,
    gammas: Sequence[float],
    alphas: Sequence[float],
    score: Score = cross_validated_loss,
) -> Tuned:
    """Fit the method with the setting of the best score.

    Parameters
    ----------
    method : Method
    X, y : arrays of training rows, corrupted or not
    gammas, alphas : sequences of float
    score : callable (method, setting, X, y, trusted) -> float, lower is better

    Returns
    -------
    Tuned
    """
    settings = grid(gammas if method.has_gamma else [np.nan], alphas)
    if method.trimmed is None:
        best = _best([score(method, setting, X, y, np.arange(len(y))) for setting in settings])
        return Tuned(method.plain(*settings[best]).fit(X, y), settings[best])
    models = [method.trimmed(*setting).fit(X, y) for setting in settings]
    trusted = trusted_rows(models)
    best = _best([score(method, setting, X, y, trusted) for setting in settings])
    return Tuned(models[best], settings[best])


def grid(gammas: Sequence[float], alphas: Sequence[float]) -> list[Setting]:
    """Every setting, the smoothest first.

    Examples
    --------
    >>> from untaint.bench.classification.tuning import grid
    >>> grid([0.1, 0.2], [1.0, 5.0])[0]
    Setting(gamma=0.1, alpha=5.0)
    """
    return [Setting(*pair) for pair in product(sorted(gammas), sorted(alphas, reverse=True))]


def trusted_rows(models: Sequence[Any]) -> Rows:
    """Rows that most models keep, as many as their median keeps: the share may be estimated."""
    kept = float(np.median([np.mean(model.inlier_mask_) for model in models]))
    return vote(models, 1.0 - kept)


def _best(losses: Sequence[float]) -> int:
    return int(np.argmin(losses))
