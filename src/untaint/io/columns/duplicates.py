"""Columns that repeat an earlier one, cell by cell."""

from dataclasses import replace
from hashlib import blake2b

import numpy as np

from .column import Column

_COMPARED_KINDS = {"number", "boolean", "date", "category", "identifier", "text"}


def mark_duplicates(columns: list[Column], first: str | None = None) -> list[Column]:
    """Mark columns that repeat another as duplicates of it.

    Parameters
    ----------
    columns : list of Column
    first : str, optional
        Name of a column that others are held against first, wherever it stands.
    """
    order = sorted(range(len(columns)), key=lambda j: columns[j].name != first)
    marked = list(columns)
    seen: dict[bytes, str] = {}
    for j in order:
        column = columns[j]
        if column.kind not in _COMPARED_KINDS:
            continue
        earlier = seen.setdefault(_fingerprint(column), column.name)
        if earlier != column.name:
            marked[j] = replace(column, kind="duplicate", details={"of": earlier})
    return marked


def _fingerprint(column: Column) -> bytes:
    digest = blake2b(digest_size=16)
    if column.values is not None:
        # There are two zeros and many NaN; adding zero makes one of the former.
        digest.update(np.where(column.missing, np.nan, column.values + 0.0).tobytes())
    elif column.levels is not None:
        # Levels are in the order in which they occur, so equal columns have equal codes.
        digest.update(column.levels.codes.tobytes())
        digest.update("\0".join(column.levels.texts.to_pylist()).encode())
    return digest.digest()
