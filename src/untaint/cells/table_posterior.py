r"""One share of wrong cells for the whole table, and one false-discovery rate.

The share :math:`\pi` maximises its posterior by the EM algorithm: the mean probability of being
wrong, with a prior that is worth a few cells. So do the weights of the mistakes: where several
cells are a thousand times too large, the next one is likelier to be. Cells are flagged from the
most probable on, as long as the expected share of right ones among them stays below the rate, and
none that is more probably right.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from .._typing import BoolArray, FloatArray, IntArray
from .cell_density import weighted_log_odds
from .numeric_cells import NumericCells

# A priori one cell in 250 is wrong, which weighs as much as so many cells.
PRIOR_SHARE, PRIOR_CELLS = 0.004, 1000.0
MAX_SHARE = 0.05
# A column's own share of wrong cells: what that of the table weighs, and the most.
COLUMN_CELLS, MAX_COLUMN_SHARE = 300.0, 0.2
ROUNDS = 50
# Probability that a flagged cell has at least.
EVEN = 0.6
# Cells from which on log-odds are rounded to steps, within bounds beyond which all are the same.
MANY_CELLS, STEP, LARGEST = 20_000, 0.01, 40.0
# Log-odds from which on the mistakes of a cell count, rounds, and what their prior is worth.
CANDIDATE, MISTAKE_ROUNDS, PRIOR_MISTAKES = -2.0, 4, 10.0
# A mistake in one column gives little information about others: it counts as so many cells at most.
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
    known, counts = _grouped(log_odds[np.isfinite(log_odds)])
    total = counts.sum() + PRIOR_CELLS
    share = PRIOR_SHARE
    for _ in range(ROUNDS):
        wrong = counts @ expit(known + np.log(share / (1 - share))) + PRIOR_SHARE * PRIOR_CELLS
        share = min(float(wrong / total), MAX_SHARE)
    return share


def _grouped(log_odds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log-odds and how many cells have each; those of many cells are rounded."""
    if len(log_odds) <= MANY_CELLS:
        return log_odds, np.ones(len(log_odds))
    steps = np.rint(np.clip(log_odds, -LARGEST, LARGEST) / STEP).astype(np.intp)
    counts = np.bincount(steps + round(LARGEST / STEP)).astype(float)
    return (np.arange(len(counts)) - round(LARGEST / STEP)) * STEP, counts


def learn_mistakes(columns: Sequence[NumericCells]) -> list[NumericCells]:
    """Return columns of numbers whose mistakes have the weights that they have in table and column.

    Those of the table are worth a number of cells in each column.
    """
    if not columns:
        return []
    rows = [np.flatnonzero(column.log_odds > CANDIDATE) for column in columns]
    ratios = [column.log_ratios(own) for column, own in zip(columns, rows, strict=True)]
    all_odds = [column.log_odds.copy() for column in columns]
    prior = np.exp(columns[0].log_weights)
    weights = np.log(prior)
    for _ in range(MISTAKE_ROUNDS):
        share = share_of_wrong(np.concatenate(all_odds))
        counts = np.zeros(len(prior))
        for odds, own, ratio in zip(all_odds, rows, ratios, strict=True):
            here = _counts(odds[own], ratio, weights, share)
            counts += here / (1 + here / MANY)
        weights = _updated(counts, prior)
        for odds, own, ratio in zip(all_odds, rows, ratios, strict=True):
            odds[own] = weighted_log_odds(ratio, weights)[0]
    share = share_of_wrong(np.concatenate(all_odds))
    learnt = []
    for column, odds, own, ratio in zip(columns, all_odds, rows, ratios, strict=True):
        learnt.append(
            column.with_weights(_own_weights(odds, own, ratio, weights, share), own, ratio)
        )
    return learnt


def _own_weights(
    log_odds: FloatArray, rows: IntArray, ratios: FloatArray, weights: FloatArray, share: float
) -> FloatArray:
    """Return the weights of mistakes in a column, given those in the table."""
    prior = np.exp(weights)
    for _ in range(MISTAKE_ROUNDS):
        own = column_share(log_odds, share)
        weights = _updated(_counts(log_odds[rows], ratios, weights, own), prior)
        log_odds[rows] = weighted_log_odds(ratios, weights)[0]
    return weights


def _counts(
    log_odds: FloatArray, ratios: FloatArray, weights: FloatArray, share: float
) -> FloatArray:
    """Return the expected number of mistakes of each kind."""
    parts = np.exp(ratios + weights[:, None] - log_odds)
    return np.asarray(parts @ expit(log_odds + np.log(share / (1 - share))))


def _updated(counts: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the log-weights of mistakes, given how often they were made."""
    total = (counts + PRIOR_MISTAKES * prior / prior.sum()) * prior.sum()
    return np.log(total / (counts.sum() + PRIOR_MISTAKES))


def column_share(log_odds: FloatArray, share: float) -> float:
    """Return the share of wrong cells of one column of a table in which ``share`` are wrong."""
    known, counts = _grouped(log_odds[np.isfinite(log_odds)])
    total = counts.sum() + COLUMN_CELLS
    own = share
    for _ in range(ROUNDS):
        wrong = counts @ expit(known + np.log(own / (1 - own))) + share * COLUMN_CELLS
        own = min(float(wrong / total), MAX_COLUMN_SHARE)
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
