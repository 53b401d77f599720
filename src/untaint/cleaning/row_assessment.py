"""Scores and flags of the rows of a table, and what wrong cells make of them.

Nothing is fitted here, so that a small table without a target is cleaned without scikit-learn,
whose import takes a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from .findings import FLAG_SCORE, Learner, Task
from .wrong_cells import WrongCells, score_of

if TYPE_CHECKING:
    from ..target_transform import TargetTransform

# Probability of a wrong target by the other columns that supports the model of the target: at least
# this part of the mean, which is what it is if these say nothing, and so many times the median.
SUPPORT, TIMES = 0.5, 5.0
# Such a probability of the target of a row with missing cells.
SURE = 0.5
# Score of a row that is not flagged, at most, as a part of that of a flagged one.
BELOW = 0.99
# Wrong rows that are not seen, at most.
UNSEEN = 0.1


class LearnerChoice(NamedTuple):
    """The learner, and a sentence that says why."""

    learner: Learner
    why: str


class RowAssessment(NamedTuple):
    """Scores and flags of the rows, and the model that they come from.

    Attributes
    ----------
    model : estimator
        Fitted to all rows, or trees to a part of very many.
    transform : TargetTransform or None
        Transformation of the targets that the model was fitted to.
    contamination : float
    interval : pair of float, or None if the contamination was given
    scores : array of shape (n,)
    cut : float
    flagged : bool array of shape (n,)
    expected : array of shape (n,)
        Predicted targets in units of the table.
    kinds : array of shape (n,)
        "target", "features", "both" or empty.
    fitted : int array
        Rows that were part of the fit.
    choice : LearnerChoice
        The learner, and why it is this one.
    """

    model: Any
    transform: TargetTransform | None
    contamination: float
    interval: tuple[float, float] | None
    scores: FloatArray
    cut: float
    flagged: BoolArray
    expected: NDArray[Any]
    kinds: NDArray[np.str_]
    fitted: IntArray
    choice: LearnerChoice = LearnerChoice("kernel", "")

    @property
    def learner(self) -> Learner:
        """The learner."""
        return self.choice.learner

    def predict(self, X: FloatArray) -> NDArray[Any]:
        """Return predicted targets of rows, in units of the table."""
        found = self.model.predict(X)
        return found if self.learner == "kernel" else self.in_own_units(found)

    def on_fit_scale(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return targets on the scale of the fit."""
        return y if self.transform is None else self.transform.forward(y)

    def in_own_units(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values on the scale of the fit in the targets' own units."""
        if self.transform is None:
            return values
        from ..target_transform import inverse_of

        return inverse_of(self.transform, values)


def assess_by_cells(wrong: WrongCells, probability: FloatArray) -> RowAssessment:
    """Return an assessment of rows by their cells alone.

    Parameters
    ----------
    wrong : WrongCells
    probability : array of shape (n, d)
        Probability that each cell is wrong.
    """
    flagged, n = wrong.feature_outlier, len(wrong.scores)
    highest = probability.max(axis=1, initial=0.0)
    scores = score_of(highest)
    cut = float(wrong.scores[flagged].min(initial=2 * FLAG_SCORE))
    scores = np.where(flagged, wrong.scores, np.minimum(scores, BELOW * cut))
    share, interval = _share_of_wrong_rows(flagged, probability)
    return RowAssessment(
        model=None,
        transform=None,
        contamination=share,
        interval=interval,
        scores=scores,
        cut=cut,
        flagged=flagged,
        expected=np.full(n, "", dtype=object),
        kinds=np.where(flagged, "features", "").astype("<U8"),
        fitted=np.arange(n),
    )


def _share_of_wrong_rows(
    flagged: BoolArray, probability: FloatArray
) -> tuple[float, tuple[float, float]]:
    """Return the share of flagged rows, and an interval of that of wrong ones.

    Cells that are not flagged add their probabilities, there may be as many again that no method
    sees, up to a tenth of the rows, and counts vary.
    """
    n = max(len(flagged), 1)
    share = float(flagged.sum()) / n
    expected = float((1.0 - np.prod(1.0 - probability, axis=1)).sum()) / n
    low, high = _by_count(share, n)
    unseen = max(share + min(share, UNSEEN), expected) - share
    return share, (low, min(high + unseen, 1.0))


def _by_count(share: float, n: int) -> tuple[float, float]:
    """Return an interval of a share that some of n rows have by chance."""
    deviation = float(np.sqrt(max(share, 1.0 / n) / n))
    return max(share - 2 * deviation, 0.0), min(share + 2 * deviation, 1.0)


def with_interval_of_all(assessment: RowAssessment) -> RowAssessment:
    """Return an assessment whose interval is of all wrong rows, not of their targets alone."""
    if assessment.interval is None or not assessment.flagged.any():
        return assessment
    low, high = _by_count(float(assessment.flagged.mean()), len(assessment.flagged))
    interval = min(low, assessment.interval[0]), max(high, assessment.interval[1])
    return assessment._replace(interval=interval)


def supported_only(
    assessment: RowAssessment, wrong: WrongCells, probability: FloatArray, target: int
) -> RowAssessment:
    """Return an assessment in which a target is flagged only if other columns contradict it, too.

    They give the ``probability``, (n, d), that each cell of the assessed rows is wrong; ``target``
    is a position among the columns.
    """
    own = probability[:, target]
    supported = own >= max(SUPPORT * float(own.mean()), TIMES * float(np.median(own)))
    found = _flagged_if(supported, assessment, wrong)
    if found is assessment:
        return assessment
    share, interval = _share_of_wrong_rows(found.flagged, probability)
    return found._replace(contamination=share, interval=assessment.interval and interval)


def contradicted_if_incomplete(
    assessment: RowAssessment,
    wrong: WrongCells,
    probability: FloatArray,
    target: int,
    incomplete: BoolArray,
) -> RowAssessment:
    """Return an assessment in which targets of incomplete rows are flagged by all columns only.

    The model of the target takes a missing cell for a typical one; that of all columns does not.
    """
    contradicted = probability[:, target] >= SURE
    found = _flagged_if(contradicted | ~incomplete, assessment, wrong)
    fewer = float(np.mean(assessment.flagged) - np.mean(found.flagged))
    if found is assessment or assessment.interval is None:
        return found
    low, high = assessment.interval
    share = max(assessment.contamination - fewer, 0.0)
    return found._replace(contamination=share, interval=(max(low - fewer, 0.0), high))


def _flagged_if(
    supported: BoolArray, assessment: RowAssessment, wrong: WrongCells
) -> RowAssessment:
    """Return an assessment with the flags that are supported, or that wrong cells have set."""
    flagged = assessment.flagged & (wrong.feature_outlier | supported)
    flagged[list(wrong.targets)] = True
    if (flagged == assessment.flagged).all():
        return assessment
    below = BELOW * assessment.cut
    return assessment._replace(
        flagged=flagged,
        scores=np.where(flagged, assessment.scores, np.minimum(assessment.scores, below)),
        kinds=np.where(flagged, assessment.kinds, ""),
    )


def with_wrong_cells(
    assessment: RowAssessment, rest: IntArray, wrong: WrongCells, task: Task
) -> RowAssessment:
    """Return an assessment of all rows from one of the rows ``rest``: others have wrong cells."""
    n = len(wrong.scores)
    others = n - len(rest)

    def to_all_rows(values: NDArray[Any], other: Any) -> NDArray[Any]:
        full = np.full(n, other, dtype=values.dtype)
        full[rest] = values
        return full

    def overall_fraction(contamination: float) -> float:
        return (contamination * len(rest) + others) / n

    scores = to_all_rows(assessment.scores, 0.0)
    outside = np.setdiff1d(np.arange(n), rest)
    scores[outside] = _raised(wrong.scores[outside], assessment.cut)
    interval = assessment.interval
    return assessment._replace(
        contamination=overall_fraction(assessment.contamination),
        interval=interval and (overall_fraction(interval[0]), overall_fraction(interval[1])),
        scores=scores,
        flagged=to_all_rows(assessment.flagged, True),
        expected=to_all_rows(assessment.expected, np.nan if task == "regression" else ""),
        kinds=to_all_rows(assessment.kinds, "features"),
        fitted=rest[assessment.fitted],
    )


def _raised(scores: FloatArray, cut: float) -> FloatArray:
    """Return scores that keep their differences, all of them at the cut or above it."""
    return np.maximum(scores + max(cut - float(scores.min(initial=np.inf)), 0.0), cut)


def with_wrong_targets(
    assessment: RowAssessment, wrong: WrongCells, y: NDArray[Any]
) -> RowAssessment:
    """Return an assessment that flags targets that the other columns contradict, too."""
    rows = np.array(sorted(wrong.targets), dtype=np.intp)
    rows = rows[~assessment.flagged[rows]]
    if not len(rows):
        return assessment
    flagged, scores = assessment.flagged.copy(), assessment.scores.copy()
    kinds = assessment.kinds.copy()
    flagged[rows], kinds[rows] = True, "target"
    scores[rows] = np.maximum(scores[rows], _raised(wrong.scores[rows], assessment.cut))
    share, interval = float(flagged.mean()), assessment.interval
    return assessment._replace(
        flagged=flagged,
        scores=scores,
        kinds=kinds,
        contamination=max(assessment.contamination, share),
        interval=interval and (interval[0], max(interval[1], share)),
    )
