r"""One share of wrong cells for the whole table, and one false-discovery rate.

The share :math:`\pi` maximises its posterior by the EM algorithm: the mean probability of being
wrong, with a prior that is worth a few cells. So do the weights of the mistakes: where several
cells are a thousand times too large, the next one is likelier to be. Cells are flagged from the
most probable on, as long as the expected share of right ones among them stays below the rate, and
none that is more probably right.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

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
# Rounds at most, and the relative change of a share at which they end.
ROUNDS, SETTLED = 50, 1e-5
# Probability that a flagged cell has at least.
EVEN = 0.6
# Cells from which on log-odds are rounded to steps, within bounds beyond which all are the same.
MANY_CELLS, STEP, LARGEST = 20_000, 0.01, 40.0
# Log-odds from which on the mistakes of a cell count, rounds, and what their prior is worth.
CANDIDATE, MISTAKE_ROUNDS, PRIOR_MISTAKES = -2.0, 4, 10.0
# A mistake in one column gives little information about others: it counts as so many cells at most.
MANY = 5.0


def share_of_wrong(log_odds: FloatArray, cells: FloatArray) -> float:
    """Return the share of wrong cells, from log-odds without it, each of so many cells.

    Examples
    --------
    >>> import numpy as np
    >>> odds = np.r_[np.full(10_000, -8.0), np.full(100, 12.0)]
    >>> round(share_of_wrong(odds, np.ones(len(odds))), 3)
    0.009
    """
    return _likeliest_share(log_odds, cells, PRIOR_SHARE, PRIOR_CELLS, MAX_SHARE)


def _likeliest_share(
    log_odds: FloatArray, cells: FloatArray, prior: float, weight: float, most: float
) -> float:
    """Return the share of the highest posterior; that a priori weighs as so many cells."""
    known, counts = _grouped(log_odds, cells)
    total, share = counts.sum() + weight, prior
    for _ in range(ROUNDS):
        wrong = counts @ expit(known + np.log(share / (1 - share))) + prior * weight
        before, share = share, min(float(wrong / total), most)
        if abs(share - before) <= SETTLED * before:
            break
    return share


def _grouped(log_odds: FloatArray, cells: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return finite log-odds and how many cells have each; those of many cells are rounded."""
    used = np.isfinite(log_odds) & (cells > 0)
    log_odds, cells = log_odds[used], cells[used]
    if len(log_odds) <= MANY_CELLS:
        return log_odds, cells
    steps = np.rint(np.clip(log_odds, -LARGEST, LARGEST) / STEP).astype(np.intp)
    counts = np.bincount(steps + round(LARGEST / STEP), cells).astype(float)
    return (np.arange(len(counts)) - round(LARGEST / STEP)) * STEP, counts


def learn_mistakes(columns: Sequence[NumericCells]) -> list[NumericCells]:
    """Return columns of numbers whose mistakes have the weights that they have in table and column.

    Those of the table are worth a number of cells in each column.
    """
    if not columns:
        return []
    candidates = [_Candidates.of(column) for column in columns]
    prior = np.exp(columns[0].log_weights)
    weights = np.log(prior)
    for _ in range(MISTAKE_ROUNDS):
        share = _common_share(candidates)
        counts = np.zeros(len(prior))
        for own in candidates:
            here = own.counts(weights, share)
            counts += here / (1 + here / MANY)
        weights = _updated(counts, prior)
        for own in candidates:
            own.reweight(weights)
    share = _common_share(candidates)
    learnt = []
    for column, own in zip(columns, candidates, strict=True):
        learnt.append(column.with_weights(_own_weights(own, weights, share), own.rows, own.ratios))
    return learnt


class _Candidates(NamedTuple):
    """The numbers of a column whose mistakes count.

    Attributes
    ----------
    log_odds, cells : array of shape (c,)
        Of every number that stands for any, and how many it stands for.
    places : int array of shape (m,)
        Which of them have mistakes that count.
    rows : int array of shape (m,)
        Their rows.
    ratios : array of shape (k, m)
        Log-densities of their mistakes over that of a right value.
    """

    log_odds: FloatArray
    cells: FloatArray
    places: IntArray
    rows: IntArray
    ratios: FloatArray

    @classmethod
    def of(cls, column: NumericCells) -> Self:
        log_odds, cells, known = column.counted()
        places = np.flatnonzero(log_odds > CANDIDATE)
        return cls(log_odds, cells, places, known[places], column.log_ratios(known[places]))

    def reweight(self, weights: FloatArray) -> None:
        """Change the log-odds to those with other weights of mistakes."""
        self.log_odds[self.places] = weighted_log_odds(self.ratios, weights)[0]

    def counts(self, weights: FloatArray, share: float) -> FloatArray:
        """Return the expected number of mistakes of each kind."""
        log_odds = self.log_odds[self.places]
        parts = np.exp(self.ratios + weights[:, None] - log_odds)
        wrong = expit(log_odds + np.log(share / (1 - share)))
        return np.asarray(parts @ (self.cells[self.places] * wrong))


def _common_share(candidates: Sequence[_Candidates]) -> float:
    """Return the share of wrong cells in all columns."""
    log_odds = np.concatenate([own.log_odds for own in candidates])
    return share_of_wrong(log_odds, np.concatenate([own.cells for own in candidates]))


def _own_weights(own: _Candidates, weights: FloatArray, share: float) -> FloatArray:
    """Return the weights of mistakes in a column, given those in the table."""
    prior = np.exp(weights)
    for _ in range(MISTAKE_ROUNDS):
        part = column_share(own.log_odds, share, own.cells)
        weights = _updated(own.counts(weights, part), prior)
        own.reweight(weights)
    return weights


def _updated(counts: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the log-weights of mistakes, given how often they were made."""
    total = (counts + PRIOR_MISTAKES * prior / prior.sum()) * prior.sum()
    return np.log(total / (counts.sum() + PRIOR_MISTAKES))


def column_share(log_odds: FloatArray, share: float, cells: FloatArray) -> float:
    """Return the share of wrong cells of one column of a table in which ``share`` are wrong."""
    return _likeliest_share(log_odds, cells, share, COLUMN_CELLS, MAX_COLUMN_SHARE)


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
