"""The rows of one fit: as the learner has them, and as numbers for kernel and forest."""

from typing import Any

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from .._validation import take_rows
from ..io.errors import DataFileError
from .base import RobustMetaEstimator
from .encoding import NumericEncoder
from .folds import distinct_rows, make_folds
from .learner import FitRequest, Folds, Learner, predicts_out_of_bag

# Rows beyond which one learner serves instead of a stack.
MAX_STACKED = 20_000


class Problem:
    """Rows, their encoding as numbers, and folds.

    ``features`` are None where rows cannot be encoded, such as texts for a pipeline that begins
    with a vectoriser. Of very many rows, those of ``part`` predict the others: fits of the folds
    use no more.
    """

    def __init__(
        self, params: RobustMetaEstimator, request: FitRequest, codes: IntArray | None = None
    ) -> None:
        X, y, sample_weight, groups, self.on_fit, _, part = request
        self.params, self.X, self.n_rows = params, X, len(y)
        self.is_weighted = sample_weight is not None
        self.sample_weight = np.ones(len(y)) if sample_weight is None else sample_weight
        self.seed, self.encoder = params._seed(), NumericEncoder()
        # The first row of each kind of equal rows, and the place of each row among these.
        self.first, self.place = self.places = distinct_rows(X, y)
        self.features = self._encoded()
        self.folds = make_folds(
            params.cv,
            X,
            y,
            groups,
            self.seed,
            codes,
            self.places,
            getattr(params, "classes_", None),
        )
        if part is not None:
            self.folds = [(np.intersect1d(train, part), test) for train, test in self.folds]
        self.own_folds = groups is not None or not isinstance(params.cv, int | np.integer)

    def _encoded(self) -> FloatArray | None:
        """Return rows as numbers; copies of a row do not change how it is encoded."""
        try:
            if len(self.first) == self.n_rows:
                return self.encoder.fit_transform(self.X)
            return self._encoded_as_distinct()
        except (DataFileError, ImportError, TypeError, ValueError):
            if self.params._stacks:
                raise
            return None

    def _encoded_as_distinct(self) -> FloatArray:
        try:
            return self.encoder.fit(take_rows(self.X, self.first)).transform(self.X)
        except DataFileError:  # no level of a category may be frequent among few distinct rows
            return self.encoder.fit_transform(self.X)

    def users_learner(self, method: str) -> Learner:
        """Return the learner that the user gave, on the unchanged rows."""
        estimator = self.params._seeded(self.params.estimator, self.seed)
        # A copy of a row out of the bag would be predicted by one within.
        distinct = len(self.first) == self.n_rows
        of_bag = distinct and not self.own_folds and predicts_out_of_bag(estimator)
        return self.learner(estimator, self.X, None if of_bag else self.folds, method)

    def learner(
        self, estimator: Any, X: Any, folds: Folds | None, method: str, *, counts: bool = True
    ) -> Learner:
        """Return a learner on rows."""
        return Learner(
            estimator,
            X,
            X.shape[0] if hasattr(X, "shape") else len(X),
            folds,
            method=method,
            n_jobs=self.params.n_jobs,
            weighted=self.is_weighted,
            on_fit=self.on_fit if counts else lambda _: None,
        )


def tested_rows(folds: Folds | None, n: int) -> BoolArray:
    """Return the rows that some fold tests; all without folds."""
    tested = np.full(n, folds is None)
    for _, test in folds or []:
        tested[test] = True
    return tested
