r"""One column predicted from the others, for every row by fits to other rows.

Rows are in five folds, or as few as leave rows enough for a fit. For each fold trees and a ridge
regression are fitted to the other folds, and numbers are predicted by their best convex mixture:
trees follow jumps and interactions, and columns that add up or are copies of one another are
linear. The trees are boosted, of all folds at once (:mod:`.quick_trees`), or extra trees if rows
are few. Where boosted trees predict a column closely, the sum of the ridge regression and of trees
for its residuals is mixed in: most of such columns are nearly linear, and steps would show. Levels
have class probabilities of extra trees. Those of few rows are grown for all folds at once, too
(:mod:`.extra_trees`).

If rows are very many, a random sample of them is used, in halves. Each half predicts the other one,
and half of the rows that are in neither. If a number is usual under the ridge regression alone, and
remains so under any tree, it is predicted by the ridge regression alone.

The fits are kept, because predictions of a row with another value in one of its cells serve to
decide which of its cells is wrong.
"""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, NamedTuple, Self, final

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .._typing import BoolArray, FloatArray, IntArray
from ..optim.stack_weights import adds, convex_weights
from . import quick_trees
from .extra_trees import Forest, grow_forests, joined
from .features import ColumnFeatures
from .quick_trees import fit_trees_that_add

FOLDS = 5
N_TREES, FEW_TREES = 25, 12
LEAF, NUMERIC_LEAF = 3, 2
# Cells (rows times features) up to which extra trees of all folds are grown at once.
FEW_CELLS = 20_000
# Part of the features that a split is chosen from.
TRIED = 0.5
# Rows from which on trees are boosted.
ROWS_TO_BOOST = 300
# Weight of trees from which on they matter, and typical residual, in robust deviations of a column,
# below which trees for the residuals of the ridge regression predict still better.
MATTER, CLOSE = 0.5, 0.3
# Twice the gain in log-likelihood by a few trees of one half of the rows at which more are grown.
CLEAR_GAIN = 10.0
# Rows that a fit has at most, and rows beyond which all that is learnt is learnt from a part.
MAX_ROWS, MANY_ROWS = 4000, 8000
RIDGE = 1.0
# Ridge regression, trees, and their sum.
MODELS = 3
# Values that a feature needs.
FEWEST_VALUES = 20


def folds_of(n: int, seed: int) -> IntArray:
    """Return the fold of each row, at random.

    Examples
    --------
    >>> [len(set(folds_of(n, seed=0))) for n in (100, 7000, 100_000)]
    [5, 3, 2]
    """
    enough = [k for k in range(2, FOLDS) if n * (k - 1) >= MAX_ROWS * k]
    return np.random.default_rng(seed).permutation(n) % min(enough, default=FOLDS)


