"""The settings that methods choose from: as many for one as for another.

gamma is a power of two times 1 / (2 d), which is one over the mean squared distance in standard
units; alpha is in the units of our estimators. A method with a parameter of its own gets fewer
gammas and alphas for it. Of settings that score the same the first wins, which is the smoothest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

Setting: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """The grids that the methods of a table are tuned on.

    Attributes
    ----------
    powers, alphas : tuples
        For methods with these two parameters, or with alpha alone if there are no powers.
    few_powers, few_alphas : tuples
        For methods with a third parameter,
    third : int
        of which they try so many values.
    most_rows : int
        A setting is chosen on so many rows at most, and then fitted on all.
    """

    powers: tuple[int, ...]
    alphas: tuple[float, ...]
    few_powers: tuple[int, ...]
    few_alphas: tuple[float, ...]
    third: int = 3
    most_rows: int = 1000

    @property
    def budget(self) -> int:
        """The number of settings that a method may try."""
        return max(1, len(self.powers)) * len(self.alphas)


def steps(low: float, high: float, count: int) -> tuple[float, ...]:
    """Return powers of ten between two exponents, the largest first.

    Examples
    --------
    >>> from benchmarks.papers.grids import steps
    >>> steps(-1, 1, 3)
    (10.0, 1.0, 0.1)
    """
    return tuple(float(f"{value:.3g}") for value in np.logspace(high, low, count))


def combine(**values: Sequence[Any]) -> list[Setting]:
    """Return every combination of named values; the first name varies slowest.

    Examples
    --------
    >>> from benchmarks.papers.grids import combine
    >>> combine(gamma=[1.0, 2.0], alpha=[0.1])
    [{'gamma': 1.0, 'alpha': 0.1}, {'gamma': 2.0, 'alpha': 0.1}]
    """
    return [dict(zip(values, each, strict=True)) for each in product(*values.values())]


def spread(values: Sequence[Any], count: int) -> list[Any]:
    """Return so many of the values, evenly placed.

    Examples
    --------
    >>> from benchmarks.papers.grids import spread
    >>> spread([1, 2, 3, 4, 5], 3), spread([1, 2, 3], 1)
    ([1, 3, 5], [2])
    """
    if count == 1:
        return [values[len(values) // 2]]
    return [values[round(place)] for place in np.linspace(0, len(values) - 1, count)]


# Clean rows like an alpha of 0.01, plain ridge on corrupted ones 10 and more.
KERNEL = Grid((-4, -3, -2, -1, 0, 1), steps(-3, 2, 6), (-3, -2, -1, 0), steps(-2, 0, 3))
LINEAR = Grid((), steps(-1, 4.5, 12), (), steps(0, 3, 4))
# Flipped labels ask for far more smoothing than clean ones.
CLASSES = Grid((-5, -4, -3, -2, -1, 0), steps(-2, 0.5, 6), (-4, -3, -2, -1), steps(-1.5, 0.5, 3))
SEVERAL_CLASSES = Grid((-4, -2, 0), steps(-2, 0.5, 4), (-4, -2), steps(-1, 0, 2), most_rows=600)
QUICK = Grid((-2, 0), (1.0, 0.1), (-1,), (1.0, 0.1), third=2)
QUICK_LINEAR = Grid((), (100.0, 10.0, 1.0, 0.1), (), (10.0, 1.0), third=2)
