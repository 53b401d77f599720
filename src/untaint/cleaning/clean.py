"""`clean_table`: find the wrong cells and rows of a table, and fit a model to the others."""

import platform
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..cells import CellAssessment, CellFinding, assess_cells
from ..io import Column, RawTable, TargetColumn, read_columns, read_target
from ..io.encoder.target import find_column
from .assessment import (
    RowAssessment,
    assess_by_cells,
    assess_rows,
    contradicted_if_incomplete,
    supported_only,
    with_wrong_cells,
)
from .explaining import Explainer
from .findings import ColumnSummary, Findings, Improvement, Monitored, Suspect
from .improvement import measure_improvement
from .model import TableModel
from .model_choice import OnStage
from .monitoring import monitor_rows
from .notes import caveats, file_notes, notes_of, user_warnings
from .preparing import Prepared, prepare
from .seeds import legacy_seed
from .wrong_cells import WrongCells, cells_by_row

# Kinds of column that are predicted from the others.
JUDGED = ("number", "date", "category", "boolean", "text")
# Rows that the page lists, and unflagged ones among them.
MAX_LISTED, MAX_UNFLAGGED = 3000, 200
# Probability of a wrong label from which on the expected one may take its place.
CERTAIN = 0.95
# Error ratio at which rows are flagged because of the model of the target alone.
WORTH = 0.7
# Contamination from which predictions of each column by the others are unreliable.
HEAVY = 0.15
# If fewer than this are, the error has to fall by more.
VERY_HEAVY, WORTH_MUCH = 0.25, 0.5


@dataclass(frozen=True)
class TableCleaning:
    """The findings in a table, and the model of its target.

    Attributes
    ----------
    table : RawTable
        The table as it was read.
    columns : list of Column
        Its columns with their kinds and values.
    findings : Findings
        Flagged rows, scores and summaries.
    cells : list of CellFinding
        Wrong cells, the most probable first, including those of the target.
    model : TableModel or None
        Model of the target; None without a target.
    rows : int array of shape (n,)
        Position in the table of each assessed row.
    suspects : list of Suspect
        All flagged rows, the most suspicious first.
    target : TargetColumn or None
        The target; None without one.
    """

    table: RawTable
    columns: list[Column]
    findings: Findings
    cells: list[CellFinding]
    model: TableModel | None
    rows: IntArray
    suspects: list[Suspect]
    target: TargetColumn | None

    def kept_rows(self) -> BoolArray:
        """Return which rows of the table are not flagged, and have no wrong cell.

        Rows without a target are kept, whatever their other cells are: no file lists them.
        """
        kept = np.ones(self.table.n_rows, dtype=bool)
        kept[self.rows[self.findings.flagged]] = False
        kept[[found.row for found in self.cells]] = False
        assessed = np.zeros(self.table.n_rows, dtype=bool)
        assessed[self.rows] = True
        return kept | ~assessed


