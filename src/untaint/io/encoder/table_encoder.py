"""From a table to an array of numbers."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..._typing import FloatArray
from ..columns.column import Column
from ..columns.read import read_columns
from ..errors import DataFileError, listed
from ..table import RawTable, check_table
from .features import make_features, plan_features
from .plan import notes_on_columns
from .reread import read_as, unknown_levels
from .target import find_column, hint_at

_LONGEST = 600


class TableEncoder(BaseEstimator):
    r"""Turn the columns of a table into features.

    Numbers stay as they are, with the median for missing ones. Dates become days, and if they carry
    times, sines and cosines over the day. Categories become a feature of 0 and 1 for each level
    that is frequent. What carries no information (constants, duplicates) or too much (identifiers,
    free text) is set aside.

    Parameters
    ----------
    leave_out : sequence of str, default=()
        Columns to leave out.

    Attributes
    ----------
    names_ : list of str
        Names of the features.
    sources_ : int array of shape (n_features,)
        Position in the table of the column that each feature comes from.
    columns_ : list of ColumnPlan
        What is done with each column.
    target_ : str or None
    notes_ : list of str
        What was set aside, filled in or not understood in the table that it was fitted to.
    last_notes_ : list of str
        Such notes on the table that was transformed last.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from untaint.io import TableEncoder, read_table
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = path.write_text("size,ok,y\n3.5,yes,1\n4,no,2\n,yes,3\n")
    >>> encoder = TableEncoder()
    >>> encoder.fit_transform(read_table(path), target="y")
    array([[3.5 , 0.  , 1.  ],
           [4.  , 0.  , 0.  ],
           [3.75, 1.  , 1.  ]])
    >>> encoder.names_
    ['size', 'size is missing', 'ok']
    """

    def __init__(self, *, leave_out: Sequence[str] = ()) -> None:
        self.leave_out = leave_out

    def fit(self, table: RawTable, target: str | None = None) -> Self:
        """Find out what each column holds, and decide what features to make of it.

        Parameters
        ----------
        table : RawTable
        target : str, optional
            The column that is to be predicted, of which no features are made.
        """
        self._fit(table, target)
        return self

    def fit_transform(self, table: RawTable, target: str | None = None) -> FloatArray:
        """Fit, and return the features of the same table; quicker than one after the other."""
        columns = self._fit(table, target)
        used = [
            make_features(column, plan)
            for column, plan in zip(columns, self.columns_, strict=True)
            if plan.used
        ]
        return np.column_stack(used)

    def transform(self, table: RawTable) -> FloatArray:
        """Return the features of a table, whose columns may be in any order.

        Raises
        ------
        DataFileError
            If a column is not there, or holds something else than before.
        """
        X, self.last_notes_ = self.transform_noting(table)
        return X

    def transform_noting(self, table: RawTable) -> tuple[FloatArray, list[str]]:
        """Return the features of a table, and notes on unknown levels and invalid cells."""
        check_is_fitted(self, "columns_")
        self._check_columns(table)
        blocks, notes = [], []
        for plan in self.columns_:
            if plan.used:
                column = read_as(table, table.names.index(plan.name), plan, self.decimal_)
                blocks.append(make_features(column, plan))
                notes += column.notes + unknown_levels(column, plan)
        known = {plan.name for plan in self.columns_}
        extra = [name for name in table.names if name not in known]
        if extra:
            notes.append(f"Columns that were not there before are ignored: {listed(extra)}.")
        return np.column_stack(blocks), notes

    def _fit(self, table: RawTable, target: str | None) -> list[Column]:
        aside = {table.names[find_column(table, name)] for name in self.leave_out}
        self.target_ = None if target is None else table.names[find_column(table, target)]
        if self.target_ in aside:
            raise DataFileError(
                f"{table.source}: expected columns besides the target to leave out, found the "
                f"target, {self.target_!r}."
            )
        columns = read_columns(table, self.target_)
        plans = [plan_features(column) for column in columns]
        for plan in plans:
            if plan.name == self.target_ or plan.name in aside:
                plan.details["target" if plan.name == self.target_ else "left_out"] = True
                plan.used, plan.features = False, []
        self.columns_ = plans
        self.decimal_ = table.dialect.decimal
        self.names_ = [name for plan in plans for name in plan.features]
        self.sources_ = np.repeat(np.arange(len(plans)), [len(plan.features) for plan in plans])
        self.notes_ = notes_on_columns(columns, plans)
        self.last_notes_ = list(self.notes_)
        if not self.names_:
            left_out = "all others were left out" if aside else "the target is the only one"
            why = " ".join(self.notes_) or f"{left_out}."
            raise DataFileError(
                f"{table.source}: expected at least one column to learn from, found none; "
                f"{why if len(why) <= _LONGEST else f'{why[:_LONGEST]}...'}"
            )
        return columns

    def _check_columns(self, table: RawTable) -> None:
        check_table(table)
        absent = [plan.name for plan in self.columns_ if plan.used and plan.name not in table.names]
        if not absent:
            return
        known = {plan.name for plan in self.columns_}  # and the target
        others = [name for name in table.names if name not in known]
        hint = hint_at(absent[0], others, "did you rename it to")
        more = f" (and {listed(absent[1:])})" if absent[1:] else ""
        raise DataFileError(
            f"{table.source}: expected a column {absent[0]!r}{more}, as in the table that was "
            f"learnt from, found {listed(table.names)}{hint}"
        )
