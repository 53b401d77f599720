r"""Rows whose truth is known, with errors of a kind or a share of bad rows.

========  ==============================  ==========  ==================================
design    rows                            truth f(x)  bad rows of ``xy-K`` lie at
========  ==============================  ==========  ==================================
linear    x ~ N(0, I), 5 features         sum of x    x = (10, 0, 0, 0, 0)
curve     x ~ U(-3, 3)                    2 sin(2 x)  x ~ N(1, 0.1^2), among good rows
========  ==============================  ==========  ==================================

Targets are :math:`f(x) + \sigma e` with errors e of mean 0 and variance 1. What is wrong in a bad
row is what hurts most in theory (Huber, 1964): all bad rows agree. Their targets are K standard
deviations of the good targets above the mean (``y-K``), and in ``xy-K`` their features are in one
place too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .drawn import Array, Noise, growing, skewed, student

#: A normal error, and the clean errors that look like bad rows.
ERRORS: dict[str, Noise] = {
    "gaussian": lambda X, rng: rng.normal(size=len(X)),
    "t3": student,
    "skewed": skewed,
    "growing": growing,
}
N_TEST = 500
SEED = 20_261


class Design(NamedTuple):
    """A design of a simulation: the features and the true function."""

    features: Callable[[int, np.random.Generator], Array]
    truth: Callable[[Array], Array]
    deviation: float
    far: Callable[[int, np.random.Generator], Array]


class Sample(NamedTuple):
    """Rows to fit, which of them are bad, and clean rows with their truth to ask."""

    X: Array
    y: Array
    bad: np.ndarray
    X_test: Array
    f_test: Array


def _leverage(n: int, rng: np.random.Generator) -> Array:
    x = np.zeros((n, 5))
    x[:, 0] = 10.0
    return x


DESIGNS: dict[str, Design] = {
    "linear": Design(
        lambda n, rng: rng.normal(size=(n, 5)), lambda X: X.sum(axis=1), 1.0, _leverage
    ),
    "curve": Design(
        lambda n, rng: rng.uniform(-3.0, 3.0, size=(n, 1)),
        lambda X: 2.0 * np.sin(2.0 * X[:, 0]),
        0.5,
        lambda n, rng: rng.normal(1.0, 0.1, size=(n, 1)),
    ),
}


def draw_sample(design: str, n: int, kind: str, epsilon: float, replicate: int) -> Sample:
    """Draw one replicate of a design.

    Parameters
    ----------
    design : {"linear", "curve"}
    n : int
    kind : str
        A key of ERRORS, or ``"y-K"`` or ``"xy-K"`` for normal errors and bad rows.
    epsilon : float
        Share of bad rows; the nearest whole number of rows is bad.
    replicate : int
        The same number gives the same good rows and errors whatever the kind and the share.
    """
    plan = DESIGNS[design]
    rng = np.random.default_rng([SEED, replicate])
    X, X_test = plan.features(n, rng), plan.features(N_TEST, rng)
    noise = ERRORS[kind] if kind in ERRORS else ERRORS["gaussian"]
    y = plan.truth(X) + plan.deviation * noise(X, rng)
    bad = np.zeros(n, dtype=bool)
    bad[rng.permutation(n)[: round(epsilon * n)]] = True
    if kind not in ERRORS:
        where, _, size = kind.partition("-")
        if where == "xy":
            X[bad] = plan.far(int(bad.sum()), rng)
        y[bad] = float(size) * target_deviation(design)
    return Sample(X, y, bad, X_test, plan.truth(X_test))


def target_deviation(design: str) -> float:
    """Return standard deviation of good targets: what a constant would get wrong."""
    of_truth = 5.0 if design == "linear" else 2.0 - np.sin(12.0) / 6.0
    return float(np.sqrt(of_truth + DESIGNS[design].deviation ** 2))