def clean_table(
    table: RawTable,
    target: str | None = None,
    *,
    task: str = "auto",
    contamination: float | str = "auto",
    learner: str = "auto",
    fdr: float = 0.1,
    skip: Collection[str] = (),
    ignore: Sequence[str] = (),
    seed: int = 0,
    command: str = "",
    pictures: bool = True,
    on_stage: OnStage = lambda _: None,
) -> TableCleaning:
    r"""Find the wrong cells and rows of a table.

    Parameters
    ----------
    table : RawTable
        A table that `untaint.io.read_table` returned.
    target : str, optional
        Name of the column that a model predicts from the others.
    task : {"auto", "regression", "classification"}
        Whether the target is numeric or a class label.
    contamination : float in [0, 0.5) or "auto"
        Fraction of wrong rows, estimated by default.
    learner : {"auto", "kernel", "trees"}
        Learner that predicts the target; by default the one under which held-out targets are
        likelier.
    fdr : float
        False-discovery rate among wrong cells.
    skip : collection of str
        Checks to leave out, see `untaint.cells.CHECKS`; "columns" is that of each column by the
        others.
    ignore : sequence of str
        Columns to leave out.
    seed : int
        Seed of all random numbers; a non-negative integer of any size.
    command : str
        The command line, for the report.
    pictures : bool
        Whether to compute results that only the report shows.
    on_stage : callable
        Called with a description of each stage, for a progress bar.

    Returns
    -------
    TableCleaning

    Raises
    ------
    DataFileError
        If no model can be fitted to the table; the message gives the reason.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from untaint.cleaning import clean_table
    >>> from untaint.io import read_table
    >>> pairs = [(37 * x % 101, 111 * x % 303 + 0.1 * (x % 3)) for x in range(100)]
    >>> lines = [f"{x},{y:.1f}" for x, y in pairs]
    >>> lines[8] = "94,2820"
    >>> path = pathlib.Path(tempfile.mkdtemp(), "line.csv")
    >>> _ = path.write_text("\n".join(["x,y", *lines]))
    >>> cleaning = clean_table(read_table(path), "y")
    >>> cleaning.suspects[0].why[-44:]
    ': 10 times as much, a slipped decimal point?'
    """
    on_stage("reading the columns")
    given_seed, seed = seed, legacy_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # about sums that overflow
        known = None if target is None else read_target(table, target).name
        left_out = {table.names[find_column(table, name)] for name in ignore}
        columns = read_columns(table, known)
    judged = [replace(c, kind="empty") if c.name in left_out else c for c in columns]
    nothing = isinstance(contamination, float) and contamination * table.n_rows < 1
    cells = (
        CellAssessment([], np.zeros((table.n_rows, len(columns))))
        if nothing
        else assess_cells(judged, fdr=fdr, skip=skip, seed=seed, on_stage=on_stage)
    )
    if target is None:
        return _without_target(table, columns, cells, given_seed, command, on_stage)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # about sums that overflow
        prepared = prepare(table, target, task, ignore)
        position = prepared.target.position
        wrong = cells_by_row(cells.findings, prepared.rows, table.n_rows, position)
        assessment = assess_rows(
            prepared.X, prepared.y, prepared.task, contamination, seed, wrong, learner, on_stage
        )
        probability = cells.probability
        if contamination == "auto" and "columns" not in skip:
            missing = _incomplete(judged, position)[prepared.rows]
            if prepared.task == "regression":
                far = missing & _far_from_all(prepared.y, assessment.flagged)
                probability = probability.copy()
                probability[prepared.rows[far], position] = 1.0
            chances = probability[prepared.rows]
            assessment = contradicted_if_incomplete(assessment, wrong, chances, position, missing)
        on_stage("measuring what was gained")
        whole = wrong.scores == 0
        assessment, improvement = _supported(
            prepared, assessment, wrong, probability, contamination, seed
        )
        if improvement is None:
            improvement = measure_improvement(
                prepared.X, prepared.y, assessment, prepared.task, seed, compared=whole
            )
        monitored = (
            monitor_rows(prepared.X, prepared.y, assessment, prepared.task, seed)
            if pictures
            else None
        )
    on_stage("explaining what was found")
    assessed = _with_words(cells.findings, prepared, assessment, wrong, monitored)
    rows, observed, assessment, wrong, monitored = assessed
    explainer = Explainer(
        table,
        rows,
        position,
        task=prepared.task,
        assessment=assessment,
        observed=observed,
        wrong=wrong,
        identifier=identifier_position(columns),
    )
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
        numbers=rows + 1,
        scores=assessment.scores,
        cut=assessment.cut,
        flagged=assessment.flagged,
        observed=observed,
        expected=assessment.expected,
        suspects=[*suspects[: MAX_LISTED - len(unflagged_suspects)], *unflagged_suspects],
        set_aside=table.n_rows - len(rows),
        columns=_columns(prepared, suspects),
        improvement=improvement,
        monitored=monitored,
        notes=notes_of(
            table,
            prepared,
            rows,
            assessment.choice,
            user_warnings(caught),
        ),
        command=_encodable(command),
        versions=versions(),
        seed=given_seed,
        kinds=assessment.kinds,
        learner=assessment.learner,
        why_learner=assessment.choice.why,
        identifier=_identifier(columns),
        doubt=" ".join(caveats(assessment, improvement)),
    )
    found = _with_targets(cells.findings, prepared, rows, assessment, suspects)
    return TableCleaning(
        table,
        columns,
        findings,
        found,
        _model(prepared, assessment),
        rows,
        suspects,
        prepared.target,
    )


def _incomplete(columns: Sequence[Column], target: int) -> BoolArray:
    """Return the rows that miss a cell of a column that most rows have."""
    missing = np.zeros(len(columns[target].missing), dtype=bool)
    for j, column in enumerate(columns):
        if j != target and column.kind in JUDGED and 2 * column.n_missing < len(missing):
            missing |= column.missing
    return missing


