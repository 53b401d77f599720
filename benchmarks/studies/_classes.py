"""The problem that the speed and growth studies of classifiers share: drawn classes, 20 % flips.

Our classifier and scikit-learn's SVC run at their defaults, each a user's first try.
"""

from __future__ import annotations

from typing import Any

from untaint.datasets import contaminate

from ..data import load
from ..protocol import Split

EPSILON = 0.2
N_TEST = 1000


def draw(family: str, n: int, seed: int) -> Split:
    """Draw n training rows, flip a fifth of their labels, and draw clean test rows."""
    X, y = load(f"{family}-{n + N_TEST}", seed)
    X_train, y_train, flipped = contaminate(
        X[:n], y[:n], epsilon=EPSILON, kind="flip", random_state=seed
    )
    return Split(X_train, y_train, ~flipped, X[n:], y[n:])


def robust(seed: int, contamination: float | str = EPSILON) -> Any:
    """Return our estimator, by default with the share known."""
    from untaint import SubquantileClassifier

    return SubquantileClassifier(contamination=contamination, random_state=seed)
