"""Reading JSON lines: one record on each line, all with the same keys."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .._progress import report_step
from .archives import Content, check_cells
from .encoding import decode
from .errors import DataFileError, listed, reason, shortened
from .source import MAX_BYTES
from .typed_cells import typed_table
from .typed_table import TypedTable

_REPORTED = 10_000  # lines after which the progress is reported
_WORDS = {list: "an array", str: "text", bool: "true or false", type(None): "null"}


def is_json_lines(content: Content) -> bool:
    """Return whether a file is named as JSON lines, or its first line is a record."""
    if content.file_name.lower().endswith((".jsonl", ".ndjson")):
        return True
    start = content.data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(start.split(b"\n", 1)[0]), dict)
    except (ValueError, RecursionError):
        return False


def read_json_lines(
    content: Content, decimal: str | None, encoding: str | None, max_bytes: int = MAX_BYTES
) -> TypedTable:
    """Read JSON lines; lists and objects within a record become text."""
    name = content.name
    decoded = decode(name, content.data, encoding)
    check_cells(name, content.layers, decoded.data.count(b":"), max_bytes)
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    for line, record in _records(name, decoded.data):
        if not lines:
            columns = {key: [] for key in record}
        elif record.keys() != columns.keys():
            raise _other_keys(name, line, record, lines[0], list(columns))
        lines.append(line)
        for key, cells in columns.items():
            cells.append(record[key])
    if not lines:
        raise DataFileError(f"{name}: expected a table, found an empty file.")
    table = typed_table(
        content, "JSON lines", decimal, columns, columns.values(), lines, "line", decoded.notes
    )
    nested = [
        column
        for column, cells in zip(table.names, columns.values(), strict=True)
        if any(isinstance(cell, (list, dict)) for cell in cells)
    ]
    if nested:
        table.notes.append(f"Lists and objects are read as text, in {listed(nested)}.")
    return table


def _records(name: str, data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records, each with its line; blank lines are passed over."""
    lines = io.BytesIO(data)
    for number, line in enumerate(lines, 1):
        if number % _REPORTED == 0:
            report_step(lines.tell(), len(data))
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_unique, parse_constant=_constant)
        except (ValueError, RecursionError) as error:
            raise DataFileError(
                f"{name}, line {number}: expected a JSON object ({_fault(error)})."
            ) from error
        if not isinstance(record, dict):
            found = _WORDS.get(type(record), "a number")
            raise DataFileError(
                f"{name}, line {number}: expected an object with the columns as keys, "
                f"found {found}."
            )
        yield number, record


def _fault(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.colno}"
    if isinstance(error, RecursionError):
        return "too many arrays or objects within one another"
    return "too many digits" if "digits" in str(error) else reason(error)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {shortened(twice)} occurs twice")
    return record


def _constant(word: str) -> float | None:
    """Return what stands for a word that is no JSON: NaN is a missing value."""
    return None if word == "NaN" else float(word)


def _other_keys(
    name: str, line: int, record: dict[str, Any], first_line: int, keys: list[str]
) -> DataFileError:
    missing = [key for key in keys if key not in record]
    extra = [key for key in record if key not in keys]
    found = f"no {listed(missing)}" if missing else f"{listed(extra)} as well"
    return DataFileError(
        f"{name}, line {line}: expected the same keys as in line {first_line}, found {found}; "
        "write null where a value is missing."
    )
