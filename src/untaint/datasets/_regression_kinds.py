"""Corruptions of rows of a regression problem.

Every function changes ``X`` and ``y`` in place at ``rows`` and nowhere else. Targets are measured
in units of the clean target: m and s are its mean and standard deviation, for each output alone.
"""

from typing import Any

import numpy as np
from numpy.random import Generator

from .._typing import AnyArray, IntArray
from ._row_selection import standardised

HUGE = 1e12


def draw_targets(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set y = m + s N(5, 5^2)."""
    m, s = _units(y)
    y[rows] = m + s * rng.normal(5.0, 5.0, size=y[rows].shape)


def inflate_both(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set x = 100 x and y = 10,000 y, of the values as given: standardise first."""
    X[rows] *= 100.0
    y[rows] *= 10_000.0


def gather_targets(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set y = m + s N(5, 0.05^2): all wrong targets are near one value."""
    m, s = _units(y)
    y[rows] = m + s * rng.normal(5.0, 0.05, size=y[rows].shape)


def raise_by_3(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set y = y + 3 s."""
    y[rows] += 3.0 * _units(y)[1]


def raise_by_5(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set y = y + 5 s."""
    y[rows] += 5.0 * _units(y)[1]


def mirror_targets(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set y = 2 m - y."""
    y[rows] = 2.0 * _units(y)[0] - y[rows]


def move_away(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set x = mean + 10 deviations in every feature, y = m + 5 s: one far point, repeated."""
    m, s = _units(y)
    X[rows] = np.nanmean(X, axis=0) + 10.0 * np.nanstd(X, axis=0)
    y[rows] = m + 5.0 * s


def contradict(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set y = m - 3 s u(x), exactly on the linear model of the largest effect.

    u is the linear function of the standardised features, with mean zero and unit deviation over
    the rows, whose weights are the features' covariances with the clean target. Along u the clean
    squared loss falls fastest from the mean predictor, hence along -u it rises fastest; the bad
    rows agree with one another, and plead for the opposite of the truth.
    """
    m, s = _units(y)
    Z = standardised(X)
    u = standardised(Z @ (Z.T @ (y - m)))
    y[rows] = m - 3.0 * s * u[rows]


def make_targets_huge(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set y = 10^12."""
    y[rows] = HUGE


def make_features_huge(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Set x = 10^12 in every feature, and leave y as it was."""
    X[rows] = HUGE


def _units(y: AnyArray) -> tuple[Any, Any]:
    """Return mean and deviation of each output; a constant output is measured in ones."""
    m, s = y.mean(axis=0), y.std(axis=0)
    return m, np.where(s > 1e-12 * np.abs(m), s, 1.0)
