"""River's door: a row or a frame at a time."""

from __future__ import annotations

from collections.abc import Mapping
from operator import mul
from typing import Any

import numpy as np

from .learning import Learning
from .stream import LARGEST, Waiting, check_row, frame_values, like

PATIENCE = 256  # rows that may wait


class Rows(Learning):
    """``learn_one``, ``predict_one``, ``learn_many``, ``predict_many``."""

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