@final
class NumericPredictor:
    """Predict a number.

    Parameters
    ----------
    X : array of shape (n, p)
        Features, NaN where they are missing.
    y : array of shape (n,)
        NaN where it is missing.
    trusted : bool array of shape (n,)
        Rows to fit to.
    folds : int array of shape (n,)
    seed : int

    Attributes
    ----------
    predictions : array of shape (n,)
        By fits without the row.
    nonlinearity : float
        Largest difference between these and predictions of the ridge regression alone.
    """

    def __init__(
        self, X: FloatArray, y: FloatArray, trusted: BoolArray, folds: IntArray, seed: int
    ) -> None:
        self.folds, self.usable = folds, usable_features(X[trusted])
        X = X[:, self.usable]
        rows = rows_of_folds(trusted, folds, seed)
        linear = {fold: _ridge(X[own], y[own]) for fold, own in rows.items()}
        quick = min(map(len, rows.values())) >= ROWS_TO_BOOST
        known = np.flatnonzero(trusted)
        trees: Mapping[int, Any] | None
        self.models: dict[int, list[Any]] = {fold: [linear[fold]] for fold in rows}
        self.mixing: FloatArray = np.ones(1)
        if len(rows) == 2:
            trees = _halves(X, y, rows, linear)
        elif quick:
            trees = _quick_trees(X, y, rows, self._out_of_fold(X)[:, 0])
        else:
            trees = _extra_trees(X, y, rows, seed)
        if trees is not None:
            self.models = {fold: [linear[fold], trees[fold]] for fold in rows}
            self.mixing = np.full(2, 0.5)
        parts = self._out_of_fold(X)
        self._mix(parts, y, known)
        error = float(np.median(np.abs(y - self.predictions)[known]))
        if quick and self.mixing[-1] > MATTER and trees and error < CLOSE:
            trees = _residual_trees(X, y, rows, linear, self.predictions - parts[:, 0])
            if trees is None:
                return
            self.models = {fold: [*self.models[fold], trees[fold]] for fold in rows}
            self.mixing = np.array([0.0, 0.0, 1.0])
            parts[:, 2:] = self._out_of_fold(X)[:, 2:]
            self._mix(parts, y, known)

    def _out_of_fold(self, X: FloatArray) -> FloatArray:
        """Return the predictions (n, 3) of every row by models of its fold."""
        found = np.empty((len(X), MODELS))
        for fold in self.models:
            test = self.folds == fold
            if test.any():
                found[test] = self._parts(fold, X[test])
        return found

    def _mix(self, parts: FloatArray, y: FloatArray, known: IntArray) -> None:
        """Predict every row by the best mixture of the models."""
        own = parts[:, : len(self.mixing)]
        self.mixing = convex_weights(own[known][:, None], y[known, None], np.ones(len(known)))
        self.predictions: FloatArray = own @ self.mixing
        self.nonlinearity = float(np.abs(self.predictions - own[:, 0])[known].max())

    def _parts(self, fold: int, X: FloatArray) -> FloatArray:
        """Return the predictions (n, 3) of each model, zero if it has no weight."""
        found = np.zeros((len(X), MODELS))
        for place, (model, weight) in enumerate(zip(self.models[fold], self.mixing, strict=True)):
            if weight > 0:
                found[:, place] = model.predict(X).reshape(len(X))
        return found

    def _linear(self, X: ColumnFeatures, folds: IntArray) -> FloatArray:
        """Return the predictions of the ridge regressions."""
        slopes = np.zeros((len(self.usable), len(self.models)))
        constants = np.zeros(len(self.models))
        for fold, (ridge, *_) in self.models.items():
            slopes[self.usable, fold], constants[fold] = ridge
        return np.asarray((X.dot(slopes) + constants)[np.arange(len(folds)), folds])

    def extended(
        self,
        X: ColumnFeatures,
        folds: IntArray,
        learnt: IntArray,
        is_usual: Callable[[FloatArray, float], BoolArray],
    ) -> Self:
        """Return the predictor of more rows, from the same fits.

        Parameters
        ----------
        X : ColumnFeatures
        folds : int array of shape (n,)
        learnt : int array
            The rows that are predicted already.
        is_usual : callable
            Of predictions and of a distance: whether a row is usual if its prediction is moved by
            no more than that.
        """
        found = copy(self)
        found.folds, found.predictions = folds, self._linear(X, folds)
        if self.nonlinearity > 0:
            usual = is_usual(found.predictions, self.nonlinearity)
            usual[learnt] = True
            far = np.flatnonzero(~usual)
            found.predictions[far] = found.predict(X.at(far), far)
        found.predictions[learnt] = self.predictions
        return found

    def predict(self, X: FloatArray, rows: IntArray) -> FloatArray:
        """Return predictions of changed features X of given rows, by fits without these rows."""
        found = np.empty(len(rows))
        for fold in np.unique(self.folds[rows]):
            own = self.folds[rows] == fold
            parts = self._parts(int(fold), X[own][:, self.usable])
            found[own] = parts[:, : len(self.mixing)] @ self.mixing
        return found


