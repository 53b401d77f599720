"""A fresh process for every case, one at a time, with all cores to itself.

What ends without a fit is a result too: too little memory, or too little time. Anything else that
goes wrong is an error, and the case is tried again by the next run.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from untaint._atomic_write import lock

from ..frame import Case, children
from ..frame.runner import THREAD_VARIABLES
from .child import OUT_OF_MEMORY, OUT_OF_TIME, SHORT
from .families import FAMILIES
from .machine import hardware, software

N_TEST, QUICK_N_TEST = 20_000, 2_000
CHILD = "benchmarks.speed.child"
# R, a child of the child, has so many seconds; the child some more, to end it.
TIME_LIMIT, PATIENCE = 1_800.0, 60.0
KILLED = -9  # by the system, short of memory: nobody else does
MEASURES = (
    *("n", "seconds", "runs", "peak_megabytes", "rmse", "accuracy", "coef_error", "share"),
    *("others", "outcome", "hardware", "software"),
)


def run(case: Case) -> dict[str, Any]:
    """Measure a case in a process of its own."""
    family = FAMILIES[case.family]
    return run_child(case, components=family.components, n_test=N_TEST, short=SHORT)


def quick_run(case: Case) -> dict[str, Any]:
    """Run a case once, with few components and few test rows."""
    family = FAMILIES[case.family]
    few = None if family.components is None else family.quick_components
    return run_child(case, components=few, n_test=QUICK_N_TEST, short=0.0)


def run_child(
    case: Case, *, components: int | None, n_test: int, short: float, seconds: float = TIME_LIMIT
) -> dict[str, Any]:
    """Start the process, wait for it, and read what it found."""
    arguments = {
        "dataset": case.dataset,
        "method": case.method,
        "seed": case.seed,
        "components": components,
        "n_test": n_test,
        "short": short,
        "seconds": seconds,
    }
    with one_at_a_time(), tempfile.TemporaryDirectory(prefix="untaint-speed-") as folder:
        found = _outcome(json.dumps(arguments | {"folder": folder}), seconds)
    if "seconds" in found:
        return found
    where = {"hardware": hardware(), "software": software()}
    return {"n": case.size, **found, **where}


def _outcome(arguments: str, seconds: float) -> dict[str, Any]:
    try:
        # A run over processes keeps its workers from using every core; here only one works at a
        # time.
        limit = seconds + PATIENCE
        return children.run_child(CHILD, arguments, timeout=limit, without=THREAD_VARIABLES)
    except TimeoutExpired:
        return {"outcome": OUT_OF_TIME}
    except children.ChildError as error:
        if error.code == KILLED:
            return {"outcome": OUT_OF_MEMORY}
        raise


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait until no other case of this study is being measured, in whatever process."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    with (Path(tempfile.gettempdir()) / f"untaint-speed-{user}.lock").open("a") as file:
        lock(file.fileno())
        yield
