"""Passes over a stream of ten features, ours and river's, and what a model weighs.

Every pass starts from a fresh model and returns it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from untaint.datasets import make_noisy_views

Array: TypeAlias = NDArray[np.float64]

N_FEATURES = 10
VARIANCE = 0.25
TARGET_NOISE = 0.1
BATCH = 256


@dataclass(frozen=True)
class Rounds:
    """Noisy rows in two copies, targets, and the weights behind them."""

    A: Array
    B: Array
    y: Array
    w: Array


def draw(n: int, seed: int) -> Rounds:
    """Return x ~ N(0, I) in ten features, y = <w, x> + noise with |w| = 1.

    Examples
    --------
    >>> from benchmarks.noisy.timing import draw
    >>> draw(20, seed=0).A.shape
    (20, 10)
    """
    rng = np.random.default_rng(seed)
    w = rng.normal(size=N_FEATURES)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, N_FEATURES))
    y = X @ w + TARGET_NOISE * rng.normal(size=n)
    A, B = make_noisy_views(X, noise_cov=VARIANCE, random_state=rng)
    return Rounds(A, B, y, w)


def pass_one(model: Any, rows: Iterable[tuple[dict[str, float], float]]) -> Any:
    """Learn row by row."""
    for x, target in rows:
        model.learn_one(x, target)
    return model


def pass_foretelling(model: Any, rows: Iterable[tuple[dict[str, float], float]]) -> Any:
    """Predict every row before it is learnt."""
    for x, target in rows:
        model.predict_one(x)
        model.learn_one(x, target)
    return model


def pass_many(model: Any, batches: Iterable[tuple[Any, Any]]) -> Any:
    """Learn frame by frame."""
    for frame, series in batches:
        model.learn_many(frame, series)
    return model


def as_dicts(rounds: Rounds) -> list[tuple[dict[str, float], float]]:
    """Return rows as river takes them."""
    names = column_names()
    rows = zip(rounds.A.tolist(), rounds.y.tolist(), strict=True)
    return [(dict(zip(names, x, strict=True)), target) for x, target in rows]


def as_frames(rounds: Rounds) -> list[tuple[Any, Any]]:
    """Return batches as river takes them."""
    import pandas as pd

    frame, series = pd.DataFrame(rounds.A, columns=column_names()), pd.Series(rounds.y, name="y")
    starts = range(0, len(frame), BATCH)
    return [(frame[start : start + BATCH], series[start : start + BATCH]) for start in starts]


def column_names() -> list[str]:
    """Return names of the features."""
    return [f"x{j}" for j in range(N_FEATURES)]


def distance(coef: Array, rounds: Rounds) -> float:
    """Return distance of coefficients to the truth, whose norm is one."""
    return float(np.linalg.norm(coef - rounds.w))


def river_model() -> Any:
    """Return river's linear regression with its defaults."""
    from river import linear_model

    return linear_model.LinearRegression()


def river_coef(model: Any) -> Array:
    """Return the weights of river's model in the order of the columns."""
    return np.array([model.weights[name] for name in column_names()])


def weight(model: Any) -> float:
    """Return bytes of the pickled model."""
    return float(len(pickle.dumps(model)))
