"""What a method is told, and what it brings: a learner and the settings it may choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..fitting import gammas
from .grids import Grid, Setting, combine, spread


@dataclass(frozen=True)
class Told:
    """What the harness tells every method before it sees a row.

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

    def two_knobs(self) -> list[Setting]:
        """Settings of gamma and alpha, or of alpha alone for the linear kernel."""
        return combine(**self._scales(self.grid.powers), alpha=self.grid.alphas)

    def three_knobs(self, **third: Any) -> list[Setting]:
        """The same with a knob of the method's own; of its values, as many as there is room for."""
        own = {name: spread(values, self.grid.third) for name, values in third.items()}
        return combine(**self._scales(self.grid.few_powers), alpha=self.grid.few_alphas, **own)

    def forest_knobs(self) -> list[Setting]:
        """Settings of a random forest: rows in a leaf, and share of the features at a split."""
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
    takes_share : bool
        Whether it is told the true share of bad rows, as ``contamination``.
    """

    make: Callable[..., Any]
    settings: list[Setting]
    takes_share: bool = False

    def build(self, setting: Setting, share: float) -> Any:
        """Return the estimator for rows of which this share is bad."""
        told = {"contamination": share} if self.takes_share else {}
        return self.make(**setting, **told)


Entry: TypeAlias = Callable[[Told], Method]
