"""A meta-estimator that makes any classifier robust against wrong labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_any_labels, check_weights
from ..contamination.label_posterior import wrong_label_scores
from .base import RobustMetaEstimator
from .classification import ClassificationProblem, LabelAttributes


def _has_probabilities(model: RobustClassifier) -> bool:
    return model._stacks or hasattr(model.estimator, "predict_proba")


class RobustClassifier(ClassifierMixin, RobustMetaEstimator):
    r"""Make any classifier robust against wrong labels, whose share is estimated.

    A kernel classifier estimates the noise matrix: the rates at which classes are mistaken for one
    another. The learner is fitted under this matrix by an EM algorithm on weighted rows, and once
    to the labels as they are. The fit under which the labels are more likely, by out-of-fold
    probabilities, is used: where noise is not evident, it is the plain fit.

    Parameters
    ----------
    estimator : classifier or pipeline, "auto" or None, default=None
        Any object with ``fit(X, y)`` and ``predict_proba``; X is passed to it unchanged. Weights
        are passed to ``fit`` if it takes ``sample_weight``, also to the last step of a pipeline.
        None and ``"auto"`` average the probabilities of a kernel, extra trees and gradient
        boosting.
    contamination : float or "auto", default="auto"
        Share of wrong labels, in [0, 0.5), which is trimmed class by class. ``"auto"`` estimates
        it.
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
    classes_ : array of shape (k,)
        Labels of the classes, sorted.
    estimator_ : fitted learner or stack
        The learner, or the stack of learners, fitted to the weighted rows.
    estimators_ : list of (str, fitted learner)
        Names and fitted learners; one pair if ``estimator`` was given.
    learners_ : dict of str to float
        Names of the learners and their weights in the stack.
    noise_matrix_ : array of shape (k, k)
        Probability of each label (column) given each true class (row).
    noise_matrix_interval_ : array of shape (2, k, k)
        95 % interval of each entry; both ends are equal if the contamination was given.
    inlier_probability_ : array of shape (n,)
        Probability that a label is right; 1 or 0 if the contamination was given.
    inlier_mask_ : array of shape (n,), bool
        True for rows whose labels are probably right.
    outlier_scores_ : array of shape (n,)
        Values above 1 mark labels that are probably wrong.
    class_contamination_ : array of shape (k,)
        Share of wrong labels among the rows of each label.
    oof_prediction_ : array of shape (n, k)
        Out-of-fold class probabilities.
    contamination_ : float
        Share of wrong labels, given or estimated.
    contamination_interval_ : tuple of float
        95 % interval of the contamination; ``(contamination, contamination)`` if it was given.
    n_iter_ : int
        Number of rounds of reweighting.
    n_fits_ : int
        Number of fits of the learner, or of all learners of a stack.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    See Also
    --------
    SubquantileClassifierCV : the kernel estimator alone.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from untaint import RobustClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> X = rng.normal(size=(300, 2)) + 4.0 * y[:, None]
    >>> y[:60] = 1 - y[:60]
    >>> forest = RandomForestClassifier(random_state=0)
    >>> model = RobustClassifier(forest, random_state=0).fit(X, y)
    >>> round(model.contamination_, 1)
    0.2
    >>> bool((~model.inlier_mask_[:60]).mean() > 0.8)
    True
    """

    _problem = ClassificationProblem

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the learner to rows of which some have wrong labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows, which are passed to the learner unchanged. The stack takes frames with categories,
            text, dates and missing cells.
        y : array of shape (n,)
            Labels of any type.
        sample_weight : array of shape (n,), optional
            Weights of the rows, which multiply the posterior probabilities.
        groups : array of shape (n,), optional
            Groups of the rows, for splitters that keep groups together.

        Returns
        -------
        RobustClassifier
            The estimator itself.
        """
        return self._fit(X, y, sample_weight, groups)

    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[IntArray, FloatArray]:
        weights = check_weights(sample_weight, X)
        self.classes_, codes = check_any_labels(X, y, weights)
        return codes, weights

    def _check_kind(self, estimator: Any) -> None:
        if is_regressor(estimator):
            raise TypeError(
                f"estimator: expected a classifier, found the regressor {type(estimator).__name__}."
            )

    def _store(self, problem: ClassificationProblem, found: LabelAttributes) -> None:
        self._store_learners(problem.member, found.posterior)
        self.noise_matrix_ = found.noise.fitted
        self.noise_matrix_interval_ = found.noise.interval
        self.class_contamination_ = found.noise.class_contamination
        self.inlier_probability_ = found.inlier_probability
        self.inlier_mask_ = found.kept
        self.outlier_scores_ = wrong_label_scores(found.inlier_probability)
        self.oof_prediction_ = found.probabilities
        self.contamination_, self.contamination_interval_ = found.contamination, found.interval
        self.n_iter_, self._suggested = found.n_rounds, found.suggested
        self._observed, self._sample_weight = self.classes_[problem.codes], problem.sample_weight
        self._misfit = self._feature_outlier = np.zeros(len(problem.codes), dtype=bool)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes, in the order of ``classes_``.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)

        Returns
        -------
        array of shape (m, k)
        """
        check_is_fitted(self)
        found = self.estimator_.predict_proba(self._check_rows(X, reset=False))
        return np.asarray(found)[:, np.argsort(self.estimator_.classes_)]

    def _expected(self) -> Any:
        return self.classes_[self._suggested.argmax(axis=1)]

    def _more_columns(self, flagged: BoolArray) -> dict[str, Any]:
        return super()._more_columns(flagged) | {
            "suggested": self._expected(),
            "suggested_probability": self._suggested.max(axis=1),
        }
