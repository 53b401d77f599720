"""Fuzz the readers of files and the loader of models: no crash, no hang, no code, one sentence.

Inputs are made from a seed, a target and a number, so that each can be made again alone:

    make bench ARGS="fuzz-files --target models --inputs 150000 --seed 0"
    make bench ARGS="fuzz-files --target models --seed 0 --first 4711 --inputs 1"

Every target runs in a process of its own. If that dies, the input that killed it is a finding, and
the next process goes on behind it. Without --target all run, and --inputs are shared out among
them by their usual parts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.frame.children import child_environment

# Parts of a thousand inputs: those that cost a millisecond have most.
SHARES = {
    "texts": 300, "csv-rows": 150, "parquet-rows": 170, "arrays": 150, "checkpoints": 100,
    "parquets": 60, "models": 38, "encoders": 30, "arguments": 1, "predictions": 1,
}  # fmt: skip
ARENA = Path("/dev/shm")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=[*SHARES, "all"], default="all")
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="Number of the first input.")
    parser.add_argument("--minutes", type=float, default=600.0, help="Of each target, at most.")
    parser.add_argument("--worker", metavar="FILE", help="Used by the command itself.")
    return parser.parse_args()


def main() -> int:
    asked = parse()
    if asked.worker:
        from benchmarks.commands.file_fuzzing.runner import work

        work(asked.target, asked.seed, asked.first, asked.inputs, asked.minutes, Path(asked.worker))
        return 0
    names = list(SHARES) if asked.target == "all" else [asked.target]
    whole = sum(SHARES[name] for name in names)
    findings = 0
    for name in names:
        findings += fuzz(name, asked, max(1, asked.inputs * SHARES[name] // whole))
    return 1 if findings else 0


def fuzz(name: str, asked: argparse.Namespace, inputs: int) -> int:
    """Fuzz one target, print the findings, and return the number of distinct ones."""
    start, first, end = time.monotonic(), asked.first, asked.first + inputs
    counts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    where: dict[str, int] = {}
    with tempfile.TemporaryDirectory(dir=ARENA if ARENA.is_dir() else None) as folder:
        log, now = Path(folder, "log.json"), Path(folder, "now")
        while first < end and time.monotonic() - start < 60 * asked.minutes:
            minutes = asked.minutes - (time.monotonic() - start) / 60
            words = [sys.executable, "-m", "benchmarks", "fuzz-files", "--target", name]
            words += ["--inputs", end - first, "--seed", asked.seed, "--first", first]
            words += ["--minutes", minutes, "--worker", log]
            now.write_bytes(first.to_bytes(8, "little"))
            done = subprocess.run([str(word) for word in words], env=child_environment())
            report = json.loads(log.read_text())
            counts.update(report["counts"])
            found.update(report["found"])
            where = report["where"] | where
            first = report["next"]
            if done.returncode:
                death = f"the process died with code {done.returncode}"
                found[death] += 1
                first = int.from_bytes(now.read_bytes(), "little")
                where.setdefault(death, first)
                first += 1
            elif not sum(report["counts"].values()):
                break
    seconds = time.monotonic() - start
    total = first - asked.first
    print(
        f"{name}: {total:,} inputs, seed {asked.seed}, {seconds:,.0f} s "
        f"({1e3 * seconds / max(1, total):.2f} ms each): {dict(counts)}, {len(found)} findings",
        flush=True,
    )
    for text, times in found.most_common():
        print(f"  {times} x {text} (--first {where[text]})", flush=True)
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
