"""Every method by name: from noisy rows to a fitted model.

Names that end in ``two`` see both copies and are not given the noise; all others but ``naive`` and
``river`` see one copy and are given the noise's variances.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np

from . import competitors
from .rows import NoisyRows

Method: TypeAlias = Callable[[NoisyRows, int], Any]

BATCH = 32


def corrected_ridge(rows: NoisyRows, seed: int) -> Any:
    """Return our closed form, given the noise."""
    from untaint.online import CorrectedRidge

    return CorrectedRidge(noise_cov=rows.noise_cov).fit(rows.A, rows.y)


def corrected_ridge_two(rows: NoisyRows, seed: int) -> Any:
    """Return our closed form with two copies."""
    from untaint.online import CorrectedRidge

    return CorrectedRidge().fit(rows.A, rows.y, X_copy=rows.B)


def stream(rows: NoisyRows, seed: int) -> Any:
    """Return one pass of our online learner in small batches, given the noise."""
    from untaint.online import NoisyLinearRegressor

    model = NoisyLinearRegressor(noise_cov=rows.noise_cov)
    for part in _batches(len(rows.y)):
        model.partial_fit(rows.A[part], rows.y[part])
    return model


def stream_two(rows: NoisyRows, seed: int) -> Any:
    """Return one pass of our online learner in small batches, with two copies."""
    from untaint.online import NoisyLinearRegressor

    model = NoisyLinearRegressor()
    for part in _batches(len(rows.y)):
        model.partial_fit(rows.A[part], rows.y[part], X_copy=rows.B[part])
    return model


def _batches(n: int) -> list[slice]:
    return [slice(start, start + BATCH) for start in range(0, n, BATCH)]


METHODS: dict[str, Method] = {
    "untaint": corrected_ridge,
    "untaint-stream": stream,
    "naive": lambda rows, seed: competitors.ridge(rows.A, rows.y),
    "river": lambda rows, seed: competitors.river(rows.A, rows.y),
    "tls": lambda rows, seed: competitors.total_least_squares(rows.A, rows.y, rows.noise_cov),
    "odrpack": lambda rows, seed: competitors.orthogonal_distance(rows.A, rows.y, rows.noise_cov),
    "rc": lambda rows, seed: competitors.regression_calibration(rows.A, rows.y, rows.noise_cov),
    "simex": lambda rows, seed: competitors.simex(
        rows.A, rows.y, rows.noise_cov, np.random.default_rng(seed).spawn(4)[3]
    ),
    "untaint-two": corrected_ridge_two,
    "untaint-stream-two": stream_two,
    "naive-two": lambda rows, seed: competitors.ridge((rows.A + rows.B) / 2, rows.y),
}
# Methods that are left out where their package is not installed.
PACKAGES = {"river": "river", "odrpack": "odrpack"}


def installed() -> tuple[str, ...]:
    """Return the methods whose packages are installed."""
    return tuple(
        name for name in METHODS if name not in PACKAGES or find_spec(PACKAGES[name]) is not None
    )


def naive_of(method: str) -> str:
    """Return the naive fit that sees the same rows."""
    return "naive-two" if method.endswith("-two") else "naive"
