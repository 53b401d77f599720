r"""Least trimmed squares on few columns, for every number of trimmed rows.

.. math:: S_k = \min_{|H| = n - k} \; \min_\beta \sum_{i \in H} (y_i - x_i^T \beta)^2,
          \qquad k = 0, \dots, \lfloor (n - p) / 2 \rfloor

The search starts at the largest k, which has the highest breakdown point, from fits to p rows each:
all sets of p rows, or some hundred of them. Two concentration steps ("fit the n - k rows of the
smallest residuals") are taken from every fit, and more from the best one. From there k decreases,
and each solution is the start of the next, as in the forward search. Outliers that mask one another
in a fit to all rows are then outside until few rows are left to join.

References
----------
Rousseeuw & Van Driessen (2006), Computing LTS regression for large data sets.
Atkinson & Riani (2000), Robust diagnostic regression analysis.
"""

from itertools import combinations
from math import comb
from typing import NamedTuple, final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray

# Fits to p rows that the search starts from at most.
STARTS = 300
FIRST_STEPS = 2
# Concentration steps at most: of the best start, and of each further k.
MAX_STEPS, FURTHER_STEPS = 20, 3
# All numbers of trimmed rows up to this one are visited; beyond, their ratio is the second number.
DENSE, RATIO = 16, 1.12
# Ridge of a fit relative to the trace of its normal equations: fits to few rows may be singular.
RIDGE = 1e-12
# Singular values below this part of the largest are zero.
RANK = 1e-9


class TrimmedPath(NamedTuple):
    """Solutions for ascending numbers of trimmed rows, the first of which is zero.

    ``squares`` are the sums S_k, and ``kept``, (len(trimmed), n), the masks of the sets H.
    """

    trimmed: IntArray
    squares: FloatArray
    kept: BoolArray


def lts_path(columns: FloatArray, y: FloatArray) -> TrimmedPath:
    """Return the path of least trimmed squares of well-conditioned columns, (n, p).

    The result depends on the order of the rows unless all sets of p rows are starts.
    """
    n, p = columns.shape
    search, trimmed = _Concentration(columns, y), trimmed_sizes(n, p)
    kept = search.start(n - int(trimmed[-1]))
    masks: list[BoolArray] = []
    sums: list[float] = []
    for k in trimmed[::-1]:
        steps = FURTHER_STEPS if masks else MAX_STEPS
        kept, squares = search.descend(kept, n - int(k), steps)
        masks.append(kept[0])
        sums.append(float(squares[0, kept[0]].sum()))
    return TrimmedPath(trimmed, np.array(sums[::-1]), np.array(masks[::-1]))


def lts_rows(columns: FloatArray, y: FloatArray) -> BoolArray:
    """Return the rows that least trimmed squares keeps at the largest k."""
    n, p = columns.shape
    search, size = _Concentration(columns, y), n - max((n - p) // 2, 0)
    return np.asarray(search.descend(search.start(size), size, MAX_STEPS)[0][0])


def trimmed_sizes(n: int, p: int) -> IntArray:
    """Return the numbers of trimmed rows on the path of n rows and p columns."""
    most, sizes = max((n - p) // 2, 0), [0]
    while sizes[-1] < most:
        sizes.append(max(sizes[-1] + 1, int(RATIO * sizes[-1]) if sizes[-1] >= DENSE else 0))
    return np.array([*sizes[:-1], most] if most else [0])


def well_conditioned(X: FloatArray, fit_intercept: bool) -> FloatArray:
    """Return columns of the same span as X, and a constant one for the intercept.

    They are orthonormal among the half of the rows that is nearest to the median, so that subsets
    without distant rows are well conditioned too. Columns that others determine are left out.
    """
    centred = X - np.median(X, axis=0) if fit_intercept else X
    scale = np.median(np.abs(centred), axis=0)
    scale = np.where(scale > 0, scale, np.abs(centred).max(axis=0))
    columns = centred / np.where(scale > 0, scale, 1.0)
    if fit_intercept:
        columns = np.column_stack([np.ones(len(X)), columns])
    sizes = np.einsum("ij,ij->i", columns, columns)
    near = sizes <= np.sort(sizes)[min((len(X) + columns.shape[1]) // 2, len(X) - 1)]
    rotation, rank = _whitening(columns[near])
    everything, full_rank = _whitening(columns)
    return np.asarray(columns @ (rotation if rank == full_rank else everything))


def _whitening(columns: FloatArray) -> tuple[FloatArray, int]:
    """Return the matrix that makes columns orthogonal with mean square 1, and their rank."""
    _, values, rotation = np.linalg.svd(columns, full_matrices=False)
    used = values > RANK * values.max(initial=0.0)
    return rotation[used].T / values[used] * np.sqrt(len(columns)), int(used.sum())


@final
class _Concentration:
    """Concentration steps of several fits at once."""

    def __init__(self, columns: FloatArray, y: FloatArray) -> None:
        n, p = columns.shape
        self.columns, self.y = columns, y
        self.products = (columns[:, :, None] * columns[:, None, :]).reshape(n, p * p)
        self.moments = columns * y[:, None]

    def start(self, size: int) -> BoolArray:
        """Return the best set of so many rows after the first steps, shape (1, n)."""
        kept, squares = self.descend(self._elemental_sets(), size, FIRST_STEPS)
        objective = np.where(kept, squares, 0.0).sum(axis=1)
        return kept[[int(np.argmin(objective))]]

    def descend(self, kept: BoolArray, size: int, steps: int) -> tuple[BoolArray, FloatArray]:
        """Take concentration steps from fits to these rows; return sets and squared residuals."""
        squares = self._squares(kept)
        for _ in range(steps):
            previous, kept = kept, _smallest(squares, size)
            if np.array_equal(previous, kept):
                break
            squares = self._squares(kept)
        return kept, squares

    def _elemental_sets(self) -> BoolArray:
        """Return masks of p rows each."""
        n, p = self.columns.shape
        if comb(n, p) <= STARTS:
            rows = np.array(list(combinations(range(n), p)))
        else:
            # A fixed sequence: equal rows in equal order have equal results.
            keys = np.random.default_rng(0).random((STARTS, n))
            rows = np.argpartition(keys, p - 1, axis=1)[:, :p]
        kept = np.zeros((len(rows), n), dtype=bool)
        np.put_along_axis(kept, rows, True, axis=1)
        return kept

    def _squares(self, kept: BoolArray) -> FloatArray:
        """Return the squared residuals of all rows, (n_fits, n), under fits to the kept ones."""
        weights, p = kept.astype(float), self.columns.shape[1]
        normal = (weights @ self.products).reshape(-1, p, p)
        diagonal = np.arange(p)
        normal[:, diagonal, diagonal] += RIDGE * np.trace(normal, axis1=1, axis2=2)[:, None]
        coef = np.linalg.solve(normal, (weights @ self.moments)[:, :, None])[:, :, 0]
        return np.asarray((self.y - coef @ self.columns.T) ** 2)


def _smallest(squares: FloatArray, size: int) -> BoolArray:
    """Return masks of the given number of smallest values in each line."""
    rows = np.argpartition(squares, size - 1, axis=1)[:, :size]
    kept = np.zeros(squares.shape, dtype=bool)
    np.put_along_axis(kept, rows, True, axis=1)
    return kept
