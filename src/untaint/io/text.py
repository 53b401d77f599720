"""Reading a table of text: the encoding, the delimiter, the records, then all cells at once."""

from typing import Any

import numpy as np

from .archives import Content, check_cells
from .cells import read_cells
from .decimals import find_decimal
from .dialect import QUOTE, Dialect
from .encoding import decode
from .errors import DataFileError
from .fields import split_record
from .names import clean_names
from .records import Records, count_lines, find_records
from .sniff import check_delimiter, find_delimiter, one_column
from .source import MAX_BYTES
from .text_table import TextTable


def read_text(
    content: Content,
    delimiter: str | None,
    decimal: str | None,
    encoding: str | None,
    max_bytes: int = MAX_BYTES,
) -> TextTable:
    """Read a table of text; what is not given is found out."""
    name = content.name
    decoded = decode(name, content.data, encoding)
    text, notes = decoded.data, decoded.notes
    if not text or text.isspace():
        raise DataFileError(f"{name}: expected a table, found an empty file.")
    given = None if delimiter is None else check_delimiter(delimiter)
    delimiter = given or find_delimiter(name, text)
    if content.layers:
        n_cells = sum(text.count(letter) for letter in (b"\n", b"\r", delimiter.encode()))
        check_cells(name, content.layers, n_cells, max_bytes)
    records, columns, quotes = _parse(name, text, delimiter)
    if len(columns) < 2:
        raise one_column(name, given)
    notes += _remarks(records, text, quotes=quotes)
    header = text[records.starts[0] : records.ends[0]]
    names, remarks = clean_names(name, split_record(header, delimiter.encode(), quotes=quotes))
    dialect = Dialect(
        delimiter=delimiter,
        quote=QUOTE if quotes else None,
        decimal=decimal or find_decimal(columns, delimiter),
        encoding=decoded.encoding,
        mark=decoded.mark,
        line_end=_line_end(text, records),
        layers=content.layers,
    )
    return TextTable(name, names, dialect, notes + remarks, columns, text, records)


def _parse(name: str, text: bytes, delimiter: str) -> tuple[Records, list[Any], bool]:
    """Find records and cells, and whether quotes wrap fields.

    Quotes are plain characters if only that gives equal records.
    """
    records = find_records(text, delimiter, quotes=True)
    if records.unclosed is None:
        if len(records.starts) < 2:
            raise DataFileError(f"{name}: expected rows below the column names, found none.")
        columns = read_cells(text, records, delimiter, quotes=True)
        if columns is not None:
            return records, columns, True
    if len(records.toggles) and not _wraps_fields(text, delimiter):
        plain = find_records(text, delimiter, quotes=False)
        columns = read_cells(text, plain, delimiter, quotes=False)
        if columns is not None and len(plain.starts) > 1:
            return plain, columns, False
    if records.unclosed is not None:
        raise _unclosed(name, text[: records.unclosed])
    raise _ragged(name, text, records, delimiter)


def _wraps_fields(text: bytes, delimiter: str) -> bool:
    """Return whether most fields that have quotes have one at either end."""
    data = np.frombuffer(text, np.uint8)
    edges = np.flatnonzero(np.isin(data, [ord(delimiter), *b"\r\n"]))
    starts, ends = np.append(0, edges + 1), np.append(edges, len(text))
    places = np.flatnonzero(data == ord(QUOTE))
    quoted = np.unique(np.searchsorted(edges, places))  # fields that have quotes
    first, last = data[starts[quoted]], data[ends[quoted] - 1]
    wrapped = (first == ord(QUOTE)) & (last == ord(QUOTE)) & (ends - starts > 1)[quoted]
    return bool(2 * wrapped.sum() > len(quoted))


def _unclosed(name: str, text_before: bytes) -> DataFileError:
    return DataFileError(
        f"{name}, line {count_lines(text_before) + 1}: expected a closing quote for the one that "
        "opens there, found none up to the end of the file."
    )


def _ragged(name: str, text: bytes, records: Records, delimiter: str) -> DataFileError:
    counts = records.counts(text, delimiter)
    wrong = np.flatnonzero(counts != counts[0])
    others = f"; {len(wrong) - 1} other lines are like that"
    if len(wrong) == len(counts) - 1 > 1 and len(set(counts[1:].tolist())) == 1:
        others = " in every line below it"
    elif len(wrong) <= 2:
        others = "; another line is like that" if len(wrong) == 2 else ""
    return DataFileError(
        f"{name}, line {records.lines[wrong[0]]}: expected {counts[0]} fields as in the "
        f"header, found {counts[wrong[0]]}{others}."
    )


def _remarks(records: Records, text: bytes, *, quotes: bool) -> list[str]:
    notes = []
    if records.n_blank:
        lines = "A blank line is" if records.n_blank == 1 else f"{records.n_blank} blank lines are"
        notes.append(f"{lines} passed over.")
    if not quotes and b'"' in text:
        notes.append("Double quotes are ordinary characters here: they do not wrap whole fields.")
    return notes


def _line_end(text: bytes, records: Records) -> str:
    end = int(records.ends[0])
    if text.startswith(b"\r\n", end):
        return "\r\n"
    return "\r" if text.startswith(b"\r", end) else "\n"
