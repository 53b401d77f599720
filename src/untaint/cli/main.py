"""``untaint COMMAND ...``: the commands, and how their ends become exit codes."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated, Any

from .failures import REFUSED, exit_code_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 0 done, 2 refused with one sentence."""
    try:
        app = make_app()
    except ImportError as error:
        if error.name not in ("typer", "rich"):
            raise
        print("untaint: the command line needs pip install 'untaint[cli]'.", file=sys.stderr)
        return REFUSED
    if isinstance(sys.stdout, io.TextIOWrapper):  # show what an old terminal cannot, as it can
        sys.stdout.reconfigure(errors="backslashreplace")
    words = None if arguments is None else list(arguments)
    return exit_code_of(lambda: app(args=words, standalone_mode=False, prog_name="untaint"))


def make_app() -> Any:
    """The commands; what they need is imported when they run."""
    import typer

    from .bench import bench
    from .clean import clean
    from .demo import demo
    from .fit import fit
    from .predict import predict
    from .report import report

    app = typer.Typer(
        name="untaint",
        help="Learn from data that you cannot trust.",
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    def show_version(asked: bool) -> None:
        if asked:
            from .. import __version__

            print(f"untaint {__version__}")
            raise typer.Exit

    def options(version: bool = False) -> None:
        """Learn from data that you cannot trust."""

    asked = typer.Option("--version", callback=show_version, is_eager=True, help="Say which.")
    # By hand, because the text of an annotation is looked up where typer is not known.
    options.__annotations__["version"] = Annotated[bool, asked]
    app.callback()(options)
    for command in (clean, fit, predict, report, demo, bench):
        app.command()(command)
    return app


if __name__ == "__main__":
    sys.exit(main())
