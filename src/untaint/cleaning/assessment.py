"""Assessment of the rows of a table: scores, flags, contamination, and a model of the inliers.

Up to some thousand rows everything is selected on all of them. Beyond that, scale, hyperparameters
and contamination are selected on a sample, and one fit to all rows follows. Trees that judge rows
are fitted to 25,000 others at most.

**Flags.** A fit trims all rows that are more likely wrong than right. A list of rows that people
are going to delete has to be stricter: a numeric target is flagged at five robust deviations or
more, and labels at a false-discovery rate of 5 %. If the estimated contamination is zero, the
limits are eight deviations and 1 %. Flags are a threshold on the scores, so that the user can move
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .._typing import BoolArray, FloatArray, IntArray
from ..estimators import SubquantileClassifier, SubquantileRegressor, SubquantileRegressorCV
from ..target_transform import TargetTransform
from .audit_columns import audit_by_row, deviations, on_scale, training_audit
from .boosted_trees import binned
from .findings import FLAG_SCORE, Task
from .learner_choice import MANY_ROWS, boosting, choose_learner
from .model_choice import ModelChoice, OnStage, select_for_classification, select_for_regression
from .refit import MAX_TARGET, overflows
from .row_assessment import (
    BELOW,
    LearnerChoice,
    RowAssessment,
    with_wrong_cells,
    with_wrong_targets,
)
from .singleton_labels import singleton_label
from .wrong_cells import WrongCells

if TYPE_CHECKING:
    from ..meta_estimators import KnownKernel

# Rows that hyperparameters are selected on.
ALL_ROWS: dict[Task, int] = {"regression": 2500, "classification": 1200}
SAMPLE_ROWS: dict[Task, int] = {"regression": 1000, "classification": 800}
# Rows that are fitted with the exact kernel matrix; more are fitted with Nystroem features.
KERNEL_ROWS = 6000
# Rows up to which trees are grown by one thread.
SINGLE_THREAD_ROWS = 10_000
# Folds of trees. Of many rows, as many as are not many are fitted to, half at a time.
FOLDS, FEW_FOLDS = 5, 2
# Labels that fewer of these rows have are fitted to in all rows.
FEW_LABELS = 20
# Rows of many that the learners are compared with, and that trees begin with.
FIRST_ROWS = 10_000
FEATURES = 256
# Smallest score of a flagged target if the estimated contamination is zero.
STRICT_FLAG_SCORE = 8.0
# False-discovery rate among flagged labels; and if the estimated contamination is zero.
MAX_FDR, STRICT_MAX_FDR = 0.05, 0.01


class _Request(NamedTuple):
    """Rows of a table, and how they are to be assessed."""

    X: FloatArray
    y: NDArray[Any]
    task: Task
    contamination: float | str
    seed: int

    def at(self, rows: IntArray) -> _Request:
        """Return the request for some of the rows."""
        return self._replace(X=self.X[rows], y=self.y[rows])


def assess_rows(
    X: FloatArray,
    y: NDArray[Any],
    task: Task,
    contamination: float | str,
    seed: int,
    wrong: WrongCells,
    learner: str = "auto",
    on_stage: OnStage = lambda _: None,
) -> RowAssessment:
    """Assess every row of a table.

    Rows with wrong cells and rows whose label no other row has are flagged, and are excluded from
    every fit.

    Parameters
    ----------
    X : array of shape (n, d)
        Features on a common scale.
    y : array of shape (n,)
        Numeric targets, or class labels as text.
    task : {"regression", "classification"}
    contamination : float or "auto"
    seed : int
    wrong : WrongCells
        The wrong cells of these rows.
    learner : {"auto", "kernel", "trees"}
        By default the one under which held-out targets are likelier.
    on_stage : callable
        Called with a description of each stage.
    """
    if task == "classification" and len(np.unique(y[~wrong.feature_outlier])) < 2:
        # All rows of a class have wrong cells: then these are what the class is about.
        wrong = wrong.none()
    remaining = np.flatnonzero(~wrong.feature_outlier)
    singleton = singleton_label(y[remaining], task)
    rest, singletons = remaining[~singleton], remaining[singleton]
    request = _Request(X[rest], y[rest], task, contamination, seed)
    assessment = _assess_remaining(request, learner, on_stage)
    if len(rest) < len(y):
        assessment = with_wrong_cells(assessment, rest, wrong, task)
    assessment = with_wrong_targets(assessment, wrong, y)
    if len(singletons):
        assessment.kinds[singletons] = "target"
        assessment.expected[singletons] = assessment.predict(X[singletons])
    return assessment


def _assess_remaining(request: _Request, learner: str, on_stage: OnStage) -> RowAssessment:
    """Return an assessment by the learner that is requested, or better.

    Of many rows, some are enough to compare the learners, and for trees to begin with.
    """
    X, y, task, contamination, seed = request
    sample = _sample(y, task, seed)
    on_stage("choosing a model")
    select = select_for_regression if task == "regression" else select_for_classification
    share = _effective_contamination(contamination, len(sample))
    model = select(X[sample], y[sample], share, seed, on_stage)
    every = np.arange(len(y))
    rows = every if learner == "kernel" else _some_rows(y, task, seed, FIRST_ROWS)
    on_stage("assessing all rows" if len(rows) == len(y) else "assessing some rows")
    kernel, known = _by_kernel(request, rows, model)
    if learner == "kernel":
        return kernel
    choice = LearnerChoice("trees", "")
    if learner == "auto":
        on_stage("comparing kernel and trees")
        kept, targets = np.asarray(kernel.model.inlier_mask_), kernel.on_fit_scale(y[rows])
        parts = (X[rows], targets, kernel.model, kept, task, seed, kernel.in_own_units)
        choice = choose_learner(*parts)
    if choice.learner == "trees":
        on_stage("growing trees")
        return _by_trees(kernel, known(), request)._replace(choice=choice)
    if len(rows) < len(y):
        on_stage("assessing all rows")
        kernel, _ = _by_kernel(request, every, model)
    return kernel._replace(choice=choice)


def _by_kernel(
    request: _Request, rows: IntArray, choice: ModelChoice
) -> tuple[RowAssessment, Callable[[], Any]]:
    """Return an assessment of some rows by a kernel, and what tells trees what it knows."""
    n, sampled, contamination = (
        len(request.y),
        len(choice.model.inlier_mask_),
        request.contamination,
    )
    if len(rows) < n:
        request = request.at(rows)
    if isinstance(contamination, float):
        known = float(_effective_contamination(contamination, len(rows)))
        choice = choice._replace(contamination=known, estimate=contamination)
    final = _fit_to_all(request, choice)
    audit = _audit(final, request, choice)
    transform = getattr(final, "target_transformer_", None)
    assessment = _from_audit(final, audit, transform, choice.estimate, choice.interval, request)
    if request.task == "regression":
        some = rows if len(rows) < n else None
        return assessment, partial(_known_kernel, final, audit, transform, some)
    return assessment, lambda: choice.model if sampled == n else None


def _known_kernel(
    model: Any,
    audit: Mapping[str, NDArray[Any]],
    transform: TargetTransform | None,
    rows: IntArray | None,
) -> KnownKernel:
    """Return what a kernel says of targets on the scale of its fit."""
    from ..meta_estimators import KnownKernel  # imports most of scikit-learn

    expected = on_scale(np.asarray(audit["expected"], float), transform)
    trimmed = ~np.asarray(model.inlier_mask_)
    far = np.isin(audit["kind"], ("features", "both")) & trimmed
    return KnownKernel(expected[:, None], np.asarray(model.inlier_probability_), far, rows)


def _effective_contamination(contamination: float | str, n: int) -> float | str:
    """Return the contamination for an estimator: zero, if it is less than one row."""
    return 0.0 if isinstance(contamination, float) and contamination * n < 1 else contamination


def _sample(y: NDArray[Any], task: Task, seed: int) -> IntArray:
    """Return the rows that hyperparameters are selected on."""
    if len(y) <= ALL_ROWS[task]:
        return _some_rows(y, task, seed, len(y))
    return _some_rows(y, task, seed, SAMPLE_ROWS[task])


def _some_rows(y: NDArray[Any], task: Task, seed: int, count: int) -> IntArray:
    """Return rows at random; among them the smallest target, of which a logarithm must exist.

    Rows whose label no other one has are left out.
    """
    if len(y) <= count:
        return np.arange(len(y))
    rows = np.random.default_rng(seed).choice(len(y), count, replace=False)
    rows = np.union1d(rows, [np.argmin(y)]) if task == "regression" else np.sort(rows)
    return rows[~singleton_label(y[rows], task)]


def _fit_to_all(request: _Request, choice: ModelChoice) -> Any:
    """Return the model of the sample if that has all rows, else refit it to all of them."""
    X, y, task, _, seed = request
    if (
        len(choice.model.inlier_mask_) == len(y)
        and choice.contamination == choice.model.contamination_
    ):
        return choice.model
    settings: dict[str, Any] = {
        "contamination": choice.contamination,
        "random_state": seed,
        "approximation": None if len(y) <= KERNEL_ROWS else "nystroem",
        "n_components": FEATURES,
    }
    if choice.transform is not None:
        settings |= {"alphas": [choice.alpha], "gammas": [choice.gamma]}
        settings |= {"target_transform": choice.transform, "target_statistic": "median"}
        return SubquantileRegressorCV(**settings).fit(X, y)
    kind = SubquantileRegressor if task == "regression" else SubquantileClassifier
    return kind(alpha=choice.alpha, gamma=choice.gamma, **settings).fit(X, y)


def _by_trees(kernel: RowAssessment, known: Any, request: _Request) -> RowAssessment:
    """Return an assessment by trees that begin with what a kernel found."""
    from ..meta_estimators import RobustClassifier, RobustRegressor

    X, y, task, contamination, seed = request
    targets = kernel.on_fit_scale(y)
    if overflows(targets, task):  # the few that are too large for sums of squares
        targets = np.clip(targets, -MAX_TARGET, MAX_TARGET)
    kind = RobustRegressor if task == "regression" else RobustClassifier
    share = _effective_contamination(contamination, len(y))
    folds, part = FOLDS, None
    if len(y) > MANY_ROWS:
        folds, part = FEW_FOLDS, _fitted_rows(y, task, seed)
    trees = boosting(task, seed, y)
    model = kind(trees, contamination=share, cv=folds, random_state=seed)
    # In small fits threads would wait for one another.
    with threadpool_limits(1 if len(y) <= SINGLE_THREAD_ROWS else None, "openmp"):
        model._fit(binned(X), targets, known=known, part=part)
    audit = audit_by_row(model.audit())
    if task == "regression":
        audit |= {"observed": y, "expected": kernel.in_own_units(audit["expected"].astype(float))}
    given = contamination != "auto"
    estimate = float(contamination) if given else model.contamination_
    interval = None if given else model.contamination_interval_
    return _from_audit(model, audit, kernel.transform, estimate, interval, request)


def _fitted_rows(y: NDArray[Any], task: Task, seed: int) -> IntArray:
    """Return the rows of many by which trees predict all."""
    rows = _some_rows(y, task, seed, MANY_ROWS)
    if task == "classification":
        _, codes = np.unique(y, return_inverse=True)
        rare = np.bincount(codes[rows], minlength=codes.max() + 1) < FEW_LABELS
        rows = np.union1d(rows, np.flatnonzero(rare[codes]))
    return rows


def _audit(model: Any, request: _Request, choice: ModelChoice) -> Mapping[str, NDArray[Any]]:
    """Return the audit of a model, which is known if it is the one that was chosen."""
    if request.task == "regression" and len(request.y) > KERNEL_ROWS:
        return training_audit(model, request.X, request.y)
    if model is choice.model and choice.audit is not None:
        return choice.audit
    return audit_by_row(model.audit())


def _from_audit(
    model: Any,
    audit: Mapping[str, NDArray[Any]],
    transform: TargetTransform | None,
    estimate: float,
    interval: tuple[float, float] | None,
    request: _Request,
) -> RowAssessment:
    """Return scores and flags from an audit in units of the table.

    Wrong cells are known by now, so that far features alone do not make a row wrong.
    """
    task, far_features = request.task, np.isin(audit["kind"], ("features", "both"))
    audit = dict(audit) | {"kind": np.where(far_features, "", audit["kind"])}
    scores = np.asarray(audit["score"], float)
    if task == "regression":
        scores = deviations(audit, transform)
    scores = np.where(far_features, np.minimum(scores, BELOW * FLAG_SCORE), scores)
    trimmed = np.asarray(audit["flagged"], bool) & ~far_features
    if request.contamination != "auto":
        count = int(trimmed.sum())
    elif task == "regression":
        far = FLAG_SCORE if estimate > 0 else STRICT_FLAG_SCORE
        count = int((trimmed & (scores >= far)).sum())
    else:
        max_fdr = MAX_FDR if estimate > 0 else STRICT_MAX_FDR
        count = min(int(trimmed.sum()), int((np.asarray(audit["q_value"]) <= max_fdr).sum()))
    cut, flagged = cut_after(scores, count)
    kinds = np.where(flagged, np.asarray(audit["kind"], "<U8"), "")
    kinds = np.where(flagged & (kinds == ""), "target", kinds)
    expected = np.asarray(audit["expected"])
    if task == "regression":
        expected = expected.astype(float)
        expected[kinds == "features"] = np.nan  # their expected target is unknown
    else:
        expected = np.where(kinds == "features", "", expected.astype(str))
    share = float(flagged.mean())
    return RowAssessment(
        model,
        transform,
        max(estimate, share),
        interval and (interval[0], max(interval[1], share)),
        scores,
        cut,
        flagged,
        expected,
        kinds,
        np.arange(len(scores)),
    )


def cut_after(scores: FloatArray, count: int) -> tuple[float, BoolArray]:
    """Return a threshold that so many scores reach, and which; tied scores are left unflagged.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.assessment import cut_after
    >>> cut, flagged = cut_after(np.array([9.0, 1.0, 7.0, 2.0]), 2)
    >>> cut, flagged.tolist()
    (4.5, [True, False, True, False])
    """
    descending = np.sort(scores)[::-1]
    if count == 0:
        return float(np.nextafter(descending[0], np.inf)), np.zeros(len(scores), dtype=bool)
    last = descending[count - 1]
    if count < len(scores) and descending[count] == last:
        return cut_after(scores, int((scores > last).sum()))
    below = scores[scores < last]
    cut = float((last + below.max()) / 2) if len(below) else float(last)
    return cut, scores >= cut
