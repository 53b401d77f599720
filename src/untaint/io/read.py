"""`read_table`: read a table from a path."""

import os
import re
from numbers import Integral

from .errors import DataFileError
from .excel import read_excel
from .json_lines import is_json_lines, read_json_lines
from .parquet import read_parquet
from .source import MAX_BYTES, read_content
from .table import RawTable
from .text import read_text

# How a JSON document begins that is an array of records, or one object.
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*\{\s*"|\{\s*"|\{\s*\n)')


def read_table(
    source: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> RawTable:
    r"""Read a table that fits in memory from a file of any supported format.

    Parameters
    ----------
    source : path
        Path of CSV text, JSON lines, a Parquet file or an Excel workbook (.xlsx), plain or in gzip,
        or of a zip file that holds one of these; "-" is standard input.
    delimiter : str, optional
        Character between cells of a text file; detected by default.
    decimal : str, optional
        Decimal mark of numbers; detected by default.
    encoding : str, optional
        Encoding of a text file; detected by default.
    sheet : str, optional
        Name of the sheet of a workbook, by default the first.
    max_bytes : int, default=2**31
        Maximum number of bytes of the unpacked source; larger sources are refused, if possible
        before they use memory.

    Returns
    -------
    RawTable
        Names and cells, and the bytes of every row, to write them again as they were.

    Raises
    ------
    DataFileError
        If the source cannot be read; the message names what was expected and what was found.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from untaint.io import read_table
    >>> path = pathlib.Path(tempfile.mkdtemp(), "prices.csv")
    >>> _ = path.write_bytes(b"size;price\r\n3,5;120\r\n4;150\r\n")
    >>> table = read_table(path)
    >>> table.names, table.n_rows, table.dialect.describe()
    (['size', 'price'], 2, 'semicolons, decimal commas, UTF-8, Windows line ends')
    >>> table.rows_bytes([False, True])
    b'4;150\r\n'
    """
    if decimal is not None and not (isinstance(decimal, str) and decimal in {".", ","}):
        raise DataFileError(f"decimal should be '.' or ',', got {decimal!r}.")
    if source == "":
        raise DataFileError("source: expected a file, got an empty path.")
    if not isinstance(source, (str, os.PathLike)):
        raise DataFileError(f"source should be the path of a file, got {source!r}.")
    if not isinstance(max_bytes, Integral):
        raise DataFileError(f"max_bytes should be a whole number, got {max_bytes!r}.")
    content = read_content(source, max_bytes)
    if content.is_workbook:
        return read_excel(content, sheet, decimal, max_bytes)
    if sheet is not None:
        raise DataFileError(
            f"{content.name}: expected an Excel workbook with a sheet {sheet!r}, found no workbook."
        )
    if content.is_parquet:
        return read_parquet(content, decimal, max_bytes)
    if is_json_lines(content):
        return read_json_lines(content, decimal, encoding, max_bytes)
    if _JSON.match(content.data):
        raise DataFileError(
            f"{content.name}: expected JSON with one record on each line, found a JSON document."
        )
    return read_text(content, delimiter, decimal, encoding, max_bytes)
