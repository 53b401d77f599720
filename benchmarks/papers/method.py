"""Methods of the comparisons: a learner, and the settings that it may choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..fitting import gammas
from .grids import Grid, Setting, combine, spread


@dataclass(frozen=True)
class MethodContext:
    """The information that every method is given before it sees a row.

    Attributes
    ----------
    seed : int
    n_features : int
    kernel : str
    grid : Grid
    """

    seed: int
    n_features: int
    kernel: str
    grid: Grid

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

    def _scales(self, powers: tuple[int, ...]) -> dict[str, tuple[float, ...]]:
        return {"gamma": gammas(self.n_features, powers)} if powers else {}


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
    settings: list[Setting]
    takes_contamination: bool = False

    def build(self, setting: Setting, share: float) -> Any:
        """Return the estimator for rows of which this share is bad."""
        known = {"contamination": share} if self.takes_contamination else {}
        return self.make(**setting, **known)


Entry: TypeAlias = Callable[[MethodContext], Method]
