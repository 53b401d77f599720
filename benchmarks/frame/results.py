"""Results on disk: a CSV file that grows by whole rows, and is put in order at the end at once.

A row is the case, its measures, and ``error`` (empty unless the case failed). Rows are appended by
a single write and a torn last line, left by a crash, is cut off on opening; so the file can be
read, and a study resumed, at any moment. A failed case may be tried again: its last row counts.

Numbers are written to eight significant digits: the last bits of a sum depend on the machine, and
the same seeds are to give the same file.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from untaint._atomic_write import open_atomically

from .case import CASE_FIELDS, Case

Row = dict[str, Any]

DIGITS = 8


class ResultsFile:
    """Append rows to a CSV file and read them back.

    Parameters
    ----------
    path : path-like
        Created, with its directory, on the first append.
    measures : sequence of str
        The columns that a case's run fills.
    """

    def __init__(self, path: str | os.PathLike[str], measures: Sequence[str]) -> None:
        self.path = Path(path)
        self.columns = (*CASE_FIELDS, *measures, "error")

    def append(self, case: Case, measures: Mapping[str, Any]) -> None:
        """Write one whole row, with the header before it in a new file."""
        unknown = set(measures) - set(self.columns)
        if unknown:
            raise ValueError(f"measures {sorted(unknown)} are not columns of {self.path}.")
        self._prepare()
        values = {name: getattr(case, name) for name in CASE_FIELDS} | dict(measures)
        _write(self.path, _line([values.get(name, "") for name in self.columns]))

    def read(self) -> list[Row]:
        """Return the last row of every case, in the order of first appearance."""
        return [
            {
                name: getattr(case, name) if name in CASE_FIELDS else _value(text[name])
                for name in self.columns
            }
            for case, text in self._texts().items()
        ]

    def done(self) -> set[Case]:
        """Return the cases that need not run again: those that did not fail."""
        return {Case.from_row(row) for row in self.read() if not row["error"]}

    def forget(self, methods: Container[str]) -> None:
        """Leave the rows of some methods out, so that they are measured again."""
        rows = self._texts()
        kept = [list(text.values()) for case, text in rows.items() if case.method not in methods]
        if len(kept) < len(rows):
            with open_atomically(self.path) as stream:
                stream.write(b"".join(map(_line, [self.columns, *kept])))

    def arrange(self, cases: Iterable[Case]) -> None:
        """Put these cases first, in their order; a run over processes ends them in any."""
        rows = self._texts()
        ordered = [case for case in dict.fromkeys([*cases, *rows]) if case in rows]
        lines = [_line(self.columns), *(_line(list(rows[case].values())) for case in ordered)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open_atomically(self.path) as stream:
            stream.write(b"".join(lines))

    def _texts(self) -> dict[Case, dict[str, str]]:
        """Return last row of every case as it is written, in the order of first appearance."""
        if not self.path.exists():
            return {}
        whole, _, _ = self.path.read_text(encoding="utf-8").rpartition("\n")
        if whole:
            self._check_header(f"{whole}\n".encode())
        return {Case.from_row(text): text for text in csv.DictReader(whole.splitlines())}

    def _prepare(self) -> None:
        """Create the file, or cut a torn line off and see that the columns are ours."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        content = self.path.read_bytes()
        if not content.endswith(b"\n"):
            content = content[: content.rfind(b"\n") + 1]
            os.truncate(self.path, len(content))
        if content:
            self._check_header(content)
        else:
            _write(self.path, _line(self.columns))

    def _check_header(self, content: bytes) -> None:
        if not content.startswith(_line(self.columns)):
            raise ValueError(
                f"{self.path} has other columns than this study writes; move it away or use --out."
            )


def _line(values: Sequence[Any]) -> bytes:
    """Encode one row as one line."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([_flat(value) for value in values])
    return buffer.getvalue().encode("utf-8")


def _flat(value: Any) -> Any:
    """Return text on a single line, numbers without the digits that no two machines agree on."""
    if isinstance(value, str):
        return " ".join(value.split())
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _write(path: Path, line: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _value(text: str | None) -> float | str:
    """Return numbers as numbers, the rest as text."""
    try:
        return float(text or "")
    except ValueError:
        return text or ""
