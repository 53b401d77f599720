"""The columns of the table, and how often each is odd in flagged rows."""

from typing import Any

from ..cleaning.findings import Findings
from .listing import MOST_COLUMNS
from .numerals import percent

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
