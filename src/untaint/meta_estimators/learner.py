r"""Fits of any learner to weighted rows, and its predictions of rows that a fit did not see.

Rows of next to no weight are left out of a fit, since a tree counts rows in its leaves whatever
they weigh. A learner that takes no weights is fitted to the rows whose target is probably right.

A forest predicts each row by the trees that were grown without it; any other learner is fitted to
all folds but one at a time. Copies of a row are in the same fold, so that none predicts another.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from .._typing import BoolArray, FloatArray, IntArray
from .._validation import take_rows

# Up to so many rows learners keep to one thread of OpenMP: in short loops threads wait for one
# another, on busy cores for many times as long as the loops take.
SINGLE_THREAD_ROWS = 10_000
# Part of its weight below which a row is left out of a fit.
MIN_PART = 0.02
# Trees of a forest from which on every row is out of the bag of some.
MIN_TREES = 50
# Copies of a row at most that stand for its weight.
MAX_COPIES = 1e6

#: Training and test rows of each fold.
Folds = list[tuple[IntArray, IntArray]]
#: Called with the number of fits so far.
OnFit = Callable[[int], None]


class FitRequest(NamedTuple):
    """Rows of a fit with their targets, or codes of labels, and what may be known of them.

    ``known`` is a kernel that was fitted to them before; those of ``part`` predict the others.
    """

    X: Any
    y: NDArray[Any]
    sample_weight: FloatArray | None
    groups: Any
    on_fit: OnFit
    known: Any = None
    part: IntArray | None = None


class WeightedRows(NamedTuple):
    """Positions of rows, which may repeat, with their targets and weights.

    ``parts`` are the weights as a part of the row's own, the probability that the target is right.
    """

    rows: IntArray
    targets: NDArray[Any]
    weights: FloatArray
    parts: FloatArray

    def used(self) -> WeightedRows:
        """Return the rows that a fit with weights uses."""
        return self.among(self.parts > MIN_PART)

    def among(self, some: BoolArray | IntArray) -> WeightedRows:
        """Return some of the rows."""
        parts = (self.rows[some], self.targets[some], self.weights[some], self.parts[some])
        return WeightedRows(*parts)


@final
@dataclass(eq=False)
class Learner:
    """A learner on the rows of X, which are passed to it unchanged.

    ``method`` is the method that predicts; ``weighted`` is whether the user gave sample weights.
    With ``folds=None`` the learner has out-of-bag predictions. ``n_fits`` counts fits, and
    ``on_fit`` is called after each.
    """

    estimator: Any
    X: Any
    n_rows: int
    folds: Folds | None
    method: str = "predict"
    n_jobs: int | None = None
    weighted: bool = False
    on_fit: OnFit = lambda _: None
    n_fits: int = 0

    def __post_init__(self) -> None:
        self.parameter = weight_parameter(self.estimator)

    def fit(self, data: WeightedRows) -> Any:
        """Return a fit to all rows."""
        fitted = self._fitted(clone(self.estimator), data)
        self._count()
        return fitted

    def predictions(self, data: WeightedRows) -> FloatArray:
        """Return predictions (n, k) of all rows by one fit."""
        return self._predictions(self.fit(data), self.X, None)

    def out_of_fold(self, data: WeightedRows, classes: NDArray[Any] | None = None) -> FloatArray:
        """Return predictions (n, k) of each row by fits without it; NaN where no fold tests it.

        Columns are outputs, or the classes where these are given.
        """
        if self.folds is None:
            return self._out_of_bag(data, classes)
        found: Iterable[FloatArray] = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(self._predicted)(data, train, test, classes) for train, test in self.folds
        )
        sums, counts = None, np.zeros((self.n_rows, 1))
        for (_, test), predicted in zip(self.folds, found, strict=True):
            sums = np.zeros((self.n_rows, predicted.shape[1])) if sums is None else sums
            np.add.at(sums, test, predicted)
            np.add.at(counts, test, 1.0)
            self._count()
        assert sums is not None
        return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)

    def _predicted(
        self, data: WeightedRows, train: IntArray, test: IntArray, classes: NDArray[Any] | None
    ) -> FloatArray:
        """Return predictions of test rows by a fit to training rows."""
        inside = np.zeros(self.n_rows, dtype=bool)
        inside[train] = True
        model = self._fitted(clone(self.estimator), data.among(inside[data.rows]))
        return self._predictions(model, take_rows(self.X, test), classes)

    def _out_of_bag(self, data: WeightedRows, classes: NDArray[Any] | None) -> FloatArray:
        """Return predictions out of bag; rows that the fit leaves out are predicted by all trees.

        Where a row occurs with several targets, its predictions are averaged.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about rows that no tree is without
            model = self._fitted(clone(self.estimator).set_params(oob_score=True), data)
        model.n_jobs = None  # threads would add up the trees in any order
        self._count()
        used = data.used()
        own = model.oob_prediction_ if classes is None else model.oob_decision_function_
        own = in_columns(own, model, classes)
        found = self._predictions(model, self.X, classes)
        sums, counts = np.zeros(found.shape), np.zeros(self.n_rows)
        known = _out_of_some_bag(model, len(used.rows)) & np.isfinite(own).all(axis=1)
        np.add.at(sums, used.rows[known], own[known])
        np.add.at(counts, used.rows[known], 1.0)
        return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1.0)[:, None], found)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the callback here when fits run in other processes."""
        return self.__dict__ | {"on_fit": None}

    def _count(self) -> None:
        self.n_fits += 1
        self.on_fit(self.n_fits)

    def _fitted(self, model: Any, data: WeightedRows) -> Any:
        """Return the model, fitted to rows with their weights as far as it takes weights."""
        # Metadata routing is for arguments of the user; the weights go to the last step.
        with config_context(enable_metadata_routing=False), self._threads():
            return self._fit_weighted(model, data)

    def _threads(self) -> threadpool_limits:
        return threadpool_limits(1 if self.n_rows <= SINGLE_THREAD_ROWS else None, "openmp")

    def _fit_weighted(self, model: Any, data: WeightedRows) -> Any:
        if self.parameter is not None and (self.weighted or (data.weights != 1.0).any()):
            data = data.used()
            return model.fit(self._rows(data.rows), data.targets, **{self.parameter: data.weights})
        data = data.among(data.parts >= 0.5)
        if self.weighted and self.parameter is None:
            data = _repeated(data)
        return model.fit(self._rows(data.rows), data.targets)

    def _rows(self, rows: IntArray) -> Any:
        """Return rows of X, X itself if they are all of them."""
        if len(rows) == self.n_rows and np.array_equal(rows, np.arange(self.n_rows)):
            return self.X
        return take_rows(self.X, rows)

    def _predictions(self, model: Any, X: Any, classes: NDArray[Any] | None) -> FloatArray:
        found = in_columns(getattr(model, self.method)(X), model, classes)
        n, name = X.shape[0] if hasattr(X, "shape") else len(X), type(self.estimator).__name__
        if len(found) != n or not np.isfinite(found).all():
            odd = f"shape {found.shape}" if len(found) != n else "values that are not finite"
            raise ValueError(
                f"estimator: expected {self.method} of {name} to return a finite row for each of "
                f"{n}, found {odd}."
            )
        return found


def _out_of_some_bag(forest: Any, n: int) -> BoolArray:
    """Return which rows some tree was grown without; a forest predicts zero for the others."""
    out = np.zeros(n, dtype=bool)
    for drawn in forest.estimators_samples_:
        inside = np.zeros(n, dtype=bool)
        inside[drawn] = True
        out |= ~inside
    return out


def in_columns(values: Any, model: Any, classes: NDArray[Any] | None) -> FloatArray:
    """Return predictions in columns, one for each class where there are classes.

    A fold may have been without a class, and a learner may have another order of them.
    """
    values = np.asarray(values, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    if classes is None or np.array_equal(model.classes_, classes):
        return values
    out = np.zeros((len(values), len(classes)))
    out[:, np.searchsorted(classes, model.classes_)] = values
    return out


def _repeated(data: WeightedRows) -> WeightedRows:
    """Return rows as often as they weigh, which has to be a whole number of times."""
    own = data.weights / data.parts
    times = np.round(own)
    whole = np.allclose(times, own, rtol=1e-6, atol=0.0)
    if not whole or not len(times) or times.max() > MAX_COPIES:
        raise ValueError(
            "sample_weight must hold whole numbers for an estimator whose fit takes no "
            f"sample_weight, since its rows are repeated; got {own.min():g} to {own.max():g}."
            if len(own)
            else "sample_weight must be positive for rows that are probably right, got only zeros."
        )
    again = np.repeat(np.arange(len(times)), times.astype(int))
    return data.among(again)


def weight_parameter(estimator: Any) -> str | None:
    """Return the name by which an estimator's fit takes weights of rows, None if it takes none.

    An estimator around another one takes weights if both do.
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1] if estimator.steps else ("", None)
        inner = None if last in (None, "passthrough") else weight_parameter(last)
        return None if inner is None else f"{name}__{inner}"
    parts = [getattr(estimator, name, None) for name in ("estimator", "regressor")]
    parts += [part for _, part in getattr(estimator, "estimators", None) or []]
    parts = [part for part in parts if hasattr(part, "fit")]
    if isinstance(estimator, GridSearchCV | RandomizedSearchCV | TransformedTargetRegressor):
        return weight_parameter(parts[0]) if parts else "sample_weight"
    taken = all(has_fit_parameter(part, "sample_weight") for part in [estimator, *parts])
    return "sample_weight" if taken else None


def predicts_out_of_bag(estimator: Any) -> bool:
    """Return whether a learner has predictions by those of its parts that did not see a row."""
    parameters = estimator.get_params(deep=False)
    forest = hasattr(type(estimator), "decision_path") and "oob_score" in parameters
    enough = forest and parameters.get("n_estimators", 0) >= MIN_TREES
    return enough and bool(parameters.get("bootstrap"))
