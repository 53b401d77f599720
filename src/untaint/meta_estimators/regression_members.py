"""What learns from weighted rows: one regressor, or a stack of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from .._typing import FloatArray
from ..optim.stack_weights import convex_weights
from .initial_weights import DistinctRows, weighted
from .learner import Folds, Learner
from .stacking import StackedRegressor

if TYPE_CHECKING:
    from .regression import RegressionProblem

# Weight in a stack below which a learner is left out.
MIN_SHARE = 0.01


@final
class SingleRegressor:
    """One learner."""

    def __init__(self, learner: Learner, y: FloatArray, sample_weight: FloatArray) -> None:
        self.learner, self.y, self.sample_weight = learner, y, sample_weight

    @property
    def folds(self) -> Folds | None:
        """The folds, None if predictions are out of bag."""
        return self.learner.folds

    def out_of_fold(self, weights: FloatArray) -> FloatArray:
        """Return predictions (n, k) of each row by fits without it."""
        return self.learner.out_of_fold(weighted(self.y, weights, self.sample_weight))

    def predictions(self, weights: FloatArray) -> FloatArray:
        """Return predictions (n, k) of all rows by one fit."""
        return self.learner.predictions(weighted(self.y, weights, self.sample_weight))

    def fit(self, weights: FloatArray) -> Any:
        """Return a fit to all rows."""
        return self.learner.fit(weighted(self.y, weights, self.sample_weight))

    @property
    def learners(self) -> dict[str, float]:
        """The name of the learner."""
        return {type(self.learner.estimator).__name__: 1.0}

    @property
    def n_fits(self) -> int:
        """Fits so far."""
        return self.learner.n_fits


@final
class RegressorStack:
    """Kernel, forest and boosting, averaged with the weights that are best on inliers."""

    def __init__(
        self,
        problem: RegressionProblem,
        learners: Mapping[str, SingleRegressor | DistinctRows],
        folds: Folds,
    ) -> None:
        self.problem, self.own, self.folds = problem, learners, folds
        self.mixing = np.full(1 + len(learners), 1.0 / (1 + len(learners)))

    def out_of_fold(self, weights: FloatArray) -> FloatArray:
        """Return predictions (n, k) of each row by fits without it."""
        problem = self.problem
        kernel = problem.kernel()
        kernel.refit(weights)
        parts = [kernel.predictions, *(own.out_of_fold(weights) for own in self.own.values())]
        stacked = np.stack(parts, axis=-1)
        known = np.isfinite(stacked).all(axis=(1, 2))
        self.mixing = convex_weights(stacked[known], problem.y[known], weights[known])
        return np.asarray(stacked @ self.mixing)

    def predictions(self, weights: FloatArray) -> FloatArray:
        """Return predictions (n, k) of all rows by one fit of the first learner."""
        return next(iter(self.own.values())).predictions(weights)

    def fit(self, weights: FloatArray) -> Any:
        """Return a stack of fits to all rows."""
        problem = self.problem
        kernel = problem.kernel()
        kernel.refit(weights)
        shares = np.where(self.mixing >= MIN_SHARE, self.mixing, 0.0)
        self.mixing = shares / shares.sum()
        fitted = [("kernel", kernel.fitted)] if shares[0] > 0 else []
        own = zip(self.own.items(), shares[1:], strict=True)
        fitted += [(name, learner.fit(weights)) for (name, learner), share in own if share > 0]
        return StackedRegressor(problem.encoder, fitted, shares[shares > 0] / shares.sum())

    @property
    def learners(self) -> dict[str, float]:
        """Names of the learners, and their weights."""
        return dict(zip(["kernel", *self.own], self.mixing.tolist(), strict=True))

    @property
    def n_fits(self) -> int:
        """Fits so far, of all learners."""
        own = sum(learner.n_fits for learner in self.own.values())
        return own + self.problem.kernel().n_fits


# What learns from weighted rows.
RegressorMember = SingleRegressor | RegressorStack
