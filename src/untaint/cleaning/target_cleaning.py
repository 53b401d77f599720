"""The findings in a table with a target, and the model of its target."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..cells import CellAssessment, CellFinding
from ..io import Column, RawTable
from ..portable import tree_ensemble_of
from .assessment import assess_rows
from .boosted_trees import BoostedTrees
from .explaining import Explainer
from .findings import ColumnSummary, Findings, Improvement, Monitored, Suspect
from .improvement import measure_improvement
from .model import TableModel
from .model_choice import OnStage
from .monitoring import monitor_rows
from .notes import caveats, notes_of, user_warnings
from .preparing import Prepared, prepare
from .row_assessment import (
    RowAssessment,
    contradicted_if_incomplete,
    supported_only,
    with_interval_of_all,
    with_wrong_cells,
)
from .seeds import legacy_seed
from .table_cleaning import (
    JUDGED,
    MAX_LISTED,
    MAX_UNFLAGGED,
    TableCleaning,
    encodable,
    identifier_name,
    identifier_position,
    shares_of_wrong,
    versions,
)
from .wrong_cells import WrongCells, cells_by_row

# Probability of a wrong label from which on the expected one may take its place.
CERTAIN = 0.95
# Error ratio at which rows are flagged because of the model of the target alone.
WORTH = 0.7
# Contamination from which predictions of each column by the others are unreliable.
HEAVY = 0.15
# If fewer than this are, the error has to fall by more.
VERY_HEAVY, WORTH_MUCH = 0.25, 0.5


def clean_with_target(
    table: RawTable,
    target: str,
    columns: list[Column],
    judged: Sequence[Column],
    cells: CellAssessment,
    *,
    task: str,
    contamination: float | str,
    learner: str,
    by_columns: bool,
    ignore: Sequence[str],
    seed: int,
    command: str,
    pictures: bool,
    on_stage: OnStage,
) -> TableCleaning:
    """Find the wrong rows of a table whose wrong cells are known, by a model of the target.

    Parameters are those of :func:`untaint.cleaning.clean_table`; ``columns`` are those of the
    table, ``judged`` those that take part, and ``by_columns`` says whether each was compared with
    the others.
    """
    given_seed, seed = seed, legacy_seed(seed)
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
        if contamination == "auto" and by_columns:
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
        given, low = contamination != "auto", (assessment.interval or (0.0,))[0]
        assessment = with_interval_of_all(assessment)
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
    parts = (assessment, observed, wrong, identifier_position(columns))
    explainer = Explainer(table, rows, position, prepared.task, *parts)
    order = np.argsort(-assessment.scores, kind="stable")
    n_flagged = int(assessment.flagged.sum())
    suspects = explainer.suspects(order[:n_flagged])
    unflagged_suspects = explainer.suspects(order[n_flagged : n_flagged + MAX_UNFLAGGED])
    doubt = " ".join(caveats(assessment, improvement))
    findings = Findings(
        source=encodable(PurePath(table.source).name),
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
        command=encodable(command),
        versions=versions(),
        seed=given_seed,
        kinds=assessment.kinds,
        learner=assessment.learner,
        why_learner=assessment.choice.why,
        identifier=identifier_name(columns),
        doubt=doubt,
    )
    some_wrong = given or (low > 0 and not doubt)
    found = _with_targets(cells.findings, prepared, rows, assessment, suspects, some_wrong)
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
    some_wrong: bool,
) -> list[CellFinding]:
    """Return wrong cells, with those of targets that only the model of the target contradicts.

    A label is known well enough to be repaired only if ``some_wrong``: some labels are certainly
    wrong, and a model without those that are flagged is better, or the user gave their share.
    """
    position = prepared.target.position
    known = {found.row for found in findings if found.column == position}
    more = []
    place = dict(zip(rows.tolist(), range(len(rows)), strict=True))
    findings = [
        found._replace(expected=float(assessment.expected[place[found.row]]))
        if _is_better_known(found, position, assessment, place)
        else found._replace(certain=found.certain and some_wrong)
        if found.column == position and found.kind == "category"
        else found
        for found in findings
    ]
    for suspect in suspects:
        row, expected = int(rows[suspect.row]), assessment.expected[suspect.row]
        if suspect.kind == "features" or row in known:
            continue
        number = float(expected) if prepared.task == "regression" else str(expected)
        chance = _probability(assessment, suspect.row)
        certain = some_wrong and prepared.task == "classification" and chance >= CERTAIN
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


def _columns(prepared: Prepared, suspects: Sequence[Suspect]) -> list[ColumnSummary]:
    plans, target = prepared.encoder.columns_, prepared.target.name
    odd = shares_of_wrong(suspects, [plan.name for plan in plans])
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


def _model(prepared: Prepared, assessment: RowAssessment) -> TableModel:
    return TableModel(
        prepared.encoder,
        prepared.scaler,
        _predictor(assessment),
        task=prepared.task,
        target=prepared.target.name,
        version=versions()["untaint"],
    )


def _predictor(assessment: RowAssessment) -> Any:
    """Return what predicts targets, without what only the audit needs."""
    model = assessment.model
    if assessment.learner == "kernel":
        return model.predictor()
    classes = getattr(model, "classes_", None)
    return BoostedTrees(tree_ensemble_of(model.estimator_), classes, assessment.transform)
