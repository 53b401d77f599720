"""Robust regression by any learner: starting weights, rounds of the learner, what they find."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from .._typing import BoolArray, FloatArray, IntArray
from .base import MAX_ROUNDS, RobustMetaEstimator
from .folds import distinct_rows
from .initial_weights import (
    FEWEST_ROWS,
    DistinctRows,
    InitialWeights,
    find_start,
    make_forest,
    start_rows,
)
from .kernel_member import (
    KernelPredictions,
    KernelRegression,
    KnownKernel,
    known_of,
    standard_scaler,
)
from .learner import FitRequest
from .outlier_attributes import OutlierAttributes, attributes_of, trimmed_attributes
from .problem import MAX_STACKED, Problem, tested_rows
from .regression_members import RegressorMember, RegressorStack, SingleRegressor
from .reweighting import Reweighting, ReweightingResult

# Rounds of the learner itself at most, without starting weights.
MAX_UNGUIDED = 6


class RegressionProblem(Problem):
    """Targets (n, k) of rows, and their posteriors by out-of-fold predictions."""

    def __init__(self, params: RobustMetaEstimator, request: FitRequest) -> None:
        super().__init__(params, request)
        self.known: KnownKernel | None = request.known
        self.targets = y = request.y
        self.y = y.reshape(len(y), -1)
        self.feature_outlier = np.zeros(len(y), dtype=bool)
        self._fitted_kernel: KernelRegression | None = None
        self.settings: dict[str, Any] = {}  # of the kernel
        self.member: RegressorMember
        if params._stacks:
            self.member = self._stack()
        else:
            self.member = SingleRegressor(self.users_learner("predict"), self.y, self.sample_weight)

    def solve(self, contamination: float | None) -> OutlierAttributes:
        """Return what out-of-fold predictions say about each row."""
        if contamination is not None:
            return self._trimmed(contamination)
        if self.features is not None and self.n_rows < FEWEST_ROWS:
            return self._by_kernel()
        start, known = self._start(), tested_rows(self.member.folds, self.n_rows)
        reweighting = start.reweighting.among(known)
        end = reweighting.without_misfit(self._rounds(start, reweighting, known))
        return self._attributes(end, start, known)

    def _start(self) -> InitialWeights:
        """Return the weights that the learner begins with, all rows if these are no numbers."""
        if self.features is None:
            constant = np.zeros((self.n_rows, 1))
            rounds = Reweighting(self.y, self.sample_weight, self.feature_outlier, constant)
            return InitialWeights(self.sample_weight, rounds, contaminated=False)
        rows, kernels = self._kernels()
        self.feature_outlier[rows] = kernels[0].feature_outlier
        rounds = Reweighting(self.y, self.sample_weight, self.feature_outlier, self.features)
        some = rounds if len(rows) == self.n_rows else rounds.of(rows)
        start = find_start(kernels, some, self._start_forest(rows))
        if some is not rounds:
            start = self._extended(start, rounds, rows)
        if self.known is None:
            self._keep_better_kernel(start.weights)
        return start

    def _kernels(self) -> tuple[IntArray, Sequence[KernelPredictions]]:
        """Return rows to begin with, and what kernels say of them."""
        if self.known is not None and self.known.rows is not None:
            return self.known.rows, [self.known]
        rows = start_rows(self.n_rows, self.seed)
        kernels: Sequence[KernelPredictions] = [self.known] if self.known else self._both_kernels
        if len(rows) == self.n_rows:
            return rows, kernels
        return rows, [known_of(kernel, rows) for kernel in kernels]

    @cached_property
    def _both_kernels(self) -> Sequence[KernelRegression]:
        """The kernels on either scale of the features."""
        return [self.kernel(), *self._other_kernel()]

    def _keep_better_kernel(self, weights: FloatArray) -> None:
        """Keep the kernel that is closer to rows with given weights, for a stack."""
        kernels = self._both_kernels
        self._fitted_kernel = min(kernels, key=lambda kernel: self._loss(kernel, weights))
        self._fitted_kernel.n_fits = sum(kernel.n_fits for kernel in kernels)

    def _extended(
        self, start: InitialWeights, rounds: Reweighting, rows: IntArray
    ) -> InitialWeights:
        """Return weights of all rows from those of some, by the learner's fit to these."""
        assert start.predictions is not None
        if not start.contaminated:
            return InitialWeights(rounds.everything, rounds, contaminated=False)
        weights = np.zeros(self.n_rows)
        weights[rows] = start.weights
        predictions = self.member.predictions(weights)
        predictions[rows] = start.predictions
        rounds, end = rounds.posterior_of_all(predictions, rows, start.weights)
        return InitialWeights(rounds.weights(end), rounds, contaminated=True)

    def _loss(self, kernel: KernelPredictions, weights: FloatArray) -> float:
        """Return the weighted squared error of a kernel's predictions."""
        return float(weights @ np.square(self.y - kernel.predictions).sum(axis=1))

    def _rounds(
        self, start: InitialWeights, reweighting: Reweighting, known: BoolArray
    ) -> ReweightingResult:
        """Return the end of the learner's own rounds, from the start or from all rows.

        Rows that no fold tests keep the weights of the start.
        """

        def out_of_fold(weights: FloatArray) -> FloatArray:
            predicted = self.member.out_of_fold(np.where(known, weights, start.weights))
            return np.where(known[:, None], predicted, self.y)

        if start.contaminated:
            return reweighting.run(out_of_fold, np.where(known, start.weights, 0.0), MAX_ROUNDS)
        everything = reweighting.everything
        end = reweighting.posterior(out_of_fold(everything), everything)
        if not end.finds_outliers:
            return end
        null = reweighting.null(end.predictions)
        more = (MAX_ROUNDS if self.features is not None else MAX_UNGUIDED) - 1
        again = reweighting.run(out_of_fold, reweighting.weights(end), more)
        return reweighting.best([end, again], null)

    def _attributes(
        self, end: ReweightingResult, start: InitialWeights, known: BoolArray
    ) -> OutlierAttributes:
        found, weights = attributes_of(end), np.where(self.sample_weight > 0, self.sample_weight, 1)
        if known.all():
            return found
        probability = np.where(known, found.inlier_probability, start.weights / weights)
        # Rows that no fold tests count with the probabilities of the start.
        untested = np.where(known, 0.0, self.sample_weight)
        more = float(untested @ (1.0 - probability)) / float(self.sample_weight.sum())
        part = 1.0 - float(untested.sum() / self.sample_weight.sum())
        contamination, low, high = (
            more + part * share for share in (found.contamination, *found.interval)
        )
        return found._replace(
            inlier_probability=probability,
            predictions=np.where(known[:, None], end.predictions, np.nan),
            contamination=contamination,
            interval=(low, high),
            misfit=found.misfit & (probability >= 0.5),
        )

    def _by_kernel(self) -> OutlierAttributes:
        """Return what the kernel's tests say about few rows."""
        kernel = self.kernel()
        model, weights = kernel.model, kernel.inlier_probability * self.sample_weight
        predictions = self.member.out_of_fold(weights)
        return OutlierAttributes(
            kernel.inlier_probability,
            model.outlier_scores_,
            model.noise_scale_,
            predictions,
            model.contamination_,
            model.contamination_interval_,
            np.zeros(len(self.y), dtype=bool),
            1,
            True,
        )

    def _trimmed(self, contamination: float) -> OutlierAttributes:
        """Keep the rows of the smallest out-of-fold residuals."""
        weights, n_rounds = self.sample_weight, 1
        self.settings = {"contamination": contamination}
        if contamination > 0:
            n_rounds = MAX_ROUNDS
            if self.features is not None:
                weights = self._kernel_weights()
        for _ in range(n_rounds):
            predictions = self.member.out_of_fold(weights)
            found = trimmed_attributes(
                self.y, predictions, weights, self.sample_weight, contamination
            )
            weights = found.inlier_probability * self.sample_weight
        return found._replace(n_rounds=n_rounds)

    def _kernel_weights(self) -> FloatArray:
        """Return the weights by a kernel, none of rows that it does not know."""
        kernel: KernelPredictions = self.known or self.kernel()
        if self.known is None or self.known.rows is None:
            return kernel.inlier_probability * self.sample_weight
        weights = np.zeros(self.n_rows)
        weights[self.known.rows] = kernel.inlier_probability
        return weights * self.sample_weight

    def kernel(self) -> KernelRegression:
        """Return the kernel regressor, which is fitted when it is needed first."""
        if self._fitted_kernel is None:
            assert self.features is not None
            rows = (self.features, self.y, self.sample_weight, self.seed)
            self._fitted_kernel = KernelRegression(*rows, **self.settings)
        return self._fitted_kernel

    def _other_kernel(self) -> list[KernelRegression]:
        """Return the kernel regressor on standardised features, if their scale is another."""
        assert self.features is not None
        scaler = standard_scaler(self.features)
        rows = (self.features, self.y, self.sample_weight, self.seed)
        return [] if scaler is None else [KernelRegression(*rows, scaler, **self.settings)]

    def _start_forest(self, rows: IntArray) -> DistinctRows:
        """Return the forest that finds starting weights of some rows."""
        assert self.features is not None
        if len(rows) == self.n_rows:
            return self._forest(counts=False)
        X, y = self.features[rows], self.y[rows]
        first, place = distinct_rows(X, y)
        forest = make_forest(len(first), self.seed, self.params.n_jobs, of_many=True)
        learner = self.learner(forest, X[first], None, "predict", counts=False)
        return DistinctRows(learner, y, self.sample_weight[rows], first, place)

    def _forest(self, *, counts: bool = True) -> DistinctRows:
        assert self.features is not None
        rows = self.features[self.first]
        forest = make_forest(len(rows), self.seed, self.params.n_jobs)
        learner = self.learner(forest, rows, None, "predict", counts=counts)
        return DistinctRows(learner, self.y, self.sample_weight, self.first, self.place)

    def _stack(self) -> RegressorMember:
        boosting = HistGradientBoostingRegressor(random_state=self.seed)
        learners = dict[str, SingleRegressor | DistinctRows]()
        if self.y.shape[1] == 1:  # boosting has one output
            learner = self.learner(boosting, self.features, self.folds, "predict")
            learners["boosting"] = SingleRegressor(learner, self.y, self.sample_weight)
        if self.n_rows <= MAX_STACKED or not learners:
            learners["forest"] = self._forest()
        return RegressorStack(self, learners, self.folds)
