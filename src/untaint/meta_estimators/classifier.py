"""A meta-estimator that makes any classifier robust against wrong labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._typing import BoolArray, FloatArray
from .._validation import check_any_labels, check_any_weights, check_contamination
from ..contamination.label_posterior import true_class_posterior, wrong_label_scores
from .base import RobustMetaEstimator
from .classification import ClassificationProblem, LabelAttributes


def _has_probabilities(model: RobustClassifier) -> bool:
    return model._stacks or hasattr(model.estimator, "predict_proba")


class RobustClassifier(ClassifierMixin, RobustMetaEstimator):
    r"""Make any classifier robust against wrong labels, without being told how many there are.

    A kernel classifier estimates the rates at which classes are mistaken for one another, the
    noise matrix. The learner is fitted under it by an EM algorithm on weighted rows, and to the
    labels as they are. What makes the labels likelier, under out-of-fold probabilities, counts:
    where noise is not evident, the fit is the plain one.

    Parameters
    ----------
    estimator : classifier or pipeline, "auto" or None, default=None
        Anything with ``fit(X, y)`` and ``predict_proba``; see :class:`RobustRegressor`. None and
        "auto" mix the probabilities of a kernel, extra trees and gradient boosting.
    contamination : float in [0, 0.5) or "auto", default="auto"
        Share of wrong labels, which is then trimmed class by class. By default it is estimated.
    cv : int, splitter or iterable, default=5
        Folds of out-of-fold predictions; see :class:`RobustRegressor`.
    n_jobs : int, optional
        Fits that run at a time.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    classes_ : array of shape (k,)
    estimator_ : fitted learner, or stack
    estimators_ : list of (str, fitted learner)
    learners_ : dict of str to float
        Names of the learners and their weights in the stack.
    noise_matrix_ : array of shape (k, k)
        Probability of each label (column) for each true class (row).
    noise_matrix_interval_ : array of shape (2, k, k)
    inlier_probability_ : array of shape (n,)
        Probability that a label is right; 1 or 0 if the contamination was given.
    inlier_mask_ : bool array of shape (n,)
    outlier_scores_ : array of shape (n,)
        Above 1 for labels that are probably wrong.
    class_contamination_ : array of shape (k,)
        Share of wrong ones among the labels of each class.
    oof_prediction_ : array of shape (n, k)
        Class probabilities out of fold.
    contamination_ : float
    contamination_interval_ : pair of float
    n_iter_, n_fits_ : int
        Rounds and fits of the learner.

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
    >>> model = RobustClassifier(RandomForestClassifier(random_state=0), random_state=0).fit(X, y)
    >>> bool(0.15 < model.contamination_ < 0.25), bool((~model.inlier_mask_[:60]).mean() > 0.8)
    (True, True)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit to rows of which some have wrong labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : array of shape (n,)
            Labels of any type.
        sample_weight : array of shape (n,), optional
        groups : array of shape (n,), optional
            For splitters that keep groups together.

        Returns
        -------
        RobustClassifier
            The estimator itself.
        """
        self._check_estimator()
        X = self._check_rows(X, reset=True)
        weights = check_any_weights(sample_weight, X)
        self.classes_, codes = check_any_labels(X, y, weights)
        contamination = check_contamination(self.contamination, weights)
        given = None if sample_weight is None else weights
        with self._reporting(2 * self._n_folds() + 1) as on_fit:
            problem = ClassificationProblem(self, X, codes, given, groups, on_fit)
            found = problem.solve(contamination)
            self._store(problem, found)
        self._warn_if_ambiguous(found.ambiguity_message)
        return self

    def _check_kind(self, estimator: Any) -> None:
        if is_regressor(estimator):
            raise TypeError(
                f"estimator: expected a classifier, found the regressor {type(estimator).__name__}."
            )

    def _store(self, problem: ClassificationProblem, found: LabelAttributes) -> None:
        member = problem.member
        self.estimator_ = member.fit(found.posterior)
        self.learners_, self.n_fits_ = member.learners, member.n_fits
        self.estimators_ = getattr(self.estimator_, "learners", None) or [
            (name, self.estimator_) for name in self.learners_
        ]
        self.noise_matrix_ = found.noise.fitted
        self.noise_matrix_interval_ = found.noise.interval
        self.class_contamination_ = found.noise.class_contamination
        self.inlier_probability_ = found.inlier_probability
        self.inlier_mask_ = found.kept
        self.outlier_scores_ = wrong_label_scores(found.inlier_probability)
        self.oof_prediction_ = found.probabilities
        self.contamination_, self.contamination_interval_ = found.contamination, found.interval
        self.n_iter_ = found.n_rounds
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

    def _suggested(self) -> FloatArray:
        codes = np.searchsorted(self.classes_, self._observed)
        known = np.nan_to_num(self.oof_prediction_, nan=1.0 / len(self.classes_))
        return true_class_posterior(known, codes, self.noise_matrix_)

    def _expected(self) -> Any:
        return self.classes_[self._suggested().argmax(axis=1)]

    def _more_columns(self, flagged: BoolArray) -> dict[str, Any]:
        posterior = self._suggested()
        return super()._more_columns(flagged) | {
            "suggested": self.classes_[posterior.argmax(axis=1)],
            "suggested_probability": posterior.max(axis=1),
        }
