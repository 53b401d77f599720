"""The problems of the studies of time: drawn rows of which a fifth is wrong, and clean test rows.

``smooth-N``    a smooth surface of 8 features. Every learner gets the same kernel, whose gamma of
                1 / (2 d) is the surface's own, and alpha = 0.1: ten times the best for clean rows,
                and 6 to 16 % above their best error (n = 4,000 and 1,000). A larger one
                over-smooths, and flatters iterative solvers by an easier linear system.
``classesK-N``  K classes. Our classifier and scikit-learn's SVC run at their defaults, each a
                user's first try.
"""

from __future__ import annotations

from typing import Any

from untaint.datasets import contaminate

from ..frame import Case
from .protocol import Split
from .sets import load

EPSILON = 0.2
N_FEATURES = 8
N_TEST = 1000
SHARED: dict[str, Any] = {"kernel": "rbf", "gamma": 1.0 / (2 * N_FEATURES), "alpha": 0.1}


def timed_rows(case: Case) -> Split:
    """Draw training rows, corrupt a fifth of their labels, and draw clean test rows."""
    n = case.size
    X, y = load(f"{case.family}-{n + N_TEST}", case.seed)
    X_train, y_train, corrupted = contaminate(
        X[:n], y[:n], epsilon=EPSILON, kind=case.kind, random_state=case.seed
    )
    return Split(X_train, y_train, ~corrupted, X[n:], y[n:])


def robust(case: Case, contamination: float | str = EPSILON) -> Any:
    """Return our estimator for the case, by default with the share known."""
    from untaint import SubquantileClassifier, SubquantileRegressor

    known: dict[str, Any] = {"contamination": contamination, "random_state": case.seed}
    if case.kind == "flip":
        return SubquantileClassifier(**known)
    return SubquantileRegressor(**known, **SHARED)
