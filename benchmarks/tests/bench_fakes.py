"""Methods and cases that cost nothing, for testing the harness without any estimator."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import numpy as np
from benchmarks.case import Case, all_cases


@dataclass
class Constant:
    """A fitted model that knows one number."""

    value: float
    alpha: float
    gamma: float

    def predict(self, X):
        return np.full(len(X), self.value)


def fit(name, X, y, *, epsilon, clean_mask, gammas, alphas, seed):
    """``genie`` predicts the clean rows' mean, ``mean`` that of all rows, ``bad`` fails."""
    if name == "bad":
        raise RuntimeError("no\nluck, with a comma")
    rows = y[clean_mask] if name == "genie" else y
    return Constant(float(rows.mean()), alphas[0], gammas[0])


def cases(n_seeds=3, methods=("genie", "mean")):
    return all_cases(
        datasets=["kiln"], kinds=["label"], epsilons=[0.2], methods=methods, seeds=range(n_seeds)
    )


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


def allocate(megabytes):
    """A job for the memory measurement."""
    return lambda: np.ones(megabytes * 2**17)


def fail(reason):
    raise ValueError(reason)
