"""Tables in files: one way to read them, and two forms in which they are returned.

`read_table` detects the format of a file and returns all cells with the bytes of every row, so
that rows can be written again as they were. `read_rows` returns numbers, and reads them a block at
a time into a file that is mapped into memory, for tables that do not fit there.

`TableEncoder` detects the kind of each column of a table and makes features of it, and
`read_target` reads the column that is to be predicted.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .columns.column import Column
from .columns.read import read_columns
from .dialect import Dialect
from .encoder.plan import ColumnPlan
from .encoder.target import TargetColumn, read_target
from .errors import DataFileError
from .read import read_table
from .table import RawTable

if TYPE_CHECKING:
    from .encoder.table_encoder import TableEncoder
    from .stream.read import read_rows
    from .stream.rows_table import Table

_NEED_SKLEARN = {
    "TableEncoder": ".encoder.table_encoder",
    "read_rows": ".stream.read",
    "Table": ".stream.rows_table",
}

__all__ = [
    "Column",
    "ColumnPlan",
    "DataFileError",
    "Dialect",
    "RawTable",
    "Table",
    "TableEncoder",
    "TargetColumn",
    "read_columns",
    "read_rows",
    "read_table",
    "read_target",
]


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn when it is used: that takes a second."""
    if name not in _NEED_SKLEARN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_NEED_SKLEARN[name], __name__), name)
