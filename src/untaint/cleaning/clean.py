"""`clean_table`: find the wrong rows of a table, and fit a model to the others."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath

import numpy as np

from .._typing import BoolArray, IntArray
from ..tables import RawTable, TargetColumn
from .assessment import RowAssessment, assess_rows
from .explaining import Explainer
from .findings import ColumnSummary, Findings, Improvement, Note, Suspect
from .improvement import measure_improvement
from .learner_choice import LearnerChoice
from .model import TableModel
from .model_choice import OnStage
from .monitoring import monitor_rows
from .outlying import find_outlying
from .preparing import Prepared, kinds_of, prepare

# Rows that the page lists, and unflagged ones among them.
MAX_LISTED, MAX_UNFLAGGED = 3000, 200
# Contamination above which a gain is expected, and the error ratio that is hardly one.
MANY, HARDLY = 0.1, 0.95


@dataclass(frozen=True)
class Cleaning:
    """The findings in a table, and the model that they come from.

    Attributes
    ----------
    findings : Findings
    model : TableModel
    rows : int array of shape (n,)
        Position in the table of each assessed row.
    suspects : list of Suspect
        All flagged rows, the most suspicious first.
    target : TargetColumn
    """

    findings: Findings
    model: TableModel
    rows: IntArray
    suspects: list[Suspect]
    target: TargetColumn

    def kept_rows(self, n_rows: int) -> BoolArray:
        """Return which rows of the table are not flagged; rows without a target are kept."""
        kept = np.ones(n_rows, dtype=bool)
        kept[self.rows[self.findings.flagged]] = False
        return kept


def clean_table(
    table: RawTable,
    target: str,
    *,
    task: str = "auto",
    contamination: float | str = "auto",
    learner: str = "auto",
    ignore: Sequence[str] = (),
    seed: int = 0,
    command: str = "",
    pictures: bool = True,
    on_stage: OnStage = lambda _: None,
) -> Cleaning:
    r"""Find the wrong rows of a table.

    Parameters
    ----------
    table : RawTable
        What `untaint.tables.read_table` returns.
    target : str
        Name of the column that the others should explain.
    task : {"auto", "regression", "classification"}
    contamination : float in [0, 0.5) or "auto"
        Fraction of wrong rows, estimated by default.
    learner : {"auto", "kernel", "trees"}
        What predicts the target; by default the one under which held-out targets are likelier.
    ignore : sequence of str
        Columns to leave out.
    seed : int
    command : str
        The command line, for the report.
    pictures : bool
        Whether to compute what only the report shows.
    on_stage : callable
        Called with a description of each stage, for a progress bar.

    Returns
    -------
    Cleaning

    Raises
    ------
    DataFileError
        If the table cannot be learnt from, with one sentence that says why.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from untaint.cleaning import clean_table
    >>> from untaint.tables import read_table
    >>> lines = [f"{37 * x % 101},{111 * x % 303 + 0.1 * (x % 3):.1f}" for x in range(100)]
    >>> lines[8] = "94,2820"
    >>> path = pathlib.Path(tempfile.mkdtemp(), "line.csv")
    >>> _ = path.write_text("\n".join(["x,y", *lines]))
    >>> cleaning = clean_table(read_table(path), "y")
    >>> cleaning.suspects[0].why
    'y is 2820, where rows like it have about 282: 10 times as much, a slipped decimal point?'
    """
    on_stage("reading the columns")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # about sums that overflow
        prepared = prepare(table, target, task, ignore)
        outlying = find_outlying(prepared.values, prepared.numeric, seed)
        assessment = assess_rows(
            prepared.X, prepared.y, prepared.task, contamination, seed, outlying, learner, on_stage
        )
        on_stage("measuring what was gained")
        improvement = measure_improvement(prepared.X, prepared.y, assessment, prepared.task, seed)
        monitored = (
            monitor_rows(prepared.X, prepared.y, assessment, prepared.task, seed)
            if pictures
            else None
        )
    on_stage("explaining what was found")
    explainer = _explainer(table, prepared, assessment)
    order = np.argsort(-assessment.scores, kind="stable")
    n_flagged = int(assessment.flagged.sum())
    suspects = explainer.suspects(order[:n_flagged])
    unflagged_suspects = explainer.suspects(order[n_flagged : n_flagged + MAX_UNFLAGGED])
    findings = Findings(
        source=_encodable(PurePath(table.source).name),
        target=prepared.target.name,
        task=prepared.task,
        contamination=assessment.contamination,
        interval=assessment.interval,
        numbers=prepared.rows + 1,
        scores=assessment.scores,
        cut=assessment.cut,
        flagged=assessment.flagged,
        observed=prepared.y,
        expected=assessment.expected,
        suspects=[*suspects[: MAX_LISTED - len(unflagged_suspects)], *unflagged_suspects],
        set_aside=table.n_rows - len(prepared.rows),
        columns=_columns(prepared, suspects),
        improvement=improvement,
        monitored=monitored,
        notes=_notes(
            table,
            prepared,
            assessment.choice,
            [*caveats(assessment, improvement), *_user_warnings(caught)],
        ),
        command=_encodable(command),
        versions=versions(),
        seed=seed,
        kinds=assessment.kinds,
        learner=assessment.learner,
        why_learner=assessment.choice.why,
    )
    return Cleaning(
        findings, _model(prepared, assessment), prepared.rows, suspects, prepared.target
    )


def _explainer(table: RawTable, prepared: Prepared, assessment: RowAssessment) -> Explainer:
    return Explainer(
        table,
        prepared.rows,
        prepared.target.position,
        scaled=prepared.X,
        sources=prepared.encoder.sources_,
        numeric=prepared.numeric,
        numbers=prepared.numeric & (kinds_of(prepared.encoder) == "number"),
        center=np.asarray(prepared.scaler.center_),
        scale=np.asarray(prepared.scaler.scale_),
        task=prepared.task,
        assessment=assessment,
        observed=prepared.y,
    )


def _columns(prepared: Prepared, suspects: Sequence[Suspect]) -> list[ColumnSummary]:
    odd: dict[str, int] = {}
    for suspect in suspects:
        for column in {cell.column for cell in suspect.odd}:
            odd[column] = odd.get(column, 0) + 1
    target = prepared.target.name
    return [
        ColumnSummary(
            plan.name,
            plan.kind,
            plan.used or plan.name == target,
            plan.missing,
            odd.get(plan.name, 0) / max(len(suspects), 1),
        )
        for plan in prepared.encoder.columns_
    ]


def _notes(
    table: RawTable, prepared: Prepared, choice: LearnerChoice, warned: Sequence[str]
) -> list[Note]:
    aside = table.n_rows - len(prepared.rows)
    notes = [Note("info", f"The file was read as {table.dialect.describe()}.")]
    learner = "a kernel" if choice.learner == "kernel" else "gradient-boosted trees"
    because = f": {choice.why}" if choice.why else ", as was asked for."
    notes.append(Note("info", f"The target is predicted by {learner}{because}"))
    if aside:
        rows = "1 row has" if aside == 1 else f"{aside:,} rows have"
        text = f"{rows} no {prepared.target.name!r}: set aside, neither assessed nor removed."
        notes.append(Note("warning", text))
    if prepared.task_note:
        notes.append(Note("warning", prepared.task_note))
    remarks = [*table.notes, *prepared.target.notes, *prepared.encoder.notes_]
    notes += [Note("info", text) for text in dict.fromkeys(remarks)]
    return notes + [Note("warning", text) for text in dict.fromkeys(warned)]


def caveats(assessment: RowAssessment, improvement: Improvement | None) -> list[str]:
    """Return caveats on an assessment: many rows are flagged, and leaving them out gains little.

    Rows of several kinds in one table, such as measurements of the same few animals, look like
    that; so do labels that the other columns hardly explain.
    """
    if improvement is None or assessment.contamination < MANY:
        return []
    if improvement.after < HARDLY * improvement.before:
        return []
    share = f"{assessment.contamination:.0%} of the rows look wrong"
    return [
        f"{share}, but a model without them is hardly better: they may be of another kind rather "
        "than wrong. Look at the report before you drop them."
    ]


def _encodable(text: str) -> str:
    """Replace what UTF-8 cannot encode: file names may hold bytes that are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _user_warnings(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return the messages of warnings that are meant for users, not for developers."""
    return [str(one.message) for one in caught if issubclass(one.category, UserWarning)]


def _model(prepared: Prepared, assessment: RowAssessment) -> TableModel:
    return TableModel(
        prepared.encoder,
        prepared.scaler,
        assessment.predictor(),
        task=prepared.task,
        target=prepared.target.name,
        version=versions()["untaint"],
    )


def versions() -> dict[str, str]:
    """Return the versions of the packages that a result depends on.

    Examples
    --------
    >>> from untaint.cleaning.clean import versions
    >>> sorted(versions())
    ['numpy', 'python', 'scikit-learn', 'scipy', 'untaint']
    """
    found = {"python": platform.python_version()}
    for name in ("untaint", "numpy", "scipy", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a checkout that was never installed
            found[name] = "unknown"
    return found
