"""Lines for the plot of scores against the trimmed share."""

from typing import Any

import numpy as np

from .._typing import IntArray
from ..cleaning.findings import Findings, Monitored
from .numerals import rounded
from .symlog_axis import bent_axis

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
