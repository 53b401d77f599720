"""The names of columns: all there, and all different."""

import re
from collections import Counter
from collections.abc import Sequence

from .errors import DataFileError, listed

_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*")


def clean_names(source: str, written: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return trimmed names, empty ones filled in, and notes."""
    names = [name.strip().lstrip("\ufeff").strip() for name in written]
    notes = []
    for j, name in enumerate(names):
        if not name:
            names[j] = _free(f"column {j + 1}", names)
            notes.append(
                f"Column {j + 1} has no name and is called {names[j]!r}; an index that pandas "
                "wrote looks like that."
            )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataFileError(
            f"{source}: expected column names that are all different, found {listed(twice)} more "
            "than once."
        )
    if all(_NUMBER.fullmatch(name.strip()) for name in written):
        notes.append(
            f"The first line is taken for the names of the columns, but looks like values: "
            f"{listed(names)}."
        )
    return names, notes


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "'"
    return name
