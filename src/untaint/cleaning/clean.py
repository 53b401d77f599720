"""`clean_table`: find the wrong cells and rows of a table, and fit a model to the others."""

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cells import CellAssessment, assess_cells
from ..io import Column, RawTable, read_columns, read_target
from ..io.encoder.target import find_column
from .explaining import Explainer
from .findings import ColumnSummary, Findings, Suspect
from .notes import file_notes
from .row_assessment import assess_by_cells
from .seeds import legacy_seed
from .table_cleaning import (
    JUDGED,
    MAX_LISTED,
    TableCleaning,
    encodable,
    identifier_name,
    identifier_position,
    shares_of_wrong,
    versions,
)
from .wrong_cells import cells_by_row

OnStage = Callable[[str], None]


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
    # The estimators are imported where they are used: that takes a second.
    from .target_cleaning import clean_with_target

    return clean_with_target(
        table,
        target,
        columns,
        judged,
        cells,
        task=task,
        contamination=contamination,
        learner=learner,
        by_columns="columns" not in skip,
        ignore=ignore,
        seed=given_seed,
        command=command,
        pictures=pictures,
        on_stage=on_stage,
    )


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
    parts = (assessment, rows, wrong, identifier_position(columns))
    explainer = Explainer(table, rows, -1, "cells", *parts)
    order = np.argsort(-assessment.scores, kind="stable")
    n_flagged = int(assessment.flagged.sum())
    suspects = explainer.suspects(order[:n_flagged])
    kinds = {column.name: column for column in columns}
    findings = Findings(
        source=encodable(PurePath(table.source).name),
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
            for (name, column), part in zip(
                kinds.items(), shares_of_wrong(suspects, kinds), strict=True
            )
        ],
        improvement=None,
        monitored=None,
        notes=file_notes(table),
        command=encodable(command),
        versions=versions(),
        seed=seed,
        kinds=assessment.kinds,
        identifier=identifier_name(columns),
    )
    return TableCleaning(table, columns, findings, cells.findings, None, rows, suspects, None)


def _of_worst_cells(suspects: Sequence[Suspect], n: int, name: str) -> NDArray[Any]:
    """Return of each row what its most suspicious cell holds, or what it should hold."""
    found = np.full(n, "", dtype=object)
    for suspect in suspects:
        found[suspect.row] = getattr(suspect.odd[0], name)
    return found
