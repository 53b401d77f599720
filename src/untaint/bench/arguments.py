"""Arguments of a command that are wrong, told in one sentence."""

from __future__ import annotations

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and ends with code 2."""

    def error(self, message: str) -> NoReturn:
        """Leave out the usage, which --help gives."""
        self.exit(2, f"{self.prog}: {message}\n")


def positive(text: str) -> int:
    """Read a whole number from 1.

    Examples
    --------
    >>> from untaint.bench.arguments import positive
    >>> positive("3")
    3
    """
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text!r}")
    return int(text)
