"""The fit, the outlier attributes and the audit that all baselines share.

A method defines how it fits; a task (regression or classification) defines the loss and the outlier
score of a loss.
"""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse.linalg import ArpackError
from sklearn.utils.validation import check_is_fitted

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_flag, check_real, memory_bytes
from ..design.base import SystemDesign
from ..design.kernel_matrix import make_design
from ..learners.base import KernelEstimator, take
from ..learners.training import TrainingRecord
from ..optim.base import Fit, RidgeSystem, Solution
from ..outliers.audit import audit_table
from ..weighting.trimmed import Trimmed

Refit = Callable[[FloatArray, Fit | None, float], Fit]


@dataclass(frozen=True)
class BaselineFit:
    """The result of a method.

    Attributes
    ----------
    solution : Solution
        The fit with its weights and the path of its objective.
    kept : array of shape (n,), optional
        Part of each row's weight that was not trimmed; None if the method only reweights.
    targets : array of shape (n, k), optional
        Corrected targets, if the method fits those in place of the given ones.
    """

    solution: Solution
    kept: FloatArray | None = None
    targets: FloatArray | None = None


class Baseline(KernelEstimator):
    """Base class of the methods, with alpha, fit_intercept, tol, memory_limit and the fit."""

    @abstractmethod
    def _refits(self, design: SystemDesign, y: FloatArray) -> tuple[RidgeSystem, Refit]:
        """Return a system, and the weighted solver on it: (weights, start, tol) -> Fit."""

    @abstractmethod
    def _estimate(self, design: SystemDesign, y: FloatArray) -> BaselineFit:
        """Run the method on the rows of positive weight."""

    @abstractmethod
    def _constant_losses(self, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the losses of the rows under a robust constant function."""

    @abstractmethod
    def _loss_cutoff(self, losses: FloatArray, weights: FloatArray) -> float:
        """Return the largest loss of an inlier, for methods that only reweight."""

    @abstractmethod
    def _scores(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        """Return outlier scores of losses, given the fitted threshold and contamination."""

    @abstractmethod
    def _expected(self) -> Any:
        """Return the predicted target of each training row."""

    def _far_off(self, kept: BoolArray) -> BoolArray:
        """Return the rows whose targets lie far beyond the range of the kept ones."""
        return np.zeros(len(kept), dtype=bool)

    def _store_corrections(self, corrections: FloatArray) -> None:
        """Store by how much targets were corrected, if the method corrects them."""

    def _more_columns(self) -> dict[str, Any]:
        """Return the columns that a task adds to the audit."""
        return {}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to contaminated rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            The kernel matrix of shape (n, n) if ``kernel="precomputed"``.
        y : array of shape (n,) or (n, k)
            Targets, or labels of any type, of shape (n,).
        sample_weight : array of shape (n,), optional
            A weight of k means k copies of the row.

        Returns
        -------
        The estimator itself.
        """
        self._fit(X, y, sample_weight)
        return self

    def _check_parameters(self) -> None:
        check_real("alpha", self.alpha, low=0)
        check_flag("fit_intercept", self.fit_intercept)
        check_real("tol", self.tol, low=0, inclusive=False)
        memory_bytes(self.memory_limit)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with self._transactional(), self._limited_threads():
            X, targets, sample_weight = self._check_data(X, y, sample_weight)
            present = np.flatnonzero(sample_weight)
            design = self._make_design(take(X, present, self._pairwise), sample_weight[present])
            with single_threaded_blas() if design.small_products else nullcontext():
                found = self._attempt(design, targets[present].astype(float))
            self._store(X, targets, sample_weight, present, design, found)
        self._warn_unless_converged(found.solution)

    def _attempt(self, design: SystemDesign, y: FloatArray) -> BaselineFit:
        """Run the method, and raise an error that names the cause if numbers overflow."""
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                found = self._estimate(design, y)
            solution = found.solution
            known = not np.isnan(solution.objective_path).any()
            if known and np.isfinite(solution.fit.predictions).all():
                return found
        except (np.linalg.LinAlgError, ArpackError):
            pass
        raise ValueError(
            "X and y must hold values whose squares are numbers, got values as large as "
            f"{abs(design.X).max():.0e} in X and {np.abs(y).max():.0e} in y: scale them."
        )

    def _make_design(self, X: Any, sample_weight: FloatArray) -> SystemDesign:
        kernel = self._make_kernel(X, sample_weight)
        penalty = (float(self.alpha), bool(self.fit_intercept))
        limits: Any = {"memory_limit": self.memory_limit, "n_threads": self._n_threads}
        return make_design(kernel, X, sample_weight, *penalty, **limits)

    def _store(
        self,
        X: Any,
        targets: FloatArray,
        sample_weight: FloatArray,
        present: IntArray,
        design: SystemDesign,
        found: BaselineFit,
    ) -> None:
        solution, fitted = found.solution, targets.astype(float)
        if found.targets is not None:
            fitted[present] = found.targets
            self._store_corrections(targets - fitted)
        self._store_function(X, fitted, present, design, solution)
        fit_weight = np.zeros(len(targets))
        fit_weight[present] = solution.weights
        fit_intercept = bool(self.fit_intercept)
        self._training = TrainingRecord(
            design.kernel, X, targets, sample_weight, fit_weight, design.alpha, fit_intercept
        )
        self.objective_path_ = np.asarray(solution.objective_path)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        predictions = self._all_predictions(solution.fit.predictions, present)
        losses = self._loss.value(targets, predictions)
        self._store_outlier_attributes(losses, present, found.kept)

    def _store_outlier_attributes(
        self, losses: FloatArray, present: IntArray, kept: FloatArray | None
    ) -> None:
        """Set the mask, scores and contamination; without trimming, by the cutoff of the losses."""
        weights = self._training.sample_weight
        total = float(weights.sum())
        if kept is None:
            self.loss_threshold_ = self._loss_cutoff(losses, weights)
            self.inlier_mask_ = losses <= self.loss_threshold_
            self.contamination_ = float(weights[~self.inlier_mask_].sum()) / total
        else:
            self.contamination_ = max(0.0, 1.0 - float(kept.sum()) / total)
            rule = Trimmed(self.contamination_)
            self.loss_threshold_ = rule.threshold(losses[present], weights[present])
            self.inlier_mask_ = losses <= self.loss_threshold_
            self.inlier_mask_[present] = kept >= 0.5 * weights[present]
        self.outlier_scores_ = self._scores(losses, weights)

    def audit(self) -> Any:
        """Rank the training rows by their outlier scores, the most suspicious first.

        Returns
        -------
        DataFrame, or a structured array without pandas
            One line per training row: ``row``, its position from 0; ``score``, its
            ``outlier_scores_``; ``kept``, and ``flagged``, its opposite; ``observed`` and
            ``expected`` target; ``kind``, ``"target"``, ``"features"``, ``"both"`` or empty;
            ``features``, the outlying ones; for classifiers ``suggested``, the predicted label.
        """
        check_is_fitted(self)
        record, kept = self._record(), self.inlier_mask_
        return audit_table(
            screen=record.screen(),
            flagged=~kept,
            score=self.outlier_scores_,
            observed=self._observed(),
            expected=self._expected(),
            far_off=self._far_off(kept & (record.sample_weight > 0)),
            names=getattr(self, "feature_names_in_", None),
            more=self._more_columns(),
        )


def objective(losses: FloatArray, weights: FloatArray, alpha: float, fit: Fit) -> float:
    """Return the weighted loss plus alpha times the squared norm."""
    kept = weights > 0
    return float(weights[kept] @ losses[kept]) + alpha * fit.squared_norm
