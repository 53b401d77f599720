"""``untaint report``: show the page that ``untaint clean`` wrote."""

from pathlib import Path
from typing import Annotated

from .._hidden_text import escape_terminal
from . import options
from .errors import UsageError
from .terminal import console


def report(
    directory: Annotated[Path, options.argument("DIR", "A directory that untaint clean wrote.")],
    open_page: Annotated[bool, options.switch("--open", "Open it in a browser.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Print where the report is, or show it in a browser.

    For example:

      untaint report cars-untaint --open
    """
    page = directory / "report.html" if directory.is_dir() else directory
    if page.name != "report.html" or not page.is_file():
        raise UsageError(f"{directory}: expected a directory with a report.html, found none")
    if not quiet:
        console().print(escape_terminal(str(page)))
    if open_page:
        open_in_browser(page)


def open_in_browser(page: Path) -> None:
    """Open a page in a browser, or raise an error."""
    import webbrowser

    if not webbrowser.open(page.absolute().as_uri()):
        raise UsageError(f"{page}: no browser was found to open it with")
