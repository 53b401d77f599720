"""What robust meta-estimators of numbers and of labels share."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from .._progress import ProgressLine, report_step
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import (
    MAX_THREADS,
    check_any_rows,
    check_choice,
    check_contamination,
    check_count,
    check_real,
    check_verbose,
    seed_of,
)
from ..exceptions import warn_if_ambiguous
from ..outliers.audit import audit_table, q_values
from .learner import FitRequest, OnFit

# Rounds of the learner itself at most.
MAX_ROUNDS = 2


class RobustMetaEstimator(MetaEstimatorMixin, BaseEstimator, ABC):
    """Fits a learner to rows of which some are wrong."""

    #: Data checks, problem and stored attributes: of regressors and classifiers.
    _check_data: Any
    _problem: Any
    _store: Any

    def __init__(
        self,
        estimator: Any = None,
        contamination: float | str = "auto",
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.contamination = contamination
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _stacks(self) -> bool:
        return self.estimator is None or isinstance(self.estimator, str)

    def _check_estimator(self) -> None:
        if isinstance(self.estimator, str):
            check_choice("estimator", self.estimator, ["auto"])
        elif self.estimator is not None and not (
            hasattr(self.estimator, "fit") and hasattr(self.estimator, "predict")
        ):
            raise TypeError(
                'estimator: expected a learner with fit and predict, "auto" or None, found '
                f"{self.estimator!r}."
            )
        elif self.estimator is not None:
            self._check_kind(self.estimator)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        known: Any = None,
        part: IntArray | None = None,
    ) -> Self:
        """Fit; what a kernel says of rows may be known, and a part of them predict the others."""
        self._check_estimator()
        limits: Any = {"low": -MAX_THREADS, "high": MAX_THREADS, "optional": True}
        check_count("n_jobs", self.n_jobs, **limits)
        X = self._check_rows(X, reset=True)
        targets, weights = self._check_data(X, y, sample_weight)
        contamination = check_contamination(self.contamination, weights)
        given = None if sample_weight is None else weights
        with self._reporting(MAX_ROUNDS * self._n_folds() + 1) as on_fit:
            request = FitRequest(X, targets, given, groups, on_fit, known, part)
            problem = self._problem(self, request)
            found = problem.solve(contamination)
            self._store(problem, found)
        warn_if_ambiguous(found.ambiguity_message, stacklevel=3)
        return self

    def _store_learners(self, member: Any, weights: FloatArray) -> None:
        """Fit the learners to all rows with the weights that were found."""
        self.estimator_ = member.fit(weights)
        self.learners_, self.n_fits_ = member.learners, member.n_fits
        self.estimators_ = getattr(self.estimator_, "learners", None) or [
            (name, self.estimator_) for name in self.learners_
        ]

    def _check_kind(self, estimator: Any) -> None:
        """Raise unless a learner is of the right kind."""

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Return rows as they are passed to the learner, which has its own checks."""
        return check_any_rows(self, X, strict=self._stacks, reset=reset)

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _seeded(self, estimator: Any, seed: int) -> Any:
        """Return a copy whose random states that are None are set, if that of the fit is set."""
        copy = clone(estimator)
        if self.random_state is not None:
            missing = [
                name
                for name, value in copy.get_params(deep=True).items()
                if (name == "random_state" or name.endswith("__random_state")) and value is None
            ]
            copy.set_params(**dict.fromkeys(missing, seed))
        return copy

    @contextmanager
    def _reporting(self, n_fits: int) -> Iterator[OnFit]:
        """Yield what shows the number of fits so far, if that is wanted."""
        check_verbose(self.verbose)
        if not self.verbose:
            yield lambda done: report_step(done, max(n_fits, done))
            return
        line = ProgressLine(type(self).__name__)
        line.begin("starting weights")
        try:
            yield lambda done: line.on_fit(done, max(n_fits, done))
        finally:
            line.close()

    def _n_folds(self) -> int:
        """Return how many folds there are, if that is known before the rows are."""
        return self.cv if isinstance(self.cv, int) else 5

    def predict(self, X: Any) -> Any:
        """Return predictions of the fitted learner.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)

        Returns
        -------
        array of shape (m,) or (m, k)
        """
        check_is_fitted(self)
        return self.estimator_.predict(self._check_rows(X, reset=False))

    def audit(self, fdr: float | None = None) -> Any:
        """Return a table of the training rows, the most suspicious first.

        The scores of each row are those of fits to other rows.

        Parameters
        ----------
        fdr : float, optional
            False-discovery rate, between 0 and 1: flag as many rows as can be flagged while at
            most this share of them are right, in expectation. None flags the rows that are probably
            wrong.

        Returns
        -------
        DataFrame, or a structured array without pandas
            The columns are those of :meth:`untaint.SubquantileRegressor.audit`; ``expected`` is the
            out-of-fold prediction. Where a classifier finds no label noise, or its share is given,
            ``suggested`` is the label that the features alone make most probable; it may differ
            from the label of a row that is not flagged.
        """
        check_is_fitted(self)
        check_real("fdr", fdr, low=0, inclusive=False, high=1, optional=True)
        q = q_values(self.inlier_probability_, self._sample_weight)
        flagged = ~self.inlier_mask_ if fdr is None else q <= fdr
        return audit_table(
            screen=None,
            flagged=flagged,
            score=self.outlier_scores_,
            observed=self._observed,
            expected=self._expected(),
            far_off=np.zeros(len(q), dtype=bool),
            q_value=q,
            misfit=self._misfit,
            kept=np.asarray(self.inlier_mask_),
            more=self._more_columns(flagged),
        )

    @abstractmethod
    def _expected(self) -> Any:
        """Return the out-of-fold prediction of each target."""

    def _more_columns(self, flagged: BoolArray) -> dict[str, Any]:
        """Return further columns of the audit, and those that feature outliers change."""
        kind = np.where(flagged, "target", "").astype("<U8")
        kind[self._misfit & ~flagged] = "misfit"
        kind[flagged & self._feature_outlier] = "features"
        return {"kind": kind}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._stacks:
            tags.input_tags.allow_nan = True
        elif hasattr(self.estimator, "fit"):
            inner = get_tags(self.estimator)
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
            tags.input_tags.sparse = inner.input_tags.sparse
            tags.non_deterministic = inner.non_deterministic
        return tags
