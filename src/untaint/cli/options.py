"""Arguments and options that several commands have."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .errors import UsageError


class TaskName(StrEnum):
    """The tasks that ``--task`` accepts."""

    auto = "auto"
    regression = "regression"
    classification = "classification"


class LearnerName(StrEnum):
    """The learners that ``--learner`` accepts."""

    auto = "auto"
    kernel = "kernel"
    trees = "trees"


# Stands where the help of other options shows a type; a switch takes no value.
SWITCH = " "
READING = "File format (detected by default)"
OUTPUT = "Output"

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, JSON lines, Parquet or Excel, also in gzip or zip; - is standard input.",
        show_default=False,
    ),
]
Target = Annotated[
    str,
    typer.Option("--target", "-t", metavar="COL", help="The column to predict from the others."),
]
OptionalTarget = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COL",
        help="A column to predict from the others; without it, all columns are checked alike.",
        show_default=False,
    ),
]
Fdr = Annotated[
    float,
    typer.Option(
        "--fdr",
        metavar="RATE",
        min=0.0,
        max=0.99,
        help="Share of right cells among those that are reported as wrong, in expectation.",
    ),
]
Skip = Annotated[
    list[str] | None,
    typer.Option(
        "--skip",
        metavar="CHECKS",
        help="Checks to leave out, separated by commas, such as typo,stuck; columns is that of "
        "each column by the others.",
        show_default=False,
    ),
]
TaskOption = Annotated[
    TaskName,
    typer.Option(
        "--task",
        metavar="NAME",
        help="regression for a numeric target, classification for class labels, or auto.",
    ),
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
    LearnerName,
    typer.Option(
        "--learner",
        metavar="NAME",
        help="What predicts the target: kernel, trees (gradient-boosted), or auto, the better of "
        "both.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COL", help="A column to leave out; may be repeated."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of all random draws.")]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", metavar=SWITCH, help="Print nothing but errors.", rich_help_panel=OUTPUT
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", metavar=SWITCH, help="Print a summary in JSON.", rich_help_panel=OUTPUT),
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
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="Sheet of an Excel workbook; the first by default.",
        rich_help_panel=READING,
    ),
]
MaxBytes = Annotated[
    int,
    typer.Option(
        "--max-bytes",
        min=1,
        metavar="N",
        help="Refuse files of more bytes than this when unpacked.",
        rich_help_panel=READING,
    ),
]
MAX_BYTES = 2**31  # the default of untaint.io.read_table, which is not imported for --help
Force = Annotated[
    bool,
    typer.Option("--force", metavar=SWITCH, help="Overwrite files that untaint did not write."),
]
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


def parse_skip(words: list[str] | None) -> list[str]:
    """Return the names of checks in ``--skip``.

    Examples
    --------
    >>> from untaint.cli.options import parse_skip
    >>> parse_skip(["typo,stuck", "sign"])
    ['typo', 'stuck', 'sign']
    """
    from ..cells import CHECKS

    names = [name.strip() for word in words or () for name in word.split(",")]
    for name in names:
        if name not in (*CHECKS, "columns"):
            known = ", ".join((*CHECKS, "columns"))
            raise UsageError(f"--skip should name checks among {known}; got {name!r}")
    return names


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
