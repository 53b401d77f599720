"""A method: a learner, and the settings that it may choose from, as many for one as for another.

gamma is a power of two times 1 / (2 d), which is one over the mean squared distance in standard
units; alpha is in the units of our estimators. A method with a parameter of its own gets fewer
gammas and alphas for it. Of settings that score the same the first wins, which is the smoothest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from ..tuning import Trial

Setting: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Method:
    """A learner as the tuning sees it.

    Attributes
    ----------
    make : callable
        Maps a setting, by keyword, to an estimator.
    settings : list of dict
        A single empty one for a learner that chooses its own.
    takes_contamination : bool
        Whether it is given the true contamination.
    """

    make: Callable[..., Any]
    settings: Sequence[Setting] = ({},)
    takes_contamination: bool = False

    def build(self, setting: Setting, share: float) -> Any:
        """Return the estimator for rows of which this share is bad."""
        known = {"contamination": share} if self.takes_contamination else {}
        return self.make(**setting, **known)


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
    """

    powers: Sequence[int] = ()
    alphas: Sequence[float] = ()
    few_powers: Sequence[int] = ()
    few_alphas: Sequence[float] = ()
    third: int = 3


@dataclass(frozen=True)
class MethodContext:
    """The information that every method is given before it is fitted."""

    seed: int
    kernel: str
    grid: Grid
    data: Trial

    def alphas(self) -> list[Setting]:
        """Return settings of alpha alone."""
        return combine(alpha=self.grid.alphas)

    def two_parameters(self) -> list[Setting]:
        """Return settings of gamma and alpha, or of alpha alone for the linear kernel."""
        return combine(**self._scales(self.grid.powers), alpha=self.grid.alphas)

    def three_parameters(self, **third: Any) -> list[Setting]:
        """Return settings of gamma, alpha and a parameter of the method, within the budget."""
        own = {name: spread(values, self.grid.third) for name, values in third.items()}
        return combine(**self._scales(self.grid.few_powers), alpha=self.grid.few_alphas, **own)

    def forest_parameters(self) -> list[Setting]:
        """Return settings of a random forest: rows in a leaf, fraction of features at a split."""
        leaves = spread((30, 20, 10, 5, 3, 1), len(self.grid.alphas))
        features = spread((0.2, 0.35, 0.5, 0.65, 0.8, 1.0), len(self.grid.powers))
        return combine(leaf=leaves, features=features)

    def _scales(self, powers: Sequence[int]) -> dict[str, list[float]]:
        return {"gamma": gammas(self.data.X.shape[1], powers)} if powers else {}


Entry: TypeAlias = Callable[[MethodContext], Method]


def gammas(n_features: int, powers: Sequence[int]) -> list[float]:
    """Return powers of two around 1 / (2 d), 1 / the mean squared distance in standard units."""
    return [float(2.0**power) / (2 * n_features) for power in powers]


def steps(low: float, high: float, count: int) -> tuple[float, ...]:
    """Return powers of ten between two exponents, the largest first.

    Examples
    --------
    >>> from benchmarks.methods.base import steps
    >>> steps(-1, 1, 3)
    (10.0, 1.0, 0.1)
    """
    return tuple(float(f"{value:.3g}") for value in np.logspace(high, low, count))


def combine(**values: Sequence[Any]) -> list[Setting]:
    """Return every combination of named values; the first name varies slowest."""
    return [dict(zip(values, each, strict=True)) for each in product(*values.values())]


def spread(values: Sequence[Any], count: int) -> list[Any]:
    """Return so many of the values, evenly placed.

    Examples
    --------
    >>> from benchmarks.methods.base import spread
    >>> spread([1, 2, 3, 4, 5], 3), spread([1, 2, 3], 1)
    ([1, 3, 5], [2])
    """
    if count == 1:
        return [values[len(values) // 2]]
    return [values[round(place)] for place in np.linspace(0, len(values) - 1, count)]
