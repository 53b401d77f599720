"""Kernel or trees: the learner under which held-out targets are likelier.

Both are fitted to the rows that the kernel's robust fit kept, trees to all rows as well, of the
same folds, and predict the fold that was left out. Residuals are read as those of inliers and
outliers, labels as class probabilities. Trees have to be worth something, since the kernel is there
already. Targets are first predicted by quick trees of all folds at once, labels as indicators of
each class; the trees that would be fitted in the end are compared only where these leave the choice
open. No labels are likelier than certain ones: where the kernel is that sure already, there is
nothing to gain.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from .._progress import tracked
from .._typing import BoolArray, FloatArray, IntArray
from ..cells.quick_trees import predict_out_of_fold
from ..contamination.label_calibration import calibrated
from ..contamination.residual_mixture import ResidualMixture
from .findings import Learner, Task
from .refit import overflows, with_contamination
from .row_assessment import LearnerChoice
from .singleton_labels import singleton_label

FOLDS = 5
# Rows that take part, and the fewest at which trees are an option.
ROWS, FEWEST = 1500, 100
# Log-likelihood of a row that trees have to gain. Quick ones may lack so much of it for numbers,
# and have to gain so much for labels, of so many rows that are all of the table.
WORTH_TREES, OPEN, OPEN_LABELS, QUICK_LABELS = 0.02, 0.2, 0.01, range(300, ROWS + 1)
# Trees of many rows: half as many, each of more weight. Faster ones of several classes diverge.
MANY_ROWS, FEW_TREES = 50_000, 50
FAST: dict[Task, float] = {"regression": 0.2, "classification": 0.15}
# Of several classes each has trees of its own, whose sum is too sure unless they are few and small.
SEVERAL = {"max_iter": 50, "max_leaf_nodes": 8}
# Probability of a class at least.
LEAST = 0.01


InOwnUnits = Callable[[NDArray[Any]], NDArray[Any]]


class HeldOut(NamedTuple):
    """How likely held-out targets are, and the typical error or the share of missed labels."""

    log_likelihood: float
    error: float


def boosting(task: Task, seed: int, y: NDArray[Any]) -> Any:
    """Return gradient boosting for the targets of all rows of a table."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    settings: dict[str, Any] = {}
    if len(y) > MANY_ROWS:
        settings = {"max_iter": FEW_TREES, "learning_rate": FAST[task]}
    elif task == "classification" and len(np.unique(y)) > 2:
        settings = SEVERAL
    return kind(random_state=seed, **settings)


def choose_learner(
    X: FloatArray,
    y: NDArray[Any],
    kernel: Any,
    kept: BoolArray,
    task: Task,
    seed: int,
    in_own_units: InOwnUnits = lambda y: y,
) -> LearnerChoice:
    """Return the learner under which held-out targets are likelier.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Targets on the scale of the fit, or class labels.
    kernel : fitted estimator
    kept : bool array of shape (n,)
        Rows that both are fitted to.
    task : {"regression", "classification"}
    seed : int
    in_own_units : callable
        Of targets on the scale of the fit.
    """
    n_rows, trees_of_all = len(y), boosting(task, seed, y)
    rows = np.random.default_rng(seed).permutation(n_rows)[:ROWS]
    rows = rows[~singleton_label(y[rows], task)]
    if len(rows) < FEWEST or overflows(y[rows], task):
        return LearnerChoice("kernel", "trees need more rows.")
    X, y, kept = X[rows], y[rows], kept[rows]
    folds = np.arange(len(rows)) % FOLDS
    if any(not _can_train(y[kept & (folds != fold)], task) for fold in range(FOLDS)):
        return LearnerChoice("kernel", "trees need more rows.")

    def judge(make: Callable[[], Any], kept: BoolArray) -> HeldOut:
        if task == "regression":
            return _judge_numbers(make, X, y, kept, folds, in_own_units)
        return _judge_labels(make, X, y, kept, folds)

    own = judge(lambda: with_contamination(kernel, contamination=0.0), kept)
    if task == "classification" and -own.log_likelihood <= WORTH_TREES * len(y):
        return LearnerChoice("kernel", "it predicts held-out labels almost without error.")
    # What the kernel takes for wrong may be what it cannot fit.
    every = np.ones(len(y), dtype=bool)
    fitted = [kept, every] if task == "regression" and not kept.all() else [kept]
    if task == "regression":
        pairs = zip(predict_out_of_fold(X, y, fitted, folds), fitted, strict=True)
        trees = max(_judge_predictions(found, y, rows, in_own_units) for found, rows in pairs)
        gain = trees.log_likelihood - own.log_likelihood
        is_open = -OPEN * len(y) < gain <= WORTH_TREES * len(y)
    else:
        trees = _judge_quick_labels(X, y, kept, folds)
        gain = trees.log_likelihood - own.log_likelihood
        is_open = gain > OPEN_LABELS * len(y) or n_rows not in QUICK_LABELS
    if is_open:
        # Fits are small: threads would wait for one another.
        with threadpool_limits(1, "openmp"):
            trees = max(judge(lambda: clone(trees_of_all), rows) for rows in fitted)
        gain = trees.log_likelihood - own.log_likelihood
    chosen: Learner = "trees" if gain > WORTH_TREES * len(y) else "kernel"
    what = "typical error" if task == "regression" else "share of missed labels"
    write = "{:,.0f}" if 1e3 <= min(trees.error, own.error) < 1e15 else "{:.3g}"
    errors = write.format(trees.error), write.format(own.error)
    numbers = f"{errors[0]} for gradient-boosted trees and {errors[1]} for a kernel"
    return LearnerChoice(chosen, f"the {what} on held-out rows is {numbers}.")