@final
class LevelPredictor:
    """Predict a level.

    Parameters are those of :class:`NumericPredictor`, with codes from 0 to k - 1 for y.

    Attributes
    ----------
    probabilities : array of shape (n, k)
        By fits without the row.
    """

    def __init__(
        self,
        X: FloatArray,
        codes: IntArray,
        n_levels: int,
        trusted: BoolArray,
        folds: IntArray,
        seed: int,
    ) -> None:
        self.folds, self.models, self.n_levels = folds, dict[int, Any](), n_levels
        self.usable = usable_features(X[trusted])
        X = X[:, self.usable]
        self.probabilities = np.full((len(codes), n_levels), 1.0 / n_levels)
        rows = rows_of_folds(trusted, folds, seed)
        n_trees = N_TREES if min(map(len, rows.values())) >= ROWS_TO_BOOST else FEW_TREES
        if X.size <= FEW_CELLS:
            self.models = self._forests(X, codes, trusted, rows, n_trees, seed)
        elif len(rows) == 2:
            self.models = self._halves(X, codes, rows, n_trees, seed)
        else:
            self.models = {
                fold: _library_classifier(n_trees, seed).fit(X[own], codes[own])
                for fold, own in rows.items()
            }
        self._out_of_fold(X)

    def _out_of_fold(self, X: FloatArray) -> None:
        """Predict every row by the model of its fold."""
        for fold in self.models:
            test = self.folds == fold
            if test.any():
                self.probabilities[test] = self._probabilities(fold, X[test])

    def _shares(self, codes: IntArray, rows: Mapping[int, IntArray]) -> dict[int, FloatArray]:
        """Return the shares of the levels among the rows of each fold."""
        return {
            fold: np.bincount(codes[part], minlength=self.n_levels) / max(len(part), 1)
            for fold, part in rows.items()
        }

    def _forests(
        self,
        X: FloatArray,
        codes: IntArray,
        trusted: BoolArray,
        rows: Mapping[int, IntArray],
        n_trees: int,
        seed: int,
    ) -> dict[int, Any]:
        """Return forests of all folds, or shares of the levels if a few trees add nothing."""
        indicators = np.eye(self.n_levels)[np.maximum(codes, 0)]
        shares = self._shares(codes, rows)
        count = quick_trees.TEST_TREES
        first = self.models = _few_trees(X, indicators, rows, count, LEAF, TRIED, seed)
        self._out_of_fold(X)
        simple = np.array([shares[fold] for fold in self.folds[trusted].tolist()])
        found = self.probabilities[trusted]
        if not adds(simple, found, indicators[trusted], quick_trees.SOME_GAIN):
            return dict(shares)
        more = _few_trees(X, indicators, rows, n_trees - count, LEAF, TRIED, seed + 1)
        return {fold: joined([first[fold], more[fold]]) for fold in rows}

    def _halves(
        self, X: FloatArray, codes: IntArray, rows: Mapping[int, IntArray], n_trees: int, seed: int
    ) -> dict[int, Any]:
        """Return forests of two folds, or shares of the levels if a few trees add nothing."""
        (one, own), (two, others) = rows.items()
        shares = self._shares(codes, rows)
        first = _library_classifier(quick_trees.TEST_TREES, seed).set_params(warm_start=True)
        self.models = {one: first.fit(X[own], codes[own])}
        simple = np.broadcast_to(shares[one], (len(others), self.n_levels))
        found = self._probabilities(one, X[others])
        if not adds(simple, found, np.eye(self.n_levels)[codes[others]], CLEAR_GAIN):
            return shares
        first.set_params(n_estimators=n_trees).fit(X[own], codes[own])
        return {one: first, two: _library_classifier(n_trees, seed).fit(X[others], codes[others])}

    def extended(self, X: ColumnFeatures, folds: IntArray) -> Self:
        """Return the predictor of more rows, from the same fits."""
        found = copy(self)
        found.folds = folds
        found.probabilities = np.empty((len(folds), self.n_levels))
        for fold, model in self.models.items():
            own = np.flatnonzero(folds == fold)
            is_constant = isinstance(model, np.ndarray)
            rows = np.empty((len(own), 0)) if is_constant else X.at(own)[:, self.usable]
            found.probabilities[own] = self._probabilities(fold, rows)
        return found

    def _probabilities(self, fold: int, X: FloatArray) -> FloatArray:
        model = self.models[fold]
        if isinstance(model, np.ndarray):
            return np.broadcast_to(model, (len(X), self.n_levels))
        if isinstance(model, Forest):
            return model.predict(X)
        found = np.zeros((len(X), self.n_levels))
        found[:, model.classes_] = model.predict_proba(X)
        return found

    def predict(self, X: FloatArray, rows: IntArray) -> FloatArray:
        """Return probabilities (m, k) of changed features X of given rows."""
        found = np.empty((len(rows), self.n_levels))
        for fold in np.unique(self.folds[rows]):
            own = self.folds[rows] == fold
            found[own] = self._probabilities(int(fold), X[own][:, self.usable])
        return found


