"""Refits with the hyperparameters of a fitted estimator and a given contamination."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimators import SubquantileClassifier, SubquantileRegressor

# Sizes of targets whose squares are numbers that sums can hold.
MIN_TARGET, MAX_TARGET = 1e-150, 1e150


def overflows(targets: NDArray[Any], task: str) -> bool:
    """Return whether a fit to all rows, gross errors included, would overflow."""
    return task == "regression" and bool(np.abs(targets).max() > MAX_TARGET)


def with_contamination(model: Any, contamination: float) -> Any:
    """Return an unfitted estimator with the hyperparameters of a fitted one.

    Parameters
    ----------
    model : fitted estimator
    contamination : float
    """
    kind = SubquantileClassifier if hasattr(model, "classes_") else SubquantileRegressor
    alpha = getattr(model, "alpha_", None)
    gamma = getattr(model, "gamma_", None)
    return kind(
        alpha=model.alpha if alpha is None else alpha,
        gamma=model.gamma if gamma is None else gamma,
        contamination=contamination,
        random_state=model.random_state,
        n_starts=1,
    )