def _can_train(y: NDArray[Any], task: Task) -> bool:
    return len(y) > 1 and (task == "regression" or len(np.unique(y)) > 1)


def _judge_numbers(
    make: Callable[[], Any],
    X: FloatArray,
    y: FloatArray,
    kept: BoolArray,
    folds: IntArray,
    in_own_units: InOwnUnits,
) -> HeldOut:
    """Judge predictions of held-out targets; the error is the median of all."""
    predicted = np.empty(len(y))
    for fold in tracked(range(FOLDS), FOLDS):
        train, test = kept & (folds != fold), folds == fold
        predicted[test] = make().fit(X[train], y[train]).predict(X[test])
    return _judge_predictions(predicted, y, kept, in_own_units)


def _judge_predictions(
    predicted: FloatArray, y: FloatArray, kept: BoolArray, in_own_units: InOwnUnits
) -> HeldOut:
    ones, residuals = np.ones(len(y)), (y - predicted)[:, None]
    mixture = ResidualMixture(y[:, None], ones, np.zeros(len(y), dtype=bool))
    found = mixture.fit(residuals, ones, kept.astype(float))
    errors = np.abs(in_own_units(y) - in_own_units(predicted))
    return HeldOut(found.log_likelihood, float(np.median(errors)))


def _judge_labels(
    make: Callable[[], Any], X: FloatArray, y: NDArray[Any], kept: BoolArray, folds: IntArray
) -> HeldOut:
    """Judge class probabilities by held-out labels that are kept."""
    classes, codes = np.unique(y, return_inverse=True)
    probabilities = np.zeros((len(y), len(classes)))
    for fold in tracked(range(FOLDS), FOLDS):
        train, test = kept & (folds != fold), folds == fold
        model = make().fit(X[train], y[train])
        own = np.searchsorted(classes, model.classes_)
        probabilities[np.ix_(test, own)] = model.predict_proba(X[test])
    return _judge_probabilities(probabilities, codes, kept)


def _judge_quick_labels(
    X: FloatArray, y: NDArray[Any], kept: BoolArray, folds: IntArray
) -> HeldOut:
    """Judge quick trees of the indicators of all classes but the first, whose part is the rest."""
    classes, codes = np.unique(y, return_inverse=True)
    indicators = np.eye(len(classes))[codes].T
    parts = [predict_out_of_fold(X, own, [kept], folds)[0] for own in indicators[1:]]
    probabilities = np.maximum(np.column_stack([1.0 - sum(parts), *parts]), LEAST)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return _judge_probabilities(probabilities, codes, kept)


def _judge_probabilities(probabilities: FloatArray, codes: IntArray, kept: BoolArray) -> HeldOut:
    noise_free = np.eye(probabilities.shape[1])
    found = calibrated(probabilities, codes, noise_free, kept.astype(float))
    missed = probabilities.argmax(axis=1) != codes
    return HeldOut(found.log_likelihood, float(missed[kept].mean()))
