"""From a column to features: a plan is made from the training table, and carried out on any.

The functions come in two: ``plan_*`` looks at a column and says what to do, and ``make_*``
does it. Missing values become the usual one, and if there are many, a feature says where.
"""

from typing import Any

import numpy as np

from ..._typing import FloatArray
from ..columns.column import Column
from ..columns.read import FEW_LEVELS, MIN_ROWS, MIN_SHARE
from .plan import ColumnPlan

OTHER = "other"
# Share of missing rows from which a feature says where.
INDICATOR_SHARE = 0.02


def plan_features(column: Column) -> ColumnPlan:
    """Plan the features of a column."""
    n = len(column.missing)
    details: dict[str, Any] = dict(column.details)
    features: list[str] = []
    if column.kind == "category":
        features = _plan_category(column, details)
    elif column.kind in ("number", "boolean", "date"):
        features = _plan_values(column, details)
    often = column.n_missing > 0 and column.n_missing >= INDICATOR_SHARE * n
    details["indicator"] = bool(features) and often
    if details["indicator"]:
        features.append(f"{column.name} is missing")
    return ColumnPlan(column.name, column.kind, bool(features), column.n_missing, details, features)


def make_features(column: Column, plan: ColumnPlan) -> FloatArray:
    """Make the planned features of a column, an array of shape (n, number of features)."""
    if plan.kind == "category":
        X = _make_category(column, plan.details)
    else:
        assert column.values is not None
        centre = plan.details["centre"]
        X = np.where(column.missing, centre, column.values)[:, None]
        if plan.kind == "date":
            X = _make_date(X, plan.details)
    if plan.details["indicator"]:
        X = np.column_stack([X, column.missing])
    return X.astype(np.float64)


def _plan_values(column: Column, details: dict[str, Any]) -> list[str]:
    assert column.values is not None
    present = column.values[~column.missing]
    boolean = column.kind == "boolean"
    details["centre"] = float(np.mean(present) > 0.5 if boolean else np.median(present))
    if column.kind != "date":
        return [column.name]
    details["times"] = bool(np.ptp(present % 1) > 0 and np.ptp(present) > 2)
    clock = _HARMONICS if details["times"] else ()
    return [column.name, *(f"{column.name} {harmonic} of day" for harmonic in clock)]


_HARMONICS = ("sine", "cosine", "second sine", "second cosine")


def _make_date(days: FloatArray, details: dict[str, Any]) -> FloatArray:
    since = days - details["centre"]
    if not details["times"]:
        return since
    angle = 2 * np.pi * (days % 1)
    harmonics = [np.sin(angle), np.cos(angle), np.sin(2 * angle), np.cos(2 * angle)]
    return np.column_stack([since, *harmonics])


def _plan_category(column: Column, details: dict[str, Any]) -> list[str]:
    levels = column.levels
    assert levels is not None
    floor = max(MIN_ROWS, MIN_SHARE * len(column.missing))
    counts = np.where(levels.present, levels.counts, 0)
    order = np.argsort(-counts, kind="stable")[:FEW_LEVELS]
    texts = levels.texts.to_pylist()
    often = [texts[k] for k in order if counts[k] >= floor]
    rest = levels.n_present - sum(int(counts[k]) for k in order if counts[k] >= floor)
    # Of two groups, one feature says all.
    details["missing_as"] = 0.0
    if often and len(often) + (rest > 0) == 2:
        often = often[-1:]
        # What is missing counts as the group that is larger.
        details["missing_as"] = float(2 * int(counts[texts.index(often[0])]) > levels.n_present)
        rest = 0
    details["levels"] = often
    details["known"] = [text for text, says in zip(texts, levels.present, strict=True) if says]
    details["other"] = bool(rest and often)
    names = [f"{column.name} = {level}" for level in often]
    return [*names, f"{column.name} = {OTHER}"] if details["other"] else names


def _make_category(column: Column, details: dict[str, Any]) -> FloatArray:
    levels = column.levels
    assert levels is not None
    features = details["levels"]
    place = {level: k for k, level in enumerate(features)}
    width = len(features) + details["other"]
    # A row of zeros for what is missing, and for what is unknown if there is no "other".
    which = np.array([place.get(text, len(features)) for text in levels.texts.to_pylist()], int)
    one_hot = np.eye(len(features) + 1)[:, :width]
    absent = details["missing_as"]
    by_level = np.where(levels.present[:, None], one_hot[which], absent)
    return np.vstack([by_level, np.full((1, width), absent)])[levels.codes]
