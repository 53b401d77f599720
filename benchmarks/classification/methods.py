"""The classifiers that studies compare, by name, each tuned alike.

alpha weighs the squared norm against the summed loss, in the units of our estimators; scikit-learn
weighs the summed loss by C against half of the squared norm, hence C = 1 / (2 alpha).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from untaint import SubquantileClassifier

from .tuning import Make, Method, Tuned, tune


def subquantile(contamination: float | str, seed: int, **options: Any) -> Make:
    """Return our estimator as a function of gamma and alpha."""
    return lambda gamma, alpha: SubquantileClassifier(
        contamination=contamination, gamma=gamma, alpha=alpha, random_state=seed, **options
    )


def robust(epsilon: float, seed: int) -> Method:
    """Return our estimator, given the contamination."""
    return Method(subquantile(epsilon, seed))


def automatic(epsilon: float, seed: int) -> Method:
    """Return our estimator, which has to find the share."""
    return Method(subquantile("auto", seed))


def gradient(epsilon: float, seed: int) -> Method:
    """Return the papers' own method: projected gradient, here with Nesterov's acceleration."""
    return Method(subquantile(epsilon, seed, solver="gradient", acceleration="nesterov"))


def kernel_logistic(epsilon: float, seed: int) -> Method:
    """Return kernel logistic regression on whatever rows it is given."""
    return Method(subquantile(0.0, seed))


def svc(epsilon: float, seed: int) -> Method:
    """Return a support vector machine, which has no probabilities."""
    return Method(_svc)


def calibrated_svc(epsilon: float, seed: int) -> Method:
    """Return a support vector machine with probabilities (Platt's sigmoid)."""
    return Method(lambda gamma, alpha: CalibratedClassifierCV(_svc(gamma, alpha), ensemble=False))


def logistic(epsilon: float, seed: int) -> Method:
    """Return linear logistic regression."""
    return Method(
        lambda gamma, alpha: LogisticRegression(C=1.0 / (2.0 * alpha), max_iter=1000),
        has_gamma=False,
    )


def _svc(gamma: float, alpha: float) -> SVC:
    return SVC(C=1.0 / (2.0 * alpha), gamma=gamma)


MAKERS: dict[str, Callable[[float, int], Method]] = {
    "untaint": robust,
    "untaint-auto": automatic,
    "untaint-gradient": gradient,
    "kernel-logistic": kernel_logistic,
    "genie": kernel_logistic,
    "svc": svc,
    "svc-calibrated": calibrated_svc,
    "logistic": logistic,
}


def fit(
    name: str,
    X: NDArray[np.float64],
    y: NDArray[np.intp],
    *,
    epsilon: float,
    clean_mask: NDArray[np.bool_],
    gammas: Sequence[float],
    alphas: Sequence[float],
    seed: int,
) -> Tuned:
    """Tune and fit a method on corrupted rows; only Genie may look at the mask."""
    if name == "genie":
        X, y = X[clean_mask], y[clean_mask]
    with warnings.catch_warnings():
        # The reference method seldom converges in the steps that it is given.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Glass has classes of fewer rows than folds, which are then not in every fold.
        warnings.filterwarnings("ignore", "The least populated class in y has only")
        return tune(MAKERS[name](epsilon, seed), X, y, gammas=gammas, alphas=alphas)
