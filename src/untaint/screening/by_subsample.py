r"""Feature outliers of large data, screened by means of a subsample.

The screen (:mod:`.screen`) is fitted to a random subsample, each sample of which represents many,
together with the most extreme samples of all, each of weight one, so that the tails of the
features are represented exactly. All other samples are then compared with the limits that were
found feature by feature, and with the relations between features
(:class:`~.filters.OutlyingnessFilter`).
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


def screen_by_sample(X: Any, sample: IntArray) -> Screen:
    """Find the feature outliers of all samples from a screen of a subsample.

    ``sample`` holds the indices of the subsample, drawn in proportion to the weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5000, 3))
    >>> X[7, 1] = 500.0
    >>> np.flatnonzero(screen_by_sample(X, np.arange(0, 5000, 10)).feature_outlier)
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
    """The most extreme samples of some or all of the data, by each of several measures.

    Attributes
    ----------
    sizes, numbers : list of arrays
        For each measure, the values of the extreme samples and their indices among all samples.
    X : list of arrays or CSR
        The samples themselves.
    """

    sizes: list[FloatArray]
    numbers: list[IntArray]
    X: list[Any]

    def __add__(self, other: TopK) -> TopK:
        """Return the most extreme samples of both parts, as many as of one."""
        ends = []
        for view in range(len(self.sizes)):
            sizes = np.concatenate([self.sizes[view], other.sizes[view]])
            numbers = np.concatenate([self.numbers[view], other.numbers[view]])
            X = _stacked(self.X[view], other.X[view])
            # Ties are broken by the index, so that the result does not depend on the order.
            first = np.sort(np.lexsort((numbers, -sizes))[: policy().extreme_rows])
            ends.append((sizes[first], numbers[first], X[first]))
        return TopK(*(list(part) for part in zip(*ends, strict=True)))

    def distinct(self) -> tuple[IntArray, Any]:
        """Return the ascending indices of the extreme samples, and the samples, each once."""
        numbers, first = np.unique(np.concatenate(self.numbers), return_index=True)
        X = self.X[0]
        for more in self.X[1:]:
            X = _stacked(X, more)
        return numbers, X[first]


class ExtremeSamples:
    """Finds the most extreme samples, by distance from the centre and by the worst feature.

    Parameters
    ----------
    reference : array or CSR of shape (m, d)
        The subsample from which centre and scales are estimated.
    """

    def __init__(self, reference: Any) -> None:
        self.middle = centre(reference, np.ones(reference.shape[0]))
        self.scales = None
        if not sparse.issparse(reference):
            self.scales = _scales(np.asarray(reference, dtype=float) - self.middle)

    def rows(self, X: Any, offset: int = 0) -> TopK:
        """Return the extreme samples of X, whose first row has the index ``offset`` among all."""
        far = [distances_from(X, self.middle, BLOCK_ROWS)]
        if self.scales is not None:
            far.append(_worst_feature(X, self.middle, self.scales))
        ends = [_largest(sizes, policy().extreme_rows) for sizes in far]
        sizes = [own[end] for own, end in zip(far, ends, strict=True)]
        return TopK(sizes, [offset + end for end in ends], [X[end] for end in ends])


def outlyingness_filter(
    reference: Any, sample: IntArray, top: TopK, n_rows: int
) -> OutlyingnessFilter:
    """Fit a filter of feature outliers to a subsample and the extreme samples.

    Parameters
    ----------
    reference : array or CSR of shape (m, d)
        The subsample.
    sample : array of shape (m,), ascending
        Indices of the subsample among all samples.
    top : TopK
        The extreme samples of all.
    n_rows : int
        Number of all samples.
    """
    numbers, X_outer = top.distinct()
    bulk = ~np.isin(sample, numbers)
    bulk[1:] &= sample[1:] != sample[:-1]
    # Each sample of the bulk represents many: an integer, since a weight is a number of copies.
    each = max(1.0, np.round((n_rows - len(numbers)) / max(int(bulk.sum()), 1)))
    weights = np.concatenate([np.full(int(bulk.sum()), each), np.ones(len(numbers))])
    found = screen(_stacked(reference[bulk], X_outer), weights)
    rows = np.concatenate([sample[bulk], numbers])
    order = np.argsort(rows)
    screen_model = None if found.screen_model is None else found.screen_model.for_samples(None)
    return OutlyingnessFilter(screen_model, rows[order], found.outlyingness[order])


def _largest(sizes: FloatArray, count: int) -> IntArray:
    """Return the ascending positions of the largest values; of equal values the first."""
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
