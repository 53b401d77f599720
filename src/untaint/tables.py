"""Names of :mod:`untaint.io` for messy tables, under their first address."""

from .io import (
    Column,
    ColumnPlan,
    DataFileError,
    Dialect,
    RawTable,
    TableEncoder,
    TargetColumn,
    read_columns,
    read_table,
    read_target,
)
