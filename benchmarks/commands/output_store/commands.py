"""Configurations of the command line: tables cleaned by `python -m untaint clean`.

The bytes of the tables written are stored as hashes, and the numbers of summary.json by name,
without times and versions.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import untaint
from benchmarks.commands.output_store.case import Case, Outputs
from untaint.datasets import used_cars_file

LEFT_OUT = ("seconds", "time", "version", "date", "created", "command")


def write_cars(path: Path) -> None:
    """The bundled table of used cars."""
    path.write_bytes(used_cars_file().read_bytes())


def _columns(n: int) -> tuple[dict[str, list[str]], Any, Any]:
    """Three numbers, one of them with cells missing, and a category; and what they explain."""
    rng = np.random.default_rng(3)
    length, width, heat = rng.uniform(10, 50, n), rng.normal(5, 1, n), rng.normal(200, 20, n)
    colour = rng.choice(["red", "green", "blue"], n)
    effect = np.select([colour == "red", colour == "green"], [10.0, -5.0], 0.0)
    value = 2 * length + 0.1 * (width - 5) ** 2 + 0.2 * heat + effect + rng.normal(0, 1, n)
    cells = {
        "length": [f"{v:.2f}" for v in length],
        "width": ["" if rng.random() < 0.03 else f"{v:.3f}" for v in width],
        "heat": [f"{v:.1f}" for v in heat],
        "colour": list(colour),
    }
    return cells, value, rng


def _write(path: Path, cells: dict[str, list[str]]) -> None:
    lines = [",".join(row) for row in zip(*cells.values(), strict=True)]
    path.write_text("\n".join([",".join(cells), *lines]) + "\n", encoding="utf-8")


def write_numbers(path: Path, n: int = 500) -> None:
    """Targets of which one in fifteen is ten times too large, and some lengths in other units."""
    cells, value, rng = _columns(n)
    wrong = rng.random(n) < 1 / 15
    for row in np.flatnonzero(rng.random(n) < 0.02):
        cells["length"][row] = f"{1000 * float(cells['length'][row]):.0f}"
    _write(path, cells | {"value": [f"{v:.2f}" for v in np.where(wrong, 10 * value, value)]})


def write_labels(path: Path, n: int = 500) -> None:
    """Three labels, of which one in twelve is another's."""
    cells, value, rng = _columns(n)
    names = np.array(["low", "middle", "high"])
    labels = names[np.digitize(value, np.quantile(value, [0.35, 0.7]))]
    wrong = rng.random(n) < 1 / 12
    labels[wrong] = rng.permutation(labels[wrong])
    _write(path, cells | {"grade": list(labels)})


def run_untaint(folder: Path, *words: str) -> None:
    """Run a command with the package that this process has imported, on one thread."""
    source = str(Path(untaint.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "untaint", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")


def run_clean(write: Any, target: str, *options: str) -> Outputs:
    """Clean a table in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "table.csv")
        run_untaint(folder, "clean", "table.csv", "-t", target, "-o", "out", "-q", *options)
        found = {
            f"{file} sha256": digest(folder / "out" / file)
            for file in ("cleaned.csv", "flagged.csv")
        }
        summary = json.loads((folder / "out" / "summary.json").read_text(encoding="utf-8"))
        return found | flat("summary", summary)


def run_predict(write: Any, target: str) -> Outputs:
    """Train a model on a table by one command and predict the same table by another."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "table.csv")
        run_untaint(folder, "fit", "table.csv", "-t", target, "-o", "model.skops", "-q")
        run_untaint(folder, "predict", "model.skops", "table.csv", "-o", "said.csv", "-q")
        lines = (folder / "said.csv").read_text(encoding="utf-8").splitlines()
    said = [line.rpartition(",")[2] for line in lines]
    try:
        return {"predictions": np.array(said[1:], dtype=float)}
    except ValueError:
        return {"predictions": np.array(said[1:])}


def digest(path: Path) -> Any:
    """Return the hash of a file's bytes."""
    return np.array([hashlib.sha256(path.read_bytes()).hexdigest()])


def flat(name: str, value: Any) -> Outputs:
    """Leaves of a JSON document, by the way that leads to them; lists of numbers as arrays."""
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if not any(w in key for w in LEFT_OUT)}
        return {k: v for key, item in kept.items() for k, v in flat(f"{name}.{key}", item).items()}
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return {k: v for i, item in enumerate(value) for k, v in flat(f"{name}.{i}", item).items()}
    if value is None:
        return {}
    return {name: np.array(value)}


def command_cases() -> list[Case]:
    """Return three tables, and the ways to treat their wrong rows."""
    specs: list[tuple[str, Any, str, tuple[str, ...]]] = [
        ("used cars", write_cars, "price_eur", ()),
        ("numbers", write_numbers, "value", ()),
        ("labels", write_labels, "grade", ()),
        ("numbers repair 0.1", write_numbers, "value", ("--repair", "--contamination", "0.1")),
        ("labels mark", write_labels, "grade", ("--mark",)),
    ]
    cleaned = [
        Case(f"clean: {name}", "1e-9", partial(run_clean, write, target, *options))
        for name, write, target, options in specs
    ]
    predicted = [
        Case("fit and predict: numbers", "1e-9", partial(run_predict, write_numbers, "value")),
        Case("fit and predict: labels", "1e-9", partial(run_predict, write_labels, "grade")),
    ]
    return [*cleaned, *predicted]
