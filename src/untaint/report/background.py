"""Rows the pictures show besides the suspects: enough to see what is usual.

Evenly drawn in the order of the file, so the same table always gives the same picture; and every
row that is monitored, so that its line can be pointed at.
"""

from typing import Any

import numpy as np

from .._typing import IntArray
from ..cleaning.findings import Findings
from .numerals import numeral, rounded
from .targets import as_number, label

MOST_POINTS = 3000


def background(findings: Findings, listed: IntArray, monitored: IntArray) -> dict[str, list[Any]]:
    """Return some rows that are not listed, each as a place in five lists.

    Parameters
    ----------
    findings : Findings
    listed, monitored : arrays of places among the assessed rows

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
