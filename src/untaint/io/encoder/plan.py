"""The plan of an encoder for a column: plain text and numbers, so that it can be saved."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class ColumnPlan:
    """The plan of an encoder for a column.

    Parameters
    ----------
    name : str
    kind : str
        What the column was found to hold.
    used : bool
        Whether features are made of it.
    missing : int
        Cells without a value, in the table that the encoder was fitted to.
    details : dict
        How its features are made, and what else is known.
    features : list of str
        Names of its features.
    """

    name: str
    kind: str
    used: bool
    missing: int
    details: dict[str, Any] = field(default_factory=dict)
    features: list[str] = field(default_factory=list)
