"""Wrong cells as a small table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..cleaning.findings import Findings

# Cells that are listed.
SHOWN = 20

#: Row, column, observed text, probability and reason.
CellLine = tuple[int, str, str, float, str]


def cells_html(findings: Findings, cells: Sequence[CellLine]) -> str:
    """Return a heading and a table of the most probable wrong cells."""
    heading = f"{findings.n_flagged:,} of {findings.n_rows:,} rows look wrong"
    lines = [
        f"<tr><td>{row}</td><td>{escape(column)}</td><td>{escape(observed)}</td>"
        f"<td>{probability:.2f}</td><td style='text-align:left'>{escape(reason)}</td></tr>"
        for row, column, observed, probability, reason in cells[:SHOWN]
    ]
    more = len(cells) - len(lines)
    table = (
        "<table><thead><tr><th>row</th><th>column</th><th>observed</th><th>probability</th>"
        "<th style='text-align:left'>reason</th></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )
    rest = f"<p>and {more:,} more cells</p>" if more > 0 else ""
    return f"<div><p><b>{heading}</b></p>{table if lines else ''}{rest}</div>"
