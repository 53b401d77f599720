"""A meta-estimator that makes any regressor robust."""

from typing import Any, Self

from sklearn.base import RegressorMixin, is_classifier
from sklearn.utils import get_tags

from .._typing import FloatArray
from .._validation import check_any_targets, check_weights
from .base import RobustMetaEstimator
from .outlier_attributes import OutlierAttributes
from .regression import RegressionProblem


class RobustRegressor(RegressorMixin, RobustMetaEstimator):
    r"""Make any regressor robust against wrong rows, whose share is estimated.

    The fit alternates out-of-fold predictions and posterior weights: a mixture model of the
    residuals gives each row a probability of being right, which is its weight in the next fits.
    Starting weights come from a kernel and a forest, so that the learner is fitted at most
    ``2 * cv + 1`` times.

    Parameters
    ----------
    estimator : regressor or pipeline, "auto" or None, default=None
        Any object with ``fit(X, y)`` and ``predict``; X is passed to it unchanged. Weights are
        passed to ``fit`` if it takes ``sample_weight``, also to the last step of a pipeline; other
        learners are fitted to the rows that are probably right. None and ``"auto"`` stack a kernel,
        extra trees and gradient boosting, with stack weights that are chosen on inliers.
    contamination : float or "auto", default="auto"
        Share of wrong rows, in [0, 0.5), which is trimmed. ``"auto"`` estimates it.
    cv : int, splitter or iterable, default=5
        Folds of out-of-fold predictions. A forest has out-of-bag predictions instead, unless ``cv``
        is not a number or groups are given.
    n_jobs : int, optional
        Number of fits that run at the same time.
    random_state : int, RandomState or None, default=None
        Seed of folds and forests, and of learners that have none.
    verbose : int, default=0
        1 shows a progress line on standard error.

    Attributes
    ----------
    estimator_ : fitted learner or stack
        The learner, or the stack of learners, fitted to the weighted rows.
    estimators_ : list of (str, fitted learner)
        Names and fitted learners; one pair if ``estimator`` was given.
    learners_ : dict of str to float
        Names of the learners and their weights in the stack.
    inlier_probability_ : array of shape (n,)
        Posterior probability that a row is right; 1 or 0 if the contamination was given.
    inlier_mask_ : array of shape (n,), bool
        True for rows with ``inlier_probability_`` of at least one half.
    outlier_scores_ : array of shape (n,)
        Absolute out-of-fold residuals in units of the noise.
    noise_scale_ : array of shape (n,)
        Standard deviation of the noise of each row's target.
    oof_prediction_ : array of shape (n,) or (n, k)
        Out-of-fold predictions.
    contamination_ : float
        The contamination used, given or estimated.
    contamination_interval_ : tuple of float
        95 % interval of the contamination; ``(contamination, contamination)`` if it was given.
    n_iter_ : int
        Number of rounds of reweighting.
    n_fits_ : int
        Number of fits of the learner, or of all learners of a stack.
    converged_ : bool
        Whether weights hardly changed in the last round.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

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

    _problem = RegressionProblem

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the learner to rows of which some are wrong.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows, which are passed to the learner unchanged. The stack takes frames with categories,
            text, dates and missing cells.
        y : array of shape (n,) or (n, k)
            Targets.
        sample_weight : array of shape (n,), optional
            Weights of the rows, which multiply the posterior probabilities.
        groups : array of shape (n,), optional
            Groups of the rows, for splitters that keep groups together.

        Returns
        -------
        RobustRegressor
            The estimator itself.
        """
        return self._fit(X, y, sample_weight, groups)

    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[FloatArray, FloatArray]:
        targets = check_any_targets(X, y)
        weights = check_weights(sample_weight, X)
        several = targets.ndim == 2 and not self.__sklearn_tags__().target_tags.multi_output
        if several:
            raise ValueError(
                f"y: expected one target for {type(self.estimator).__name__}, which takes no "
                f"several, found {targets.shape[1]}; wrap it in MultiOutputRegressor."
            )
        return targets, weights

    def _check_kind(self, estimator: Any) -> None:
        if is_classifier(estimator):
            raise TypeError(
                f"estimator: expected a regressor, found the classifier {type(estimator).__name__}."
            )

    def _store(self, problem: RegressionProblem, found: OutlierAttributes) -> None:
        weights = found.inlier_probability * problem.sample_weight
        self._store_learners(problem.member, weights)
        y = problem.targets
        self.inlier_probability_ = found.inlier_probability
        self.inlier_mask_ = found.inlier_probability >= 0.5
        self.outlier_scores_, self.noise_scale_ = found.scores, found.noise_scale
        self.oof_prediction_ = found.predictions.reshape(y.shape)
        self.contamination_ = found.contamination
        self.contamination_interval_ = found.interval
        self.n_iter_, self.converged_ = found.n_rounds, found.converged
        self._observed, self._sample_weight = y, problem.sample_weight
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
