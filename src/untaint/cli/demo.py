"""``untaint demo``: clean a table whose mistakes are known."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from .._hidden_text import escape_terminal
from . import options
from .clean import clean
from .terminal import console, plain_table

TARGET = "price_eur"


def demo(
    out: Annotated[Path, options.option("--out -o", "DIR", "Output directory.")] = Path(
        "untaint-demo"
    ),
    seed: options.Seed = 0,
    open_page: options.Open = False,
    quiet: options.Quiet = False,
) -> None:
    """Clean a table of used cars, and count which of its mistakes were caught.

    The table is made up, and its mistakes were planted, so that the truth is
    known: prices with a slipped decimal point or of another car, wrong units,
    swapped columns.

    For example:

      untaint demo

      untaint demo --open
    """
    import json

    from ..datasets import used_cars_file, used_cars_truth

    path = used_cars_file()
    if not quiet:
        place = escape_terminal(str(out))
        console().print(f"untaint clean {path.name} --target {TARGET} --out {place}\n")
    clean(str(path), TARGET, out=out, seed=seed, open_page=open_page, quiet=quiet)
    if not quiet:
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        _show_scores(console(), used_cars_truth(), set(summary["flagged_rows"]))


def _show_scores(show: Any, truth: list[str], flagged: set[int]) -> None:
    """Print how many mistakes of each kind were found, and how many correct rows were flagged."""
    planted = Counter(truth)
    caught = Counter(mistake for row, mistake in enumerate(truth, 1) if row in flagged)
    title: dict[str, Any] = {"title": "What was caught", "title_justify": "left"}
    table = plain_table("mistake", "planted", "caught", right=("planted", "caught"), **title)
    for mistake in sorted(filter(None, planted)):
        table.add_row(mistake, str(planted[mistake]), str(caught[mistake]))
    wrong = sum(planted.values()) - planted[""]
    table.add_row("all mistakes", str(wrong), str(sum(caught.values()) - caught[""]), style="bold")
    table.add_row("correct rows", f"{planted['']:,}", f"{caught['']} flagged")
    show.print()
    show.print(table)
