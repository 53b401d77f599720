"""The output files: the cleaned table, the list of flagged rows and the summary.

Rows of ``cleaned.csv`` keep their bytes. ``flagged.csv`` is for people to read, in a spreadsheet as
often as not, and a spreadsheet runs cells that begin like a formula: there, such text gets an
apostrophe in front.
"""

import csv
import io
import json
from typing import Any, Literal

import numpy as np

from ..io import RawTable
from .repairs import repaired_texts
from .table_cleaning import TableCleaning

OutputMode = Literal["drop", "mark", "repair"]

MARK = "untaint"
# How a formula begins, also in wide letters, which some spreadsheets take for the narrow ones.
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
COLUMNS = ("row", "line", "score", "kind", "why", "observed", "expected")


def output_files(cleaning: TableCleaning, mode: OutputMode, page: str) -> dict[str, bytes]:
    """Return the content of each output file by its name; ``page`` is that of the report."""
    files = {
        "cleaned.csv": cleaned_bytes(cleaning, mode),
        "flagged.csv": flagged_csv(cleaning),
        "report.html": page.encode("utf-8"),
        "summary.json": summary_json(cleaning),
    }
    if cleaning.model is not None:
        from .model import save_model

        files["model.skops"] = save_model(cleaning.model)
    return files


def cleaned_bytes(cleaning: TableCleaning, mode: OutputMode) -> bytes:
    """Return the table without flagged rows, with a mark at each row, or with repaired cells.

    Parameters
    ----------
    cleaning : TableCleaning
    mode : {"drop", "mark", "repair"}
    """
    table, kept = cleaning.table, cleaning.kept_rows()
    if mode == "mark":
        marks = np.full(table.n_rows, "no target", dtype=object)
        marks[cleaning.rows] = "kept"
        marks[~kept] = "flagged"
        return table.header_with(_free_name(table)) + table.rows_bytes(None, extra=marks.tolist())
    if mode == "drop":
        return table.header_bytes + table.rows_bytes(kept)
    texts = repaired_texts(table, cleaning.columns, cleaning.cells)
    for repaired in texts.values():
        kept[list(repaired)] = True
    return table.header_bytes + table.rows_bytes(kept, replace=texts)


def _free_name(table: RawTable) -> str:
    """Return a name for the column of marks: another one if the table was marked before."""
    others = (f"{MARK}_{k}" for k in range(2, len(table.names) + 3))
    return next(name for name in (MARK, *others) if name not in table.names)


def flagged_csv(cleaning: TableCleaning) -> bytes:
    """Return a CSV of all flagged rows, the most suspicious first, with reasons and cells."""
    table, findings, rows = cleaning.table, cleaning.findings, cleaning.rows
    buffer = io.StringIO()
    write = csv.writer(buffer, lineterminator="\n").writerow
    # The index of a frame is no column, so that its labels have one of their own.
    indexed = findings.identifier not in ("", *table.names)
    names = [*([findings.identifier] if indexed else []), *table.names]
    write([*COLUMNS, *(escape_formula(name) for name in names)])
    for suspect in cleaning.suspects:
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
                *([escape_formula(suspect.name)] if indexed else []),
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


def summary_json(cleaning: TableCleaning) -> bytes:
    """Return the summary as the content of a JSON file."""
    return (json.dumps(summary(cleaning), indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def summary(cleaning: TableCleaning) -> dict[str, Any]:
    """Return the findings in a few numbers."""
    findings = cleaning.findings
    improvement = findings.improvement
    return {
        "source": findings.source,
        "target": findings.target or None,
        "task": findings.task,
        "rows": findings.n_rows + findings.set_aside,
        "judged": findings.n_rows,
        "set_aside": findings.set_aside,
        "flagged": findings.n_flagged,
        "share": round(findings.contamination, 6),
        "interval": findings.interval and [round(end, 6) for end in findings.interval],
        "cut": _finite(findings.cut),
        "learner": findings.learner if findings.target else None,
        "why_learner": findings.why_learner,
        "improvement": improvement
        and improvement._asdict()
        | {"before": _finite(improvement.before), "after": _finite(improvement.after)},
        "doubt": findings.doubt or None,
        "identifier": findings.identifier or None,
        "flagged_rows": findings.numbers[findings.flagged].tolist(),
        "cells": [
            {
                "row": found.row + 1,
                "column": cleaning.table.names[found.column],
                "probability": round(found.probability, 4),
                "kind": found.kind,
                "expected": _plain(found.expected),
                "reason": found.reason,
            }
            for found in cleaning.cells
        ],
        "columns": [
            column._asdict() | {"suspicion": round(column.suspicion, 4)}
            for column in findings.columns
        ],
        "notes": [note._asdict() for note in findings.notes],
        "command": findings.command,
        "seed": findings.seed,
        "versions": dict(findings.versions),
    }


def _plain(expected: float | str | None) -> float | str | None:
    return _finite(expected) if isinstance(expected, float) else expected


def _finite(value: float) -> float | None:
    return float(f"{value:.6g}") if np.isfinite(value) else None


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{float(value):.10g}" if np.isfinite(value) else ""
