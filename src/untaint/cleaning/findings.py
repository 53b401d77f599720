"""What was found in a table: all that a page, a summary or a list of rows has to show.

Plain arrays, numbers and text, so that whoever shows them need not know how they were computed.
Rows are numbered by their place among the *judged* rows, those that have a target; ``numbers`` says
where each stands in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray

Task = Literal["regression", "classification"]
Kind = Literal["target", "features", "both"]


class Odd(NamedTuple):
    """A cell that makes its row odd.

    Attributes
    ----------
    column : str
    value : str
        The cell as it is written.
    usual : str
        What trusted rows have there, such as "12 to 48" or "mostly diesel".
    strength : float
        How far out it is, in robust deviations.
    """

    column: str
    value: str
    usual: str
    strength: float


class Suspect(NamedTuple):
    """A row that may be wrong.

    Attributes
    ----------
    row : int
        Place among the judged rows.
    kind : {"target", "features", "both"}
        What is wrong with it.
    why : str
        One sentence.
    cells : sequence of str
        The whole row as it is written, column by column.
    odd : sequence of Odd
        The oddest first.
    """

    row: int
    kind: Kind
    why: str
    cells: Sequence[str]
    odd: Sequence[Odd] = ()


class Improvement(NamedTuple):
    """Errors on trusted rows that were left out of the fit, before and after cleaning.

    Attributes
    ----------
    measure : str
        What is measured, such as "typical error" or "share of wrong labels".
    before, after : float
        Of a plain fit to all rows, and of the fit to trusted rows. Smaller is better.
    rows : int
        How many rows they were measured on.
    """

    measure: str
    before: float
    after: float
    rows: int


class Monitored(NamedTuple):
    """Scores of some rows as more and more rows are given up.

    Attributes
    ----------
    shares : array of shape (m,)
        The share given up, ascending.
    rows : array of shape (k,)
        Places among the judged rows.
    scores : array of shape (m, k)
    """

    shares: FloatArray
    rows: IntArray
    scores: FloatArray


class ColumnSummary(NamedTuple):
    """A column of the table, the target included.

    Attributes
    ----------
    name : str
    kind : str
        "number", "category", "date", "boolean", "identifier", "text", "constant", "duplicate",
        "empty".
    used : bool
        Whether the model sees it (the target: True).
    missing : int
        Cells without a value.
    suspicion : float
        Part of the flagged rows in which this column is odd, from 0 to 1.
    """

    name: str
    kind: str
    used: bool
    missing: int
    suspicion: float


class Note(NamedTuple):
    """Something about the data that the user should know.

    Attributes
    ----------
    level : {"info", "warning"}
    text : str
        One sentence or two.
    """

    level: Literal["info", "warning"]
    text: str


@dataclass(frozen=True)
class Findings:
    """What was found.

    Attributes
    ----------
    source : str
        What the user called the table, a file's name as a rule.
    target : str
    task : {"regression", "classification"}
    share : float
        Estimated share of wrong rows, or the one that was asked for.
    interval : pair of float or None
        Of the estimate; None if the share was asked for.
    numbers : array of shape (n,)
        Row number in the file of each judged row, from 1, the header not counted.
    scores : array of shape (n,)
        Higher is more suspicious.
    cut : float
        Rows whose score is at least this are flagged.
    flagged : bool array of shape (n,)
    observed, expected : array of shape (n,)
        Targets as they are and as the other rows would have them: floats, or labels as objects.
    suspects : sequence of Suspect
        The most suspicious first: flagged rows, and some that were spared. Of many, a part.
    set_aside : int
        Rows that have no target.
    columns : sequence of ColumnSummary
        In the order of the file.
    improvement : Improvement or None
    monitored : Monitored or None
    notes : sequence of Note
    command : str
        What to type to get this again.
    versions : mapping of str to str
    seed : int
    kinds : array of shape (n,)
        "target", "features", "both", or empty for rows that are not flagged.
    """

    source: str
    target: str
    task: Task
    share: float
    interval: tuple[float, float] | None
    numbers: IntArray
    scores: FloatArray
    cut: float
    flagged: BoolArray
    observed: NDArray[Any]
    expected: NDArray[Any]
    suspects: Sequence[Suspect]
    set_aside: int
    columns: Sequence[ColumnSummary]
    improvement: Improvement | None
    monitored: Monitored | None
    notes: Sequence[Note]
    command: str
    versions: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    kinds: NDArray[Any] = field(default_factory=lambda: np.array([], dtype="<U8"))

    @property
    def n_rows(self) -> int:
        """Rows that were judged."""
        return len(self.scores)

    @property
    def n_flagged(self) -> int:
        """Rows that are held to be wrong."""
        return int(self.flagged.sum())
