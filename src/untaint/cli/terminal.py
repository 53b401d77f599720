"""What is shown on a terminal: colours and progress if it is one, plain text if not.

Cells and names come from strangers. They are shown as text, never as markup, and control characters
in them as escapes, so that none moves the cursor, renames the window or hides what follows.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Say = Callable[[str], None]

# Characters that are not shown as they are: controls, directions, surrogates, private ones.
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    r"""Text in which nothing is hidden and nothing acts.

    Examples
    --------
    >>> from untaint.cli.terminal import visible
    >>> visible("red\x1b[31m"), visible("naïve – ok")
    ('red\\x1b[31m', 'naïve – ok')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if unicodedata.category(character) not in HIDDEN:
        return character
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def console(*, error: bool = False) -> Any:
    """Where to print: a rich console, which keeps colours for terminals."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:  # rich would end the program here, with code 1
            raise BrokenPipeError

    return Piped(
        stderr=error, highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty()
    )


@contextmanager
def progress(quiet: bool) -> Iterator[Say]:
    """A line on standard error that says what is going on, if anybody is looking."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        console=console(error=True),
        transient=True,
    ) as bar:
        task = bar.add_task("reading the file", total=None)

        def say(what: str) -> None:
            bar.update(task, description=what)

        yield say
