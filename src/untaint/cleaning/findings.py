"""The findings in a table, as the report, the summary and the list of rows show them.

They are plain arrays, numbers and text, so that what shows them need not know how they were
computed. Rows are numbered by their place among the *assessed* rows, those that have a target;
``numbers`` holds the position of each in the file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray

# Smallest score, in robust deviations, of a target that is flagged.
FLAG_SCORE = 5.0
Task = Literal["regression", "classification", "cells"]
Learner = Literal["kernel", "trees"]
Kind = Literal["target", "features", "both"]

#: How rows are counted and what a range in a reason means, for every output that people read.
LEGEND = (
    "Rows count from 1, the header not counted. A range in parentheses holds for 85 % of the "
    "kept rows, each about its own expected value."
)


class Odd(NamedTuple):
    """A cell that makes its row odd.

    Attributes
    ----------
    column : str
    value : str
        The cell as it is written.
    usual : str
        What is expected there, such as "about 48" or "diesel".
    strength : float
        Score of the cell, on the scale of the rows' scores.
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
        Place among the assessed rows.
    kind : {"target", "features", "both"}
        What is wrong with it.
    why : str
        One sentence.
    cells : sequence of str
        The whole row as it is written, column by column.
    odd : sequence of Odd
        The oddest first.
    name : str
        What the identifier of the rows holds, empty without one.
    """

    row: int
    kind: Kind
    why: str
    cells: Sequence[str]
    odd: Sequence[Odd] = ()
    name: str = ""


class Improvement(NamedTuple):
    """Cross-validated errors on held-out rows, before and after cleaning.

    Attributes
    ----------
    measure : str
        What is measured, such as "typical error" or "share of wrong labels".
    before, after : float
        Error of a plain fit to all rows, and of the robust fit. Smaller is better.
    rows : int
        Number of rows on which they were measured.
    """

    measure: str
    before: float
    after: float
    rows: int


class Monitored(NamedTuple):
    """Scores of some rows as a larger and larger fraction of the rows is trimmed.

    Attributes
    ----------
    contaminations : array of shape (m,)
        The trimmed fractions, ascending.
    rows : array of shape (k,)
        Places among the assessed rows.
    scores : array of shape (m, k)
    """

    contaminations: FloatArray
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
        Fraction of the flagged rows in which this column is odd.
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
    """All findings in a table.

    Attributes
    ----------
    source : str
        Name of the table, a file's name as a rule.
    target : str
        Name of the target; empty without one.
    task : {"regression", "classification", "cells"}
        Kind of analysis; "cells" without a target.
    contamination : float
        Estimated fraction of wrong rows, or the one that was given.
    interval : pair of float or None
        Confidence interval of the estimate; None if the contamination was given.
    numbers : array of shape (n,)
        Row number in the file of each assessed row, from 1, the header not counted.
    scores : array of shape (n,)
        Higher is more suspicious.
    cut : float
        Rows whose score is at least this are flagged.
    flagged : bool array of shape (n,)
        True for flagged rows.
    observed : array of shape (n,)
        Observed targets: floats, or class labels as objects.
    expected : array of shape (n,)
        Predicted targets: floats, or class labels as objects.
    suspects : sequence of Suspect
        Flagged rows and some unflagged ones, the most suspicious first; only the first of many.
    set_aside : int
        Number of rows that have no target.
    columns : sequence of ColumnSummary
        Summaries of the columns, in the order of the file.
    improvement : Improvement or None
        Error of the model with and without trimming.
    monitored : Monitored or None
        Scores as the share of trimmed rows grows.
    notes : sequence of Note
        Remarks about the table and the analysis.
    command : str
        Command line that reproduces the findings.
    versions : mapping of str to str
        Versions of the packages that were used.
    seed : int
        Random seed of the analysis.
    kinds : array of shape (n,)
        "target", "features", "both", or empty for rows that are not flagged.
    learner : {"kernel", "trees"}
        The learner that predicts the target.
    why_learner : str
        Reason for this learner; empty if it was requested.
    identifier : str
        Name of the column or index that identifies rows; empty without one.
    doubt : str
        Reason why the table without flagged rows may be no better; empty without one.
    """

    source: str
    target: str
    task: Task
    contamination: float
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
    learner: Learner = "kernel"
    why_learner: str = ""
    identifier: str = ""
    doubt: str = ""

    @property
    def n_rows(self) -> int:
        """The number of rows that were assessed."""
        return len(self.scores)

    @property
    def n_flagged(self) -> int:
        """The number of rows that are flagged."""
        return int(self.flagged.sum())
