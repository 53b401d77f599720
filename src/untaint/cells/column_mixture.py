r"""Right and wrong numbers of one column, separated by the EM algorithm.

Many wrong cells make a long tail of residuals, under which they would look right. So the density of
inlier residuals is fitted with weights, the probabilities of being right under

.. math:: (1 - \textstyle\sum_k \pi_k)\, f_0(x) + \pi_0\, g(x) + \sum_k \pi_k\, f_k(x) ,

and the parts :math:`\pi_k` of the mistakes maximise their posterior. The round under which the
column is likeliest is used: a long tail of right values is kept.
"""

import numpy as np

from .._typing import BoolArray, FloatArray
from .cell_density import CellDensity, Undone, prior_log_weights
from .null_density import CENSORED, fit_null_density
from .standardiser import Standardiser
from .variables import NumericVariable

# Rounds of the density of inlier residuals, and of the parts of mistakes within each.
ROUNDS, PART_ROUNDS = 6, 10
# Part of the tail that is left out of its estimate in the end.
LITTLE = 0.03
# A priori part of wrong cells in a column, which weighs as much as so many rows.
PRIOR_PART, PRIOR_ROWS = 0.005, 200.0


def fit_density(
    variable: NumericVariable,
    standardiser: Standardiser,
    predicted: FloatArray,
    known: BoolArray,
    undone: Undone,
) -> tuple[CellDensity, float]:
    """Return the densities of a column given predictions, and the log-likelihood of known values.

    Parameters
    ----------
    variable : NumericVariable
    standardiser : Standardiser
    predicted : array of shape (n,)
    known : bool array of shape (n,)
        Rows that count.
    undone : Undone
        What the values would be without mistakes.
    """
    rows = np.flatnonzero(known)
    values, at, y = variable.values[rows], predicted[rows], undone.y[rows]
    best, highest = None, -np.inf
    weights = np.ones(len(values))
    for turn in range(ROUNDS):
        censored = CENSORED if turn <= ROUNDS // 2 else LITTLE
        null = fit_null_density(y - at, at, weights, censored)
        density = CellDensity(variable, standardiser, null)
        far = np.flatnonzero(density.is_far(y, at))
        ratios = density.log_ratios(undone.at(rows[far]), at[far])
        explained, gain = _explained(ratios, prior_log_weights(variable), len(values))
        likelihood = gain + float(density.log_null(values, at).sum())
        if best is None or likelihood > highest:
            best, highest = density, likelihood
        weights = np.ones(len(values))
        weights[far] -= explained
    assert best is not None
    return best, highest


def _explained(ratios: FloatArray, log_weights: FloatArray, n: int) -> tuple[FloatArray, float]:
    """Return the probability that each far cell is wrong, and the gain in log-likelihood."""
    weights = np.exp(log_weights)
    prior = PRIOR_PART * weights / weights.sum()
    largest = ratios.max(axis=0)
    relative = np.exp(ratios - largest)
    parts = prior
    for _ in range(PART_ROUNDS):
        right = np.log1p(-min(parts.sum(), 0.5))
        wrong = largest + np.log(parts @ relative)
        total = np.logaddexp(right, wrong)
        counts = parts * (relative @ np.exp(largest - total))
        parts = (counts + PRIOR_ROWS * prior) / (n + PRIOR_ROWS)
    return np.exp(wrong - total), float(total.sum() + right * (n - len(total)))
