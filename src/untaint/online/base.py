"""What all learners from noisy rows share: two interfaces, one way of learning.

scikit-learn hands over tables (``fit``, ``partial_fit``, ``predict``), river a row or a frame at a
time (``learn_one``, ``predict_one``, ``learn_many``). Both end in ``_learn``. Rows from river wait
in a list until a prediction is to see them, or until they are many.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from operator import mul
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_copy, check_flag, check_noisy_data, check_noisy_query
from .noise import check_noise, covariance_matrix
from .river_family import RiverMember
from .stream import (
    LARGEST,
    Columns,
    Waiting,
    check_row,
    frame_values,
    like,
)
from .views import Views

PATIENCE = 256  # rows that may wait
_FEW = 30  # rows that say nothing of copies
_FAR = 8.0  # standard errors that do


class NoisyRegressor(RiverMember, RegressorMixin, BaseEstimator):
    """Base of the learners that know the noise of their features."""

    noise_cov: Any
    missing: str = "error"
    n_rounds_: int
    _columns: Columns
    _waiting: Waiting

    # What a learner fills in.

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

    # scikit-learn's interface.

    def fit(
        self, X: Any, y: Any, X_copy: Any = None, noise_cov: Any = None, sample_weight: Any = None
    ) -> Any:
        """Learn from these rows alone.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Noisy rows.
        y : array of shape (n,)
            Targets, noisy or not.
        X_copy : array or data frame of shape (n, d), optional
            The same rows measured a second time, with independent noise.
        noise_cov : number or array, optional
            Noise covariance of these rows, in place of the parameter: one variance, one for each
            feature, a matrix, or the rows' own, of shape (n, d) or (n, d, d).
        sample_weight : array of shape (n,), optional
            A weight of k means k copies of the row.

        Returns
        -------
        self
        """
        before = dict(vars(self))
        try:
            self._partial_fit(X, y, X_copy, noise_cov, sample_weight, first=True)
        except BaseException:  # all or nothing
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def partial_fit(
        self, X: Any, y: Any, X_copy: Any = None, noise_cov: Any = None, sample_weight: Any = None
    ) -> Any:
        """Go on learning from more rows; parameters as in :meth:`fit`."""
        if not hasattr(self, "n_rounds_"):
            return self.fit(X, y, X_copy, noise_cov, sample_weight)
        self._partial_fit(X, y, X_copy, noise_cov, sample_weight, first=False)
        return self

    def _partial_fit(
        self, X: Any, y: Any, X_copy: Any, noise_cov: Any, sample_weight: Any, *, first: bool
    ) -> None:
        self._check_parameters()
        if not first:
            self._drain(self.n_rounds_)
        X, y, weights = check_noisy_data(self, X, y, sample_weight, reset=first, gaps=self._gaps)
        X_copy = check_copy(self, X_copy, X, gaps=self._gaps)
        names = list(getattr(self, "feature_names_in_", range(X.shape[1])))
        views = self._views(X, y, X_copy, noise_cov, weights, names)
        if first:
            self._open(names)
            self._start(views)
        self._learn(views)
        self._learnt = self.n_rounds_ = self.n_rounds_ + len(y)
        self._complete()
        self._waiting.next_due = 0
        self._look_at_noise(now=first)

    def predict(self, X: Any, noisy: bool = False) -> FloatArray:
        """Predict targets.

        Parameters
        ----------
        X : array or data frame of shape (m, d)
        noisy : bool
            Whether these rows carry the same noise as the training rows. Then each is first drawn
            towards the mean, as far as its noise makes probable.

        Returns
        -------
        array of shape (m,)
        """
        check_flag("noisy", noisy)
        X = check_noisy_query(self, X, gaps=self._gaps)
        self._catch_up()
        return self._evaluate(X, noisy)

    def corrected_score(self, X: Any, y: Any, X_copy: Any = None) -> float:
        """Mean squared error on the clean rows, estimated from noisy ones without bias.

        Parameters
        ----------
        X, y, X_copy
            Held-out rows, as noisy as the training rows; a second copy, if there is one.

        Returns
        -------
        float
            The smaller the better. An estimate: it can be negative where the error is small.
        """
        check_is_fitted(self)
        X, y, _ = check_noisy_data(self, X, y, None, reset=False, gaps=False)
        X_copy = check_copy(self, X_copy, X, gaps=False)
        self._catch_up()
        return self._clean_error(Views(X, y, X_copy, self._noise_of_one_copy()))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._gaps
        return tags

    # River's interface.

    def learn_one(
        self, x: Mapping[Any, Any], y: float, x_copy: Mapping[Any, Any] | None = None
    ) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : dict
            Feature names and values.
        y : float
        x_copy : dict, optional
            The row measured a second time, with independent noise.
        """
        try:
            total = sum(x.values(), y)
            finite = (
                x_copy is None
                and isinstance(total, (float, int))
                and -LARGEST < total < LARGEST
                and self.noise_cov is not None
            )
        except (TypeError, AttributeError, OverflowError):
            finite = False
        if not finite:
            check_row(x, y, x_copy, self._gaps)
            self._require_noise(self.noise_cov, x_copy)
        if "_waiting" not in self.__dict__:
            self._check_parameters()
            self._open([])
        names = tuple(x)
        if not self._waiting.fits(names, x_copy is not None):
            waiting, absent = self._waiting.names, self._columns.absent
            # An absent entry is exactly zero, so its row waits apart: it carries less noise.
            fill = self._gaps or not self._noise_of_rows or len(x) == len(waiting)
            if fill and x.keys() <= set(waiting) and self._waiting.mixes(x_copy is not None):
                x = {name: x.get(name, absent) for name in waiting}
                if x_copy is not None:
                    x_copy = {name: x_copy.get(name, absent) for name in waiting}
            else:
                self._columns.refuse_strangers(names)
                self._drain(self.n_rounds_)
                self._waiting = Waiting(names)
        self._waiting.add(x, y, x_copy)
        self.n_rounds_ += 1
        if self.n_rounds_ == self._first_rows or len(self._waiting) >= PATIENCE:
            self._catch_up()

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Predict the target of one row; zero before any row has been learnt.

        Parameters
        ----------
        x : dict
            Feature names and values.

        Returns
        -------
        float
        """
        waiting = self.__dict__.get("_waiting")
        if waiting is None:
            return 0.0
        if self.n_rounds_ >= waiting.next_due or not waiting.kept:
            self._catch_up()
            if not len(self._columns):
                return waiting.mean_target
            waiting.keep(self._columns.names, None if self._gaps else self._line())
        if waiting.weights is None:
            return float(self._evaluate(self._columns.values(x), False)[0])
        weights, intercept = waiting.weights, waiting.intercept
        try:
            return sum(map(mul, map(weights.__getitem__, x), x.values()), intercept)
        except KeyError:
            self._columns.refuse_strangers(tuple(x))
            return sum((weights.get(name, 0.0) * value for name, value in x.items()), intercept)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from a frame.

        Parameters
        ----------
        X : data frame
        y : series
        """
        rows, targets = frame_values("X", X, self._gaps), frame_values("y", y)
        if rows.shape[0] != targets.shape[0]:
            raise ValueError(f"X and y must have as many rows, got {len(rows)} and {len(targets)}.")
        if not len(rows):
            return
        if "_waiting" not in self.__dict__:
            self._check_parameters()
            self._open([])
        names = self._waiting.names_of(X)
        if names != self._waiting.names or (len(self._waiting) and not self._waiting.in_blocks):
            self._columns.refuse_strangers(names)
            self._drain(self.n_rounds_)
            self._waiting = Waiting(names)
        self._waiting.add_block(rows, targets)
        self._waiting.next_due = 0
        self.n_rounds_ += len(targets)
        if not len(self._columns) or len(self._waiting) >= 8 * PATIENCE:
            self._catch_up()

    def predict_many(self, X: Any) -> Any:
        """Predict the targets of a frame, as a series of the same library.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        series
        """
        if "_waiting" not in self.__dict__:
            return like(np.zeros(len(X)), X)
        self._catch_up()
        if not len(self._columns):
            return like(np.full(len(X), self._waiting.mean_target), X)
        rows = self._columns.table(self._waiting.names_of(X), frame_values("X", X, self._gaps))
        return like(self._evaluate(rows, False), X)

    # Between the two.

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
