"""A CSV file as both engines see it: its path, delimiter and header."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast


@dataclass(frozen=True)
class CsvFile:
    """A file with a header, compressed if its name ends in .gz.

    ``header`` holds the names as written, blanks around them included.
    """

    path: Path
    delimiter: str
    header: list[str]

    def open(self) -> BinaryIO:
        """Open the file for its bytes."""
        return open_bytes(self.path)


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for its bytes, decompressed."""
    if path.name.lower().endswith(".gz"):
        return cast(BinaryIO, gzip.open(path))
    return path.open("rb")
