"""``untaint COMMAND ...``: the commands, and how their ends become exit codes."""

import io
import sys
from collections.abc import Sequence
from typing import Annotated, Any

from .errors import USAGE_ERROR, exit_code_of
from .light_imports import light_imports


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 0 done, 2 bad usage or bad data."""
    try:
        app = make_app()
    except ImportError as error:
        if error.name not in ("typer", "rich"):
            raise
        print("untaint: the command line needs pip install 'untaint[cli]'.", file=sys.stderr)
        return USAGE_ERROR
    if isinstance(sys.stdout, io.TextIOWrapper):  # escape what an old terminal cannot show
        sys.stdout.reconfigure(errors="backslashreplace")
    words = None if arguments is None else list(arguments)
    with light_imports():
        return exit_code_of(lambda: app(args=words, standalone_mode=False, prog_name="untaint"))


def make_app() -> Any:
    """Return the app with all commands; what these need is imported when they run."""
    import typer

    from .clean import clean
    from .demo import demo
    from .fit import fit
    from .predict import predict
    from .report import report

    app = typer.Typer(
        name="untaint",
        help="Robust regression and classification for tables with wrong rows.",
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    def show_version(requested: bool) -> None:
        if requested:
            from .. import __version__

            print(f"untaint {__version__}")
            raise typer.Exit

    def options(version: bool = False) -> None:
        """Robust regression and classification for tables with wrong rows."""

    requested = typer.Option(
        "--version", callback=show_version, is_eager=True, help="Show the version and exit."
    )
    # Set by hand, because typer is not known where the text of an annotation is evaluated.
    options.__annotations__["version"] = Annotated[bool, requested]
    app.callback()(options)
    for command in (clean, fit, predict, report, demo):
        app.command()(command)
    return app


if __name__ == "__main__":
    sys.exit(main())
