r"""A case of the simulation: a block of replicates of one method in one setting.

.. math:: \text{mse} = \operatorname{mean}_x (\hat f(x) - f(x))^2

over test rows x of the design, averaged over the replicates. A fit is *broken* where its error is
beyond the variance of the good targets: a constant would have served better. ``shape`` is the same
error without its mean, for skewed errors, whose mean no robust method is after.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from ..case import Case
from .designs import Sample, draw_sample, target_deviation
from .methods import IN_R, predictions
from .robustbase import fit_all

BLOCK = 50
MEASURES = ("replicates", "mse", "mse_sd", "shape", "worst", "broken", "seconds")


def evaluate(case: Case) -> dict[str, float]:
    """Fit a block of replicates, and say how far the fits are from the truth."""
    return _measure(case, BLOCK)


def evaluate_quickly(case: Case) -> dict[str, float]:
    """Stand in for ``evaluate`` in a trial run."""
    return _measure(case, 4)


def _measure(case: Case, count: int) -> dict[str, float]:
    design, _, size = case.dataset.partition("-")
    first = case.seed * count
    samples = [
        draw_sample(design, int(size), case.kind, case.epsilon, replicate)
        for replicate in range(first, first + count)
    ]
    started = perf_counter()
    found = _fitted(case, design, samples)
    seconds = perf_counter() - started
    error = np.array([f - sample.f_test for f, sample in zip(found, samples, strict=True)])
    # A fit that failed, or whose numbers did, knows no more than a constant.
    error[~np.isfinite(error)] = np.inf
    with np.errstate(invalid="ignore", over="ignore"):
        mse = np.mean(error**2, axis=1)
        shape = np.mean((error - error.mean(axis=1, keepdims=True)) ** 2, axis=1)
    return {
        "replicates": float(count),
        "mse": float(mse.mean()),
        "mse_sd": float(mse.std(ddof=1)) if np.isfinite(mse).all() else np.inf,
        "shape": float(shape.mean()),
        "worst": float(mse.max()),
        "broken": float(np.mean(mse > target_deviation(design) ** 2)),
        "seconds": seconds / count,
    }


def _fitted(case: Case, design: str, samples: Sequence[Sample]) -> list[np.ndarray]:
    if case.method in IN_R:
        return fit_all(case.method, samples)
    return [predictions(design, case.method, sample, case.epsilon, case.seed) for sample in samples]
