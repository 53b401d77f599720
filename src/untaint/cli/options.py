"""Arguments and options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .failures import Refusal


class Task(StrEnum):
    """What is to be predicted."""

    auto = "auto"
    regression = "regression"
    classification = "classification"


READING = "How the file is written (found out by default)"
OUTPUT = "What is shown"

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
    typer.Option(
        "--target", "-t", metavar="COL", help="The column that the others should explain."
    ),
]
TaskOption = Annotated[
    Task, typer.Option("--task", help="Whether the target is an amount or a label.")
]
Contamination = Annotated[
    str,
    typer.Option(
        "--contamination",
        metavar="SHARE",
        help="Share of wrong rows, from 0 to 0.49, if you know it; else it is estimated.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COL", help="A column to leave out; may be repeated."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="For everything that is drawn.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but errors.", rich_help_panel=OUTPUT)
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print a summary for programs.", rich_help_panel=OUTPUT),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="CHAR", help="Between cells.", rich_help_panel=READING),
]
Decimal = Annotated[
    str | None,
    typer.Option("--decimal", metavar="CHAR", help="Decimal mark, . or ,", rich_help_panel=READING),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Of the text.", rich_help_panel=READING),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that untaint did not write.")]
OutDirectory = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Where files go; DATA-untaint by default.",
        show_default=False,
    ),
]


def share_of(text: str) -> float | str:
    """The share of wrong rows that was asked for.

    Examples
    --------
    >>> from untaint.cli.options import share_of
    >>> share_of("0.1"), share_of("auto")
    (0.1, 'auto')
    """
    if text == "auto":
        return "auto"
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share < 0.5:
        raise Refusal(f"--contamination should be auto or a share from 0 to 0.49, got {text!r}")
    return share
