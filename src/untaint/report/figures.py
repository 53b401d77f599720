"""The small figures under the headline, and the columns of the table."""

from typing import Any

import numpy as np

from ..cleaning.findings import Findings
from .listing import MOST_COLUMNS
from .numerals import percent

# What is wrong with a row, as the page calls it.
KINDS = {"target": "target value", "features": "other cells", "both": "both"}


def contamination_bar(findings: Findings) -> dict[str, Any]:
    """Return the contamination and its interval as places on a bar, in percent of its length.

    The bar ends at a round number, well beyond the interval, so that it can be read without ticks.
    """
    low, high = findings.interval or (findings.contamination, findings.contamination)
    end = _round_end(max(high, findings.contamination))
    places = np.clip(np.array([low, findings.contamination, high]) / end, 0.0, 1.0) * 100.0
    left, at, right = np.nan_to_num(places).round(2).tolist()
    return {
        "left": left,
        "at": at,
        # An interval of no width would not be seen.
        "width": round(max(right - left, 0.5), 2),
        "end": percent(end),
    }


def kinds_of_flagged(findings: Findings, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Count the listed flagged rows of each kind, with their parts of a bar."""
    flagged = [row["kind"] for row in listed if findings.flagged[row["row"]]]
    counts = {kind: flagged.count(kind) for kind in KINDS}
    total = max(1, len(flagged))
    start, parts = 0.0, []
    for kind, name in KINDS.items():
        width = 100.0 * counts[kind] / total
        shown = {"kind": kind, "name": name, "count": counts[kind]}
        parts.append(shown | {"start": round(start, 2), "width": round(width, 2)})
        start += width
    return parts


def _round_end(share: float) -> float:
    for end in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
        if 1.3 * share <= end:
            return end
    return 1.0


MOST_DRIVERS = 12


def drivers(findings: Findings) -> list[dict[str, Any]]:
    """Return the columns that are odd in most flagged rows, with bar lengths in percent."""
    odd = [column for column in findings.columns if column.suspicion > 0]
    odd.sort(key=lambda column: -column.suspicion)
    return [
        {
            "name": column.name,
            "share": percent(column.suspicion),
            "width": round(100 * min(1.0, column.suspicion), 2),
        }
        for column in odd[:MOST_DRIVERS]
    ]


def listed_columns(findings: Findings) -> list[dict[str, Any]]:
    """Return the columns of the table, or the first of very many."""
    return [
        {
            "name": column.name,
            "kind": column.kind,
            "use": "target" if column.name == findings.target else _use(column.used),
            "missing": int(column.missing),
            "share": percent(column.suspicion),
        }
        for column in findings.columns[:MOST_COLUMNS]
    ]


def _use(used: bool) -> str:
    return "used" if used else "not used"
