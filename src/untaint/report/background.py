"""Rows the pictures show besides the suspects, and lines of scores against the trimmed share.

The rows are evenly drawn in the order of the file, so the same table always gives the same picture;
and every row that is monitored is among them, so that its line can be pointed at.
"""

from typing import Any

import numpy as np

from .._typing import IntArray
from ..cleaning.findings import Findings, Monitored
from .numerals import numeral, rounded
from .symlog_axis import bent_axis
from .targets import as_number, label

MOST_POINTS = 3000


def background(findings: Findings, listed: IntArray, monitored: IntArray) -> dict[str, list[Any]]:
    """Return some rows that are not listed, each as a place in five lists.

    Returns
    -------
    dict
        ``row``, ``number``, ``score``, ``observed`` and ``expected``.
    """
    rows = np.union1d(_drawn(findings, listed), np.setdiff1d(monitored, listed)).astype(np.intp)
    columns: dict[str, list[Any]] = {
        "row": rows.tolist(),
        "number": np.asarray(findings.numbers)[rows].tolist(),
        # In full: whether a point is flagged must agree with the counts.
        "score": [numeral(float(findings.scores[row])) for row in rows],
    }
    for name, targets in (("observed", findings.observed), ("expected", findings.expected)):
        values = [targets[row] for row in rows]
        if findings.task == "regression":
            columns[name] = rounded([as_number(value) for value in values])
        else:
            columns[name] = [label(value) for value in values]
    return columns


def _drawn(findings: Findings, listed: IntArray) -> IntArray:
    """Return evenly spaced rows; none for labels, whose picture is a table of counts."""
    if findings.task != "regression":
        return np.empty(0, dtype=np.intp)
    others = np.setdiff1d(np.arange(findings.n_rows), listed)
    if len(others) > MOST_POINTS:
        others = others[np.linspace(0, len(others) - 1, MOST_POINTS).astype(np.intp)]
    return others


MOST_LINES = 400
MAX_FRACTIONS = 60


def monitored_rows(findings: Findings) -> IntArray:
    """Return the rows that get a line."""
    if findings.monitored is None:
        return np.empty(0, dtype=np.intp)
    return findings.monitored.rows[_chosen(findings, findings.monitored)]


def monitored_lines(findings: Findings) -> dict[str, Any] | None:
    """Return the trimmed shares and each row's scores at them; None if nothing was monitored."""
    monitored = findings.monitored
    if monitored is None or len(monitored.contaminations) < 2 or len(monitored.rows) == 0:
        return None
    chosen = _chosen(findings, monitored)
    steps = np.arange(len(monitored.contaminations))
    if len(steps) > MAX_FRACTIONS:
        steps = np.linspace(0, len(steps) - 1, MAX_FRACTIONS).astype(np.intp)
    scores = np.asarray(monitored.scores, dtype=np.float64)[np.ix_(steps, chosen)]
    return {
        "shares": rounded(monitored.contaminations[steps]),
        "rows": monitored.rows[chosen].tolist(),
        "scores": [rounded(line, digits=4) for line in scores.T],
        "axis": list(bent_axis(scores, findings.cut)),
    }


def _chosen(findings: Findings, monitored: Monitored) -> IntArray:
    """Return the lines to draw: all, or of many the most suspicious and some of the others."""
    k = len(monitored.rows)
    if k <= MOST_LINES:
        return np.arange(k)
    order = np.argsort(-np.nan_to_num(findings.scores[monitored.rows], nan=-np.inf), kind="stable")
    rest = order[MOST_LINES // 2 :]
    spread = np.linspace(0, len(rest) - 1, MOST_LINES - MOST_LINES // 2).astype(np.intp)
    return np.sort(np.concatenate([order[: MOST_LINES // 2], rest[spread]]))
