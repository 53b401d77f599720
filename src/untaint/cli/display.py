"""The findings on a terminal."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

from .._hidden_text import escape_terminal
from ..cleaning import TableCleaning
from ..cleaning.exports import OutputMode
from ..cleaning.findings import LEGEND, Findings, Improvement
from ..cleaning.repairs import repaired_rows
from .terminal import plain_table

# Kinds of mistakes in words.
MISTAKES = {
    "category": "another level",
    "century": "date",
    "copy": "copies that differ",
    "daymonth": "day and month exchanged",
    "decimal": "decimal point",
    "digits": "digits exchanged",
    "other": "another value",
    "sentinel": "code for missing",
    "shifted": "shifted cells",
    "stuck": "stuck value",
    "swap": "exchanged cells",
    "target": "target",
    "text": "text for a number",
}
# Rows, notes and characters of a line that are shown; the report has all.
ROWS, NOTES, WIDEST = 6, 6, 100
# Characters of an identifier that are shown.
NAME = 20


def show_findings(
    show: Any, cleaning: TableCleaning, directory: Path, mode: OutputMode = "drop"
) -> None:
    """Print the main finding, the most suspicious rows, notes, and where the files are."""
    findings = cleaning.findings
    if findings.doubt:
        show.print(f"Doubt: {escape_terminal(findings.doubt)}", style="bold yellow")
    show.print(headline(findings), style="bold")
    for line in _details(findings):
        show.print(line)
    kinds = kinds_of_mistakes(cleaning)
    if kinds:
        table = plain_table("cells", "mistake", "for example", right=("cells",))
        for name, count, example in kinds:
            table.add_row(f"{count:,}", name, shorten(example))
        show.print()
        show.print(table)
    if cleaning.suspects:
        show.print()
        show.print(_suspects(cleaning))
        if findings.n_flagged > ROWS:
            show.print(f"… and {findings.n_flagged - ROWS:,} more in flagged.csv", style="dim")
        show.print(LEGEND, style="dim")
    _show_notes(show, findings)
    _show_repairs(show, cleaning, mode)
    place = escape_terminal(str(directory))
    show.print(f"Report: {os.path.join(place, 'report.html')}")
    show.print(f"Cleaned table: {os.path.join(place, 'cleaned.csv')}")


def _suspects(cleaning: TableCleaning) -> Any:
    """Return a table of the most suspicious rows."""
    findings = cleaning.findings
    named = [shorten(findings.identifier, NAME)] if findings.identifier else []
    table = plain_table("row", *named, "score", "why", right=("row", "score"))
    for suspect in cleaning.suspects[:ROWS]:
        row = suspect.row
        name = [shorten(suspect.name, NAME)] if findings.identifier else []
        score = f"{findings.scores[row]:.1f}" if findings.scores[row] < 1e6 else "above 1e6"
        table.add_row(str(findings.numbers[row]), *name, score, shorten(suspect.why))
    return table


def _show_notes(show: Any, findings: Findings) -> None:
    show.print()
    warnings = [note for note in findings.notes if note.level == "warning"][:NOTES]
    for note in warnings:
        show.print(f"Note: {escape_terminal(note.text)}", style="yellow")
    others, more = len(findings.notes) - len(warnings), "more " if warnings else ""
    if others:
        words = f"1 {more}note on the data is" if others == 1 else f"{others} {more}notes are"
        show.print(f"{words} in the report.", style="dim")


def _show_repairs(show: Any, cleaning: TableCleaning, mode: OutputMode) -> None:
    """Say how many rows are repaired, or could be."""
    n = len(repaired_rows(cleaning.cells))
    rows = "1 row" if n == 1 else f"{n:,} rows"
    if n and mode == "repair":
        show.print(f"{rows} of the cleaned table {'is' if n == 1 else 'are'} repaired.")
    elif n and mode == "drop":
        show.print(f"{rows} could be put right for certain: --repair keeps them, repaired.")


def kinds_of_mistakes(cleaning: TableCleaning) -> list[tuple[str, int, str]]:
    """Return each kind of mistake with its number of cells and the surest example."""
    counts = Counter(found.kind for found in cleaning.cells)
    example = {found.kind: found for found in reversed(cleaning.cells)}
    return [
        (MISTAKES.get(kind, kind), count, f"row {example[kind].row + 1}: {example[kind].reason}")
        for kind, count in counts.most_common()
    ]


def headline(findings: Findings) -> str:
    """Return the main finding in one sentence."""
    number = "1 row" if findings.n_rows == 1 else f"{findings.n_rows:,} rows"
    rows = f"{number} of {escape_terminal(findings.source)}"
    if findings.n_flagged == 0:
        return f"None of {rows} looks wrong."
    verb = "looks" if findings.n_flagged == 1 else "look"
    return f"{findings.n_flagged:,} of {rows} {verb} wrong."


def _details(findings: Findings) -> list[str]:
    lines = []
    if findings.interval is not None:
        low, high = findings.interval
        estimate = f"{findings.contamination:.1%}, between {low:.1%} and {high:.1%}"
        lines.append(f"Estimated share of wrong rows: {estimate}")
    if findings.set_aside:
        lines.append(f"Rows without a target, set aside: {findings.set_aside:,}")
    if findings.improvement is not None:
        lines.append(_gain(findings.improvement))
    return lines


def _gain(gain: Improvement) -> str:
    change = f"{_error(gain.before)} before, {_error(gain.after)} after"
    return f"{gain.measure[:1].upper()}{gain.measure[1:]} on {gain.rows:,} held-out rows: {change}"


def _error(error: float) -> str:
    return f"{error:,.0f}" if 1e4 <= error < 1e15 else f"{error:.4g}"


def shorten(text: str, longest: int = WIDEST) -> str:
    """Return escaped text that is cut off at the width of a line, or shorter."""
    shown = escape_terminal(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
