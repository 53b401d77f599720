"""Wrong cells as a small table for notebooks."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .._hidden_text import escape_html_text
from ..cleaning.findings import Findings
from .wording import headline, shortened

# Cells that are listed, and characters of a cell and of a reason.
SHOWN, LONGEST_CELL, LONGEST_REASON = 20, 60, 300
# Notebooks align tables to the right and keep long lines whole.
LEFT = "text-align:left;vertical-align:top"
WRAPPED = f"{LEFT};white-space:normal;min-width:18em;max-width:44em"


class CellLine(NamedTuple):
    """A wrong cell as text.

    Attributes
    ----------
    row : str
        Label of the row, or its position from 0.
    column, observed, expected : str
    probability : float
    reason : str
    """

    row: str
    column: str
    observed: str
    expected: str
    probability: float
    reason: str


def cells_html(findings: Findings, cells: Sequence[CellLine], rows: str) -> str:
    """Return a heading and a table of the most probable wrong cells.

    Parameters
    ----------
    findings : Findings
    cells : sequence of CellLine
        The most probable first.
    rows : str
        How rows are named, such as "Rows count from 0."
    """
    parts = [f"<p><b>Doubt:</b> {_text(findings.doubt)}</p>"] if findings.doubt else []
    parts.append(f"<p><b>{_text(headline(findings))}</b></p>")
    if cells:
        parts += [_table(cells[:SHOWN]), f"<p>{_text(_rest(len(cells)) + rows)}</p>"]
    return f"<div>{''.join(parts)}</div>"


def _table(cells: Sequence[CellLine]) -> str:
    names = ("row", "column", "observed", "expected", "probability", "reason")
    head = "".join(f"<th style='{LEFT}'>{name}</th>" for name in names)
    body = "".join(f"<tr>{_line(cell)}</tr>" for cell in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _line(cell: CellLine) -> str:
    row, *texts = [_text(shortened(text, LONGEST_CELL)) for text in cell[:4]]
    texts.append(f"{cell.probability:.2f}")
    reason = _text(shortened(cell.reason, LONGEST_REASON))
    own = "".join(f"<td style='{LEFT}'>{text}</td>" for text in texts)
    first = f"<td style='{LEFT};white-space:nowrap'>{row}</td>"
    return f"{first}{own}<td style='{WRAPPED}'>{reason}</td>"


def _rest(number: int) -> str:
    more = number - SHOWN
    return "" if more <= 0 else f"And {more:,} more cell{'' if more == 1 else 's'}. "


def _text(text: str) -> str:
    return escape(escape_html_text(text))
