r"""Rows of known truth, drawn block by block, of which a fifth is then wrong.

surface   y = f(x) + 0.2 N(0, 1) of ten features, Friedman's function in standard units:
          f = (10 sin(pi u_1 u_2) + 20 (u_3 - 1/2)^2 + 10 u_4 + 5 u_5 - 14.4) / 4.9,
          u uniform on (0, 1), x = sqrt(12) (u - 1/2)
line      y = <w, x> + 1 + 0.5 N(0, 1) of twenty features, x ~ N(0, I), |w| = 1
border    P(y = 1) = 1 / (1 + exp(-10 f(x))), f as above: 5 % of the labels are a coin's doing
plane     P(y = 1) = 1 / (1 + exp(-10 <w, x>)), fifty features, |w| = 1

The same seed gives the same rows to every method. Test rows are not corrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from untaint.datasets import contaminate

Array: TypeAlias = NDArray[Any]

EPSILON = 0.2
BLOCK = 100_000
STEEPNESS = 10.0
INTERCEPT = 1.0


class GeneratedRows(NamedTuple):
    """Training rows with bad labels, and clean test rows.

    ``coef`` is the true slope, where there is one.
    """

    X: Array
    y: Array
    clean_mask: NDArray[np.bool_]
    X_test: Array
    y_test: Array
    coef: Array | None


class Truth(NamedTuple):
    """A drawn law: maps a number of rows to features and targets."""

    n_features: int
    draw: Callable[[int, np.random.Generator], tuple[Array, Array]]
    coef: Array | None = None


def friedman(U: Array) -> Array:
    """Return Friedman's function of uniform features, with mean 0 and deviation 1."""
    waves = 10.0 * np.sin(np.pi * U[:, 0] * U[:, 1])
    return (waves + 20.0 * (U[:, 2] - 0.5) ** 2 + 10.0 * U[:, 3] + 5.0 * U[:, 4] - 14.4) / 4.9


def surface(rng: np.random.Generator, *, classes: bool = False) -> Truth:
    """Return a smooth function of ten features, or the classes that it parts."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        U = rng.random((n, 10))
        X, f = np.sqrt(12.0) * (U - 0.5), friedman(U)
        return X, _toss(f, rng) if classes else f + 0.2 * rng.normal(size=n)

    return Truth(10, draw)


def line(rng: np.random.Generator, *, d: int = 20, classes: bool = False) -> Truth:
    """Return a linear function, or the classes that it parts."""
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)

    def draw(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        X = rng.normal(size=(n, d))
        return X, _toss(X @ w, rng) if classes else X @ w + INTERCEPT + 0.5 * rng.normal(size=n)

    return Truth(d, draw, None if classes else w)


border = partial(surface, classes=True)
plane = partial(line, d=50, classes=True)


def draw_rows(
    truth: Callable[[np.random.Generator], Truth],
    n: int,
    seed: int,
    *,
    kind: str,
    n_test: int,
    file: Path | None = None,
) -> GeneratedRows:
    """Draw n rows, corrupt a fifth of their labels, and draw clean test rows.

    With a ``file`` the features go there in single precision, and come back as a memory map that
    has not been read yet.
    """
    rng = np.random.default_rng(seed)
    law = truth(rng)
    X_test, y_test = law.draw(n_test, rng)
    shape = (n, law.n_features)
    # Block by block: what is drawn in one go leaves traces several times its size.
    X = np.empty(shape) if file is None else _mapped(file, "w+", shape)
    y = np.empty(n, dtype=y_test.dtype)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        X[start:stop], y[start:stop] = law.draw(stop - start, rng)
    if file is not None:
        del X  # written, and its pages given back
        X = _mapped(file, "r", shape)
    # The rows to be corrupted are chosen blindly, so one column stands for all.
    _, y, corrupted = contaminate(
        np.zeros((n, 1), dtype=np.float32), y, epsilon=EPSILON, kind=kind, random_state=seed
    )
    return GeneratedRows(X, y, ~corrupted, X_test, y_test, law.coef)


def _toss(heights: Array, rng: np.random.Generator) -> Array:
    """Draw label 1 with the logistic function's probability."""
    return (rng.logistic(size=len(heights)) < STEEPNESS * heights).astype(np.int64)


def _mapped(file: Path, mode: Any, shape: tuple[int, int]) -> Array:
    return np.memmap(file, dtype=np.float32, mode=mode, shape=shape)
