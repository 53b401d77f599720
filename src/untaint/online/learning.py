"""What all learners from noisy rows share: the way from rows to ``_learn``.

A learner fills in how it starts, learns and predicts. :mod:`.tables` and :mod:`.rows` are the two
doors through which rows come. Rows that river hands over one by one wait in a list until a
prediction is to see them, or until they are many.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._typing import FloatArray
from .noise import check_noise, covariance_matrix
from .stream import Columns, Waiting
from .views import Views

_FEW = 30  # rows that say nothing of copies
_FAR = 8.0  # standard errors that do


class Learning(BaseEstimator):
    """Rows on their way from either interface to what a learner does with them."""

    noise_cov: Any
    missing: str = "error"
    n_rounds_: int
    _columns: Columns
    _waiting: Waiting

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense."""

    @abstractmethod
    def _start(self, views: Views) -> None:
        """Make room for a stream that begins with these rows."""

    @abstractmethod
    def _learn(self, views: Views) -> None:
        """Learn from a batch."""

    def _complete(self) -> None:
        """A table has been learnt: choose anew what is chosen by the rows."""

    def _check_noise(self) -> None:
        """Refuse a declared noise that the rows contradict."""

    @abstractmethod
    def _evaluate(self, X: FloatArray, noisy: bool) -> FloatArray:
        """Predictions for rows, which may carry noise themselves."""

    @abstractmethod
    def _clean_error(self, views: Views) -> float:
        """Unbiased estimate of the mean squared error on the clean rows."""

    @abstractmethod
    def _noise_of_one_copy(self) -> FloatArray:
        """Covariance of the noise that the training rows carried."""

    @abstractmethod
    def _widen(self, n_features: int) -> None:
        """Make room for features that have been absent so far."""

    _noise_of_rows = True  # whether rows may carry noise of their own

    def _line(self) -> tuple[FloatArray, float] | None:
        """Weights and intercept, if that is all."""
        return None

    @property
    def _first_rows(self) -> int:
        """Rows from river that a learner wants to see before it starts."""
        return 1

    def _due(self) -> tuple[int, int]:
        """The round up to which predictions see the stream, and the next such round."""
        return self.n_rounds_, self.n_rounds_ + 1

    @property
    def _gaps(self) -> bool:
        return self.missing == "random"

    def _open(self, names: list[Any]) -> None:
        """Forget everything; columns of these names."""
        self._columns = Columns(names, np.nan if self._gaps else 0.0)
        self._waiting = Waiting()
        self._declared: FloatArray | None = None
        self._learnt = self.n_rounds_ = 0
        self._next_look = 64

    def _catch_up(self) -> None:
        """Learn the waiting rows that predictions should see."""
        if not len(self._columns) and self.n_rounds_ < self._first_rows:
            return
        due, next_due = self.n_rounds_, 0
        if len(self._columns) and not self._waiting.in_blocks:
            due, next_due = self._due()
        self._waiting.next_due, self._waiting.kept = next_due, False
        if due > self._learnt:
            self._drain(due)
            self._look_at_noise()

    def _drain(self, until: int) -> None:
        """Learn the rows that wait, up to a round."""
        if self._learnt < until:
            self._take_in(self._waiting.names, *self._waiting.take(until - self._learnt))

    def _look_at_noise(self, *, now: bool = False) -> None:
        """Check the declared noise now and then."""
        if now or self._learnt >= self._next_look:
            self._check_noise()
            self._next_look = max(2 * self._learnt, 64)

    def _take_in(
        self, names: tuple[Any, ...], X: FloatArray, y: FloatArray, copy: FloatArray | None
    ) -> None:
        first = not len(self._columns)
        try:
            self._take_in_rows(first, names, X, y, copy)
        except BaseException:
            if first:  # as if no row had come
                for name in ("_waiting", "n_rounds_", "n_features_in_", "feature_names_in_"):
                    self.__dict__.pop(name, None)
            raise

    def _take_in_rows(
        self,
        first: bool,
        names: tuple[Any, ...],
        X: FloatArray,
        y: FloatArray,
        copy: FloatArray | None,
    ) -> None:
        if self._columns.admit(names):
            self.n_features_in_ = len(self._columns)
            if all(isinstance(name, str) for name in self._columns.names):
                self.feature_names_in_ = np.array(self._columns.names, dtype=object)
            self._declared = None
            if not first:
                self._widen(self.n_features_in_)
        X = self._columns.table(names, X)
        copy = None if copy is None else self._columns.table(names, copy)
        if self._declared is None and self.noise_cov is not None:
            self._declared = self._columns.in_order(
                covariance_matrix(self.noise_cov, X.shape[1], self._columns.arrival, more=True)
            )
        self._require_noise(self._declared, copy)
        noise = self._declared
        if self._noise_of_rows and not self._gaps and noise is not None and len(names) < X.shape[1]:
            there = np.isin(np.arange(X.shape[1]), self._columns.places(names))
            noise = noise * np.outer(there, there)
        views = Views(X, y, copy, noise)
        if first:
            self._start(views)
        self._learn(views)
        self._learnt += len(y)

    def _views(
        self,
        X: FloatArray,
        y: FloatArray,
        copy: FloatArray | None,
        noise_cov: Any,
        weights: FloatArray | None,
        names: list[Any],
    ) -> Views:
        """The rows with what is known of their noise."""
        declared = self.noise_cov if noise_cov is None else noise_cov
        self._require_noise(declared, copy)
        if copy is not None:
            _check_same_rows(X, copy)
        noise = None if declared is None else check_noise(declared, len(X), X.shape[1], names)
        return Views(X, y, copy, noise, weights)

    def _require_noise(self, declared: Any, copy: Any) -> None:
        if declared is None and copy is None:
            raise ValueError(
                "noise_cov or X_copy must be given: the covariance of the noise in X, or a second "
                "noisy copy of each row; got neither. (Without noise, noise_cov=0.)"
            )


def _check_same_rows(X: FloatArray, copy: FloatArray) -> None:
    """Warn of copies whose columns differ by more than independent noise can explain."""
    if len(X) < _FEW:
        return
    apart = X - copy
    mean, spread = np.abs(apart.mean(axis=0)), apart.std(axis=0)
    odd = np.flatnonzero(mean > _FAR * spread / np.sqrt(len(X)) + 1e-9 * np.abs(X).max(axis=0))
    if len(odd):
        warnings.warn(
            f"X_copy differs from X by {mean[odd[0]]:.3g} on average in column {odd[0]}, more than "
            "independent noise can explain: have both been scaled alike?",
            stacklevel=5,
        )
