r"""Sums and products with the features of all rows, block by block.

With :math:`\Phi` the features, and a column of ones for an intercept, what solvers need is

* :math:`\Phi c`, the values of a function at the rows;
* :math:`\Phi^T u`, and both in one pass, for u may be a function of the values;
* :math:`\Phi^T W \Phi` over some rows or all.

Features are made from the rows when a block of them is due, and kept for later passes as far as the
plan has room for them. Sums of single features are single within a block and double across blocks,
but for sums of products, which are double throughout.

Each block is worked off by one thread, with BLAS kept to one thread too, and sums are taken in the
order of the blocks: the result is the same to the last bit for any number of threads, and a core
that is busy with something else delays the others by no more than one block.

Rows may be a part of more rows. Blocks begin at whole multiples of their size among all rows, and
one that is cut short is filled up, so that the values of a row are the same to the last bit
whichever part it came in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any, TypeVar, final

import numpy as np

from .._threads import available_cores, single_threaded_blas
from .._typing import FloatArray, IntArray
from ..feature_maps.base import FeatureMap
from .memory_plan import Plan

#: From the rows of a block and their values to what is pulled back, row by row.
Slopes = Callable[[slice, FloatArray], FloatArray]
OnProgress = Callable[[int, int], None]

T = TypeVar("T")
# Blocks that wait for their turn to be summed, for each thread.
AHEAD = 2
# Numbers beyond have squares, or sums of many, that single precision does not hold.
LARGEST_SINGLE = 1e15


def _no_progress(done: int, total: int) -> None:
    """Say nothing."""


@final
class BlockedFeatures:
    """Features of rows, as they are needed.

    Parameters
    ----------
    feature_map : FeatureMap
    X : array or CSR of shape (n, d)
    fit_intercept : bool
        Whether a column of ones comes last.
    plan : Plan
    n_threads : int, optional
        None means all cores.
    offset : int
        How many rows there are before these, if they are a part of more.

    Attributes
    ----------
    on_progress : callable
        Told after each block of a pass how many rows of how many are done.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.feature_maps import IdentityMap, Plan
    >>> X = np.array([[1.0], [2.0], [4.0]])
    >>> features = BlockedFeatures(IdentityMap(np.zeros(1)), X, True, Plan(2, 0))
    >>> features.gram(np.ones(3))
    array([[21.,  7.],
           [ 7.,  3.]])
    >>> features.values(np.array([[2.0], [1.0]])).ravel()
    array([3., 5., 9.])
    """

    def __init__(
        self,
        feature_map: FeatureMap,
        X: Any,
        fit_intercept: bool,
        plan: Plan,
        n_threads: int | None = None,
        offset: int = 0,
    ) -> None:
        self.map = feature_map
        self.X = X
        self.fit_intercept = fit_intercept
        self.plan = plan
        self.n_threads = n_threads or available_cores()
        self.on_progress: OnProgress = _no_progress
        self.n_rows = X.shape[0]
        # Rows of the first block that belong to somebody else.
        self._skipped = offset % plan.block_rows
        # Only whole blocks are kept.
        self._kept_blocks = plan.kept_rows // plan.block_rows
        if plan.kept_rows >= self.n_rows:
            self._kept_blocks = -(-(self._skipped + self.n_rows) // plan.block_rows)
        self._kept: FloatArray | None = None
        self._known = np.zeros(self._kept_blocks, dtype=bool)

    @property
    def width(self) -> int:
        """Columns, that of ones included."""
        return self.map.width + int(self.fit_intercept)

    @property
    def penalised(self) -> FloatArray:
        """One for each column that a ridge shrinks, zero for that of ones."""
        ones = np.ones(self.width)
        if self.fit_intercept:
            ones[-1] = 0.0
        return ones

    def values(self, coef: FloatArray) -> FloatArray:
        """Phi c, of shape (n, k)."""
        out = np.empty((self.n_rows, coef.shape[1]))
        raw_coef, unit, shift = self._unwhitened(coef)

        def work(rows: slice, block: _Block) -> None:
            out[rows] = _times(unit, block.times(raw_coef)) + shift

        for _ in self._pass(work):
            pass
        return out

    def rmatvec(self, slopes: FloatArray) -> FloatArray:
        """Phi^T u, of shape (p, k)."""
        return self._whitened_sums(lambda rows, block: block.rmatvec(slopes[rows]), slopes.shape[1])

    def matvec_rmatvec(self, coef: FloatArray, slopes: Slopes) -> tuple[FloatArray, FloatArray]:
        """Values of a function, and Phi^T u for slopes u of these values, in one pass."""
        out = np.empty((self.n_rows, coef.shape[1]))
        raw_coef, unit, shift = self._unwhitened(coef)

        def work(rows: slice, block: _Block) -> tuple[FloatArray, FloatArray]:
            values = _times(unit, block.times(raw_coef)) + shift
            out[rows] = values
            return block.rmatvec(slopes(rows, values))

        return out, self._whitened_sums(work, coef.shape[1])

    def map_reduce(
        self, coef: FloatArray, block_function: Callable[[slice, FloatArray, _Block], T]
    ) -> T:
        """Return the sum over blocks of a function of their rows, values there and features.

        Parameters
        ----------
        coef : array of shape (p, k)
            Coefficients whose values Phi c are computed.
        block_function : callable (rows, values, block) -> T
            Its results add up.
        """
        raw_coef, unit, shift = self._unwhitened(coef)

        def work(rows: slice, block: _Block) -> Any:
            return block_function(rows, _times(unit, block.times(raw_coef)) + shift, block)

        return reduce(add, self._pass(work))

    def squares(self, weights: FloatArray) -> FloatArray:
        """Weighted sums of the squares of columns, for each column of weights."""
        total = np.zeros((self.map.raw_width + 1, weights.shape[1]))
        for part in self._pass(lambda rows, block: block.squares(weights[rows])):
            total += part
        return total if self.fit_intercept else total[:-1]

    @property
    def of_columns(self) -> bool:
        """Whether features are the rows' own columns."""
        return self.map.cheap and self.map.whitening is None

    def whiten_sums(self, sums: FloatArray) -> FloatArray:
        """Phi^T u, from raw sums with those of ones below."""
        inner = self.map.whiten_gradient(sums[:-1])
        return np.vstack([inner, sums[-1:]]) if self.fit_intercept else inner

    def whiten_gram(self, gram: FloatArray) -> FloatArray:
        """Phi^T W Phi, from raw sums with those of ones beside."""
        whitening = self.map.whitening
        if whitening is not None:
            whole = np.zeros((len(gram), whitening.shape[1] + 1))
            whole[:-1, :-1], whole[-1, -1] = whitening, 1.0
            gram = whole.T @ gram @ whole
        return gram if self.fit_intercept else gram[:-1, :-1]

    def squared_sizes(self, coef: FloatArray) -> FloatArray:
        """Sum of the squares of each row of Phi c, without the matrix."""
        out = np.empty(self.n_rows)
        raw_coef, unit, shift = self._unwhitened(coef)

        def work(rows: slice, block: _Block) -> None:
            values = _times(unit, block.times(raw_coef)) + shift
            out[rows] = np.einsum("ij,ij->i", values, values)

        for _ in self._pass(work):
            pass
        return out

    def gram(self, weights: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Phi^T W Phi over all rows, or over some with as many weights."""
        if rows is not None and self.map.whitening is not None and len(rows) < self.map.width:
            return self._gram_of_few(weights, rows)
        M = self._whitening_first()
        width = self.map.raw_width if M is None else self.map.width
        G, s = np.zeros((width, width)), np.zeros(width)

        def work(part: slice, whole: _Block) -> tuple[FloatArray, FloatArray] | None:
            w, block = weights[part], whole.own
            if (w == 0).all():
                return None
            if self.map.whitening is not None:
                # Mixing magnifies small directions, and with them what single sums round away.
                block = block.astype(np.float64, copy=False)
            if M is not None:
                block = block @ M
            w = w.astype(block.dtype, copy=False)
            return _weighted_square(block, w), block.T @ w

        for sums in self._pass(work, rows):
            if sums is not None:
                G += sums[0]
                s += sums[1]
        if M is None and self.map.whitening is not None:
            G, s = self.map.whitening.T @ G @ self.map.whitening, self.map.whitening.T @ s
        return self._bordered(G, s, float(weights.sum()))

    def fill(self) -> None:
        """Make the features that are to be kept."""
        for _ in self._pass(lambda rows, block: None):
            pass

    @property
    def n_bytes(self) -> int:
        """Memory that kept features take."""
        return 0 if self._kept is None else int(self._kept.nbytes)

    def _whitening_first(self) -> FloatArray | None:
        """M, if features are to be mixed row by row and not in their sums.

        That is more work unless few of them are left. But sums square what is small, and features
        in double precision are asked for where small directions matter.
        """
        few = 2 * self.map.width < self.map.raw_width
        return self.map.whitening if few or self.map.dtype == np.float64 else None

    def _gram_of_few(self, weights: FloatArray, rows: IntArray) -> FloatArray:
        """The same, by mixing the rows' features and not their sums."""
        assert self.map.whitening is not None
        mixed = self._raw_of(rows).astype(np.float64) @ self.map.whitening
        if self.fit_intercept:
            mixed = np.column_stack([mixed, np.ones(len(rows))])
        return mixed.T @ (mixed * weights[:, None])

    def _bordered(self, G: FloatArray, s: FloatArray, total: float) -> FloatArray:
        """With the column of ones, if there is one."""
        if not self.fit_intercept:
            return G
        out = np.empty((len(s) + 1, len(s) + 1))
        out[:-1, :-1], out[-1, :-1], out[:-1, -1], out[-1, -1] = G, s, s, total
        return out

    def _unwhitened(self, coef: FloatArray) -> tuple[FloatArray, float, FloatArray]:
        """Coefficients of the raw features in some unit, and what is added to every value."""
        k = coef.shape[1]
        shift = coef[-1] if self.fit_intercept else np.zeros(k)
        inner = coef[:-1] if self.fit_intercept else coef
        return *_in_range(self.map.unwhiten_coef(inner), self.map.dtype), shift

    def _whitened_sums(
        self, work: Callable[[slice, _Block], tuple[FloatArray, FloatArray]], n_outputs: int
    ) -> FloatArray:
        """Sums over blocks of what is pulled back to the features, and to the column of ones."""
        block_sums = np.zeros((self.map.raw_width + 1, n_outputs))
        for part, ones in self._pass(work):
            block_sums[:-1] += part
            block_sums[-1:] += ones
        return self.whiten_sums(block_sums)

    def _pass(
        self, work: Callable[[slice, _Block], T], rows: IntArray | None = None
    ) -> Iterator[T]:
        """What some work makes of each block, in their order; of all rows, or of some."""
        total = self.n_rows if rows is None else len(rows)
        skipped = self._skipped if rows is None else 0
        parts = [
            slice(max(start, 0), min(start + self.plan.block_rows, total))
            for start in range(-skipped, total, self.plan.block_rows)
        ]

        def task(part: slice) -> T:
            if rows is not None:
                return work(part, _Block(self._raw_of(rows[part])))
            return work(part, self._block(part))

        if rows is None and self._kept_blocks:
            self._room()  # before several threads ask for it
        with single_threaded_blas():
            for part, result in zip(parts, self._in_order(task, parts), strict=True):
                yield result
                self.on_progress(part.stop, total)

    def _in_order(self, task: Callable[[slice], T], parts: list[slice]) -> Iterator[T]:
        n_threads = min(self.n_threads, len(parts))
        if n_threads <= 1:
            yield from map(task, parts)
            return
        waiting: deque[Future[T]] = deque()
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                for part in parts:
                    waiting.append(pool.submit(task, part))
                    if len(waiting) > AHEAD * n_threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _block(self, rows: slice) -> _Block:
        size = self.plan.block_rows
        number, first = divmod(self._skipped + rows.start, size)
        own = slice(first, first + rows.stop - rows.start)
        if number >= self._kept_blocks:
            return _Block(self.map.raw(_filled(self.X[rows], own, size)), own)
        kept = self._room()[number * size : (number + 1) * size]
        if not self._known[number]:
            kept[:] = self.map.raw(_filled(self.X[rows], own, size))
            self._known[number] = True
        return _Block(kept, own)

    def _room(self) -> FloatArray:
        if self._kept is None:
            count = self._kept_blocks * self.plan.block_rows
            self._kept = np.empty((count, self.map.raw_width), dtype=self.map.dtype)
        return self._kept

    def _raw_of(self, rows: IntArray) -> FloatArray:
        places = self._skipped + rows
        numbers = places // self.plan.block_rows
        if len(rows) and int(numbers.max()) < self._kept_blocks and self._known[numbers].all():
            return self._room()[places]
        return self.map.raw(self.X[rows])


@final
class _Block:
    """Raw features of a whole block, of whose rows some may be there to fill it up."""

    def __init__(self, raw: FloatArray, own: slice | None = None) -> None:
        self.raw = raw
        self._slice = slice(0, len(raw)) if own is None else own

    @property
    def own(self) -> FloatArray:
        """Features of the rows proper."""
        return self.raw[self._slice]

    def times(self, coef: FloatArray) -> FloatArray:
        """B c, of the rows proper."""
        return np.asarray(self.raw @ coef)[self._slice]

    def rmatvec(self, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """B^T u, and the sum of u."""
        ready, unit = _in_range(slopes, self.raw.dtype)
        return _times(unit, self.own.T @ ready), slopes.sum(axis=0, keepdims=True)

    def squares(self, weights: FloatArray) -> FloatArray:
        """Sums of weighted squares, that of ones last."""
        own = self.own.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            inner = (own * own).T @ weights
        return np.vstack([np.nan_to_num(inner), weights.sum(axis=0)])

    def gram(self, weights: FloatArray) -> FloatArray:
        """B^T W B in double precision, with a column of ones."""
        if not weights.any():  # a square beyond all bounds times zero is not a number
            return np.zeros((self.raw.shape[1] + 1,) * 2)
        block = np.column_stack([self.own.astype(np.float64), np.ones(len(weights))])
        return _weighted_square(block, weights)


def _filled(X: Any, own: slice, size: int) -> Any:
    """Rows at their places in a block, the rest filled up with one of them.

    In the order of C: products round otherwise in another.
    """
    if isinstance(X, np.ndarray):
        X = np.ascontiguousarray(X)
    if X.shape[0] == size or not X.shape[0]:
        return X
    places = np.clip(np.arange(size) - own.start, 0, X.shape[0] - 1)
    return X[places]


def _in_range(values: FloatArray, dtype: Any) -> tuple[FloatArray, float]:
    """Numbers of this type, and the unit that they are in: one, unless single ones give way."""
    unit = 1.0
    if dtype == np.float32 and values.size:
        largest = float(np.abs(values).max())
        unit = largest if not 1.0 / LARGEST_SINGLE < largest < LARGEST_SINGLE else 1.0
        unit = unit if 0.0 < unit < np.inf else 1.0
    return (values if unit == 1.0 else values / unit).astype(dtype, copy=False), unit


def _weighted_square(block: FloatArray, weights: FloatArray) -> FloatArray:
    """B^T W B; a matrix times its own transpose is half of the work."""
    if (weights == weights[0]).all():
        return float(weights[0]) * (block.T @ block)
    if (weights >= 0).all():
        inside = weights > 0
        if np.count_nonzero(inside) < 0.9 * len(weights):
            block, weights = block[inside], weights[inside]
        scaled = block * np.sqrt(weights)[:, None]
        return scaled.T @ scaled
    return block.T @ (block * weights[:, None])


def _times(unit: float, values: FloatArray) -> FloatArray:
    """Back in the unit of one, which may be beyond single precision."""
    return values if unit == 1.0 else unit * values.astype(np.float64)
