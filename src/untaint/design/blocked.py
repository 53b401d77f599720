r"""Products with the feature matrix of all samples, block by block.

With :math:`\Phi` the features, and a column of ones for an intercept, the solvers need

* :math:`\Phi c`, the values of a function at the samples;
* :math:`\Phi^T u`, and both in one pass, for u may be a function of the values;
* :math:`\Phi^T W \Phi` over some samples or all.

The features of a block are computed when it is processed, and cached for later passes as far as the
memory plan allows. With features in single precision, sums are single within a block and double
across blocks; sums of products are double throughout.

Each block is processed by one thread, with single-threaded BLAS, and sums are accumulated in the
order of the blocks: the result is the same to the last bit for any number of threads, and a busy
core delays the others by at most one block.

The rows may be a part of a larger data set. Blocks begin at multiples of the block size among all
rows, and an incomplete block is padded, so that the values of a row are the same to the last bit
whichever part it belongs to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any, TypeVar, final

import numpy as np

from .._progress import report_step
from .._threads import available_cores, single_threaded_blas
from .._typing import FloatArray, IntArray
from ..feature_maps.base import FeatureMap
from .memory_plan import Plan

#: Maps the rows of a block and their values Phi c to u, of the same shape.
Slopes = Callable[[slice, FloatArray], FloatArray]

T = TypeVar("T")
# Finished blocks that may wait to be summed, per thread.
MAX_PENDING = 2
# Results of blocks that are summed at a time.
MAX_TERMS = 32
# Values beyond have sums of squares that overflow single precision, so they are rescaled.
MAX_SINGLE = 1e15
# Rows whose features are squared at a time.
SQUARED_ROWS = 1_000


def _added(terms: Sequence[T]) -> T:
    return reduce(add, terms)


@final
class BlockedFeatures:
    """The feature matrix Phi of X, computed block by block and cached in part.

    With ``fit_intercept`` the last column of Phi is a column of ones. ``n_threads=None`` means all
    cores, and ``offset`` is the number of rows before these in a larger data set. ``on_progress``
    is called after each block of a pass with the numbers of rows done and of all rows.
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
        self.map, self.X, self.n_rows = feature_map, X, X.shape[0]
        self.fit_intercept, self.plan = fit_intercept, plan
        self.n_threads = n_threads or available_cores()
        self.on_progress: Callable[[int, int], None] | None = None
        # Rows of the first block that belong to another part of the data.
        self._skipped = offset % plan.block_rows
        # Only whole blocks are cached.
        self._kept_blocks = plan.kept_rows // plan.block_rows
        if plan.kept_rows >= self.n_rows:
            self._kept_blocks = -(-(self._skipped + self.n_rows) // plan.block_rows)
        self._kept: FloatArray | None = None
        self._known = np.zeros(self._kept_blocks, dtype=bool)

    @property
    def width(self) -> int:
        """The number of columns of Phi, the column of ones included."""
        return self.map.width + int(self.fit_intercept)

    @property
    def penalised(self) -> FloatArray:
        """A vector of one for each penalised column, and zero for the column of ones."""
        return np.append(np.ones(self.map.width), [0.0] * self.fit_intercept)

    def values(self, coef: FloatArray) -> FloatArray:
        """Return Phi c, of shape (n, k)."""
        return self._filled(np.empty((self.n_rows, coef.shape[1])), coef, lambda values: values)

    def squared_sizes(self, coef: FloatArray) -> FloatArray:
        """Return the squared norm of each row of Phi c, without storing the matrix."""
        return self._filled(np.empty(self.n_rows), coef, lambda v: np.einsum("ij,ij->i", v, v))

    def rmatvec(self, slopes: FloatArray) -> FloatArray:
        """Return Phi^T u, of shape (p, k)."""
        return self._whitened_sums(lambda rows, block: block.rmatvec(slopes[rows]), slopes.shape[1])

    def matvec_rmatvec(self, coef: FloatArray, slopes: Slopes) -> tuple[FloatArray, FloatArray]:
        """Return Phi c, and Phi^T u for slopes u of these values, in one pass."""
        out, evaluate = np.empty((self.n_rows, coef.shape[1])), self._evaluator(coef)

        def work(rows: slice, block: _Block) -> FloatArray:
            out[rows] = values = evaluate(block)
            return block.rmatvec(slopes(rows, values))

        return out, self._whitened_sums(work, coef.shape[1])

    def map_reduce(
        self,
        coef: FloatArray,
        block_function: Callable[[slice, FloatArray, _Block], T],
        summed: Callable[[Sequence[T]], T] = _added,
    ) -> T:
        """Return the sum over blocks of a function of their rows, values Phi c and features."""
        evaluate, waiting = self._evaluator(coef), list[T]()
        for part in self._pass(lambda rows, block: block_function(rows, evaluate(block), block)):
            waiting.append(part)
            if len(waiting) > MAX_TERMS:
                waiting = [summed(waiting)]
        return summed(waiting)

    def squares(self, weights: FloatArray) -> FloatArray:
        """Return the weighted sums of squared raw features, for each column of weights."""
        parts = self._pass(lambda rows, block: block.squares(weights[rows]))
        total = sum(parts, np.zeros((self.map.raw_width + 1, weights.shape[1])))
        return total if self.fit_intercept else total[:-1]

    @property
    def of_columns(self) -> bool:
        """Whether the features are the columns of X."""
        return not self.map.cacheable and self.map.whitening is None

    def whiten_sums(self, sums: FloatArray) -> FloatArray:
        """Return Phi^T u from sums of raw features, whose last row belongs to the ones."""
        inner = self.map.whiten_gradient(sums[:-1])
        return np.vstack([inner, sums[-1:]]) if self.fit_intercept else inner

    def whiten_gram(self, gram: FloatArray) -> FloatArray:
        """Return Phi^T W Phi from sums of raw products, whose last column belongs to the ones."""
        whitening = self.map.whitening
        if whitening is not None:
            whole = np.zeros((len(gram), whitening.shape[1] + 1))
            whole[:-1, :-1], whole[-1, -1] = whitening, 1.0
            gram = whole.T @ gram @ whole
        return gram if self.fit_intercept else gram[:-1, :-1]

    def gram(self, weights: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Return Phi^T W Phi over all samples, or over ``rows`` with as many weights."""
        whitening, M = self.map.whitening, self._whitening_first()
        if rows is not None and whitening is not None and len(rows) < self.map.width:
            return self._gram_of_few(weights, rows)
        width = self.map.raw_width if M is None else self.map.width
        G, s = np.zeros((width, width)), np.zeros(width)

        def work(part: slice, whole: _Block) -> tuple[FloatArray, FloatArray] | None:
            w, block = weights[part], whole.own
            if (w == 0).all():
                return None
            if whitening is not None:
                # Whitening amplifies small directions, and with them the errors of single sums.
                block = block.astype(np.float64, copy=False)
            if M is not None:
                block = block @ M
            w = w.astype(block.dtype, copy=False)
            return _weighted_square(block, w), block.T @ w

        for sums in self._pass(work, rows):
            if sums is not None:
                G += sums[0]
                s += sums[1]
        if M is None and whitening is not None:
            G, s = whitening.T @ G @ whitening, whitening.T @ s
        # The column of ones has the sums s and the total weight.
        return np.block([[G, s[:, None]], [s, weights.sum()]]) if self.fit_intercept else G

    def fill(self) -> None:
        """Compute the features that are to be cached."""
        deque(self._pass(lambda rows, block: None), maxlen=0)

    @property
    def n_bytes(self) -> int:
        """The memory of the cached features, in bytes."""
        return 0 if self._kept is None else int(self._kept.nbytes)

    def _whitening_first(self) -> FloatArray | None:
        """Return M if features are whitened before they are summed, None if sums are whitened.

        Whitening first is more work unless it reduces the number of features by half. It avoids
        squaring small directions, which matter where features are in double precision.
        """
        few = 2 * self.map.width < self.map.raw_width
        return self.map.whitening if few or self.map.dtype == np.float64 else None

    def _gram_of_few(self, weights: FloatArray, rows: IntArray) -> FloatArray:
        """Return Phi^T W Phi over few rows, whose features are whitened before they are summed."""
        assert self.map.whitening is not None
        whitened = self._raw_of(rows).astype(np.float64) @ self.map.whitening
        if self.fit_intercept:
            whitened = np.column_stack([whitened, np.ones(len(rows))])
        return whitened.T @ (whitened * weights[:, None])

    def _evaluator(self, coef: FloatArray) -> Callable[[_Block], FloatArray]:
        """Return the function that gives the values Phi c of a block, in double precision."""
        shift = coef[-1] if self.fit_intercept else np.zeros(coef.shape[1])
        inner = coef[:-1] if self.fit_intercept else coef
        raw_coef, unit = _in_range(self.map.unwhiten_coef(inner), self.map.dtype)
        return lambda block: _times(unit, block.times(raw_coef)) + shift

    def _filled(
        self, out: FloatArray, coef: FloatArray, function: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Fill an array with a function of the values Phi c of each block."""
        evaluate = self._evaluator(coef)

        def work(rows: slice, block: _Block) -> None:
            out[rows] = function(evaluate(block))

        deque(self._pass(work), maxlen=0)
        return out

    def _whitened_sums(
        self, work: Callable[[slice, _Block], FloatArray], n_outputs: int
    ) -> FloatArray:
        """Return Phi^T u, with ``work`` giving B^T u and the sum of u for each block B."""
        none = np.zeros((self.map.raw_width + 1, n_outputs))
        return self.whiten_sums(sum(self._pass(work), none))

    def _pass(
        self, work: Callable[[slice, _Block], T], rows: IntArray | None = None
    ) -> Iterator[T]:
        """Yield the results of ``work`` for each block in order, of all rows or of ``rows``."""
        total = self.n_rows if rows is None else len(rows)
        skipped = self._skipped if rows is None else 0
        parts = [
            slice(max(start, 0), min(start + self.plan.block_rows, total))
            for start in range(-skipped, total, self.plan.block_rows)
        ]

        def task(part: slice) -> T:
            block = self._block(part) if rows is None else _Block(self._raw_of(rows[part]))
            return work(part, block)

        if rows is None and self._kept_blocks:
            self._cache()  # allocated before several threads use it
        with single_threaded_blas():
            for part, result in zip(parts, self._in_order(task, parts), strict=True):
                yield result
                (self.on_progress or report_step)(part.stop, total)

    def _in_order(self, task: Callable[[slice], T], parts: list[slice]) -> Iterator[T]:
        """Yield the results of a task in the order of the parts, computed by several threads."""
        n_threads = min(self.n_threads, len(parts))
        if n_threads <= 1:
            yield from map(task, parts)
            return
        waiting: deque[Future[T]] = deque()
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                for part in parts:
                    waiting.append(pool.submit(task, part))
                    if len(waiting) > MAX_PENDING * n_threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _block(self, rows: slice) -> _Block:
        """Return the block of these rows, from the cache where it is kept."""
        size = self.plan.block_rows
        number, first = divmod(self._skipped + rows.start, size)
        own = slice(first, first + rows.stop - rows.start)
        if number >= self._kept_blocks:
            return _Block(self.map.raw(_padded(self.X[rows], own, size)), own)
        kept = self._cache()[number * size : (number + 1) * size]
        if not self._known[number]:
            self.map.raw_into(_padded(self.X[rows], own, size), kept)
            self._known[number] = True
        return _Block(kept, own)

    def _cache(self) -> FloatArray:
        if self._kept is None:
            count = self._kept_blocks * self.plan.block_rows
            self._kept = np.empty((count, self.map.raw_width), dtype=self.map.dtype)
        return self._kept

    def _raw_of(self, rows: IntArray) -> FloatArray:
        """Return the raw features of some rows, from the cache if it has all of them."""
        places = self._skipped + rows
        numbers = places // self.plan.block_rows
        if len(rows) and int(numbers.max()) < self._kept_blocks and self._known[numbers].all():
            return self._cache()[places]
        return self.map.raw(self.X[rows])


@final
class _Block:
    """The raw features of a whole block, some of whose rows may be padding."""

    def __init__(self, raw: FloatArray, own: slice | None = None) -> None:
        self.raw = raw
        self._slice = slice(0, len(raw)) if own is None else own

    @property
    def own(self) -> FloatArray:
        """The raw features without padding."""
        return self.raw[self._slice]

    def times(self, coef: FloatArray) -> FloatArray:
        """Return B c, without padding."""
        return np.asarray(self.raw @ coef)[self._slice]

    def rmatvec(self, slopes: FloatArray) -> FloatArray:
        """Return B^T u, and the sum of u in the last row, in double precision."""
        scaled, unit = _in_range(slopes, self.raw.dtype)
        sums = [_times(unit, self.own.T @ scaled), slopes.sum(axis=0, keepdims=True)]
        return np.vstack(sums).astype(np.float64, copy=False)

    def squares(self, weights: FloatArray) -> FloatArray:
        """Return the weighted sums of squares, that of the column of ones last."""
        inner = np.zeros((self.raw.shape[1], weights.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(weights), SQUARED_ROWS):  # squares stay in the cache
                rows = slice(start, start + SQUARED_ROWS)
                own = self.own[rows].astype(np.float64, copy=False)
                inner += (own * own).T @ weights[rows]
        return np.vstack([np.nan_to_num(inner), weights.sum(axis=0)])

    def gram(self, weights: FloatArray) -> FloatArray:
        """Return B^T W B in double precision, with a column of ones."""
        if not weights.any():  # an infinite square times zero would be NaN
            return np.zeros((self.raw.shape[1] + 1,) * 2)
        own = self.own.astype(np.float64, copy=False)
        gram = np.empty((own.shape[1] + 1,) * 2)
        gram[:-1, :-1] = _weighted_square(own, weights)
        gram[-1, :-1] = gram[:-1, -1] = _inner(own, weights)
        gram[-1, -1] = weights.sum()
        return gram


def _padded(X: Any, own: slice, size: int) -> Any:
    """Return a C-contiguous block with the rows of X in place, padded with copies of one."""
    if isinstance(X, np.ndarray):
        X = np.ascontiguousarray(X)  # matrix products round differently in another layout
    if X.shape[0] == size or not X.shape[0]:
        return X
    places = np.clip(np.arange(size) - own.start, 0, X.shape[0] - 1)
    return X[places]


def _in_range(values: FloatArray, dtype: Any) -> tuple[FloatArray, float]:
    """Return the values in a unit and dtype, and the unit, which is 1 unless float32 overflows."""
    unit = float(np.abs(values).max(initial=0.0)) if dtype == np.float32 else 1.0
    if not 0.0 < unit < np.inf or 1.0 / MAX_SINGLE < unit < MAX_SINGLE:
        unit = 1.0
    return (values if unit == 1.0 else values / unit).astype(dtype, copy=False), unit


def _weighted_square(block: FloatArray, weights: FloatArray) -> FloatArray:
    """Return B^T W B, by the product of one matrix with its own transpose where possible."""
    if (weights < 0).any():
        return block.T @ (block * weights[:, None])
    inside = weights > 0
    first = float(weights[inside.argmax()])
    equal = bool((weights[inside] == first).all())
    # An infinite value times zero would be NaN, and rows of weight zero are not worth a product.
    few = 2 * np.count_nonzero(inside) < len(weights)
    if not inside.all() and (equal or few or not np.isfinite(block).all()):
        block, weights = np.compress(inside, block, axis=0), weights[inside]
    if equal:
        return first * (block.T @ block)
    scaled = block * np.sqrt(weights)[:, None]
    return scaled.T @ scaled


def _inner(block: FloatArray, weights: FloatArray) -> FloatArray:
    """Return B^T w; infinite values of weight zero count as zero."""
    with np.errstate(invalid="ignore"):
        inner = block.T @ weights
    if np.isfinite(inner).all():
        return inner
    inside = weights != 0
    return np.compress(inside, block, axis=0).T @ weights[inside]


def _times(unit: float, values: FloatArray) -> FloatArray:
    """Return unit * values, in double precision unless the unit is 1."""
    return values if unit == 1.0 else unit * values.astype(np.float64)
