"""What is found in a table: cells, rows, and the model of the target if it has one."""

from __future__ import annotations

import platform
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import numpy as np

from .._typing import BoolArray, IntArray
from ..cells import CellFinding
from ..io import Column, RawTable, TargetColumn
from .findings import Findings, Suspect

if TYPE_CHECKING:
    from .model import TableModel

# Kinds of column that are predicted from the others.
JUDGED = ("number", "date", "category", "boolean", "text")
# Rows that the page lists, and unflagged ones among them.
MAX_LISTED, MAX_UNFLAGGED = 3000, 200


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


def identifier_position(columns: Sequence[Column]) -> int | None:
    """Return the position of the first column whose values identify rows."""
    found = (j for j, c in enumerate(columns) if c.kind == "identifier" and not c.n_missing)
    return next(found, None)


def identifier_name(columns: Sequence[Column]) -> str:
    """Return the name of that column, or nothing."""
    position = identifier_position(columns)
    return "" if position is None else columns[position].name


def shares_of_wrong(suspects: Sequence[Suspect], names: Collection[str]) -> list[float]:
    """Return of each column in which part of the flagged rows it has a wrong cell."""
    count = dict.fromkeys(names, 0)
    for suspect in suspects:
        for name in {cell.column for cell in suspect.odd}:
            count[name] += 1
    return [number / max(len(suspects), 1) for number in count.values()]


def encodable(text: str) -> str:
    """Replace what UTF-8 cannot encode: file names may hold bytes that are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def versions() -> dict[str, str]:
    """Return the versions of the packages that a result depends on.

    Examples
    --------
    >>> from untaint.cleaning.table_cleaning import versions
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
