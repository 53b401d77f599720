"""What is needed to judge a file of results: NAME.toml beside NAME.csv.

It holds the command, the days of the first and the last run, the last commit that changed the
library, the seeds, the seconds that all runs took together, and the libraries and cores used.
Methods that were measured again (``again``) have the code of that run.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from untaint._atomic_write import open_atomically

from .case import Case
from .results import Row

LIBRARIES = ("numpy", "scipy", "scikit-learn")


@contextmanager
def recorded(
    path: Path,
    *,
    seeds: int | None,
    quick: bool,
    again: Sequence[str] = (),
    **named: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Time what happens inside and write the record, also if it is interrupted.

    What the caller puts into the dictionary goes into the record, as do methods that are measured
    again and the code that they are measured on. ``named`` are the methods or data sets of a part.
    """
    start, more = time.monotonic(), dict[str, Any]()
    if again:
        more |= {"again": sorted(again), "again_code": _code()}
    try:
        yield more
    finally:
        write_record(path, _command(path, seeds, quick, named), time.monotonic() - start, more)


@contextmanager
def stored(path: Path | None, words: str) -> Iterator[None]:
    """Add what is printed inside to ``path``, as Markdown with its command, and to the record."""
    if path is None:
        yield
        return
    start, text = time.monotonic(), io.StringIO()
    with redirect_stdout(_Both(sys.stdout, text)):
        yield
    words = re.sub(r" --out \S+", "", words)
    command = f'make bench ARGS="{words}"' if " " in words else f"make bench ARGS={words}"
    with path.with_suffix(".md").open("a", encoding="utf-8") as file:
        file.write(f"`{command}`\n\n{text.getvalue().strip()}\n\n")
    before = read_record(path)
    runs, seeds = before.get("cases", 0) + 1, re.search(r"--seeds((?: \d+)+)", words)
    more = {"seeds": max(before.get("seeds", 1), len(seeds[1].split()) if seeds else 1)}
    more |= {"cases": runs, "cases_asked_for": runs, "failed": 0}
    command = f"make bench ARGS={words.split()[0]}" if before else command
    write_record(path, command, time.monotonic() - start, more)


class _Both(io.TextIOBase):
    """A stream that writes to two."""

    def __init__(self, *streams: TextIO) -> None:
        self.streams = streams

    def write(self, text: str) -> int:
        for stream in self.streams:
            stream.write(text)
            stream.flush()
        return len(text)


def write_record(path: Path, command: str, seconds: float, more: dict[str, Any]) -> None:
    """Add a run to the record beside ``path``; seconds of earlier runs count as well."""
    before = read_record(path)
    # A run that had nothing left to do, and drew the table again, measured nothing.
    again = "again" in more
    idle = bool(before) and not again and more.get("cases", 0) <= before["cases"]
    more = {name: before[name] for name in ("again", "again_code") if name in before} | more
    today = before["last_day"] if idle else datetime.now(UTC).date().isoformat()
    record = {
        "command": command,
        "first_day": before.get("first_day", today),
        "last_day": today,
        "code": sorted({*before.get("code", []), *([] if idle or again else _code())}),
        "seconds": round(before.get("seconds", 0) + seconds),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "libraries": [f"{name} {version(name)}" for name in LIBRARIES],
        **more,
    }
    # JSON's text, numbers and lists of them are TOML's too.
    text = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in record.items()
    )
    with open_atomically(path.with_suffix(".toml")) as stream:
        stream.write(text.encode())


def read_record(path: Path) -> dict[str, Any]:
    """Return the record beside a file of results; empty if there is none."""
    beside = path.with_suffix(".toml")
    return tomllib.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}


def counts(rows: Sequence[Row], cases: Sequence[Case]) -> dict[str, Any]:
    """Return which seeds are complete, and how many of the study's cases were run and failed."""
    done = {Case.from_row(row) for row in rows}
    partial = {case.seed for case in cases if case not in done}
    return {
        "seeds": len({case.seed for case in cases} - partial),
        "cases": len(done),
        "cases_asked_for": len(cases),
        "failed": sum(bool(row["error"]) for row in rows),
    }


def _command(path: Path, seeds: int | None, quick: bool, named: Mapping[str, Sequence[str]]) -> str:
    """Return the command that gives the same rows; files are named after their studies."""
    words = [path.stem.removesuffix("-quick"), *([f"--seeds {seeds}"] if seeds else [])]
    words += ["--quick"] if quick else []
    words += [word for name, some in named.items() if some for word in (f"--{name}", *some)]
    return (
        f'make bench ARGS="{" ".join(words)}"' if len(words) > 1 else f"make bench ARGS={words[0]}"
    )


def _code() -> list[str]:
    """Return the last commit that changed the library; nothing outside of a checkout."""
    found = subprocess.run(
        ["git", "log", "-1", "--format=%h", "--", "src"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    return found.stdout.split()
