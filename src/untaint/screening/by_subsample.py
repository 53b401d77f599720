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
from .filters import OutlyingnessFilter
from .radius import by_blocks, centre, distances_from
from .scales import scales_of
from .screen import Screen, screen


def screen_by_sample(X: Any, sample: IntArray) -> Screen:
    """Find the feature outliers of X from a screen of a ``sample``, drawn by weights."""
    top = ExtremeSamples(X[sample]).rows(X)
    sample_filter = outlyingness_filter(X[sample], sample, top, X.shape[0])
    return Screen(sample_filter.outlyingness(X), X, sample_filter.screen_model)


@final
@dataclass(frozen=True)
class TopK:
    """The most extreme samples of some or all of the data, by each of several measures.

    For each measure, ``ends`` holds its values of the extreme samples, the indices of these among
    all samples, and the samples themselves.
    """

    ends: list[tuple[FloatArray, IntArray, Any]]

    def __add__(self, other: TopK) -> TopK:
        """Return the most extreme samples of both parts, as many as of one."""
        ends = []
        for both in zip(self.ends, other.ends, strict=True):
            sizes, numbers, X = map(_stacked, *both)
            # Ties are broken by the index, so that the result does not depend on the order.
            first = np.sort(np.lexsort((numbers, -sizes))[: policy().extreme_rows])
            ends.append((sizes[first], numbers[first], X[first]))
        return TopK(ends)

    def distinct(self) -> tuple[IntArray, Any]:
        """Return the ascending indices of the extreme samples, and the samples, each once."""
        _, indices, X = map(_stacked, *self.ends)
        numbers, first = np.unique(indices, return_index=True)
        return numbers, X[first]


class ExtremeSamples:
    """A search for the samples farthest from the centre of a subsample, or in the worst feature."""

    def __init__(self, reference: Any) -> None:
        ones = np.ones(reference.shape[0])
        self.middle = centre(reference, ones)
        self.inverse: FloatArray | None = None
        if not sparse.issparse(reference):
            scales = scales_of(np.asarray(reference, dtype=float) - self.middle, ones)
            self.inverse = 1.0 / np.where(scales > 0, scales, 1.0)[:, None]

    def rows(self, X: Any, offset: int = 0) -> TopK:
        """Return the extreme samples of X, whose first row has the index ``offset`` among all."""
        if self.inverse is None:
            far = distances_from(X, self.middle)[None]
        else:
            far = by_blocks(self._sizes, X, (2,))
        ends = [(sizes, _largest(sizes, policy().extreme_rows)) for sizes in far]
        return TopK([(sizes[end], offset + end, X[end]) for sizes, end in ends])

    def _sizes(self, X: Any) -> list[FloatArray]:
        """Return the distances from the centre, and those of the worst feature."""
        rows = np.array(X.T, dtype=float, order="C")  # reduced along its first axis
        rows -= self.middle[:, None]
        distances = np.sqrt(np.einsum("ij,ij->j", rows, rows))
        rows *= self.inverse
        return [distances, np.abs(rows, out=rows).max(axis=0)]


def outlyingness_filter(
    reference: Any, sample: IntArray, top: TopK, n_rows: int
) -> OutlyingnessFilter:
    """Fit a filter of feature outliers to a subsample and the extreme samples of all ``n_rows``.

    ``sample`` holds the ascending indices of the subsample ``reference`` among all samples.
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
    return OutlyingnessFilter(found.screen_model, rows[order], found.outlyingness[order])


def _largest(sizes: FloatArray, count: int) -> IntArray:
    """Return the ascending positions of the largest values; of equal values the first."""
    if len(sizes) <= count:
        return np.arange(len(sizes))
    edge = np.partition(sizes, len(sizes) - count)[len(sizes) - count]
    beyond = np.flatnonzero(sizes > edge)
    tied = np.flatnonzero(sizes == edge)[: count - len(beyond)]
    return np.sort(np.concatenate([beyond, tied]))


def _stacked(*parts: Any) -> Any:
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)