def _far_from_all(y: FloatArray, flagged: BoolArray) -> BoolArray:
    """Return flagged targets that lie a whole range beyond all others, whatever their rows hold.

    The last line of a sheet may hold a total, and be empty in other columns.
    """
    low, high = y[~flagged].min(initial=np.inf), y[~flagged].max(initial=-np.inf)
    return flagged & ((y < 2 * low - high) | (y > 2 * high - low))


def _supported(
    prepared: Prepared,
    assessment: RowAssessment,
    wrong: WrongCells,
    probability: FloatArray,
    contamination: float | str,
    seed: int,
) -> tuple[RowAssessment, Improvement | None]:
    """Return targets that are flagged with the support of others, unless their model gains much.

    The gain is returned as well if it was measured, and by the same rows as in the report.
    """
    gain, whole = None, wrong.scores == 0
    if contamination != "auto":
        return assessment, None
    if assessment.contamination >= HEAVY:
        parts = (prepared.X, prepared.y, assessment, prepared.task, seed)
        gain = measure_improvement(*parts, compared=whole, trained=whole)
        if is_worth(gain, assessment.contamination):
            return assessment, gain if whole.all() else None
    chances = probability[prepared.rows]
    found = supported_only(assessment, wrong, chances, prepared.target.position)
    return found, gain if found is assessment and whole.all() else None


def _with_words(
    findings: Sequence[CellFinding],
    prepared: Prepared,
    assessment: RowAssessment,
    wrong: WrongCells,
    monitored: Monitored | None,
) -> tuple[IntArray, NDArray[Any], RowAssessment, WrongCells, Monitored | None]:
    """Return rows, their targets and what was found, with rows whose target is a word by mistake.

    They have no number for a fit, but a wrong cell.
    """
    position, missing = prepared.target.position, prepared.target.missing
    words = [found.row for found in findings if found.column == position and missing[found.row]]
    if not words:
        return prepared.rows, prepared.y, assessment, wrong, monitored
    rows = np.union1d(prepared.rows, words)
    wrong = cells_by_row(findings, rows, len(missing), position)
    place = np.searchsorted(rows, prepared.rows)
    assessment = with_wrong_cells(assessment, place, wrong, prepared.task)
    for row in np.searchsorted(rows, words).tolist():
        assessment.kinds[row] = "both" if row in wrong.by_row else "target"
        number = wrong.targets[row].expected
        assessment.expected[row] = np.nan if number is None else number
    observed = np.full(len(rows), np.nan)
    observed[place] = prepared.y
    monitored = monitored and monitored._replace(rows=place[monitored.rows])
    return rows, observed, assessment, wrong, monitored


def _with_targets(
    findings: Sequence[CellFinding],
    prepared: Prepared,
    rows: IntArray,
    assessment: RowAssessment,
    suspects: Sequence[Suspect],
) -> list[CellFinding]:
    """Return wrong cells, with those of targets that only the model of the target contradicts."""
    position = prepared.target.position
    known = {found.row for found in findings if found.column == position}
    more = []
    place = dict(zip(rows.tolist(), range(len(rows)), strict=True))
    findings = [
        found._replace(expected=float(assessment.expected[place[found.row]]))
        if _is_better_known(found, position, assessment, place)
        else found
        for found in findings
    ]
    for suspect in suspects:
        row, expected = int(rows[suspect.row]), assessment.expected[suspect.row]
        if suspect.kind == "features" or row in known:
            continue
        number = float(expected) if prepared.task == "regression" else str(expected)
        chance = _probability(assessment, suspect.row)
        certain = prepared.task == "classification" and chance >= CERTAIN
        more.append(CellFinding(row, position, chance, "target", number, suspect.why, certain))
    return sorted([*findings, *more], key=lambda found: (-found.probability, found.row))


def _is_better_known(
    found: CellFinding, position: int, assessment: RowAssessment, place: Mapping[int, int]
) -> bool:
    """Return whether the model of the target predicts it, where no mistake can be undone."""
    if found.column != position or found.kind != "other" or found.row not in place:
        return False
    expected = assessment.expected[place[found.row]]
    return isinstance(expected, float) and bool(np.isfinite(expected))