def usable_features(X: FloatArray) -> BoolArray:
    """Return which features have values enough for every fold to have some."""
    return np.asarray((~np.isnan(X)).sum(axis=0) >= min(FEWEST_VALUES, len(X)))


class RidgeFit(NamedTuple):
    """A ridge regression; missing values are zero."""

    slopes: FloatArray
    constant: float

    def predict(self, X: FloatArray) -> FloatArray:
        """Return predictions of rows."""
        return np.asarray(np.nan_to_num(X) @ self.slopes + self.constant)


def _ridge(X: FloatArray, y: FloatArray) -> RidgeFit:
    X = np.nan_to_num(X)
    center, mean = X.mean(axis=0), y.mean()
    centred = X - center
    gram = centred.T @ centred
    gram[np.diag_indices_from(gram)] += RIDGE
    slopes = cho_solve(cho_factor(gram, overwrite_a=True), centred.T @ (y - mean))
    return RidgeFit(slopes, float(mean - center @ slopes))


class RidgeAndTrees(NamedTuple):
    """A ridge regression, and trees for its residuals."""

    ridge: RidgeFit
    trees: Any

    def predict(self, X: FloatArray) -> FloatArray:
        """Return predictions of rows."""
        return self.ridge.predict(X) + self.trees.predict(X)


def _residual_trees(
    X: FloatArray,
    y: FloatArray,
    rows: Mapping[int, IntArray],
    linear: Mapping[int, RidgeFit],
    simple: FloatArray,
) -> dict[int, RidgeAndTrees] | None:
    """Return ridge regressions of each fold with trees for their residuals."""
    residuals = y - np.stack([linear[fold].predict(X) for fold in rows])
    trees = _quick_trees(X, residuals, rows, simple)
    return trees and {fold: RidgeAndTrees(linear[fold], trees[fold]) for fold in rows}


def _quick_trees(
    X: FloatArray, y: FloatArray, rows: Mapping[int, IntArray], simple: FloatArray
) -> dict[int, Any] | None:
    """Return boosted trees of each fold, None if a few of them add nothing to simple predictions.

    Targets (n,) are the same for all folds, (k, n) those of each. Two folds have no row in common
    and many rows: there the library grows the same kind of trees in less time.
    """
    if len(rows) == 2:
        targets = np.broadcast_to(y, (len(rows), len(X)))
        pairs = zip(rows.items(), targets, strict=True)
        return {fold: _library_trees().fit(X[own], target[own]) for (fold, own), target in pairs}
    found = fit_trees_that_add(X, y, _membership(rows, len(X)), simple)
    return None if found is None else dict(zip(rows, found, strict=True))


