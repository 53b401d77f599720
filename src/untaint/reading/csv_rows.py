"""CSV and TSV files: the fast engine for as long as it goes, the exact one from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .arrow import find_arrow
from .block import Form, Rows
from .columns import Columns
from .csv_exact import read_exactly, read_header
from .csv_fast import Doubt, read_fast


def read_csv(
    path: Path, delimiter: str, columns: Columns, form: Form, *, text_target: bool
) -> Iterator[Rows]:
    """Read the rows of a file.

    Raises
    ------
    TextTargets
        If targets are to be numbers and one is not.
    """
    file = read_header(path, delimiter)
    picked = columns.pick(str(path), [name.strip() for name in file.header], len(file.header))
    arrow = find_arrow("csv")
    done = 0
    if arrow is not None:
        try:
            for rows in read_fast(file, picked, form, arrow, text_target=text_target):
                yield rows
                done += len(rows.X)
            return
        except Doubt:
            pass
    yield from read_exactly(file, picked, form, text_target=text_target, skip=done)
