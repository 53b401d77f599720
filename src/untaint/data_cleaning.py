"""`untaint.clean`: the wrong cells and rows of a data frame or a file."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.utils import check_random_state

from ._hidden_text import escape_terminal
from ._validation import check_choice, check_real
from .cells import CHECKS, CellFinding
from .cells.checks.day_month import exchanged_text
from .cleaning import TableCleaning, TableModel, clean_table
from .cleaning.exports import output_files, summary
from .cleaning.findings import Suspect
from .cleaning.repairs import repaired_rows, rounded
from .io import DataFileError, RawTable, read_table
from .io.encoder.target import hint_at
from .io.errors import listed
from .io.frame import frame_table, is_frame
from .io.typed_table import TypedTable

# Cells that are shown in a line each by `repr`.
SHOWN = 5
SECONDS_PER_DAY = 86_400
# Larger numbers are written with an exponent.
MAX_WHOLE = 1e15


def clean(
    data: Any,
    target: str | None = None,
    *,
    task: str = "auto",
    learner: str = "auto",
    fdr: float = 0.1,
    skip: Collection[str] = (),
    ignore: Collection[str] = (),
    random_state: Any = None,
) -> Cleaning:
    """Find the wrong cells and rows of a table.

    Every column is predicted from the others by fits that did not see the row, and a cell is wrong
    with the posterior probability that a mistake, rather than the noise of the column, explains it.
    Named checks find further mistakes, such as misspelt levels or codes for missing values. With a
    target, a robust model of it is fitted to the remaining rows.

    Parameters
    ----------
    data : pandas, polars or Arrow frame, or path of a file
        The table, with numbers, categories, text, dates and missing cells. Files may be CSV, TSV,
        Parquet, Excel or JSON lines, also in gzip or zip.
    target : str, optional
        Name of the column that a model is to predict from the others.
    task : {"auto", "regression", "classification"}
        Whether the target is numeric or a class label.
    learner : {"auto", "kernel", "trees"}
        Learner that predicts the target; ``"auto"`` takes the one that predicts held-out rows
        better.
    fdr : float
        False-discovery rate: share of right cells among those reported, in expectation.
    skip : collection of str
        Checks to leave out: "columns" (each column by the others) or names in
        ``untaint.cells.CHECKS``.
    ignore : collection of str
        Names of columns to leave out: they are not assessed, and predict nothing.
    random_state : int, RandomState instance or None
        Seed of the random numbers.

    Returns
    -------
    Cleaning
        The wrong cells and rows, the cleaned and the repaired table, and the model.

    See Also
    --------
    RobustRegressor, RobustClassifier : Robust models for arrays and frames.

    Examples
    --------
    >>> import numpy as np, pandas
    >>> from untaint import clean
    >>> rng = np.random.default_rng(0)
    >>> height = rng.normal(170, 10, 200).round(1)
    >>> weight = (0.9 * height - 80 + rng.normal(0, 3, 200)).round(1)
    >>> frame = pandas.DataFrame({"height": height, "weight": weight})
    >>> frame.loc[7, "height"] /= 100
    >>> found = clean(frame, random_state=0)
    >>> found.cells[["row", "column", "kind"]].to_dict("records")
    [{'row': 7, 'column': 'height', 'kind': 'unit'}]
    """
    check_real("fdr", fdr, low=0, high=1)
    check_choice("task", task, ("auto", "regression", "classification"))
    check_choice("learner", learner, ("auto", "kernel", "trees"))
    _check_names("skip", skip)
    _check_names("ignore", ignore)
    known = (*CHECKS, "columns")
    for name in skip:
        if name not in known:
            raise ValueError(f"skip: expected names among {', '.join(known)}, found {name!r}.")
    seed = _seed(random_state)
    table = _table(data)
    if target is not None:
        target = _name("target", target, table.names)
    left_out = [_name("ignore", name, table.names) for name in ignore]
    options: dict[str, Any] = {"task": task, "learner": learner, "fdr": fdr, "skip": skip}
    try:
        result = clean_table(table, target, **options, ignore=left_out, seed=seed)
    except DataFileError as error:
        raise ValueError(str(error)) from None
    return Cleaning(result, data if is_frame(data) else None)


def _check_names(argument: str, names: Any) -> None:
    if isinstance(names, str) or not isinstance(names, Collection):
        raise TypeError(f"{argument}: expected a list of names, found {names!r}.")


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int) and random_state >= 0:
        return random_state
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise ValueError(
            "random_state: expected None, a whole number from 0 on or a RandomState, found "
            f"{random_state!r}."
        ) from None


def _name(argument: str, name: Any, names: list[str]) -> str:
    """Return the name of a column, which tables have as text."""
    if isinstance(name, str | int) and str(name) in names:
        return str(name)
    found = repr(name) if isinstance(name, str | int) else f"a {type(name).__name__}"
    raise ValueError(
        f"{argument}: expected one of the columns {listed(names)}, found {found}"
        f"{hint_at(str(name), names)}"
    )


def _table(data: Any) -> RawTable:
    if is_frame(data):
        table = frame_table(data, "data")
        if not table.names:
            raise ValueError("data: expected a frame with columns, found none.")
        return table
    if isinstance(data, str | os.PathLike):
        return read_table(data)
    raise TypeError(
        f"data: expected a data frame or the path of a file, found {type(data).__name__}."
    )


class Cleaning:
    """The wrong cells and rows of a table.

    Frames of pandas keep the labels of their rows: ``cells`` and ``rows`` have the index of the
    rows that they are about, for ``data.loc``, and so do ``cleaned`` and ``repaired``. The column
    ``row`` is the position from 0, for ``data.iloc`` and for frames without labels. In files and
    reports rows count from 1.

    Attributes
    ----------
    cells : data frame
        Wrong cells, the most probable first: ``row``, ``column``, ``observed``, ``expected``,
        ``probability`` of being wrong, ``kind`` of mistake and ``reason``. A range in a reason
        holds for 85 % of the kept rows, each about its own expected value.
    rows : data frame
        Flagged rows, the most suspicious first: ``row``, ``score``, ``probability``, ``kind``
        ("target", "features" or "both") and ``reason``.
    cleaned : data frame
        The table without flagged rows.
    repaired : data frame
        The table with wrong cells repaired where that is certain, and without other flagged rows.
    summary : dict
        Counts, the share of wrong rows with its interval, and the error of the model.
    model : TableModel or None
        Model that predicts the target of a table's rows; None without a target.
    """

    def __init__(self, result: TableCleaning, frame: Any = None) -> None:
        self._frame = frame
        self._index: Any = None
        if frame is not None:
            self._index = nw.maybe_get_index(nw.from_native(frame, eager_only=True))
        self._result = result if self._index is None else _named_by_index(result, self._index)

    @cached_property
    def cells(self) -> Any:
        """Wrong cells, the most probable first."""
        found, names = self._result.cells, self._result.table.names
        return self._new_frame(
            {
                "row": np.array([cell.row for cell in found], dtype=np.int64),
                "column": [names[cell.column] for cell in found],
                "observed": self._observed(),
                "expected": [self._written(cell) for cell in found],
                "probability": np.array([cell.probability for cell in found], dtype=float),
                "kind": [cell.kind for cell in found],
                "reason": [cell.reason for cell in found],
            }
        )

    @cached_property
    def rows(self) -> Any:
        """Flagged rows, the most suspicious first."""
        result, findings = self._result, self._result.findings
        places = [int(result.rows[suspect.row]) for suspect in result.suspects]
        chances: dict[int, float] = {}
        for cell in result.cells:
            chances[cell.row] = max(chances.get(cell.row, 0.0), cell.probability)
        return self._new_frame(
            {
                "row": np.array(places, dtype=np.int64),
                "score": np.array([findings.scores[s.row] for s in result.suspects], dtype=float),
                "probability": np.array([chances.get(row, 0.5) for row in places], dtype=float),
                "kind": [suspect.kind for suspect in result.suspects],
                "reason": [suspect.why for suspect in result.suspects],
            }
        )

    @cached_property
    def cleaned(self) -> Any:
        """The table without flagged rows."""
        return self._taken(self._result.kept_rows(), {})

    @cached_property
    def repaired(self) -> Any:
        """The table with wrong cells put right where that is certain."""
        kept = self._result.kept_rows()
        cells: dict[int, dict[int, Any]] = {}
        for row, own in repaired_rows(self._result.cells).items():
            kept[row] = True
            for cell in own:
                cells.setdefault(cell.column, {})[row] = self._replacement(cell)
        return self._taken(kept, cells)

    @property
    def summary(self) -> dict[str, Any]:
        """Counts, the share of wrong rows and its interval, and what the model gains."""
        return summary(self._result)

    @property
    def model(self) -> TableModel | None:
        """Predicts the target of a table's rows; None without a target."""
        return self._result.model

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report, an interactive page in one file.

        Parameters
        ----------
        path : path
            File to write, atomically.
        """
        from .cleaning.atomic_output import write_file_atomically
        from .report import render

        write_file_atomically(Path(path), render(self._result.findings).encode("utf-8"))

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write the files that ``untaint clean`` writes: all of them, or none.

        Parameters
        ----------
        directory : path
            Directory of the files; it is created if it does not exist.
        """
        from .cleaning.atomic_output import write_files_atomically
        from .report import render

        files = output_files(self._result, "drop", render(self._result.findings))
        write_files_atomically(Path(directory), files, remove={"model.skops"} - files.keys())

    def __repr__(self) -> str:
        findings, cells = self._result.findings, self._result.cells
        lines = [f"{findings.n_flagged:,} of {findings.n_rows:,} rows look wrong"]
        lines += [
            f"  row {escape_terminal(self._label(cell.row))}: {escape_terminal(cell.reason)}"
            for cell in cells[:SHOWN]
        ]
        if len(cells) > SHOWN:
            lines.append(f"  and {len(cells) - SHOWN:,} more cells")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from .report.notebook import CellLine, cells_html

        result = self._result
        cells = [
            CellLine(
                self._label(cell.row),
                result.table.names[cell.column],
                observed,
                self._written(cell) or "",
                cell.probability,
                cell.reason,
            )
            for cell, observed in zip(result.cells, self._observed(), strict=True)
        ]
        rows = "Rows are named by their index." if self._has_labels() else "Rows count from 0."
        return cells_html(result.findings, cells, rows)

    def _has_labels(self) -> bool:
        """Return whether labels tell rows apart, and are no positions."""
        index = self._index
        return index is not None and index.is_unique and not _is_default(index)

    def _label(self, row: int) -> str:
        """Return the label of a row, or its position if rows have none."""
        return _label_text(self._index[row]) if self._has_labels() else str(row)

    def _observed(self) -> list[str]:
        return [self._result.table.cell(cell.row, cell.column) for cell in self._result.cells]

    def _new_frame(self, columns: dict[str, Any]) -> Any:
        backend: Any = "pandas"
        if self._frame is not None:
            backend = nw.from_native(self._frame, eager_only=True).implementation
        frame, rows = nw.from_dict(columns, backend=backend).to_native(), columns["row"]
        if self._index is not None:
            return frame.set_axis(self._index.take(rows))
        return frame.set_axis(rows) if self._frame is None else frame

    def _written(self, cell: CellFinding) -> Any:
        """Return what a cell should hold as text, so that one column holds them all."""
        value = self._value(cell)
        if isinstance(value, float) and value.is_integer():
            return str(int(value)) if abs(value) < MAX_WHOLE else str(value)
        return None if value is None else str(value).removesuffix(" 00:00:00")

    def _replacement(self, cell: CellFinding) -> Any:
        """Return what takes the place of a cell; a date in text is written as the others are."""
        if cell.kind == "daymonth" and self._result.columns[cell.column].levels is not None:
            return exchanged_text(self._result.table.cell(cell.row, cell.column))
        return self._value(cell)

    def _value(self, cell: CellFinding) -> Any:
        """Return what a cell should hold, as a number, a date or text."""
        column, expected = self._result.columns[cell.column], cell.expected
        if not isinstance(expected, float):
            return expected
        if column.kind == "date":
            return np.datetime64(round(expected * SECONDS_PER_DAY), "s").astype(object)
        return rounded(column, expected) if column.values is not None else expected

    def _taken(self, kept: Any, cells: dict[int, dict[int, Any]]) -> Any:
        """Return rows of the table as a frame, with some cells replaced."""
        frame = self._frame if self._frame is not None else _frame_of(self._result)
        native = nw.from_native(frame, eager_only=True)
        for position, values in cells.items():
            name = native.columns[position]
            native = native.with_columns(_replaced(native.get_column(name), values).alias(name))
        return (native if kept.all() else native.filter(kept.tolist())).to_native()


