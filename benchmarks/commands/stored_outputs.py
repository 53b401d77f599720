"""Store the outputs of many configurations, and compare them after a change of the code.

    PYTHONPATH=src make bench ARGS="stored-outputs store before.npz"
    PYTHONPATH=src make bench ARGS="stored-outputs compare before.npz"
    PYTHONPATH=src make bench ARGS="stored-outputs compare before.npz --only "dask*""
    make bench ARGS="stored-outputs list"

`compare` prints a line a configuration, and exits with 1 if any differs beyond its rule: not a bit
on features and on Dask, 1e-9 of the values' scale elsewhere, masks and text not at all. Differences
that are meant to be go into ACCEPTED, each with its reason and bound. BLAS runs on one thread, on
which its sums have one order; compare on the machine and with the libraries of the stored file.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import untaint
from benchmarks.commands.output_store import all_cases
from benchmarks.commands.output_store.case import Case, Outputs
from benchmarks.commands.output_store.comparing import compare_outputs

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SEPARATOR = " | "


class Accepted(NamedTuple):
    """A difference that is meant to be.

    Attributes
    ----------
    configurations, outputs : str
        Patterns of their names.
    within : float
        The largest relative difference; infinite for counts and text, which differ or not.
    reason : str
    """

    configurations: str
    outputs: str
    within: float
    reason: str


SOLVED_ONCE = "fixed weights are solved once, not twice"
WEIGHTS_ARE_COPIES = "Newton's method ends at 1e-18 of the objective, for weights to equal copies"
HANDED_ON = "the contamination that the search estimated is handed on, not estimated again"
WORDED_ANEW = "reasons and notes are worded anew"
OTHER_STEPS = "trimmed fits to many rows take other steps, to the same tolerance"
ACCEPTED = [
    Accepted("regressor*", "n_iter_", np.inf, SOLVED_ONCE),
    Accepted("regressor: * rows auto", "*", 1e-8, SOLVED_ONCE),
    Accepted("regressor: iterative solver auto", "*", 1e-8, SOLVED_ONCE),
    Accepted("regressor cv: 1500 rows", "*", 1e-5, SOLVED_ONCE),
    Accepted("classifier*", "*", 1e-5, WEIGHTS_ARE_COPIES),
    Accepted("classifier cv: *", "n_iter_", np.inf, WEIGHTS_ARE_COPIES),
    Accepted("scorer: log_loss*", "scores", 1e-7, WEIGHTS_ARE_COPIES),
    Accepted("classifier cv: 2 classes 120 rows", "*", 0.3, HANDED_ON),
    Accepted("classifier: 2 classes nystroem*", "*", np.inf, OTHER_STEPS),
    Accepted("regressor: nystroem 60000", "*", np.inf, OTHER_STEPS),
    Accepted("regressor: linear 100000", "*", np.inf, OTHER_STEPS),
    Accepted("dask: * chunks", "*", np.inf, OTHER_STEPS),
    Accepted("dask: linear 0.3", "*", np.inf, OTHER_STEPS),
    Accepted("dask: 2 classes*", "*", np.inf, OTHER_STEPS),
    Accepted("clean: *", "flagged.csv sha256", np.inf, WORDED_ANEW),
    Accepted("clean: *", "summary.notes*", np.inf, WORDED_ANEW),
]


class Ran(NamedTuple):
    """What came of a configuration."""

    name: str
    outputs: Outputs
    error: str
    seconds: float


def run(name: str) -> Ran:
    """Run the configuration of that name."""
    case = next(case for case in all_cases() if case.name == name)
    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            outputs, error = case.run(), ""
    except Exception as raised:  # reported in the configuration's line
        outputs, error = {}, f"{type(raised).__name__}: {raised}"
    return Ran(name, outputs, error, time.perf_counter() - start)


def run_all(cases: list[Case], n_jobs: int) -> Iterator[Ran]:
    """Run configurations in order, in this process or in several."""
    names = [case.name for case in cases]
    if n_jobs == 1:
        yield from map(run, names)
        return
    with ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, names)


def chosen(pattern: str | None) -> list[Case]:
    """Return configurations whose names hold the text, or match the pattern."""
    cases = all_cases()
    if pattern is None:
        return cases
    return [case for case in cases if pattern in case.name or fnmatch(case.name, pattern)]


def store(path: Path, cases: list[Case], n_jobs: int) -> int:
    """Write the outputs of all configurations to one file."""
    arrays: dict[str, Any] = {}
    failed = 0
    for ran in run_all(cases, n_jobs):
        failed += bool(ran.error)
        message = f"FAILED, {ran.error}" if ran.error else f"{len(ran.outputs)} outputs"
        print(f"{ran.name:45} {ran.seconds:6.1f} s  {message}", flush=True)
        arrays |= {f"{ran.name}{SEPARATOR}{key}": value for key, value in ran.outputs.items()}
    np.savez_compressed(path, **arrays)
    print(f"{len(cases) - failed} configurations stored, {failed} failed, {path.name}")
    return int(failed > 0)


def load(path: Path) -> dict[str, Outputs]:
    """Return outputs by configuration."""
    found: dict[str, Outputs] = {}
    with np.load(path) as file:
        for key in file.files:
            name, _, output = key.partition(SEPARATOR)
            found.setdefault(name, {})[output] = file[key]
    return found


def compare(path: Path, cases: list[Case], n_jobs: int) -> int:
    """Run the configurations again and say of each how far it is from what the file holds."""
    stored = load(path)
    known = [case for case in cases if case.name in stored]
    counts = {"same": 0, "near": 0, "accepted": 0, "DIFFERENT": 0}
    for case, ran in zip(known, run_all(known, n_jobs), strict=True):
        status, message = assess(case, stored[case.name], ran)
        counts[status] += 1
        print(f"{case.name:45} {ran.seconds:6.1f} s  {message}", flush=True)
    for case in cases:
        if case.name not in stored:
            print(f"{case.name:45}           not in the file")
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    return int(counts["DIFFERENT"] > 0 or not known)


def assess(case: Case, stored: Outputs, ran: Ran) -> tuple[str, str]:
    """Return whether the outputs are the same, near, different as accepted, or different."""
    if ran.error:
        return "DIFFERENT", f"DIFFERENT: {ran.error}"
    found = compare_outputs(stored, ran.outputs, case.rule)
    if not found.beyond:
        return ("near" if found.largest else "same"), str(found)
    reasons = {name: reason(case.name, name, gap) for name, (gap, _) in found.beyond.items()}
    if not all(reasons.values()):
        return "DIFFERENT", str(found)
    return "accepted", f"accepted: {'; '.join(sorted(set(reasons.values())))} ({found})"


def reason(configuration: str, output: str, gap: float) -> str:
    """Return why a difference is accepted, empty if it is not."""
    for entry in ACCEPTED:
        names = fnmatch(configuration, entry.configurations), fnmatch(output, entry.outputs)
        if all(names) and gap <= entry.within:
            return entry.reason
    return ""


def show(cases: list[Case]) -> int:
    """Print the configurations and their rules."""
    for case in cases:
        print(f"{case.rule:5} {case.name}")
    return 0


def main() -> int:
    """Read the arguments and do as they say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("store", "compare", "list"))
    parser.add_argument("file", type=Path, nargs="?", help=".npz file")
    parser.add_argument("--only", metavar="PATTERN", help="configurations of such names")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    cases = chosen(asked.only)
    if asked.command == "list":
        return show(cases)
    if asked.file is None or not cases:
        parser.error("a file is needed" if cases else f"nothing is named like {asked.only}")
    os.environ.update(THREADS)  # for processes that are yet to start; this one is limited in run
    print(f"untaint of {Path(untaint.__file__).parent}")
    work = partial(store if asked.command == "store" else compare, asked.file, cases)
    start = time.perf_counter()
    code = work(asked.jobs)
    print(f"{time.perf_counter() - start:.0f} seconds")
    return code


if __name__ == "__main__":
    sys.exit(main())
