"""Arguments and options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .errors import UsageError


class Task(StrEnum):
    """The tasks that ``--task`` accepts."""

    auto = "auto"
    regression = "regression"
    classification = "classification"


class Learner(StrEnum):
    """The learners that ``--learner`` accepts."""

    auto = "auto"
    kernel = "kernel"
    trees = "trees"


READING = "File format (detected by default)"
OUTPUT = "Output"

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV or Parquet file, also compressed with gzip; - is standard input.",
        show_default=False,
    ),
]
Target = Annotated[
    str,
    typer.Option("--target", "-t", metavar="COL", help="The column to predict from the others."),
]
TaskOption = Annotated[
    Task, typer.Option("--task", help="Whether the target is numeric or a class label.")
]
Contamination = Annotated[
    str,
    typer.Option(
        "--contamination",
        metavar="SHARE",
        help="Share of wrong rows, from 0 to 0.49, if known; estimated by default.",
    ),
]
LearnerOption = Annotated[
    Learner,
    typer.Option(
        "--learner",
        help="What predicts the target: a kernel, gradient-boosted trees, or the better of both.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COL", help="A column to leave out; may be repeated."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random draws.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT)
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print a summary in JSON.", rich_help_panel=OUTPUT),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="CHAR", help="Column delimiter.", rich_help_panel=READING),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal", metavar="CHAR", help="Decimal separator, . or ,", rich_help_panel=READING
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Text encoding.", rich_help_panel=READING),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that untaint did not write.")]
OutDirectory = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Output directory; DATA-untaint by default.",
        show_default=False,
    ),
]


def parse_contamination(text: str) -> float | str:
    """Return the value of ``--contamination`` as a number, or "auto".

    Examples
    --------
    >>> from untaint.cli.options import parse_contamination
    >>> parse_contamination("0.1"), parse_contamination("auto")
    (0.1, 'auto')
    """
    if text == "auto":
        return "auto"
    try:
        contamination = float(text)
    except ValueError:
        contamination = -1.0
    if not 0 <= contamination < 0.5:
        raise UsageError(f"--contamination should be auto or a share from 0 to 0.49, got {text!r}")
    return contamination
