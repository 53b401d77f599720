"""Inputs of one target, one after the other, and a log that outlives the process."""

from __future__ import annotations

import faulthandler
import gc
import json
import mmap
import re
import resource
import struct
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random

from .target import Target
from .watch import Finding, Watch

# Inputs after which the log is written, and seconds without any that end the process.
EVERY, STUCK = 500, 120
MEMORY_LIMIT = 8 * 2**30
# What differs between findings of one kind.
_VARIABLE = re.compile(r"'[^']*'|\d{2,}|\"[^\"]*\"")


TARGETS = {
    "texts": ("tables", "Texts"),
    "encoders": ("tables", "Encoders"),
    "parquets": ("tables", "Parquets"),
    "csv-rows": ("rows", "CsvRows"),
    "parquet-rows": ("rows", "ParquetRows"),
    "arrays": ("rows", "Arrays"),
    "checkpoints": ("checkpoints", "Checkpoints"),
    "models": ("models", "Models"),
    "predictions": ("commands", "Predictions"),
    "arguments": ("commands", "Arguments"),
}


def make_target(name: str, folder: Path) -> Target:
    """Return the target of a name; what it needs is imported here, and nothing else."""
    module, kind = TARGETS[name]
    target: Target = getattr(import_module(f"{__package__}.{module}"), kind)(folder)
    return target


def outcomes(
    name: str, target: Target, watch: Watch, seed: int, numbers: range
) -> Iterator[tuple[int, str, str | None]]:
    """How each input ended: its number, "done", "refused" or "finding", and what was found."""
    for number in numbers:
        job = target.make(Random(f"{seed} {name} {number}"))
        try:
            yield number, watch.run(job, target.refusals, no_code=target.no_code), None
        except Finding as finding:
            yield number, "finding", str(finding)


def work(name: str, seed: int, first: int, inputs: int, minutes: float, log: Path) -> None:
    """Run inputs, and keep the log beside what the input may have broken."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    folder = log.parent / "arena"
    folder.mkdir(exist_ok=True)
    log.write_text(json.dumps({"counts": {}, "found": {}, "where": {}, "next": first}))
    target, watch = make_target(name, folder), Watch(folder)
    for number in range(10):  # what is imported at first use
        watch.warm(target.make(Random(number)))
    gc.freeze()
    counts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    where: dict[str, int] = {}
    end = time.monotonic() + 60 * minutes
    now = _counter(log)
    for number, ended, text in outcomes(name, target, watch, seed, range(first, first + inputs)):
        struct.pack_into("<q", now, 0, number + 1)
        counts[ended] += 1
        if text is not None:
            kind = _VARIABLE.sub("~", text)
            found[kind] += 1
            where.setdefault(kind, number)
        if counts.total() % EVERY == 0:
            faulthandler.dump_traceback_later(STUCK, exit=True)
            _save(log, counts, found, where, number + 1)
            if time.monotonic() > end:
                break
    faulthandler.cancel_dump_traceback_later()
    _save(log, counts, found, where, number + 1)


def _counter(log: Path) -> mmap.mmap:
    """Return eight shared bytes that hold the position, even if the process dies."""
    with open(log.with_name("now"), "r+b") as file:
        return mmap.mmap(file.fileno(), 8)


def _save(
    log: Path, counts: Counter[str], found: Counter[str], where: dict[str, int], after: int
) -> None:
    report = {"counts": counts, "found": found, "where": where, "next": after}
    draft = log.with_suffix(".draft")
    draft.write_text(json.dumps(report))
    draft.replace(log)
