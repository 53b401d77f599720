"""Which rows of a table are wrong, how sure that is, and a model of the others.

`judge` has a road for each size of table. Up to some thousand rows everything is chosen on all of
them; beyond, a sample chooses scale, setting and share, and one fit to all rows follows.

**Flags.** A fit gives up all rows that are more likely wrong than right. A list of rows that people
are going to delete asks for more: of amounts, at least five robust deviations; of labels, at most
one flag in twenty mistaken. Flags are a cut through the scores, so that the user can move it.
Where no share of wrong rows was found, it takes eight deviations, or one mistake in a hundred.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import SubquantileClassifier, SubquantileRegressor
from .._typing import BoolArray, FloatArray, IntArray
from .auditing import FAR, as_fitted, by_row, deviations
from .choosing import Choice, Say, choose_for_amounts, choose_for_labels
from .findings import Task
from .outlying import Outlying
from .rare import alone
from .target_scale import Scale, from_scale, to_scale

# Rows that settings are chosen on.
ALL_ROWS: dict[Task, int] = {"regression": 2500, "classification": 1200}
SAMPLE_ROWS: dict[Task, int] = {"regression": 1000, "classification": 800}
# Rows that are judged by the kernel itself; more are judged by features of it.
KERNEL_ROWS = 6000
FEATURES = 256
# Robust deviations of a target that is flagged if no share of wrong rows was found.
VERY_FAR = 8.0
# Share of mistaken flags among labels; and if no share of wrong ones was found.
MISTAKEN, HARDLY_MISTAKEN = 0.05, 0.01


class Verdict(NamedTuple):
    """What became of each row.

    Attributes
    ----------
    model : estimator
        Fitted to all rows.
    scale : {"plain", "log"}
        Of the targets that the model was fitted to.
    share : float
    interval : pair of float, or None if the share was given
    scores : array of shape (n,)
    cut : float
    flagged : bool array of shape (n,)
    expected : array of shape (n,)
        In units of the table.
    kinds : array of shape (n,)
        "target", "features", "both" or empty.
    odd_features : mapping of int to int array
        For rows that their features alone make suspicious.
    fitted : int array
        Rows that had a part in the fit.
    """

    model: Any
    scale: Scale
    share: float
    interval: tuple[float, float] | None
    scores: FloatArray
    cut: float
    flagged: BoolArray
    expected: NDArray[Any]
    kinds: NDArray[np.str_]
    odd_features: dict[int, IntArray]
    fitted: IntArray


def judge(
    X: FloatArray,
    y: NDArray[Any],
    task: Task,
    contamination: float | str,
    seed: int,
    outlying: Outlying,
    say: Say = lambda _: None,
) -> Verdict:
    """Judge every row.

    Rows whose features are implausible are flagged and have no part in anything that is fitted, and
    so are rows whose label no other row has.

    Parameters
    ----------
    X : array of shape (n, d)
        Features on a common scale.
    y : array of shape (n,)
        Amounts, or labels as text.
    task : {"regression", "classification"}
    contamination : float or "auto"
    seed : int
    outlying : Outlying
        What the features alone say.
    say : callable
        Told what is going on.
    """
    if task == "classification" and len(np.unique(y[~outlying.wild])) < 2:
        # It is their label that sets them apart.
        outlying = Outlying(np.zeros(len(y), dtype=bool), {})
    plausible = np.flatnonzero(~outlying.wild)
    lone = alone(y[plausible], task)
    rest, unlike = plausible[~lone], plausible[lone]
    verdict = _judge_plausible(X[rest], y[rest], task, contamination, seed, say)
    if len(rest) < len(y):
        verdict = _with_outlying(verdict, rest, outlying, task)
    if len(unlike):
        verdict.kinds[unlike] = "target"
        verdict.expected[unlike] = verdict.model.predict(X[unlike])
    return verdict


def _judge_plausible(
    X: FloatArray,
    y: NDArray[Any],
    task: Task,
    contamination: float | str,
    seed: int,
    say: Say,
) -> Verdict:
    sample = _sample(len(y), task, seed)
    sample = sample[~alone(y[sample], task)]
    say("choosing a model")
    choose = choose_for_amounts if task == "regression" else choose_for_labels
    choice = choose(X[sample], y[sample], _in_rows(contamination, len(sample)), seed, say)
    if isinstance(contamination, float):
        known = float(_in_rows(contamination, len(y)))
        choice = choice._replace(share=known, estimate=contamination)
    say("judging all rows")
    final = _fit_to_all(X, to_scale(y, choice.scale), task, choice, seed)
    return _read(final, X, y, task, choice, contamination)


def _in_rows(contamination: float | str, n: int) -> float | str:
    """A share as an estimator takes it: none, if it is less than one row."""
    return 0.0 if isinstance(contamination, float) and contamination * n < 1 else contamination


def _with_outlying(verdict: Verdict, rest: IntArray, outlying: Outlying, task: Task) -> Verdict:
    """Put the rows back that had no part in the fit."""
    n = len(outlying.wild)
    wild = n - len(rest)

    def of_all(values: NDArray[Any], other: Any) -> NDArray[Any]:
        full = np.full(n, other, dtype=values.dtype)
        full[rest] = values
        return full

    def share_of_all(share: float) -> float:
        return (share * len(rest) + wild) / n

    worst = max(float(verdict.scores.max(initial=0.0)), 2 * FAR)
    interval = verdict.interval
    return verdict._replace(
        share=share_of_all(verdict.share),
        interval=interval and (share_of_all(interval[0]), share_of_all(interval[1])),
        scores=of_all(verdict.scores, worst),
        cut=min(verdict.cut, worst),
        flagged=of_all(verdict.flagged, True),
        expected=of_all(verdict.expected, np.nan if task == "regression" else ""),
        kinds=of_all(verdict.kinds, "features"),
        odd_features={int(rest[row]): odd for row, odd in verdict.odd_features.items()}
        | outlying.odd_features,
        fitted=rest,
    )


def _sample(n: int, task: Task, seed: int) -> IntArray:
    if n <= ALL_ROWS[task]:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, SAMPLE_ROWS[task], replace=False))


def _fit_to_all(X: FloatArray, y: NDArray[Any], task: Task, choice: Choice, seed: int) -> Any:
    """The model of the sample if it has seen all rows, else one that is told the setting."""
    if len(choice.model.inlier_mask_) == len(y) and choice.share == choice.model.contamination_:
        return choice.model
    kind = SubquantileRegressor if task == "regression" else SubquantileClassifier
    model = kind(
        alpha=choice.alpha,
        gamma=choice.gamma,
        contamination=choice.share,
        random_state=seed,
        approximation=None if len(y) <= KERNEL_ROWS else "nystroem",
        n_components=FEATURES,
    )
    return model.fit(X, y)


def _read(
    model: Any,
    X: FloatArray,
    y: NDArray[Any],
    task: Task,
    choice: Choice,
    contamination: float | str,
) -> Verdict:
    if task == "regression" and len(y) > KERNEL_ROWS:
        audit = as_fitted(model, X, y, choice.scale)
    else:
        audit = by_row(model.audit())
    scores = deviations(audit) if task == "regression" else np.asarray(audit["score"], float)
    given_up = np.asarray(audit["flagged"], bool)
    if contamination != "auto":
        count = int(given_up.sum())
    elif task == "regression":
        far = FAR if choice.estimate > 0 else VERY_FAR
        count = int((given_up & (scores >= far)).sum())
    else:
        mistaken = MISTAKEN if choice.estimate > 0 else HARDLY_MISTAKEN
        count = min(int(given_up.sum()), int((np.asarray(audit["q_value"]) <= mistaken).sum()))
    cut, flagged = cut_at(scores, count)
    kinds = np.where(flagged, np.asarray(audit["kind"], "<U8"), "")
    kinds = np.where(flagged & (kinds == ""), "target", kinds)
    expected = np.asarray(audit["expected"])
    if task == "regression":
        expected = from_scale(expected.astype(float), choice.scale)
        expected[kinds == "features"] = np.nan  # nothing is known of where they belong
    else:
        expected = np.where(kinds == "features", "", expected.astype(str))
    odd = {
        int(row): np.array([int(name) for name in str(audit["features"][row]).split(", ")])
        for row in np.flatnonzero(np.asarray(audit["features"], str) != "")
    }
    return Verdict(
        model,
        choice.scale,
        max(choice.estimate, float(flagged.mean())),
        choice.interval and (choice.interval[0], max(choice.interval[1], float(flagged.mean()))),
        scores,
        cut,
        flagged,
        expected,
        kinds,
        odd,
        np.arange(len(scores)),
    )


def cut_at(scores: FloatArray, count: int) -> tuple[float, BoolArray]:
    """The score that so many rows reach, and which rows these are; ties go together, unflagged.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.judging import cut_at
    >>> cut, flagged = cut_at(np.array([9.0, 1.0, 7.0, 2.0]), 2)
    >>> cut, flagged.tolist()
    (4.5, [True, False, True, False])
    """
    descending = np.sort(scores)[::-1]
    if count == 0:
        return float(np.nextafter(descending[0], np.inf)), np.zeros(len(scores), dtype=bool)
    last = descending[count - 1]
    if count < len(scores) and descending[count] == last:
        return cut_at(scores, int((scores > last).sum()))
    below = scores[scores < last]
    cut = float((last + below.max()) / 2) if len(below) else float(last)
    return cut, scores >= cut
