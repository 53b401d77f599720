"""Mistakes that people make in tables, planted in known rows of a clean one.

=============  ==================================================================================
``slip``       the target's decimal point slips: ten times as much, or a tenth
``relabel``    another row's target, at least 1.5 standard deviations away; or another label
``unit-up``    one column is a thousand times as much
``unit-down``  one column is a thousandth
``swap``       the cells of two columns of different size are exchanged
``fault``      three columns read -999
=============  ==================================================================================
"""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .case import Case
from .data import load

KINDS = ("slip", "relabel", "unit-up", "unit-down", "swap", "fault")
MEASURES = ("precision", "recall", "share", "flagged", "seconds")
# Standard deviations between a target and the one that takes its place.
FAR = 1.5
# Values that a column must take to be numeric.
DIFFERENT = 10
FAULT = -999.0


def measure_mistakes(case: Case) -> dict[str, float]:
    """Clean a table as the command does, no setting touched, and compare with the truth."""
    from ..cleaning import clean_table
    from ..tables import read_table

    X, y = load(case.dataset, case.seed)
    X, y, wrong = plant(X, y, case.kind, case.epsilon, case.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, X, y)
        start = perf_counter()
        cleaning = clean_table(read_table(path), "target")
        seconds = perf_counter() - start
    flagged = cleaning.findings.flagged
    caught = int((flagged & wrong).sum())
    return {
        "precision": caught / max(int(flagged.sum()), 1),
        "recall": caught / int(wrong.sum()),
        "share": cleaning.findings.contamination,
        "flagged": float(flagged.mean()),
        "seconds": seconds,
    }


def plant(
    X: NDArray[Any], y: NDArray[Any], kind: str, share: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[np.bool_]]:
    """Return copies of rows and targets with mistakes, and where they are.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.bench.mistakes import plant
    >>> X, y, wrong = plant(np.ones((40, 3)), np.arange(1.0, 41.0), "slip", 0.1, seed=0)
    >>> int(wrong.sum()), bool((y[~wrong] == np.arange(1.0, 41.0)[~wrong]).all())
    (4, True)
    """
    rng = np.random.default_rng(seed)
    X, y = np.array(X, dtype=float), y.copy()
    wrong = np.zeros(len(y), dtype=bool)
    wrong[rng.choice(len(y), round(share * len(y)), replace=False)] = True
    rows = np.flatnonzero(wrong)
    if kind == "slip":
        y = y.astype(float)
        y[rows] *= rng.choice([10.0, 0.1], len(rows))
    elif kind == "relabel":
        y[rows] = [_another(y, row, rng) for row in rows.tolist()]
    else:
        _spoil_features(X, rows, kind, rng)
    return X, y, wrong


def _another(y: NDArray[Any], row: int, rng: np.random.Generator) -> Any:
    if y.dtype.kind == "f" and len(np.unique(y)) > DIFFERENT:
        return y[rng.choice(np.flatnonzero(np.abs(y - y[row]) > FAR * y.std()))]
    return y[rng.choice(np.flatnonzero(y != y[row]))]


def _spoil_features(
    X: NDArray[np.float64], rows: NDArray[np.intp], kind: str, rng: np.random.Generator
) -> None:
    varied = [j for j in range(X.shape[1]) if len(np.unique(X[:, j])) > DIFFERENT]
    if kind == "fault":
        X[rows[:, np.newaxis], rng.choice(varied, 3, replace=False)] = FAULT
        return
    positive = [j for j in varied if np.nanmin(X[:, j]) > 0]
    if kind == "swap":
        able = positive if len(positive) > 1 else varied
        sizes = np.nanmedian(np.abs(X[:, able]), axis=0)
        large, small = able[int(np.argmax(sizes))], able[int(np.argmin(sizes))]
        X[rows, large], X[rows, small] = X[rows, small], X[rows, large]
        return
    X[rows, rng.choice(positive or varied)] *= 1000.0 if kind == "unit-up" else 0.001


def write_table(path: Path, X: NDArray[np.float64], y: NDArray[Any]) -> None:
    """Write a CSV file, the target last; missing values are empty cells."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        write = csv.writer(stream).writerow
        write([*(f"x{j}" for j in range(X.shape[1])), "target"])
        for row, target in zip(X.tolist(), y.tolist(), strict=True):
            write([*("" if cell != cell else f"{cell:.10g}" for cell in row), target])
