"""Run a study by name: ``make bench ARGS=NAME``, or ``python -m benchmarks NAME`` in a checkout.

A study is a table of cases (:mod:`benchmarks.studies`) or a module of :mod:`benchmarks.commands`
with a ``main`` of its own, which reads the remaining arguments. Rows of a table of cases are
written as they are measured, and a run that was stopped continues where it ended. What a module
prints is added to a result, FILE.md with its record FILE.toml, by ``--store FILE``.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from .frame import run_study
from .frame.record import stored
from .studies import FORMER_NAMES, STUDIES

# Modules with a command line of their own.
COMMANDS = tuple(
    path.stem.replace("_", "-")
    for path in sorted(Path(__file__).with_name("commands").glob("[!_]*.py"))
)


# What a study can be limited to.
PARTS = ("methods", "datasets")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and end with code 2."""
        sys.exit(_refuse(message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study that the arguments name; without a name, list all."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        return list_studies()
    if words[0] in COMMANDS:
        return run_command(words[0], words[1:])
    options = _parser().parse_args(words)
    name = FORMER_NAMES.get(options.name, options.name)
    if name not in STUDIES:
        return _refuse(_unknown(name))
    # Kept apart by default, so that a trial run leaves no rows among the published ones.
    path = options.out or Path("results") / f"{name}{'-quick' if options.quick else ''}.csv"
    known = {name: getattr(options, name) for name in (*PARTS, "seeds", "jobs", "quick", "again")}
    try:
        return run_study(STUDIES[name], path, **known)
    except (RuntimeError, ValueError, OSError) as error:
        return _refuse(str(error))


def list_studies() -> int:
    """Print the name of every study and the question that it answers."""
    questions = {name: study.question for name, study in STUDIES.items()}
    questions |= {name: _first_line(name) for name in COMMANDS}
    width = max(map(len, questions))
    try:
        for name, question in questions.items():
            print(f"{name:<{width}}  {question}")
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, head for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Run a module that has a command line of its own."""
    words = list(arguments)
    file = None
    if "--store" in words[:-1]:
        place = words.index("--store")
        file = Path(words[place + 1])
        del words[place : place + 2]
    sys.argv = [f"{__package__} {name}", *words]
    argparse.ArgumentParser.error = Parser.error  # type: ignore
    with stored(file, " ".join([name, *words])):
        return import_module(f"{__package__}.commands.{name.replace('-', '_')}").main() or 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="make bench ARGS=", description=__doc__)
    parser.add_argument("name", help="the study; without a name, all are listed")
    parser.add_argument("--seeds", type=_count, help="number of seeds; the study's own by default")
    parser.add_argument("--jobs", type=_count, default=1, help="number of processes")
    parser.add_argument("--out", type=Path, help="CSV file; results/NAME.csv by default")
    for name in PARTS:
        parser.add_argument(
            f"--{name}", nargs="+", default=(), metavar="NAME", help=f"these {name} alone"
        )
    parser.add_argument(
        "--again", nargs="+", default=(), metavar="METHOD", help="methods to measure again"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, bundled data, two seeds")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def _first_line(name: str) -> str:
    """Return the first line of a module's docstring without importing the module."""
    path = Path(__file__).with_name("commands") / f"{name.replace('-', '_')}.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def _unknown(name: str) -> str:
    names = [*STUDIES, *COMMANDS]
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
    return f"no study {name!r}: {hint}"


def _refuse(reason: str) -> int:
    print(f"Error: {reason}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