def _named_by_index(result: TableCleaning, index: Any) -> TableCleaning:
    """Return findings whose rows have the labels of an index as names.

    A column that tells rows apart says more than labels that only count them.
    """
    findings, names = result.findings, result.table.names
    if _is_default(index) and findings.identifier:
        return result
    own = " / ".join(str(name) for name in index.names if name is not None)
    free = (name for name in (own or "index", "index", "label") if name not in names)
    identifier = next(free, "label of the row")

    def named(suspects: Sequence[Suspect]) -> list[Suspect]:
        rows = [int(result.rows[suspect.row]) for suspect in suspects]
        labels = (_label_text(index[row]) for row in rows)
        return [one._replace(name=label) for one, label in zip(suspects, labels, strict=True)]

    findings = replace(findings, identifier=identifier, suspects=named(findings.suspects))
    return replace(result, findings=findings, suspects=named(result.suspects))


def _is_default(index: Any) -> bool:
    """Return whether labels are the positions of the rows."""
    return hasattr(index, "step") and (index.start, index.step) == (0, 1)


def _label_text(label: Any) -> str:
    return str(label).removesuffix(" 00:00:00")


def _replaced(series: Any, values: dict[int, Any]) -> Any:
    """Return a column with other values in some rows; whole numbers may become others."""
    rows, kind = list(values), series.dtype
    if kind.is_integer() and any(value != int(value) for value in values.values()):
        series = series.cast(nw.Float64)
    elif kind.is_integer():
        values = {row: int(value) for row, value in values.items()}
    elif kind == nw.Date:
        values = {row: value.date() for row, value in values.items()}
    backend = series.implementation
    new = nw.new_series(series.name, list(values.values()), series.dtype, backend=backend)
    return series.scatter(rows, new)


def _frame_of(result: TableCleaning) -> Any:
    """Return a table that was read from a file as a frame of pandas."""
    import pandas

    table = result.table
    if isinstance(table, TypedTable):
        return pandas.DataFrame(
            {name: table.column(j).to_pandas() for j, name in enumerate(table.names)}
        )
    content = table.header_bytes + table.rows_bytes()
    frame = pandas.read_csv(
        io.BytesIO(content),
        sep=table.dialect.delimiter,
        decimal=table.dialect.decimal,
        encoding=table.dialect.encoding,
        names=table.names,
        header=0,
        skip_blank_lines=False,
    )
    if len(frame) == table.n_rows:
        return frame
    texts = {name: table.texts(j, np.arange(table.n_rows)) for j, name in enumerate(table.names)}
    return pandas.DataFrame(texts)
