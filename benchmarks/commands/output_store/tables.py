"""Rows that the configurations are fitted to, each drawn from a seed of its own.

Numbers are a smooth surface plus noise, labels the largest of several such surfaces
(`untaint.datasets`); a share epsilon of the rows is corrupted by `untaint.datasets.contaminate`.
Held-out rows are clean.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from untaint.datasets import contaminate, make_classes, make_smooth

N_NEW = 60
SEED = 7


@dataclass(frozen=True)
class Rows:
    """What to draw; ``n_classes=0`` means numbers."""

    n: int
    d: int = 5
    epsilon: float = 0.2
    kind: str = ""
    n_classes: int = 0
    n_outputs: int = 1
    weights: str = ""
    form: str = "dense"


@dataclass(frozen=True)
class Drawn:
    """Training rows, their weights or None, and held-out rows."""

    X: Any
    y: Any
    weights: Any
    X_new: Any


def draw(rows: Rows) -> Drawn:
    """Return the rows of a configuration."""
    X, y = _clean(rows)
    if rows.form == "sparse":
        X[np.random.default_rng(SEED).random(X.shape) < 0.7] = 0.0
    kind = rows.kind or ("flip" if rows.n_classes else "label")
    bad_X, bad_y, _ = contaminate(
        X[: rows.n], y[: rows.n], epsilon=rows.epsilon, kind=kind, random_state=SEED
    )
    if rows.n_classes:
        bad_y = np.array([f"class {label}" for label in bad_y])
    weights = draw_weights(rows.weights, rows.n)
    return Drawn(_formed(bad_X, rows.form), bad_y, weights, _formed(X[rows.n :], rows.form))


def _clean(rows: Rows) -> tuple[Any, Any]:
    total = rows.n + N_NEW
    if rows.n_classes:
        return make_classes(total, n_classes=rows.n_classes, n_features=rows.d, random_state=SEED)
    X, y = make_smooth(total, n_features=rows.d, random_state=SEED)
    if rows.n_outputs > 1:
        y = np.column_stack([y, *(np.roll(X, k, axis=1)[:, 0] for k in range(1, rows.n_outputs))])
    return X, y


def draw_weights(kind: str, n: int) -> Any:
    """Return weights of each kind; None where there are none."""
    rng = np.random.default_rng(SEED + 1)
    if kind == "integers":
        return rng.integers(1, 4, n)
    if kind == "floats":
        return rng.uniform(0.2, 2.0, n)
    if kind == "zeros":
        return rng.integers(0, 3, n).astype(float)
    return None


def _formed(X: Any, form: str) -> Any:
    if form == "sparse":
        return sparse.csr_matrix(X)
    return X.astype(np.float32) if form == "float32" else X
