"""Arguments and options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .errors import UsageError

if TYPE_CHECKING:
    from ..io import RawTable


# What ``--task`` and ``--learner`` accept.
TaskName = StrEnum("TaskName", ["auto", "regression", "classification"])
LearnerName = StrEnum("LearnerName", ["auto", "kernel", "trees"])
READING = "File format (detected by default)"
OUTPUT = "Output"
MAX_BYTES = 2**31  # the default of untaint.io.read_table, which is not imported for --help


def option(names: str, metavar: str, help: str, panel: str | None = None, **more: Any) -> Any:
    """Return an option of one name or two."""
    return typer.Option(*names.split(), metavar=metavar, help=help, rich_help_panel=panel, **more)


def switch(names: str, help: str, panel: str | None = None) -> Any:
    """Return an option without a value; a space stands where the help shows a type."""
    return option(names, " ", help, panel)


def argument(metavar: str, help: str) -> Any:
    """Return an argument that must be given."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def path(text: str) -> Path:
    """Return a path, and refuse an empty one, which is usually a variable that is not set."""
    if not text:
        raise UsageError("--out should be a path, got an empty one")
    return Path(text)


_DATA = "CSV, TSV, JSON lines, Parquet or Excel, also in gzip or zip; - is standard input."
Data = Annotated[str, argument("DATA", _DATA)]
Target = Annotated[str, option("--target -t", "COL", "The column to predict from the others.")]
_TARGET = "A column to predict from the others; without it, all columns are checked alike."
OptionalTarget = Annotated[str | None, option("--target -t", "COL", _TARGET)]
_FDR = "Share of right cells among those that are reported as wrong, in expectation."
Fdr = Annotated[float, option("--fdr", "RATE", _FDR, min=0.0, max=0.99)]
_SKIP = (
    "Checks to leave out, separated by commas, such as typo,stuck; columns is that of each column "
    "by the others."
)
Skip = Annotated[list[str] | None, option("--skip", "CHECKS", _SKIP)]
_TASK = "regression for a numeric target, classification for class labels, or auto."
TaskOption = Annotated[TaskName, option("--task", "NAME", _TASK)]
_CONTAMINATION = "Share of wrong rows, from 0 to 0.49, if known; estimated by default."
Contamination = Annotated[str, option("--contamination", "SHARE", _CONTAMINATION)]
_LEARNER = (
    "What predicts the target: kernel, trees (gradient-boosted), or auto, the better of both."
)
LearnerOption = Annotated[LearnerName, option("--learner", "NAME", _LEARNER)]
Ignore = Annotated[
    list[str] | None, option("--ignore", "COL", "A column to leave out; may be repeated.")
]
Seed = Annotated[int, option("--seed", "N", "Seed of all random draws.", min=0)]
Quiet = Annotated[bool, switch("--quiet -q", "Print nothing but errors.", OUTPUT)]
Json = Annotated[bool, switch("--json", "Print a summary in JSON.", OUTPUT)]
Open = Annotated[bool, switch("--open", "Open the report in a browser.")]
Delimiter = Annotated[str | None, option("--delimiter", "CHAR", "Column delimiter.", READING)]
Decimal = Annotated[str | None, option("--decimal", "CHAR", "Decimal separator, . or ,", READING)]
Encoding = Annotated[str | None, option("--encoding", "NAME", "Text encoding.", READING)]
Sheet = Annotated[
    str | None,
    option("--sheet", "NAME", "Sheet of an Excel workbook; the first by default.", READING),
]
_MAX_BYTES = "Refuse files of more bytes than this when unpacked."
MaxBytes = Annotated[int, option("--max-bytes", "N", _MAX_BYTES, READING, min=1)]
Force = Annotated[bool, switch("--force", "Overwrite files that untaint did not write.")]
ForceFile = Annotated[bool, switch("--force", "Overwrite an existing file.")]
OutDirectory = Annotated[
    Path | None,
    option("--out -o", "DIR", "Output directory; DATA-untaint by default.", parser=path),
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


def read_data(data: str, *given: Any) -> RawTable:
    """Read a table; what is given are the options of its format, in the order of the help."""
    from ..io import read_table

    names = ("delimiter", "decimal", "encoding", "sheet", "max_bytes")
    return read_table(data, **dict(zip(names, given, strict=True)))
