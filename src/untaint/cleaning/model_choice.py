"""Selection of the target's scale, the hyperparameters and the contamination, on a sample.

The estimator selects the scale itself, once: later fits are made on the same one. Predictions are
medians, since a table is compared with its typical values.

**Masking.** Large errors can mask smaller ones: beside targets that are ten times too large, those
that are ten times too small look harmless. So the rows that a fit trimmed are removed and the rest
is fitted again, until no further row lies far off; the last fit then sees all rows and is given the
fraction that was removed as its contamination.

**A few rows.** Where the estimated contamination is zero, a handful of rows may be wrong all the
same, too few to be distinguished from a long tail. Rows that lie far off are then removed as
candidates, and so are labels that the other rows contradict, if they are few.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray
from ..estimators import SubquantileClassifierCV, SubquantileRegressorCV
from .audit_columns import audit_by_row, deviations
from .findings import FLAG_SCORE

# Smallest score, in robust deviations, of a target that is removed before the rest is refitted.
REMOVAL_SCORE = 3.0
# Largest fraction of contradicted labels at which these are trimmed as candidates.
MAX_CONTRADICTED = 0.05
MAX_ROUNDS = 3
# Largest fraction of rows that iterative removal may take away.
MAX_REMOVED = 0.45

OnStage = Callable[[str], None]
Audit = Mapping[str, NDArray[Any]]


class ModelChoice(NamedTuple):
    """The scale, hyperparameters and contamination that the last fit is given."""

    transform: str | None  # of the targets: None, "log" or "power"
    alpha: float
    gamma: float
    contamination: float  # that the last fit trims
    estimate: float
    interval: tuple[float, float] | None
    model: Any  # fitted to the sample, or to what is left of it
    audit: Audit | None = None  # of the model, in the order of its rows


def select_for_regression(
    X: FloatArray, y: FloatArray, contamination: float | str, seed: int, on_stage: OnStage
) -> ModelChoice:
    """Select scale, hyperparameters and contamination for a numeric target."""
    settings: dict[str, Any] = {"target_statistic": "median", "random_state": seed}
    model = SubquantileRegressorCV(contamination=contamination, **settings).fit(X, y)
    if contamination != "auto":
        return _make_choice(model, None, model.contamination_, None)
    return _remove_iteratively(X, y, model, settings, on_stage)


def _remove_iteratively(
    X: FloatArray, y: FloatArray, model: Any, settings: dict[str, Any], on_stage: OnStage
) -> ModelChoice:
    kept, transform = np.arange(len(y)), model.target_transform_
    estimate, (low, high) = model.contamination_, model.contamination_interval_
    audit = audit_by_row(model.audit())
    found = _removed(model, audit, REMOVAL_SCORE, estimate)
    for _ in range(MAX_ROUNDS):
        left = kept[~found]
        if not found.any() or len(left) < (1 - MAX_REMOVED) * len(y):
            break
        kept = left
        on_stage("looking for masked errors")
        # Rows that were trimmed had no part in the choice of the kernel.
        model = SubquantileRegressorCV(
            target_transform=transform, gammas=[model.gamma_], **settings
        )
        model.fit(X[kept], y[kept])
        audit = audit_by_row(model.audit())
        found = _removed(model, audit, FLAG_SCORE, estimate)
    removed = 1 - len(kept) / len(y)
    if estimate > 0:  # rows that were masked add to the estimate
        more = max(removed - estimate, 0.0)
        estimate, low, high = (min(part + more, 0.49) for part in (estimate, low, high))
    # Rows that were trimmed with a small score count as inliers again.
    return _make_choice(model, audit, min(removed, 0.49), (low, high), estimate)


def _removed(model: Any, audit: Audit, least: float, estimate: float) -> BoolArray:
    """Return the rows that a fit trimmed and whose score is at least ``least``.

    If the estimated contamination is zero, those with the largest scores; rows that they mask are
    found in a later round.
    """
    scores = deviations(audit, model.target_transformer_)
    if estimate > 0:
        return ~model.inlier_mask_ & (scores >= least)
    return scores >= max(FLAG_SCORE, 0.5 * float(scores.max()))


def select_for_classification(
    X: FloatArray, y: NDArray[Any], contamination: float | str, seed: int, on_stage: OnStage
) -> ModelChoice:
    """Select hyperparameters and contamination for class labels.

    If the estimated contamination is zero, the few labels that the others contradict are trimmed.
    """
    model = SubquantileClassifierCV(contamination=contamination, random_state=seed).fit(X, y)
    estimate = model.contamination_
    if contamination != "auto":
        return _make_choice(model, None, estimate, None)
    audit = audit_by_row(model.audit())
    contradicted = float(np.mean(audit["observed"] != audit["expected"]))
    trimmed = contradicted if estimate == 0 and contradicted <= MAX_CONTRADICTED else estimate
    return _make_choice(model, audit, trimmed, model.contamination_interval_, estimate)


def _make_choice(
    model: Any,
    audit: Audit | None,
    contamination: float,
    interval: tuple[float, float] | None,
    estimate: float | None = None,
) -> ModelChoice:
    estimate = contamination if estimate is None else estimate
    transform = getattr(model, "target_transform_", None)
    parts = (model.alpha_, model.gamma_, contamination, estimate, interval, model, audit)
    return ModelChoice(transform, *parts)