def _halves(
    X: FloatArray, y: FloatArray, rows: Mapping[int, IntArray], linear: Mapping[int, RidgeFit]
) -> Mapping[int, Any] | None:
    """Return boosted trees of two folds, or None if a few trees of the first add nothing."""
    (one, own), (_, others) = rows.items()
    first = (
        _library_trees()
        .set_params(max_iter=quick_trees.TEST_TREES, warm_start=True)
        .fit(X[own], y[own])
    )
    pair = linear[one].predict(X[others])[:, None], first.predict(X[others])[:, None]
    if not adds(*pair, y[others, None], CLEAR_GAIN):
        return None
    first.set_params(max_iter=quick_trees.N_TREES).fit(X[own], y[own])
    return dict(zip(rows, (first, _library_trees().fit(X[others], y[others])), strict=True))


# scikit-learn is imported where it is used: that takes a second.


def _library_classifier(n_trees: int, seed: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(
        n_trees, min_samples_leaf=LEAF, max_features=TRIED, random_state=seed
    )


def _library_trees() -> Any:
    """Return boosting of the library with the settings of quick trees."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        max_iter=quick_trees.N_TREES,
        learning_rate=quick_trees.LEARNING_RATE,
        max_depth=quick_trees.DEPTH,
        max_leaf_nodes=None,
        min_samples_leaf=quick_trees.LEAF,
        l2_regularization=quick_trees.SHRINKAGE,
        max_bins=quick_trees.N_BINS,
        early_stopping=False,
    )


def _membership(rows: Mapping[int, IntArray], n: int) -> BoolArray:
    """Return the rows (k, n) that each fold is fitted to."""
    train = np.zeros((len(rows), n), dtype=bool)
    for place, own in enumerate(rows.values()):
        train[place, own] = True
    return train


def _few_trees(
    X: FloatArray,
    y: FloatArray,
    rows: Mapping[int, IntArray],
    n_trees: int,
    leaf: int,
    tried: float,
    seed: int,
) -> dict[int, Any]:
    """Return extra trees of each fold, of all at once."""
    train = _membership(rows, len(X))
    forests = grow_forests(X, y, train, n_trees, leaf=leaf, tried=tried, seed=seed)
    return dict(zip(rows, forests, strict=True))


def _extra_trees(
    X: FloatArray, y: FloatArray, rows: Mapping[int, IntArray], seed: int
) -> Mapping[int, Any]:
    if X.size <= FEW_CELLS:
        return _few_trees(X, y[:, None], rows, FEW_TREES, NUMERIC_LEAF, 1.0, seed)
    from sklearn.ensemble import ExtraTreesRegressor

    settings = {"min_samples_leaf": NUMERIC_LEAF, "random_state": seed}
    return {
        fold: ExtraTreesRegressor(FEW_TREES, **settings).fit(X[own], y[own])
        for fold, own in rows.items()
    }


def learning_rows(known: BoolArray, folds: IntArray, seed: int) -> IntArray:
    """Return positions of the rows that a column is learnt from: of many, a random part."""
    if len(known) <= MANY_ROWS:
        return np.arange(len(known))
    parts = [training_rows(known & (folds == fold), seed + fold) for fold in (0, 1)]
    return np.sort(np.concatenate(parts))


def rows_of_folds(trusted: BoolArray, folds: IntArray, seed: int) -> dict[int, IntArray]:
    """Return positions of the rows that each fold is predicted from, those of the others."""
    numbers = np.unique(folds).tolist()
    return {fold: training_rows(trusted & (folds != fold), seed + fold) for fold in numbers}


def training_rows(which: BoolArray, seed: int) -> IntArray:
    """Return positions of rows, a random part of many."""
    rows = np.flatnonzero(which)
    if len(rows) <= MAX_ROWS:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, MAX_ROWS, replace=False))
