"""Output on a terminal: colours and progress if it is one, plain text if not.

Cells and names are untrusted input. They are shown as text, never as markup, and through
:func:`untaint._hidden_text.escape_terminal`.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

OnStage = Callable[[str], None]


def console(*, error: bool = False) -> Any:
    """Return a rich console, which uses colours on terminals only."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:  # rich would end the program here, with code 1
            raise BrokenPipeError

    return Piped(
        stderr=error, highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty()
    )


def plain_table(*columns: str, right: tuple[str, ...], **options: Any) -> Any:
    """Return a table without lines, and with some columns aligned to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, **options)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left")
    return table


@contextmanager
def progress(quiet: bool) -> Iterator[OnStage]:
    """Show the current stage on standard error, if that is a terminal.

    Stages of several steps have a bar, and the time that is left.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from .._progress import ProgressLine, shown_by

    line = ProgressLine("untaint", sys.stderr)
    line.begin("reading the file")
    try:
        with shown_by(line.on_step):
            yield line.begin
    finally:
        line.erase()
