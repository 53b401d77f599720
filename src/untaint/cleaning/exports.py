"""The output files: the cleaned table, the list of flagged rows and the summary.

Rows of ``cleaned.csv`` keep their bytes. ``flagged.csv`` is for people to read, in a spreadsheet as
often as not, and a spreadsheet runs cells that begin like a formula: there, such text gets an
apostrophe in front.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from .._typing import IntArray
from ..tables import RawTable, TargetColumn
from .findings import Findings, Suspect

OutputMode = Literal["drop", "mark", "repair"]

MARK = "untaint"
# Decimals that a numeric target may have.
DECIMALS = 12
# How a formula begins, also in wide letters, which some spreadsheets take for the narrow ones.
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
COLUMNS = ("row", "line", "score", "kind", "why", "observed", "expected")


def cleaned_bytes(
    table: RawTable, findings: Findings, rows: IntArray, mode: OutputMode, target: TargetColumn
) -> bytes:
    """Return the table without flagged rows, with a mark at each row, or with repaired targets.

    Parameters
    ----------
    table : RawTable
    findings : Findings
    rows : int array of shape (n,)
        Position in the table of each assessed row.
    mode : {"drop", "mark", "repair"}
    target : TargetColumn
    """
    wrong = np.zeros(table.n_rows, dtype=bool)
    wrong[rows[findings.flagged]] = True
    if mode == "mark":
        marks = np.full(table.n_rows, "no target", dtype=object)
        marks[rows] = np.where(findings.flagged, "flagged", "kept")
        return table.header_with(_free_name(table)) + table.rows_bytes(None, extra=marks.tolist())
    if mode == "drop":
        return table.header_bytes + table.rows_bytes(~wrong)
    decimals = _decimals(target) if findings.task == "regression" else 0
    repaired = {
        int(rows[row]): _expected_cell(findings, row, target, decimals)
        for row in np.flatnonzero(findings.flagged & (findings.kinds == "target")).tolist()
    }
    kept = ~wrong
    kept[list(repaired)] = True
    return table.header_bytes + table.rows_bytes(kept, replace=(target.position, repaired))


def _free_name(table: RawTable) -> str:
    """Return a name for the column of marks: another one if the table was marked before."""
    others = (f"{MARK}_{k}" for k in range(2, len(table.names) + 3))
    return next(name for name in (MARK, *others) if name not in table.names)


def _expected_cell(findings: Findings, row: int, target: TargetColumn, decimals: int) -> str:
    """Return the expected target, written in the format of its column."""
    expected = findings.expected[row]
    if findings.task == "classification":
        return str(expected)
    return target.write_number(round(float(expected), decimals))


def _decimals(target: TargetColumn) -> int:
    """Return the number of decimals that almost all numeric targets are written with."""
    values = target.values[~target.missing].astype(float)
    for decimals in range(DECIMALS):
        if np.isclose(values, np.round(values, decimals), rtol=1e-12, atol=0.0).mean() > 0.95:
            return decimals
    return DECIMALS


def flagged_csv(
    table: RawTable, findings: Findings, rows: IntArray, suspects: Iterable[Suspect]
) -> bytes:
    """Return a CSV of all flagged rows, the most suspicious first, with reasons and cells."""
    buffer = io.StringIO()
    write = csv.writer(buffer, lineterminator="\n").writerow
    write([*COLUMNS, *(escape_formula(name) for name in table.names)])
    for suspect in suspects:
        row = suspect.row
        write(
            [
                int(findings.numbers[row]),
                table.line_number(int(rows[row])),
                f"{findings.scores[row]:.4g}",
                suspect.kind,
                escape_formula(suspect.why),
                escape_formula(_format_value(findings.observed[row])),
                escape_formula(_format_value(findings.expected[row])),
                *(escape_formula(cell) for cell in suspect.cells),
            ]
        )
    return buffer.getvalue().encode("utf-8")


def escape_formula(cell: str) -> str:
    """Return text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> from untaint.cleaning.exports import escape_formula
    >>> escape_formula("=1+1"), escape_formula("-12.5"), escape_formula("bread")
    ("'=1+1", '-12.5', 'bread')
    """
    if not cell.lstrip().startswith(FORMULA) and not cell.startswith(("\t", "\r", "\n")):
        return cell
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return f"'{cell}"
    return cell


def summary_json(findings: Findings) -> bytes:
    """Return the summary as the content of a JSON file."""
    return (json.dumps(summary(findings), indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def summary(findings: Findings) -> dict[str, Any]:
    """Return the findings in a few numbers."""
    improvement = findings.improvement
    return {
        "source": findings.source,
        "target": findings.target,
        "task": findings.task,
        "rows": findings.n_rows + findings.set_aside,
        "judged": findings.n_rows,
        "set_aside": findings.set_aside,
        "flagged": findings.n_flagged,
        "share": round(findings.contamination, 6),
        "interval": findings.interval and [round(end, 6) for end in findings.interval],
        "cut": _finite(findings.cut),
        "learner": findings.learner,
        "why_learner": findings.why_learner,
        "improvement": improvement
        and {
            "measure": improvement.measure,
            "before": _finite(improvement.before),
            "after": _finite(improvement.after),
            "rows": improvement.rows,
        },
        "flagged_rows": findings.numbers[findings.flagged].tolist(),
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "used": column.used,
                "missing": column.missing,
                "suspicion": round(column.suspicion, 4),
            }
            for column in findings.columns
        ],
        "notes": [{"level": note.level, "text": note.text} for note in findings.notes],
        "command": findings.command,
        "seed": findings.seed,
        "versions": dict(findings.versions),
    }


def _finite(value: float) -> float | None:
    return float(f"{value:.6g}") if np.isfinite(value) else None


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{float(value):.10g}" if np.isfinite(value) else ""
