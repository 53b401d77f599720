"""How far all rows are trusted, by what some of them said.

Reading residuals as two groups takes longer than it is worth for a million of them: twenty thousand
tell the share and the shape of the groups as well. Each row is then judged by its own residual.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._typing import BoolArray, FloatArray
from ..learners import FeatureProblem
from ..selection.two_groups import CERTAIN, LARGEST_SHARE
from ..solvers import without_itself
from .trust import Jury, Trust, signed_sizes

# Part of a target that arithmetic may get wrong.
ROUNDING = 1e-12


def widen_trust(
    trust: Trust, y: FloatArray, predictions: FloatArray, problem: FeatureProblem
) -> Trust:
    """The verdict on some rows, for all of them.

    Parameters
    ----------
    trust : Trust
        Of the pilot.
    y, predictions : array of shape (n, k)
        Of all rows, under the pilot's fit.
    problem : FeatureProblem
    """
    residuals = y - predictions
    signed = _without_rounding(signed_sizes(residuals, problem.row_weights), y)
    return _of_all(trust, signed, problem.row_weights, problem.wild)


def read_again(
    problem: FeatureProblem, y: FloatArray, predictions: FloatArray, weights: FloatArray
) -> Trust:
    """What the residuals of the fit to all rows say: there are so many that no row bends it."""
    return _read(problem, y, y - predictions, weights, problem.wild)


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
    heard = np.where(wild, 0.0, row_weights)
    certain = np.abs(signed - best.offset) > CERTAIN * best.scale
    found = max(best.share, float(heard @ certain) / max(float(heard.sum()), 1e-300))
    share = min(far + (1.0 - far) * found, LARGEST_SHARE)
    low, high = (far + (1.0 - far) * end for end in best.interval)
    return replace(
        trust,
        trust=good,
        residuals=signed,
        share=share,
        interval=(float(low), float(max(high, share))),
    )
