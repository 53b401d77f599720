"""The methods that studies compare, by name, each tuned alike.

*Genie* is the oracle, which is fitted to the clean rows only; the word is that of the TERM paper.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from untaint import SubquantileRegressor

from .tuning import tune


def robust(epsilon: float, seed: int) -> Callable[[float, float], SubquantileRegressor]:
    """Return our estimator, given the contamination."""
    return lambda gamma, alpha: SubquantileRegressor(
        contamination=epsilon, gamma=gamma, alpha=alpha, random_state=seed
    )


def gradient(epsilon: float, seed: int) -> Callable[[float, float], SubquantileRegressor]:
    """Return the papers' own method: projected gradient from a random start, here with momentum."""
    return lambda gamma, alpha: SubquantileRegressor(
        contamination=epsilon,
        gamma=gamma,
        alpha=alpha,
        solver="gradient",
        init="random",
        acceleration="momentum",
        tol=1e-5,
        max_iter=500,
        random_state=seed,
    )


def plain(epsilon: float, seed: int) -> Callable[[float, float], SubquantileRegressor]:
    """Return kernel ridge on whatever rows it is given."""
    return lambda gamma, alpha: SubquantileRegressor(contamination=0.0, gamma=gamma, alpha=alpha)


MAKERS = {"untaint": robust, "untaint-gradient": gradient, "kernel-ridge": plain, "genie": plain}


def fit(
    name: str,
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    epsilon: float,
    clean_mask: NDArray[np.bool_],
    gammas: Sequence[float],
    alphas: Sequence[float],
    seed: int,
) -> Any:
    """Tune and fit a method on corrupted rows; only Genie may look at the mask.

    Returns
    -------
    estimator with ``predict``, ``alpha`` and ``gamma``
    """
    if name == "genie":
        X, y, epsilon = X[clean_mask], y[clean_mask], 0.0
    make = MAKERS[name](epsilon, seed)
    with warnings.catch_warnings():
        # The reference method seldom converges in the steps that it is given.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return tune(make, X, y, epsilon, gammas=gammas, alphas=alphas)
