"""``untaint COMMAND ...``: find the command and hand it the rest of the line.

A command parses its own arguments and returns its exit code: 0 done, 1 done in part, 2 bad usage or
bad data, told in one sentence.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from untaint import __version__
from untaint.bench.arguments import Parser


class Command(NamedTuple):
    """What a command is for, and what runs it."""

    purpose: str
    run: Callable[[Sequence[str]], int]


def bench(arguments: Sequence[str]) -> int:
    """Run a study."""
    from untaint.bench.command import main

    return main(arguments, prog="untaint bench")


COMMANDS = {
    "bench": Command("the papers' tables and figures, and the speed comparisons", bench),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code of the command."""
    options = _parser().parse_args(arguments)
    return COMMANDS[options.command].run(options.arguments)


def _parser() -> Parser:
    parser = Parser(
        prog="untaint",
        description="Learn from data that you cannot trust.",
        epilog="\n".join(f"{name:<8}{command.purpose}" for name, command in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"untaint {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="COMMAND --help lists them")
    return parser


if __name__ == "__main__":
    sys.exit(main())
