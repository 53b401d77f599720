"""Base class of all learners from noisy rows: from input rows to ``_learn``.

A learner implements how it starts, learns and predicts; :mod:`.batch_api` and :mod:`.river_api` are
the two interfaces through which rows arrive. Single rows from river are buffered until a prediction
is to use them or the buffer is full.
"""

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .feature_index import FeatureIndex
from .noise import Noise, RowNoise, covariance_matrix, is_estimated, parse_noise_cov
from .noisy_batch import NoisyBatch
from .projected_gradient import DivergenceError
from .row_buffer import RowBuffer
from .scaling import Scaling

BUFFER_SIZE = 512  # single rows buffered, or more if the next fit is later
_MIN_ROWS_TO_COMPARE = 30  # rows needed to compare the means of two copies
_MAX_STANDARD_ERRORS = 8.0  # largest difference of the means without a warning


class _StreamBase(BaseEstimator):
    """Base class that passes rows from either interface to the methods of a learner."""

    noise_cov: Any
    missing: str = "error"
    noise_factor: float | str = 1.0
    n_rounds_: int
    _feature_index: FeatureIndex
    _buffer: RowBuffer

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise if a parameter is not valid."""

    @abstractmethod
    def _start(self, batch: NoisyBatch) -> None:
        """Initialise the model for a stream that begins with this batch."""

    @abstractmethod
    def _learn(self, batch: NoisyBatch) -> None:
        """Learn from a batch."""

    def _end_batch(self) -> None:
        """Update what is selected by cross-validation, after an array or frame has been learnt."""

    def _check_declared_noise(self) -> None:
        """Raise or warn if the declared noise exceeds what the rows' variance allows."""

    @abstractmethod
    def _predict_rows(self, X: FloatArray, noisy: bool) -> FloatArray:
        """Return predictions for rows, which may be noisy themselves."""

    @abstractmethod
    def _clean_error(self, batch: NoisyBatch) -> float:
        """Return an unbiased estimate of the mean squared error on the clean rows."""

    @abstractmethod
    def _copy_noise_cov(self) -> FloatArray:
        """Return the noise covariance of one copy of the training rows."""

    @abstractmethod
    def _expand(self, n_features: int) -> None:
        """Add new features, which were absent from all earlier rows."""

    _supports_row_noise = True  # whether noise_cov may differ between rows

    def _linear_model(self) -> tuple[FloatArray, float] | None:
        """Return coefficients and intercept if the model is linear, else None."""
        return None

    @property
    def _min_rows_to_start(self) -> int:
        """The number of buffered rows that a learner needs before it starts."""
        return 1

    def _refit_rounds(self) -> tuple[int, int]:
        """Return the last round that predictions use, and the next one at which this changes."""
        return self.n_rounds_, self.n_rounds_ + 1

    @property
    def _allow_missing(self) -> bool:
        return self.missing == "random"

    def _reset_stream(self, names: list[Any]) -> None:
        """Begin a new stream whose columns have these names."""
        self._feature_index = FeatureIndex(names, np.nan if self._allow_missing else 0.0)
        self._buffer = RowBuffer()
        self._declared_cov: FloatArray | None = None
        self._learnt_names: tuple[Any, ...] = ()
        self._scaling: Scaling | None = None  # of the rows in the buffer
        self._was_scaled = False  # whether rows carry their scaling
        self._waits_for_scaling = False  # whether buffered rows are to be scaled
        self._n_learnt = self.n_rounds_ = 0
        self._learn_at = BUFFER_SIZE  # the round at which the buffer is full
        self._next_noise_check = 64

    def _bring_up_to_date(self) -> None:
        """Learn the rows that are due; raise if there has never been a row."""
        check_is_fitted(self, "n_rounds_")
        self._learn_due_rows()

    def _learn_due_rows(self) -> None:
        """Learn the rows that predictions use at this round."""
        self._buffer.cached_until = 0
        if len(self._feature_index) and not self._buffer.in_blocks:
            while (due := self._refit_rounds())[0] > self._n_learnt:
                self._flush(due[0])
            self._learn_at = max(self._n_learnt + BUFFER_SIZE, due[1])
        elif len(self._feature_index) or not (
            self._waits_for_scaling or self.n_rounds_ < self._min_rows_to_start
        ):
            self._flush(self.n_rounds_)
        self._check_noise_if_due()

    def _flush(self, until: int) -> None:
        """Learn the buffered rows up to a round."""
        if self._n_learnt < until:
            if self._waits_for_scaling and self._scaling is not None:
                self._buffer.rescale(self._scaling)
                self._waits_for_scaling = False
                self._buffer.scaling = self._scaling
            first, names = not len(self._feature_index), self._buffer.names
            try:
                self._learn_named_rows(first, names, *self._buffer.pop(until - self._n_learnt))
            except BaseException:
                if first:  # restore the state before the first row
                    for name in ("_buffer", "n_rounds_", "n_features_in_", "feature_names_in_"):
                        self.__dict__.pop(name, None)
                raise

    def _check_noise_if_due(self, *, now: bool = False) -> None:
        """Check the declared noise whenever the number of rows has doubled, or now."""
        if now or self._n_learnt >= self._next_noise_check:
            self._check_declared_noise()
            self._next_noise_check = max(2 * self._n_learnt, 64)

    def _learn_named_rows(
        self, first: bool, names: tuple[Any, ...], rows: FloatArray, X_copy: FloatArray | None
    ) -> None:
        """Learn rows (1, x, y) whose features have these names."""
        index = self._feature_index
        if names is not self._learnt_names and index.add_names(names):
            self.n_features_in_ = len(index)
            if all(isinstance(name, str) for name in index.names):
                self.feature_names_in_ = np.array(index.names, dtype=object)
            self._declared_cov = None
            if not first:
                self._expand(self.n_features_in_)
        self._learnt_names = names
        as_given = rows[:, 1:-1]
        X = index.align(names, as_given)
        X_copy = None if X_copy is None else index.align(names, X_copy)
        if self._declared_cov is None:
            self._declared_cov = self._noise_of_rows()
        noise = self._declared_cov
        if not self._estimates_noise:
            self._require_noise(noise, X_copy)
        if noise is not None and len(names) < X.shape[1] and self._absent_is_zero:
            present = np.isin(np.arange(X.shape[1]), index.positions(names))
            noise = noise * np.outer(present, present)
        own = rows if X is as_given else None
        batch = NoisyBatch(
            X, rows[:, -1], X_copy, noise, rows=own, estimates_noise=self._estimates_noise
        )
        if first:
            self._start(batch)
        try:
            self._learn(batch)
        except DivergenceError as error:  # a stream goes on without these rows
            warnings.warn(str(error), ConvergenceWarning, stacklevel=2)
        self._n_learnt += len(rows)
        self._learn_at = self._n_learnt + BUFFER_SIZE

    def _noise_of_rows(self) -> FloatArray | None:
        """Return the noise of single rows as a matrix, None if it is not declared."""
        declared, scaling, index = self.noise_cov, self._scaling, self._feature_index
        if declared is None and scaling is not None:
            declared = scaling.noise_cov
        if declared is None or is_estimated(declared):
            return None
        cov: Noise = index.reorder_cov(
            covariance_matrix(declared, len(index), index.arrival_order, allow_unknown=True)
        )
        cov = cov if scaling is None else scaling.noise(cov, index.names)
        return self._times_factor(cov)  # type: ignore[return-value]

    @property
    def _absent_is_zero(self) -> bool:
        """Whether a feature that a row does not have is exactly zero, and carries no noise."""
        return self._supports_row_noise and not self._allow_missing

    def _make_batch(
        self,
        X: FloatArray,
        y: FloatArray,
        X_copy: FloatArray | None,
        noise_cov: Any,
        sample_weight: FloatArray | None,
        names: list[Any],
        scaling: Scaling | None = None,
        X_true: FloatArray | None = None,
    ) -> NoisyBatch:
        """Return the rows together with the declared noise."""
        declared = self.noise_cov if noise_cov is None else noise_cov
        estimates_noise = is_estimated(declared) or isinstance(self.noise_factor, str)
        noise: Noise | None = None
        if declared is None or is_estimated(declared):
            noise = None if scaling is None else scaling.noise_matrix()
        else:
            names = names if scaling is None else list(scaling.names)
            noise = parse_noise_cov(declared, len(X), X.shape[1], names)
            noise = noise if scaling is None else scaling.noise(noise)
        if not estimates_noise and X_true is None:
            self._require_noise(noise, X_copy)
        for copy in () if X_copy is None else X_copy.reshape(-1, *X.shape):
            _warn_if_copies_differ(X, copy)
        noise = self._times_factor(noise)
        return NoisyBatch(
            X, y, X_copy, noise, sample_weight, X_true=X_true, estimates_noise=estimates_noise
        )

    @property
    def _estimates_noise(self) -> bool:
        return is_estimated(self.noise_cov) or isinstance(self.noise_factor, str)

    def _times_factor(self, noise: Noise | None) -> Noise | None:
        """Return declared noise times ``noise_factor``, unless that is to be estimated."""
        factor = self.noise_factor
        if noise is None or isinstance(factor, str) or factor == 1.0:
            return noise
        if isinstance(noise, RowNoise):
            return replace(noise, values=factor * noise.values)
        return factor * noise

    def _refuse_gaps(self, X: Any) -> None:
        """Raise if X has missing entries that this learner cannot use."""

    def _use_scaling(self, scaling: Scaling | None) -> None:
        """Learn the buffered rows if the next ones have another scaling.

        Rows with a scaling that is not final are buffered as they were, and scaled later.
        """
        if scaling is self._scaling:
            return
        if self._waits_for_scaling and scaling is not None and scaling.is_final:
            self._buffer.rescale(scaling)
        elif not self._waits_for_scaling:
            self._flush(self.n_rounds_)
        self._waits_for_scaling = scaling is not None and not scaling.is_final
        self._scaling, self._declared_cov = scaling, None
        self._buffer.scaling = False if self._waits_for_scaling else scaling
        self._was_scaled = scaling is not None

    def _require_noise(self, declared: Any, X_copy: Any) -> None:
        if declared is None and X_copy is None:
            raise ValueError(
                "noise_cov or X_copy must be given: the covariance of the noise in X, or a second "
                "noisy copy of each row; got neither. (Without noise, noise_cov=0.)"
            )


def _warn_if_copies_differ(X: FloatArray, X_copy: FloatArray) -> None:
    """Warn if the columns of two copies differ by more than independent noise can explain."""
    measured = ~np.isnan(X_copy).all(axis=1)
    X, X_copy = X[measured], X_copy[measured]
    if len(X) < _MIN_ROWS_TO_COMPARE:
        return
    difference = X - X_copy
    mean, deviation = np.abs(difference.mean(axis=0)), difference.std(axis=0)
    shifted = np.flatnonzero(
        mean > _MAX_STANDARD_ERRORS * deviation / np.sqrt(len(X)) + 1e-9 * np.abs(X).max(axis=0)
    )
    if len(shifted):
        warnings.warn(
            f"X_copy differs from X by {mean[shifted[0]]:.3g} on average in column {shifted[0]}, "
            "more than independent noise can explain: have both been scaled alike?",
            stacklevel=5,
        )
