"""Entry points of the command line: words of any kind, and a model that meets a table."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from random import Random

import skops.io  # noqa: F401  # by hand, because what it imports is no finding

from untaint.cli.main import main

from .models import Models
from .target import Job, Target
from .texts import table_bytes
from .watch import Finding, check_sentence

_COMMANDS = ("clean", "fit", "predict", "report", "demo", "bench", "clea", "", "-", "--help")
_OPTIONS = (
    *(
        "--target",
        "-t",
        "--task",
        "--contamination",
        "--out",
        "-o",
        "--mark",
        "--repair",
        "--ignore",
    ),
    *(
        "--seed",
        "--force",
        "--quiet",
        "-q",
        "--json",
        "--delimiter",
        "--decimal",
        "--encoding",
        "-h",
    ),
    *(
        "--probabilities",
        "--version",
        "--jobs",
        "--seeds",
        "--no",
        "-x",
        "--target=c0",
        "--",
        "-qq",
    ),
)
_WORDS = (
    *(
        "bad.csv",
        "empty.csv",
        "model.skops",
        "ours",
        "theirs",
        "no.csv",
        ".",
        "..",
        "/dev/null",
        "~x",
    ),
    *(
        "c0",
        "c1",
        "auto",
        "0.1",
        "0.6",
        "-1",
        "nan",
        "1e999",
        "regression",
        "classification",
        "label",
    ),
    *(
        ",",
        "tab",
        "utf-8",
        "utf-99",
        "",
        " ",
        "é",
        "\udcff",
        "a\nb",
        "x" * 5000,
        "\x1b[31m",
        "{}",
        "%s",
    ),
    *(
        "0",
        "7",
        "99999999999999999999",
        "[bold]",
        "\x00",
        "table1x",
        "*",
        "$(id)",
        "--target",
        "=1+1",
    ),
)


def spoken(words: list[str]) -> None:
    """Run a command; it ends with 0, or with 2 and one sentence on standard error."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"c0,c1\n"), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    finally:
        sys.stdin = stdin
    said = err.getvalue()
    if code not in (0, 2):
        raise Finding(f"exit code {code}: {said[-160:]!r}")
    if code == 2:
        if said.count("\n") != 1 or not said.startswith("untaint: "):
            raise Finding(f"not one sentence: {said!r:.160}")
        check_sentence(said[:-1])


class Predictions(Models):
    """``untaint predict`` with a hostile model, a hostile table, or both."""

    refusals = ()
    no_code = False

    def make(self, rng: Random) -> Job:
        which = rng.randrange(2)
        content, table = self.good[which]
        if rng.random() < 0.8:
            content = self.hostile(rng)
        if rng.random() < 0.3:
            table = table_bytes(rng)
        model, data = self.write("m.skops", content), self.write("p.csv", table)
        extra = rng.choice(([], ["--json"], ["--probabilities"], ["-q"]))
        return lambda: spoken(["predict", str(model), str(data), *extra])


class Arguments(Target):
    """Words in any order; files beside them are no tables, so that no fit begins."""

    refusals = ()

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        os.chdir(folder)
        self.write("bad.csv", b"c0,c1\n1\n")
        self.write("empty.csv", b"")
        self.write("model.skops", b"PK\x03\x04")
        for name in ("ours", "theirs"):
            (folder / name).mkdir(exist_ok=True)
            self.write(f"{name}/cleaned.csv", b"x")
            self.write(f"{name}/report.html", b"x")

    def make(self, rng: Random) -> Job:
        summary = rng.choice(
            (b'{"versions": {"untaint": "1"}}', b"[" * 90_000, b"5", b"", b'"', b"\xff")
        )
        self.write("ours/summary.json", summary)
        words = [rng.choice(_COMMANDS[:6] if rng.random() < 0.8 else _COMMANDS)]
        if words == ["demo"] or (words == ["bench"] and rng.random() < 0.5):
            words.append("--no")  # a run of its own takes a minute
        if rng.random() < 0.6:
            words += [rng.choice(("bad.csv", "empty.csv", "ours")), "--target", "c0"]
            words += ["--out", rng.choice(("ours", "theirs", "new"))]
        for _ in range(rng.randrange(5)):
            words.append(rng.choice(_OPTIONS if rng.random() < 0.5 else _WORDS))
        return lambda: spoken(words)
