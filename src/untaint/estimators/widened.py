"""Each of very many rows judged by a fit to the others, as some of them read the residuals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._typing import BoolArray, FloatArray
from ..learners import FeatureProblem
from ..selection.two_groups import LARGEST_SHARE
from ..solvers import without_itself
from .trust import Jury, Trust, certain_share, signed_sizes
from .trusting import ROUNDING


def judge_many(
    problem: FeatureProblem,
    y: FloatArray,
    predictions: FloatArray,
    weights: FloatArray,
    wild: BoolArray,
) -> tuple[FloatArray, Trust]:
    """Leave-one-out residuals of a fit with these weights, and what they say of each row."""
    q = problem.leverages(weights)
    left, variance = without_itself(y - predictions, weights, problem.row_weights, q)
    standard = left / np.sqrt(1.0 + variance)[:, None]
    return left, _read(problem, y, standard, weights, wild)


def _read(
    problem: FeatureProblem,
    y: FloatArray,
    residuals: FloatArray,
    weights: FloatArray,
    wild: BoolArray,
) -> Trust:
    rows = problem.pilot_rows
    assert rows is not None
    signed = _without_rounding(signed_sizes(residuals, weights), y)
    jury = Jury(y[rows], np.ones(len(rows)), wild[rows])
    own = np.maximum(problem.row_weights[rows], np.finfo(float).tiny)
    trusted = np.minimum(weights[rows] / own, 1.0)
    verdict = jury.verdict(signed[rows, None], trusted)
    return _of_all(verdict, signed, problem.row_weights, wild)


def _without_rounding(signed: FloatArray, y: FloatArray) -> FloatArray:
    """Targets that are all the same leave nothing but rounding errors, which accuse nobody."""
    return np.where(np.abs(signed) <= ROUNDING * float(np.median(np.abs(y))), 0.0, signed)


def _of_all(trust: Trust, signed: FloatArray, row_weights: FloatArray, wild: BoolArray) -> Trust:
    best = trust.readings[0]
    good = np.where(wild, 0.0, best.good(signed))
    total = float(row_weights.sum())
    far = float(row_weights[wild].sum()) / total
    found = max(best.share, certain_share(best, signed, np.where(wild, 0.0, row_weights)))
    share = min(far + (1.0 - far) * found, LARGEST_SHARE)
    low, high = (far + (1.0 - far) * end for end in best.interval)
    return replace(
        trust,
        trust=good,
        residuals=signed,
        share=share,
        interval=(float(low), float(max(high, share))),
    )
