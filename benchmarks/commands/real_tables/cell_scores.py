"""How well a method finds wrong cells: rows, cells, their kind and what they should hold."""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error

from benchmarks.data.planted.columns import is_label
from benchmarks.data.planted.planting import plant
from benchmarks.data.planted.scores import Found, is_missing, score

from . import frames
from .cell_methods import METHODS, encode

SHARE = 0.05
#: Settings of boosting that do not overfit a few hundred rows, whose noise would help otherwise.
SLOW: dict[str, Any] = {"learning_rate": 0.05, "max_leaf_nodes": 8, "random_state": 0}


class Clean(NamedTuple):
    """Share of rows that are flagged in a table as it is."""

    table: str
    method: str
    n_rows: int
    rows: int
    cells: int
    seconds: float

    @property
    def share(self) -> float:
        """Rows flagged of all."""
        return self.rows / self.n_rows


class Planted(NamedTuple):
    """What a method found of planted mistakes.

    The counts are those of :class:`benchmarks.data.planted.scores.Score`.
    """

    table: str
    kind: str
    seed: int
    method: str
    wrong: int
    flagged: int
    caught: int
    cells: int
    placed: int
    named: int
    right: int
    seconds: float

    @property
    def precision(self) -> float:
        """Wrong rows among the flagged ones."""
        return self.caught / self.flagged if self.flagged else np.nan

    @property
    def recall(self) -> float:
        """Flagged rows among the wrong ones."""
        return self.caught / self.wrong


class After(NamedTuple):
    """Error on untouched test rows over that of a fit to untouched training rows."""

    table: str
    kind: str
    seed: int
    method: str
    dirty: float
    cleaned: float
    repaired: float
    seconds: float


def run_clean(name: str, kind: str, seed: int, method: str, n_rows: int) -> list[Clean]:
    """Return what a method flags in a table as it is."""
    frame, target = frames.load(name, n_rows)
    found, seconds = _timed(method, frame, target, SHARE)
    return [Clean(name, method, len(frame), len(found.rows), len(found.cells), seconds)]


def run_planted(name: str, kind: str, seed: int, method: str, n_rows: int) -> list[Planted]:
    """Return what a method finds of one kind; nothing if the table cannot have it.

    Of ``mixed`` there is a result for each kind as well, which has no precision.
    """
    frame, target = frames.load(name, n_rows)
    dirty, truth = plant(frame, target, kind, seed, SHARE)
    if truth.empty:
        return []
    found, seconds = _timed(method, dirty, target, truth["row"].nunique() / len(frame))
    results = [Planted(name, kind, seed, method, *score(found, truth), seconds)]
    for part, own in truth.groupby("kind") if kind == "mixed" else ():
        counts = Planted(name, f"mixed/{part}", seed, method, *score(found, own), seconds)
        results.append(counts._replace(flagged=0, cells=0))
    return results


def run_after(name: str, kind: str, seed: int, method: str, n_rows: int) -> list[After]:
    """Return the errors of gradient boosting trained on dirty, cleaned and repaired rows."""
    frame, target = frames.load(name, n_rows)
    if target is None:
        raise ValueError(f"The table {name!r} has no target; use --tables choose-targets.")
    frame = frame[frame[target].notna()].reset_index(drop=True)
    order = np.random.default_rng(seed).permutation(len(frame))
    test = frame.iloc[order[: int(0.3 * len(frame))]]
    train = frame.drop(index=test.index).reset_index(drop=True)
    dirty, truth = plant(train, target, kind, seed, SHARE)
    if truth.empty:
        return []
    found, seconds = _timed(method, dirty, target, truth["row"].nunique() / len(train))
    tables = (train, dirty, dirty.drop(index=list(found.rows)), repair(dirty, found))
    best, *errors = (_test_error(rows, test, train, target) for rows in tables)
    before, cleaned, repaired = (error / best if best > 0 else np.nan for error in errors)
    return [After(name, kind, seed, method, before, cleaned, repaired, seconds)]


def repair(frame: pd.DataFrame, found: Found) -> pd.DataFrame:
    """Return the table with flagged cells as expected; rows that have no expected value go."""
    columns = {name: frame[name].astype(object) for name in frame.columns}
    gone = found.rows - set(found.cells["row"])
    for cell in found.cells.itertuples():
        if is_missing(cell.expected):
            gone.add(cell.row)
        else:
            columns[cell.column].iloc[cell.row] = cell.expected
    repaired = {}
    for name, column in columns.items():
        dtype = frame[name].dtype
        dtype = float if pd.api.types.is_numeric_dtype(dtype) else object
        repaired[name] = column.astype(dtype)
    return pd.DataFrame(repaired, index=frame.index).drop(index=list(gone))


def _test_error(rows: pd.DataFrame, test: pd.DataFrame, like: pd.DataFrame, target: str) -> float:
    """Return mean absolute error, or the Brier score of labels; codes are those of ``like``."""
    like = like.drop(columns=target)
    X, X_test = (encode(part.drop(columns=target), like).to_numpy() for part in (rows, test))
    if not is_label(test[target]):
        model = HistGradientBoostingRegressor(**SLOW).fit(X, rows[target].astype(float))
        return float(mean_absolute_error(test[target], model.predict(X_test)))
    labels = rows[target].astype(str)
    model = HistGradientBoostingClassifier(**SLOW).fit(X, labels)
    true = test[target].astype(str).to_numpy()[:, np.newaxis] == model.classes_
    return float(((model.predict_proba(X_test) - true) ** 2).sum(axis=1).mean())


def _timed(
    method: str, frame: pd.DataFrame, target: str | None, share: float
) -> tuple[Found, float]:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = METHODS[method](frame.copy(), target, share)
    return found, time.perf_counter() - start
