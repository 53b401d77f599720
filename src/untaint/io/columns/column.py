"""The kind and the values of a column."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..._typing import BoolArray, FloatArray
from .levels import Levels

Kind = Literal[
    "number", "boolean", "date", "category", "identifier", "text", "constant", "duplicate", "empty"
]


@dataclass(frozen=True)
class Column:
    """The kind and the values of a column.

    Parameters
    ----------
    name : str
    kind : str
    missing : bool array of shape (n,)
    values : array of shape (n,) or None
        Numbers, 0 and 1, or days since 1970, NaN where they are missing; None for text.
    levels : Levels or None
        Distinct texts, if they were looked for.
    details : mapping
        What is known beyond, such as the style of numbers; plain text and numbers.
    notes : list of str
    """

    name: str
    kind: Kind
    missing: BoolArray
    values: FloatArray | None = None
    levels: Levels | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def n_missing(self) -> int:
        """The number of cells without a value."""
        return int(self.missing.sum())