def _probability(assessment: RowAssessment, row: int) -> float:
    """Return the probability that a target is wrong, by the model of it."""
    inlier = getattr(assessment.model, "inlier_probability_", None)
    place = int(np.searchsorted(assessment.fitted, row))
    if inlier is None or len(inlier) != len(assessment.fitted):
        return 0.9
    return float(1.0 - inlier[place])


def _without_target(
    table: RawTable,
    columns: list[Column],
    cells: CellAssessment,
    seed: int,
    command: str,
    on_stage: OnStage,
) -> TableCleaning:
    """Return the findings of cells alone."""
    on_stage("explaining what was found")
    n, rows = table.n_rows, np.arange(table.n_rows)
    wrong = cells_by_row(cells.findings, rows, n)
    assessment = assess_by_cells(wrong, cells.probability)
    explainer = Explainer(
        table,
        rows,
        -1,
        task="cells",
        assessment=assessment,
        observed=rows,
        wrong=wrong,
        identifier=identifier_position(columns),
    )
    order = np.argsort(-assessment.scores, kind="stable")
    n_flagged = int(assessment.flagged.sum())
    suspects = explainer.suspects(order[:n_flagged])
    kinds = {column.name: column for column in columns}
    findings = Findings(
        source=_encodable(PurePath(table.source).name),
        target="",
        task="cells",
        contamination=assessment.contamination,
        interval=assessment.interval,
        numbers=rows + 1,
        scores=assessment.scores,
        cut=assessment.cut,
        flagged=assessment.flagged,
        observed=_of_worst_cells(suspects, n, "value"),
        expected=_of_worst_cells(suspects, n, "usual"),
        suspects=suspects[:MAX_LISTED],
        set_aside=0,
        columns=[
            ColumnSummary(name, column.kind, column.kind in JUDGED, column.n_missing, part)
            for (name, column), part in zip(kinds.items(), _odd(suspects, kinds), strict=True)
        ],
        improvement=None,
        monitored=None,
        notes=file_notes(table),
        command=_encodable(command),
        versions=versions(),
        seed=seed,
        kinds=assessment.kinds,
        identifier=_identifier(columns),
    )
    return TableCleaning(table, columns, findings, cells.findings, None, rows, suspects, None)


def identifier_position(columns: Sequence[Column]) -> int | None:
    """Return the position of the first column whose values identify rows.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.clean import identifier_position
    >>> from untaint.io import Column
    >>> known = np.zeros(3, dtype=bool)
    >>> identifier_position([Column("age", "number", known), Column("id", "identifier", known)])
    1
    """
    found = (j for j, c in enumerate(columns) if c.kind == "identifier" and not c.n_missing)
    return next(found, None)


def _identifier(columns: Sequence[Column]) -> str:
    position = identifier_position(columns)
    return "" if position is None else columns[position].name


def _of_worst_cells(suspects: Sequence[Suspect], n: int, name: str) -> NDArray[Any]:
    """Return of each row what its most suspicious cell holds, or what it should hold."""
    found = np.full(n, "", dtype=object)
    for suspect in suspects:
        found[suspect.row] = getattr(suspect.odd[0], name)
    return found


def _odd(suspects: Sequence[Suspect], names: Collection[str]) -> list[float]:
    """Return of each column in which part of the flagged rows it has a wrong cell."""
    count = dict.fromkeys(names, 0)
    for suspect in suspects:
        for name in {cell.column for cell in suspect.odd}:
            count[name] += 1
    return [number / max(len(suspects), 1) for number in count.values()]


def _columns(prepared: Prepared, suspects: Sequence[Suspect]) -> list[ColumnSummary]:
    plans, target = prepared.encoder.columns_, prepared.target.name
    odd = _odd(suspects, [plan.name for plan in plans])
    return [
        ColumnSummary(plan.name, plan.kind, plan.used or plan.name == target, plan.missing, part)
        for plan, part in zip(plans, odd, strict=True)
    ]


def is_worth(improvement: Improvement | None, contamination: float) -> bool:
    """Return whether many rows are flagged and a model without them predicts clearly better.

    Otherwise they may be of another kind, or hard to predict, rather than wrong. Few wrong targets
    are seen by the other columns as well.
    """
    if improvement is None or contamination < HEAVY:
        return False
    worth = WORTH if contamination >= VERY_HEAVY else WORTH_MUCH
    return improvement.after <= worth * improvement.before


def _encodable(text: str) -> str:
    """Replace what UTF-8 cannot encode: file names may hold bytes that are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


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
