"""Cases and runs that cost nothing, for testing the frame without any estimator."""

from __future__ import annotations

import os
import time

from benchmarks.frame import Case, Cells, crossed


def cases(n_seeds=3, methods=("genie", "mean")):
    return crossed([Cells(["kiln"], ["label"], [0.2], methods)])(range(n_seeds), False)


def run(case: Case):
    """A deterministic measure, and a failure for the method ``bad``."""
    if case.method == "bad":
        raise RuntimeError("no\nluck, with a comma")
    return {"rmse": 1.0 + case.seed / 10 + (case.method != "genie")}


def run_slowly(case: Case):
    time.sleep(0.05)
    return run(case)


def run_and_die(case: Case):
    os._exit(3)
