"""Small tables of used cars whose first prices are ten times too high, in whatever spelling."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

NAMES = ("age", "km", "fuel", "price")
FILES = {"cleaned.csv", "flagged.csv", "report.html", "model.skops", "summary.json"}
Cells = list[str]


def cars(n: int = 60, wrong: int = 3, seed: int = 0) -> list[Cells]:
    """Rows of age, km, fuel and price, of which the first few have a wrong price."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(1, 15, n)
    km = age * 12_000 * rng.uniform(0.7, 1.3, n)
    fuel = rng.choice(["petrol", "diesel"], n)
    price = 25_000 - 1_000 * age - 0.02 * km + 1_500 * (fuel == "diesel") + rng.normal(0, 150, n)
    price[:wrong] *= 10
    return [
        [f"{a:.1f}", f"{k:.0f}", str(f), f"{p:.2f}"]
        for a, k, f, p in zip(age, km, fuel, price, strict=True)
    ]


def labelled(n: int = 60, wrong: int = 6, seed: int = 0) -> list[Cells]:
    """Rows of two measures and a species, of which the first few have another one's name."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    measures = rng.normal(0, 0.4, (n, 2)) + np.array([[0, 0], [5, 0], [0, 5]])[codes]
    codes[:wrong] = (codes[:wrong] + 1) % 3
    species = np.array(["oak", "ash", "elm"])[codes]
    return [[f"{a:.2f}", f"{b:.2f}", str(s)] for (a, b), s in zip(measures, species, strict=True)]


def changed(rows: Sequence[Cells], column: int, cell: Callable[[int, str], str]) -> list[Cells]:
    """The rows with other cells in one column."""
    return [[*row[:column], cell(i, row[column]), *row[column + 1 :]] for i, row in enumerate(rows)]


def text(
    rows: Sequence[Sequence[str]],
    names: Sequence[str] = NAMES,
    delimiter: str = ",",
    line_end: str = "\n",
) -> str:
    """CSV, with quotes where they are needed."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=line_end)
    writer.writerows([names, *rows])
    return buffer.getvalue()


def write(path: Path, content: str | bytes) -> Path:
    """A file with this content, in directories made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def snapshot(directory: Path) -> dict[str, bytes | str | None]:
    """Everything below a directory, contents and links included."""
    found: dict[str, bytes | str | None] = {}
    for folder, folders, files in os.walk(directory):
        for name in [*folders, *files]:
            path = Path(folder, name)
            place = str(path.relative_to(directory))
            if path.is_symlink():
                found[place] = os.readlink(path)
            else:
                found[place] = path.read_bytes() if path.is_file() else None
    return found


def read_csv(path: Path) -> list[dict[str, str]]:
    """Rows as dictionaries."""
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
