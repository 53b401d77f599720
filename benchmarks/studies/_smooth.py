"""The problem that the speed and growth studies share: a smooth surface, 20 % bad labels.

Every learner gets the same kernel, gamma = 1 / (2 d), which is the surface's own, and alpha = 0.1:
ten times the best for clean rows, and 6 to 16 % above their best error (n = 4,000 and 1,000). A
larger one over-smooths, and flatters iterative solvers by an easier linear system.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from untaint.datasets import contaminate, make_smooth

from ..protocol import Split

EPSILON = 0.2
N_FEATURES = 8
N_TEST = 1000
SHARED: dict[str, Any] = {"kernel": "rbf", "gamma": 1.0 / (2 * N_FEATURES), "alpha": 0.1}


def dataset_name(n: int) -> str:
    """Name the problem of n training rows."""
    return f"smooth-{n}"


def n_rows(dataset: str) -> int:
    """Read n back from the name."""
    return int(dataset.rpartition("-")[2])


def draw(n: int, seed: int) -> Split:
    """Draw n training rows, corrupt a fifth of their labels, and draw clean test rows."""
    X, y = make_smooth(n + N_TEST, n_features=N_FEATURES, random_state=seed)
    X_train, y_train, corrupted = contaminate(X[:n], y[:n], epsilon=EPSILON, random_state=seed)
    return Split(X_train, y_train, ~corrupted, X[n:], y[n:])


def robust(seed: int) -> Any:
    """Return our estimator, with the share known and all else shared."""
    from untaint import SubquantileRegressor

    return SubquantileRegressor(contamination=EPSILON, random_state=seed, **SHARED)


def rmse(model: Any, X: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the root mean squared error."""
    return float(np.sqrt(np.mean(np.square(model.predict(X) - y))))
