"""Tables as people write them: read from a file, and encoded as numbers.

`read_table` detects the format of a file and keeps the bytes of every row, so that rows can be
written again as they were. `TableEncoder` detects the kind of each column and makes features of
it, and `read_target` reads the column that is to be predicted.
"""

from ..reading.errors import DataFileError
from .column import Column
from .columns import read_columns
from .dialect import Dialect
from .encoder import TableEncoder
from .plan import ColumnPlan
from .read import read_table
from .table import RawTable
from .target import TargetColumn, read_target

__all__ = [
    "Column",
    "ColumnPlan",
    "DataFileError",
    "Dialect",
    "RawTable",
    "TableEncoder",
    "TargetColumn",
    "read_columns",
    "read_table",
    "read_target",
]
