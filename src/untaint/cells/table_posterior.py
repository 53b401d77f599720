r"""One share of wrong cells for the whole table, and one false-discovery rate.

The share :math:`\pi` maximises its posterior by the EM algorithm: the mean probability of being
wrong, with a prior that is worth a few cells. So do the weights of the mistakes: where several
cells are a thousand times too large, the next one is likelier to be. Cells are flagged from the
most probable on, as long as the expected share of right ones among them stays below the rate, and
none that is more probably right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, softmax

from .._typing import BoolArray, FloatArray, IntArray
from .numeric_cells import NumericCells

# A priori one cell in 250 is wrong, which weighs as much as so many cells.
PRIOR_SHARE, PRIOR_CELLS = 0.004, 1000.0
MAX_SHARE = 0.05
# A column's own share of wrong cells: what that of the table weighs, and the most.
COLUMN_CELLS, MAX_COLUMN_SHARE = 300.0, 0.2
ROUNDS = 50
# Probability that a flagged cell has at least.
EVEN = 0.5
# Log-odds from which on the mistakes of a cell count, rounds, and what their prior is worth.
CANDIDATE, MISTAKE_ROUNDS, PRIOR_MISTAKES = -2.0, 4, 10.0
# A mistake of one column says little of the others: it counts as so many cells of them at most.
MANY = 5.0


def share_of_wrong(log_odds: FloatArray) -> float:
    """Return the share of wrong cells, from log-odds without it.

    Examples
    --------
    >>> import numpy as np
    >>> odds = np.r_[np.full(10_000, -8.0), np.full(100, 12.0)]
    >>> round(share_of_wrong(odds), 3)
    0.009
    """
    known = log_odds[np.isfinite(log_odds)]
    share = PRIOR_SHARE
    for _ in range(ROUNDS):
        wrong = expit(known + np.log(share / (1 - share))).sum() + PRIOR_SHARE * PRIOR_CELLS
        share = min(float(wrong / (len(known) + PRIOR_CELLS)), MAX_SHARE)
    return share


def learn_mistakes(columns: Sequence[NumericCells]) -> list[NumericCells]:
    """Return columns of numbers whose mistakes have the weights that they have in the table."""
    if not columns:
        return []
    rows = [np.flatnonzero(column.log_odds > CANDIDATE) for column in columns]
    ratios = [column.log_ratios(own) for column, own in zip(columns, rows, strict=True)]
    prior = np.exp(columns[0].log_weights)
    weights = prior
    for _ in range(MISTAKE_ROUNDS):
        share = share_of_wrong(np.concatenate([column.log_odds for column in columns]))
        counts = np.zeros(len(prior))
        for column, own, ratio in zip(columns, rows, ratios, strict=True):
            parts = softmax(ratio + np.log(weights)[:, None], axis=0)
            here = parts @ expit(column.log_odds[own] + np.log(share / (1 - share)))
            counts += here / (1 + here / MANY)
        total = (counts + PRIOR_MISTAKES * prior / prior.sum()) * prior.sum()
        weights = total / (counts.sum() + PRIOR_MISTAKES)
        columns = [
            column.with_weights(np.log(weights), own)
            for column, own in zip(columns, rows, strict=True)
        ]
    share = share_of_wrong(np.concatenate([column.log_odds for column in columns]))
    return [
        _with_own_weights(column, own, ratio, weights, share)
        for column, own, ratio in zip(columns, rows, ratios, strict=True)
    ]


def _with_own_weights(
    column: NumericCells, rows: IntArray, ratios: FloatArray, weights: FloatArray, share: float
) -> NumericCells:
    """Return a column whose mistakes have the weights that they have in this column.

    Those of the table weigh as much as a number of cells.
    """
    own, log_odds = weights, column.log_odds
    for _ in range(MISTAKE_ROUNDS):
        prior = column_share(log_odds, share)
        parts = softmax(ratios + np.log(own)[:, None], axis=0)
        counts = parts @ expit(log_odds[rows] + np.log(prior / (1 - prior)))
        own = (counts + PRIOR_MISTAKES * weights / weights.sum()) * weights.sum()
        own /= counts.sum() + PRIOR_MISTAKES
        column = column.with_weights(np.log(own), rows)
        log_odds = column.log_odds
    return column


def column_share(log_odds: FloatArray, share: float) -> float:
    """Return the share of wrong cells of one column of a table in which ``share`` are wrong."""
    known = log_odds[np.isfinite(log_odds)]
    own = share
    for _ in range(ROUNDS):
        wrong = expit(known + np.log(own / (1 - own))).sum() + share * COLUMN_CELLS
        own = min(float(wrong / (len(known) + COLUMN_CELLS)), MAX_COLUMN_SHARE)
    return own


def discovered(probability: FloatArray, fdr: float) -> BoolArray:
    """Return which cells to flag at a false-discovery rate.

    Examples
    --------
    >>> import numpy as np
    >>> discovered(np.array([0.99, 0.1, 0.8, 0.6]), 0.15)
    array([ True, False,  True, False])
    """
    order = np.argsort(-probability, kind="stable")
    rates = np.cumsum(1 - probability[order]) / np.arange(1, len(order) + 1)
    found = np.zeros(len(order), dtype=bool)
    found[order] = rates <= fdr
    return found & (probability >= EVEN)
