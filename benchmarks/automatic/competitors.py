"""Competitors from scikit-learn, tuned by 5-fold cross-validation on rows that may be bad.

Every competitor gets as many settings as our estimator chooses from, on the same corrupted rows:

plain    kernel ridge with centred targets, over our estimator's own gammas and alphas
svr      support vector regression of epsilon = 0.1, over the same gammas and as many C
huber    linear regression with Huber's loss, over as many alphas and thresholds

Each search is scored by the mean squared and by the median absolute validation error; bad
validation rows steer the first, and hardly the second.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from untaint import SubquantileRegressorCV

N_FOLDS = 5
SCORES = {"mse": "neg_mean_squared_error", "median": "neg_median_absolute_error"}

Array: TypeAlias = NDArray[Any]


class Grid(NamedTuple):
    """Settings to choose from."""

    gammas: Sequence[float]
    alphas: Sequence[float]


class Competitor(NamedTuple):
    """A learner and its settings by name."""

    model: Any
    settings: Mapping[str, Sequence[float]]


class Searched(NamedTuple):
    """The learner with the best setting by each score, fitted on all rows."""

    by_mse: Any
    by_median: Any


def automatic_grid(X: Array, y: Array) -> Grid:
    """Read off the settings that our estimator chooses from on these rows."""
    results = SubquantileRegressorCV(contamination=0.0).fit(X, y).cv_results_
    return Grid(
        [float(gamma) for gamma in np.unique(results["param_gamma"])],
        [float(alpha) for alpha in np.unique(results["param_alpha"])],
    )


def plain(grid: Grid) -> Competitor:
    """Return kernel ridge regression; targets are centred, because it has no intercept."""
    model = TransformedTargetRegressor(
        KernelRidge(kernel="rbf"), transformer=StandardScaler(with_std=False), check_inverse=False
    )
    return Competitor(model, {"regressor__gamma": grid.gammas, "regressor__alpha": grid.alphas})


def svr(grid: Grid) -> Competitor:
    """Return support vector regression, C from 0.01 to 100 in standard units."""
    C = np.logspace(-2.0, 2.0, len(grid.alphas)).tolist()
    return Competitor(SVR(epsilon=0.1), {"gamma": grid.gammas, "C": C})


def huber(grid: Grid) -> Competitor:
    """Return linear regression, alpha from 1e-4 to 100 and thresholds from 1.01 to 2 deviations."""
    alphas = np.logspace(-4.0, 2.0, len(grid.alphas)).tolist()
    thresholds = np.geomspace(1.01, 2.0, len(grid.gammas)).tolist()
    return Competitor(HuberRegressor(), {"alpha": alphas, "epsilon": thresholds})


COMPETITORS: dict[str, Callable[[Grid], Competitor]] = {
    "plain-cv": plain,
    "svr": svr,
    "huber": huber,
}


def search(competitor: Competitor, X: Array, y: Array) -> Searched:
    """Try every setting once, choose by either score, and fit the choices on all rows."""
    searched = GridSearchCV(
        competitor.model, competitor.settings, scoring=SCORES, cv=N_FOLDS, refit=False
    )
    with warnings.catch_warnings():
        # Settings that a competitor cannot manage are its own loss.
        for category in (ConvergenceWarning, FitFailedWarning, LinAlgWarning):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", "Singular matrix in solving dual problem")
        warnings.filterwarnings("ignore", "One or more of the test scores are non-finite")
        results = searched.fit(X, y).cv_results_
        best = [results["params"][np.nanargmax(results[f"mean_test_{name}"])] for name in SCORES]
        return Searched(
            *(clone(competitor.model).set_params(**setting).fit(X, y) for setting in best)
        )
