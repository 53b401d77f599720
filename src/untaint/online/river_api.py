"""river's interface of the learners from noisy rows: dictionaries and frames."""

from collections.abc import Mapping
from operator import mul
from typing import Any

import numpy as np

from .batch_api import BatchAPIMixin
from .river_compat import RiverCompatMixin
from .row_buffer import RowBuffer
from .scaling import scale_copy, scaling_of
from .stream_input import check_finite, check_row, frame_values, series_like


class NoisyLearner(RiverCompatMixin, BatchAPIMixin):
    """Base class of the learners: scikit-learn's methods, and river's for rows and frames."""

    def learn_one(
        self, x: Mapping[Any, Any], y: float, x_copy: Mapping[Any, Any] | None = None
    ) -> None:
        """Update the model with one row: its features by name, and its target or label.

        ``x_copy`` is a second measurement of the features, with independent noise.
        """
        try:
            added = x_copy is None and self.noise_cov is not None and self._buffer.append(x, y)
        except AttributeError:  # the first row
            added = False
        if not added:
            self._check_and_buffer(x, y, x_copy)
        self.n_rounds_ = n_rounds = self.n_rounds_ + 1
        if n_rounds >= self._learn_at:
            self._learn_due_rows()

    def _check_and_buffer(
        self, x: Mapping[Any, Any], y: float, x_copy: Mapping[Any, Any] | None
    ) -> None:
        """Check a row, and add it to the buffer."""
        scaling = scaling_of(x)
        if scaling is not None and not scaling.is_final:
            x = x.original  # type: ignore[attr-defined]
        else:
            x_copy = scale_copy(x_copy, scaling)
        check_row(x, y, x_copy, self._allow_missing)
        declared = scaling.noise_cov if self.noise_cov is None and scaling else self.noise_cov
        self._require_noise(declared, x_copy)
        if "_buffer" not in self.__dict__:
            self._check_parameters()
            self._reset_stream([])
            self._learn_at = self._min_rows_to_start
        self._use_scaling(scaling)
        same_copies = self._buffer.has_same_copies(x_copy is not None)
        if tuple(x) != self._buffer.names or not same_copies:
            x, x_copy = self._fit_to_buffer(x, x_copy, same_copies)
        self._buffer.add(x, y, x_copy)

    def _fit_to_buffer(
        self, x: Mapping[Any, Any], x_copy: Mapping[Any, Any] | None, same_copies: bool
    ) -> tuple[Mapping[Any, Any], Mapping[Any, Any] | None]:
        """Return a row that the buffer accepts: complete the row, or begin a new buffer."""
        names, fill_value = self._buffer.names, self._feature_index.fill_value
        # A row whose absent features carry no noise is learnt separately.
        may_fill = not self._absent_is_zero or len(x) == len(names)
        if not (may_fill and same_copies and x.keys() <= set(names)):
            self._feature_index.check_names(tuple(x))
            self._flush(self.n_rounds_)
            self._buffer = RowBuffer(tuple(x), self._buffer.scaling)
            return x, x_copy
        if x_copy is not None:
            x_copy = {name: x_copy.get(name, fill_value) for name in names}
        return {name: x.get(name, fill_value) for name in names}, x_copy

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Predict the target of one row; the prediction is zero before any row has been learnt."""
        try:
            buffer = self._buffer
        except AttributeError:
            return 0.0
        if self.n_rounds_ >= buffer.cached_until:
            self._learn_due_rows()
            if not len(self._feature_index):
                return buffer.mean_target
            model = None if self._allow_missing else self._linear_model()
            until = 0 if buffer.in_blocks else self._refit_rounds()[1]
            buffer.cache_model(self._feature_index.names, model, until)
        try:
            if [*x] == buffer.coef_names:
                found = sum(map(mul, buffer.coef, x.values()), buffer.intercept)
            else:
                found = self._predict_other(x, buffer)
            if -1e308 < found < 1e308:  # a number, and so are all features
                return found
        except (TypeError, ValueError, AttributeError):
            check_row(x, 0.0, None, self._allow_missing)
            raise
        check_row(x, 0.0, None, self._allow_missing)
        return found

    def _predict_other(self, x: Mapping[Any, Any], buffer: RowBuffer) -> float:
        """Predict for a row with other names than the buffered ones, or if not linear."""
        if buffer.coef_names is None:
            values = np.array([[*x.values()]])
            if values.dtype.kind not in "biuf":
                raise TypeError(f"x must hold numbers, got the type {values.dtype}.")
            row = self._feature_index.align([*x], values.astype(float))
            return float(self._predict_rows(row, False)[0])
        self._feature_index.check_names(tuple(x))
        coef = buffer.coef_by_name
        return sum((coef.get(name, 0.0) * value for name, value in x.items()), buffer.intercept)

    def learn_many(self, X: Any, y: Any) -> None:
        """Update the model with the noisy rows of a frame and a series of targets or labels."""
        rows, targets = frame_values("X", X), frame_values("y", y, 1)
        n = len(targets)
        if len(rows) != n:
            raise ValueError(f"X and y must have as many rows, got {len(rows)} and {n}.")
        if not rows.size:
            if n:
                raise ValueError("X must have a column, got none.")
            return
        if "_buffer" not in self.__dict__:
            RowBuffer().column_names(X)  # raises if some are the same
            check_finite("X", rows, self._allow_missing)
            check_finite("y", targets, False)
            self._check_parameters()
            self._reset_stream([])
        scaling, buffer = scaling_of(X), self._buffer
        names = buffer.column_names(X)
        if scaling is not self._scaling:
            self._use_scaling(scaling)
        if names != buffer.names or buffer.has_single_rows:
            self._feature_index.check_names(names)
            self._flush(self.n_rounds_)
            self._buffer = buffer = RowBuffer(names, buffer.scaling)
        is_full = buffer.add_block(rows, targets, self._allow_missing)
        buffer.cached_until = 0
        self.n_rounds_ += n
        if is_full or not self._feature_index.names:
            self._learn_due_rows()

    def predict_many(self, X: Any) -> Any:
        """Predict the targets of a frame and return them as a series of the same library."""
        if "_buffer" not in self.__dict__:
            return series_like(np.zeros(len(X)), X)
        self._learn_due_rows()
        if not len(self._feature_index):
            return series_like(np.full(len(X), self._buffer.mean_target), X)
        values = frame_values("X", X)
        check_finite("X", values, self._allow_missing)
        rows = self._feature_index.align(self._buffer.column_names(X), values)
        return series_like(self._predict_rows(rows, False), X)
