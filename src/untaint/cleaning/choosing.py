"""What some rows decide for all: the target's scale, the model's setting, the share to give up.

**Peeling.** Errors of one kind can hide another: beside targets that are ten times too large, those
that are ten times too small look harmless. So the rows that a fit gave up are taken away and the
rest is judged again, until no more rows are found that lie far off; the last fit then sees all rows
and is told how many were taken away.

**A few rows.** Where the estimate is that no row is wrong, a handful may be wrong all the same, too
few to be told from a long tail. Rows that lie far off are then taken away on trial, and so are
labels that the others contradict, if they are few.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import SubquantileClassifierCV, SubquantileRegressorCV
from .._typing import BoolArray, FloatArray
from .auditing import FAR, by_row, deviations
from .target_scale import Scale, least_surprising, scales_to_try, surprise, to_scale

# Robust deviations of a target that is taken away before the rest is judged again.
NOTABLE = 3.0
# Share of labels that the others contradict at which these are put on trial.
FEW = 0.05
ROUNDS = 3
# No more than this is taken away by peeling.
MOST = 0.45

Say = Callable[[str], None]


class Choice(NamedTuple):
    """What is told to the last fit."""

    scale: Scale
    alpha: float
    gamma: float
    share: float  # that the last fit gives up
    estimate: float
    interval: tuple[float, float] | None
    model: Any  # fitted to the sample


def choose_for_amounts(
    X: FloatArray, y: FloatArray, contamination: float | str, seed: int, say: Say
) -> Choice:
    """Of amounts: try the scales that suit them, take the better one, and peel."""
    fits = {}
    for scale in scales_to_try(y):
        model = SubquantileRegressorCV(contamination=contamination, random_state=seed)
        fits[scale] = model.fit(X, to_scale(y, scale))
    scale = least_surprising(
        {scale: surprise(y, _residuals(model), scale) for scale, model in fits.items()}
    )
    model = fits[scale]
    if contamination != "auto":
        return _chosen(scale, model, model.contamination_, None)
    return _peel(X, to_scale(y, scale), scale, model, seed, say)


def _residuals(model: Any) -> FloatArray:
    audit = by_row(model.audit())
    return np.asarray(audit["observed"], float) - np.asarray(audit["expected"], float)


def _peel(X: FloatArray, y: FloatArray, scale: Scale, model: Any, seed: int, say: Say) -> Choice:
    kept = np.arange(len(y))
    estimate, (low, high) = model.contamination_, model.contamination_interval_
    found = _given_up(model, NOTABLE) if estimate > 0 else _on_trial(model)
    for _ in range(ROUNDS):
        left = kept[~found]
        if not found.any() or len(left) < (1 - MOST) * len(y):
            break
        kept = left
        say("looking for more behind what was found")
        model = SubquantileRegressorCV(random_state=seed).fit(X[kept], y[kept])
        found = _given_up(model, FAR) if estimate > 0 else _on_trial(model)
    gone = 1 - len(kept) / len(y)
    if estimate > 0:  # what was found behind comes on top
        more = max(gone - estimate, 0.0)
        estimate, low, high = (min(part + more, 0.49) for part in (estimate, low, high))
    # Rows that were given up on a hair's breadth are given back.
    return _chosen(scale, model, min(gone, 0.49), (low, high), estimate)


def _given_up(model: Any, least: float) -> BoolArray:
    """Rows that a fit gave up, and that lie so far off."""
    return ~model.inlier_mask_ & (deviations(by_row(model.audit())) >= least)


def _on_trial(model: Any) -> BoolArray:
    """The rows that lie farthest off; those that they have bent the fit away from come later."""
    scores = deviations(by_row(model.audit()))
    return scores >= max(FAR, 0.5 * float(scores.max()))


def choose_for_labels(
    X: FloatArray, y: NDArray[Any], contamination: float | str, seed: int, say: Say
) -> Choice:
    """Of labels: the estimated share, or, if none was found, the few that are contradicted."""
    model = SubquantileClassifierCV(contamination=contamination, random_state=seed).fit(X, y)
    share = model.contamination_
    if contamination != "auto":
        return _chosen("plain", model, share, None)
    audit = by_row(model.audit())
    contradicted = float(np.mean(audit["observed"] != audit["expected"]))
    on_trial = contradicted if share == 0 and contradicted <= FEW else share
    return _chosen("plain", model, on_trial, model.contamination_interval_, share)


def _chosen(
    scale: Scale,
    model: Any,
    share: float,
    interval: tuple[float, float] | None,
    estimate: float | None = None,
) -> Choice:
    estimate = share if estimate is None else estimate
    return Choice(scale, model.alpha_, model.gamma_, share, estimate, interval, model)
