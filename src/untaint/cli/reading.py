"""The table that a command is given, read with the options of the file format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..io import RawTable


def read_data(
    data: str,
    delimiter: str | None,
    decimal: str | None,
    encoding: str | None,
    sheet: str | None,
    max_bytes: int,
) -> RawTable:
    """Read a table; the options are those of :mod:`.options`, in their order."""
    from ..io import read_table

    return read_table(
        data,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        sheet=sheet,
        max_bytes=max_bytes,
    )
