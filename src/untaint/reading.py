"""Names of :mod:`untaint.io` for rows that do not fit into memory, under their first address."""

from .io import DataFileError, Table, read_rows

__all__ = ["DataFileError", "Table", "read_rows"]
