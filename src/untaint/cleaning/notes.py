"""Notes and caveats: what a reader of the findings has to know besides them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._typing import IntArray
from ..cells import FEWEST_ROWS
from ..io import RawTable
from ..io.dialect import FRAME
from ..io.encoding import MIXED
from .findings import Improvement, Note
from .row_assessment import LearnerChoice, RowAssessment

if TYPE_CHECKING:
    from .preparing import Prepared

# Contamination above which a gain is expected, and the error ratio that is hardly one.
MANY, HARDLY = 0.1, 0.95


def file_notes(table: RawTable) -> list[Note]:
    """Return notes on how a table was read."""
    notes = []
    if table.dialect.typed != FRAME:
        notes.append(Note("info", f"The file was read as {table.dialect.describe()}."))
    if table.n_rows < FEWEST_ROWS:
        rows = "row" if table.n_rows == 1 else "rows"
        text = (
            f"The columns are compared with one another from {FEWEST_ROWS} rows on, and there "
            f"{'is' if table.n_rows == 1 else 'are'} {table.n_rows} {rows}: other checks alone "
            "were made of the cells."
        )
        notes.append(Note("warning", text))
    for text in dict.fromkeys(table.notes):
        notes.append(Note("warning" if text.startswith(MIXED) else "info", text))
    return notes


def notes_of(
    table: RawTable,
    prepared: Prepared,
    assessed: IntArray,
    choice: LearnerChoice,
    warned: Sequence[str],
) -> list[Note]:
    """Return notes on a table with a target, of which some rows are assessed."""
    aside = table.n_rows - len(assessed)
    notes = file_notes(table)
    learner = "a kernel" if choice.learner == "kernel" else "gradient-boosted trees"
    because = f": {choice.why}" if choice.why else ", as was asked for."
    notes.append(Note("info", f"The target is predicted by {learner}{because}"))
    if aside:
        rows = "1 row has" if aside == 1 else f"{aside:,} rows have"
        words = np.delete(prepared.target.unreadable, assessed)
        number = "number in " if words.any() else ""
        what = f"{rows} no {number}{prepared.target.name!r}"
        text = f"{what}: set aside, neither assessed nor removed."
        notes.append(Note("warning", text))
    if prepared.task_note:
        notes.append(Note("warning", prepared.task_note))
    notes += [Note("info", text) for text in (*prepared.target.notes, *prepared.encoder.notes_)]
    notes += [Note("warning", text) for text in warned]
    return list(dict.fromkeys(notes))


def caveats(assessment: RowAssessment, improvement: Improvement | None) -> list[str]:
    """Return caveats on an assessment: leaving out flagged rows gains nothing, or of many little.

    Rows of several kinds in one table, such as measurements of the same few animals, look like
    that; so do labels that the other columns hardly explain. Wrong targets may also be estimated to
    exist though none is flagged.
    """
    if not assessment.flagged.any():
        return _none_named(assessment)
    if improvement is None:
        return []
    if assessment.contamination < MANY:
        return _no_gain(improvement) if improvement.after >= improvement.before else []
    if improvement.after < HARDLY * improvement.before:
        return []
    share = f"{assessment.contamination:.0%} of the rows look wrong"
    return [
        f"{share}, but a model without them is hardly better: they may be of another kind rather "
        "than wrong. Look at the report before you drop them."
    ]


def _none_named(assessment: RowAssessment) -> list[str]:
    if assessment.interval is None or assessment.contamination * len(assessment.scores) < 1:
        return []
    low, high = assessment.interval
    nothing = ", and there may be none" if low == 0 else ""
    return [
        f"About {assessment.contamination:.0%} of the targets ({low:.0%} to {high:.0%}) are "
        "estimated to be wrong, but no single row can be named: the other columns tell too little "
        f"of the target for one of them to be probably wrong{nothing}."
    ]


def _no_gain(gain: Improvement) -> list[str]:
    write = "{:.1%}" if gain.measure.startswith("share") else "{:.4g}"
    before, after = write.format(gain.before), write.format(gain.after)
    errors = f"{gain.measure}: {before} before, {after} after"
    return [
        f"Held-out rows are predicted no better without the flagged rows ({errors}), so the "
        "cleaned table may be no improvement. Look at the flagged rows before you drop them."
    ]


def user_warnings(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return the messages of warnings that are meant for users, not for developers."""
    return [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
