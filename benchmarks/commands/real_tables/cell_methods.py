"""Ways to find wrong cells of a table: the library, and what people use instead.

==============  ==================================================================================
``untaint``     ``untaint.clean`` with no setting touched
``script``      out-of-fold gradient boosting of the target, cut at five robust deviations (labels:
                another one has 95 %), and a fence of three quartile ranges on every number
``forest``      IsolationForest that is told the share; it names rows and no cells
``ddc``         DetectDeviatingCells (:mod:`.ddc`) of the numbers
``cleanlab``    its CleanLearning around gradient boosting of the target
==============  ==================================================================================

A method takes table, target and true share, and returns :class:`Found`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
)
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

from benchmarks.data.planted.columns import MAX_LEVELS, is_date, is_label
from benchmarks.data.planted.scores import Found

from .ddc import deviating_cells

CUT = 5.0
FENCE = 3.0
SURE = 0.95
# Cells of a column below which it is left out: a fold might have none.
FEW = 20


Method = Callable[[pd.DataFrame, str | None, float], Found]


def untaint(frame: pd.DataFrame, target: str | None, share: float) -> Found:
    """Clean a table with the library; the only place that knows its names."""
    import untaint as library

    result = library.clean(frame, target=target, fdr=0.1, random_state=0)
    cells = pd.DataFrame(result.cells)[["row", "column", "expected", "kind"]]
    return Found({*cells["row"].tolist(), *result.rows["row"].tolist()}, cells)


def script(frame: pd.DataFrame, target: str | None, share: float) -> Found:
    """Find cells as in an afternoon's script."""
    cells = list[tuple[int, str, Any, str]]()
    if target is not None:
        cells += _far_targets(frame, target)
    for name in _numeric(frame):
        values = frame[name].astype(float)
        low, high = values.quantile(0.25), values.quantile(0.75)
        outside = (values < low - FENCE * (high - low)) | (values > high + FENCE * (high - low))
        cells += [
            (row, name, values.median(), "fence")
            for row in np.flatnonzero(outside & (high > low)).tolist()
            if name != target
        ]
    return _found(cells)


def forest(frame: pd.DataFrame, target: str | None, share: float) -> Found:
    """Find rows with IsolationForest; missing cells are the column's median."""
    X = encode(frame)
    X = X.fillna(X.median()).fillna(0.0)
    model = IsolationForest(contamination=min(max(share, 1e-3), 0.5), random_state=0)
    rows = np.flatnonzero(model.fit_predict(X.to_numpy()) < 0).tolist()
    return Found(set(rows), _found([]).cells)


def ddc(frame: pd.DataFrame, target: str | None, share: float) -> Found:
    """Find cells with DetectDeviatingCells among the numbers."""
    names = _numeric(frame)
    flagged, expected = deviating_cells(frame[names].to_numpy(dtype=float, na_value=np.nan))
    places = zip(*(part.tolist() for part in np.nonzero(flagged)), strict=True)
    return _found([(row, names[j], expected[row, j], "deviates") for row, j in places])


def cleanlab(frame: pd.DataFrame, target: str | None, share: float) -> Found:
    """Find wrong targets with CleanLearning; without a target there is nothing to do."""
    from cleanlab.classification import CleanLearning as Classes
    from cleanlab.regression.learn import CleanLearning as Numbers

    if target is None:
        return _found([])
    X, y, rows, classes = _problem(frame, target)
    if classes is None:
        issues = Numbers(_boosting(False), seed=0).find_label_issues(X, y)
        new = issues["predicted_label"].tolist()
    else:
        issues = Classes(_boosting(True), seed=0).find_label_issues(X, y)
        new = [classes[code] for code in issues["predicted_label"].tolist()]
    flagged = np.flatnonzero(issues["is_label_issue"]).tolist()
    return _found([(rows[i], target, new[i], "label") for i in flagged])


METHODS: dict[str, Method] = {
    "untaint": untaint,
    "script": script,
    "forest": forest,
    "ddc": ddc,
    "cleanlab": cleanlab,
}


def encode(frame: pd.DataFrame, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return numbers: codes of levels, days of dates; text of many values and empty columns go.

    ``like`` is the table that decides on columns and codes; other levels are missing.
    """
    like = frame if like is None else like
    columns = {}
    for name in like.columns[like.notna().sum() >= FEW]:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(like[name]):
            columns[name] = column.astype(float)
        elif is_date(like[name]):
            dates = pd.to_datetime(column, errors="coerce", utc=True, format="ISO8601")
            columns[name] = (dates - pd.Timestamp("1970-01-01", tz="UTC")) / pd.Timedelta(days=1)
        elif like[name].nunique() <= MAX_LEVELS * 2:
            codes = {
                level: i for i, level in enumerate(sorted(like[name].dropna().astype(str).unique()))
            }
            columns[name] = column.astype(str).map(codes).astype(float)
    return pd.DataFrame(columns, index=frame.index)


def _far_targets(frame: pd.DataFrame, target: str) -> list[tuple[int, str, Any, str]]:
    X, y, rows, classes = _problem(frame, target)
    if classes is None:
        predicted = cross_val_predict(
            _boosting(False), X, y, cv=KFold(5, shuffle=True, random_state=0)
        )
        difference = y - predicted
        spread = 1.4826 * np.median(np.abs(difference - np.median(difference)))
        far = np.flatnonzero(np.abs(difference) > CUT * spread).tolist()
        return [(rows[i], target, predicted[i], "target") for i in far]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    probabilities = cross_val_predict(_boosting(True), X, y, cv=folds, method="predict_proba")
    best = probabilities.argmax(axis=1)
    far = np.flatnonzero((best != y) & (probabilities.max(axis=1) > SURE)).tolist()
    return [(rows[i], target, classes[best[i]], "target") for i in far]


def _problem(frame: pd.DataFrame, target: str) -> tuple[Any, Any, list[int], list[Any] | None]:
    """Return features, targets or their codes, the rows that have one, and the labels."""
    rows = np.flatnonzero(frame[target].notna()).tolist()
    X = encode(frame.drop(columns=target)).iloc[rows].to_numpy()
    y = frame[target].iloc[rows]
    if not is_label(y):
        return X, y.to_numpy(dtype=float), rows, None
    codes, classes = pd.factorize(y, sort=True)
    return X, codes, rows, list(classes)


def _boosting(classes: bool) -> Any:
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return kind(random_state=0)


def _numeric(frame: pd.DataFrame) -> list[str]:
    return [
        name
        for name in frame.columns
        if pd.api.types.is_numeric_dtype(frame[name])
        and not pd.api.types.is_bool_dtype(frame[name])
    ]


def _found(cells: list[tuple[int, str, Any, str]]) -> Found:
    table = pd.DataFrame(cells, columns=["row", "column", "expected", "kind"])
    return Found({row for row, *_ in cells}, table)
