"""CSV and TSV files: the fast engine as far as it reads, the exact one from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .arrow import find_arrow
from .block import BlockFormat, RowBlock
from .csv_exact import read_exactly, read_header
from .csv_fast import FastPathRejected, read_fast
from .selection import ColumnSelector


def read_csv(
    path: Path,
    delimiter: str,
    columns: ColumnSelector,
    block_format: BlockFormat,
    *,
    text_target: bool,
) -> Iterator[RowBlock]:
    """Read the rows of a file.

    Raises
    ------
    TextTargets
        If targets are to be numbers and one is not.
    """
    file = read_header(path, delimiter)
    selection = columns.select(str(path), [name.strip() for name in file.header], len(file.header))
    arrow = find_arrow("csv")
    done = 0
    if arrow is not None:
        try:
            for rows in read_fast(file, selection, block_format, arrow, text_target=text_target):
                yield rows
                done += len(rows.X)
            return
        except FastPathRejected:
            pass
    yield from read_exactly(file, selection, block_format, text_target=text_target, skip=done)
