r"""Rows whose features are wild, among more rows than one cares to sort.

A sample says what is plausible: rows drawn from all, each standing for many, and the outermost
rows, each for itself, so that the tails of the features are there as they are. All other rows are
then held to the edges that were found feature by feature, and to the relations between features
(:class:`~.gates.Plausible`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse

from .._policy import policy
from .._typing import FloatArray, IntArray
from .filters import BLOCK_ROWS, OutlyingnessFilter
from .radius import centre, distances_from
from .scales import scale_of
from .screen import Screen, screen


def screen_by_sample(X: Any, sample_weight: FloatArray, sample: IntArray) -> Screen:
    """Find the rows whose features are wild.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    sample_weight : array of shape (n,), positive
    sample : array of indices
        Drawn in proportion to the rows' weights.

    Returns
    -------
    Screen
        Of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5000, 3))
    >>> X[7, 1] = 500.0
    >>> np.flatnonzero(screen_by_sample(X, np.ones(5000), np.arange(0, 5000, 10)).feature_outlier)
    array([7])
    """
    top = ExtremeSamples(X[sample]).rows(X)
    sample_filter = outlyingness_filter(X[sample], sample, top, X.shape[0])
    outlyingness = sample_filter.outlyingness(X)
    screen_model = (
        None if sample_filter.screen_model is None else sample_filter.screen_model.for_samples(X)
    )
    return Screen(outlyingness > 1, outlyingness, screen_model)


@final
@dataclass(frozen=True)
class TopK:
    """Rows farthest out, of a part of the rows or of all.

    Attributes
    ----------
    sizes, numbers : list of arrays
        How far they are in each view, and which rows they are.
    X : list of arrays or CSR
        The rows themselves.
    """

    sizes: list[FloatArray]
    numbers: list[IntArray]
    X: list[Any]

    def __add__(self, other: TopK) -> TopK:
        """Of both, as many as of one."""
        ends = []
        for view in range(len(self.sizes)):
            sizes = np.concatenate([self.sizes[view], other.sizes[view]])
            numbers = np.concatenate([self.numbers[view], other.numbers[view]])
            X = _stacked(self.X[view], other.X[view])
            # By size, and by number where sizes tie: the same rows in whatever order they come.
            first = np.sort(np.lexsort((numbers, -sizes))[: policy().extreme_rows])
            ends.append((sizes[first], numbers[first], X[first]))
        return TopK(*(list(part) for part in zip(*ends, strict=True)))

    def distinct(self) -> tuple[IntArray, Any]:
        """Numbers of the rows, ascending, and the rows, each once."""
        numbers, first = np.unique(np.concatenate(self.numbers), return_index=True)
        X = self.X[0]
        for more in self.X[1:]:
            X = _stacked(X, more)
        return numbers, X[first]


class ExtremeSamples:
    """Finds the rows farthest out, by distance and by the worst feature.

    Parameters
    ----------
    reference : array or CSR of shape (m, d)
        Rows that stand for all.
    """

    def __init__(self, reference: Any) -> None:
        self.middle = centre(reference, np.ones(reference.shape[0]))
        self.scales = None
        if not sparse.issparse(reference):
            self.scales = _scales(np.asarray(reference, dtype=float) - self.middle)

    def rows(self, X: Any, offset: int = 0) -> TopK:
        """Of some rows, of which so many come before these."""
        far = [distances_from(X, self.middle, BLOCK_ROWS)]
        if self.scales is not None:
            far.append(_worst_feature(X, self.middle, self.scales))
        ends = [_largest(sizes, policy().extreme_rows) for sizes in far]
        sizes = [own[end] for own, end in zip(far, ends, strict=True)]
        return TopK(sizes, [offset + end for end in ends], [X[end] for end in ends])


def outlyingness_filter(
    reference: Any, sample: IntArray, top: TopK, n_rows: int
) -> OutlyingnessFilter:
    """What rows drawn from all, and the outermost ones, say is plausible.

    Parameters
    ----------
    reference : array or CSR of shape (m, d)
        The rows that were drawn.
    sample : array of shape (m,), ascending
        Their numbers.
    top : Outer
        Of all rows.
    n_rows : int
        Number of all rows.
    """
    numbers, X_outer = top.distinct()
    bulk = ~np.isin(sample, numbers)
    bulk[1:] &= sample[1:] != sample[:-1]
    # One row of the bulk stands for many; whole numbers, for weights are copies.
    each = max(1.0, np.round((n_rows - len(numbers)) / max(int(bulk.sum()), 1)))
    weights = np.concatenate([np.full(int(bulk.sum()), each), np.ones(len(numbers))])
    found = screen(_stacked(reference[bulk], X_outer), weights)
    rows = np.concatenate([sample[bulk], numbers])
    order = np.argsort(rows)
    screen_model = None if found.screen_model is None else found.screen_model.for_samples(None)
    return OutlyingnessFilter(screen_model, rows[order], found.outlyingness[order])


def _largest(sizes: FloatArray, count: int) -> IntArray:
    """Places of the largest numbers, ascending; of equal ones the first."""
    if len(sizes) <= count:
        return np.arange(len(sizes))
    edge = np.partition(sizes, len(sizes) - count)[len(sizes) - count]
    beyond = np.flatnonzero(sizes > edge)
    tied = np.flatnonzero(sizes == edge)[: count - len(beyond)]
    return np.sort(np.concatenate([beyond, tied]))


def _stacked(X: Any, more: Any) -> Any:
    if sparse.issparse(X):
        return sparse.vstack([X, more], format="csr")
    return np.concatenate([X, more])


def _scales(deviations: FloatArray) -> FloatArray:
    ones = np.ones(len(deviations))
    scales = np.array([scale_of(np.abs(column), ones) for column in deviations.T])
    return np.where(scales > 0, scales, 1.0)


def _worst_feature(X: Any, middle: FloatArray, scales: FloatArray) -> FloatArray:
    out = np.empty(X.shape[0])
    for start in range(0, X.shape[0], BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        out[part] = (np.abs(X[part] - middle) / scales).max(axis=1)
    return out
