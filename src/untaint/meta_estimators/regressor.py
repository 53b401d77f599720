"""A meta-estimator that makes any regressor robust."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import RegressorMixin, is_classifier
from sklearn.utils import get_tags

from .._typing import FloatArray
from .._validation import check_any_targets, check_any_weights, check_contamination
from .base import RobustMetaEstimator
from .regression import MAX_ROUNDS, OutlierAttributes, RegressionProblem


class RobustRegressor(RegressorMixin, RobustMetaEstimator):
    r"""Make any regressor robust against wrong rows, without being told how many there are.

    Rounds of out-of-fold predictions and posterior weights: a mixture model of the residuals gives
    each row a probability of being right, which is its weight in the next fits. Starting weights
    come from a kernel and a forest, so that the learner is fitted at most ``2 * cv + 1`` times.

    Parameters
    ----------
    estimator : regressor or pipeline, "auto" or None, default=None
        Anything with ``fit(X, y)`` and ``predict``; X is passed on as it came. Weights are passed
        to ``fit`` if it takes ``sample_weight``, also to the last step of a pipeline; other
        learners are fitted to the rows that are probably right. None and "auto" stack a kernel,
        extra trees and gradient boosting, by weights that are chosen on trusted rows.
    contamination : float in [0, 0.5) or "auto", default="auto"
        Share of wrong rows, which is then trimmed. By default it is estimated.
    cv : int, splitter or iterable, default=5
        Folds of out-of-fold predictions. A forest has predictions out of bag instead, unless
        this is not a number or groups are given.
    n_jobs : int, optional
        Fits that run at a time.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and forests, and of learners that have none.
    verbose : int, default=0
        Whether to say on standard error what is going on.

    Attributes
    ----------
    estimator_ : fitted learner, or stack
    estimators_ : list of (str, fitted learner)
    learners_ : dict of str to float
        Names of the learners and their weights in the stack.
    inlier_probability_ : array of shape (n,)
        Posterior probability that a row is right; 1 or 0 if the contamination was given.
    inlier_mask_ : bool array of shape (n,)
    outlier_scores_ : array of shape (n,)
        Absolute out-of-fold residuals in units of the noise.
    noise_scale_ : array of shape (n,)
        Standard deviation of each row's noise.
    oof_prediction_ : array of shape (n,) or (n, k)
        Predictions out of fold.
    contamination_ : float
    contamination_interval_ : pair of float
    n_iter_ : int
        Rounds of the learner.
    n_fits_ : int
        Fits of the learner, or of all learners of a stack.
    converged_ : bool
        Whether weights hardly changed in the last round.

    See Also
    --------
    SubquantileRegressorCV : the kernel estimator alone.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from untaint import RobustRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = X @ [1.0, 2.0] + 0.1 * rng.normal(size=200)
    >>> y[:60] = rng.normal(5, 5, size=60)
    >>> model = RobustRegressor(LinearRegression(), random_state=0).fit(X, y)
    >>> model.estimator_.coef_.round(1), round(model.contamination_, 1)
    (array([1., 2.]), 0.3)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit to rows of which some are wrong.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Passed to the learner as it came. The stack takes frames with categories, text, dates
            and missing cells.
        y : array of shape (n,) or (n, k)
        sample_weight : array of shape (n,), optional
            Multiplies the posterior probabilities.
        groups : array of shape (n,), optional
            For splitters that keep groups together.

        Returns
        -------
        RobustRegressor
            The estimator itself.
        """
        self._check_estimator()
        X = self._check_rows(X, reset=True)
        targets = check_any_targets(X, y)
        weights = check_any_weights(sample_weight, X)
        contamination = check_contamination(self.contamination, weights)
        self._check_outputs(targets)
        given = None if sample_weight is None else weights
        with self._reporting(MAX_ROUNDS * self._n_folds() + 1) as on_fit:
            problem = RegressionProblem(self, X, targets, given, groups, on_fit)
            found = problem.solve(contamination)
            self._store(problem, found)
        self._warn_if_ambiguous(found.ambiguity_message)
        return self

    def _check_kind(self, estimator: Any) -> None:
        if is_classifier(estimator):
            raise TypeError(
                f"estimator: expected a regressor, found the classifier {type(estimator).__name__}."
            )

    def _check_outputs(self, targets: FloatArray) -> None:
        several = targets.ndim == 2 and not self.__sklearn_tags__().target_tags.multi_output
        if several:
            raise ValueError(
                f"y: expected one target for {type(self.estimator).__name__}, which takes no "
                f"several, found {targets.shape[1]}; wrap it in MultiOutputRegressor."
            )

    def _store(self, problem: RegressionProblem, found: OutlierAttributes) -> None:
        weights = found.inlier_probability * problem.sample_weight
        member = problem.member
        self.estimator_ = member.fit(weights)
        self.learners_ = member.learners
        self.estimators_ = getattr(self.estimator_, "learners", None) or [
            (name, self.estimator_) for name in self.learners_
        ]
        self.n_fits_ = member.n_fits
        self.inlier_probability_ = found.inlier_probability
        self.inlier_mask_ = found.inlier_probability >= 0.5
        self.outlier_scores_, self.noise_scale_ = found.scores, found.noise_scale
        self.oof_prediction_ = problem.shaped(found.predictions)
        self.contamination_ = found.contamination
        self.contamination_interval_ = found.interval
        self.n_iter_, self.converged_ = found.n_rounds, found.converged
        self._observed, self._sample_weight = problem.shaped(problem.y), problem.sample_weight
        self._misfit, self._feature_outlier = found.misfit, problem.feature_outlier

    def _expected(self) -> Any:
        return self.oof_prediction_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._stacks:
            tags.target_tags.multi_output = True
        elif hasattr(self.estimator, "fit"):
            inner = get_tags(self.estimator).target_tags
            tags.target_tags.multi_output = inner.multi_output
            tags.target_tags.single_output = inner.single_output
        return tags
