"""Validated rows of a Dask collection, in partitions of a suitable size.

Small chunks are joined and large ones are cut, so that a task outweighs its scheduling and fits
into a worker. Partitions begin and end between blocks, which are counted from the first of all
rows: sums over a block are the same to the last bit for any chunks.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, final

import numpy as np
from dask.delayed import Delayed

from .._policy import policy
from .._typing import FloatArray, IntArray
from .._validation import check_chunk
from ..design.subsample import draw_evenly, places_of
from ..weighting.base import unit_weight
from . import partitions as work
from .partitions import Description, Labels
from .scheduler import Scheduler, mapped, shared
from .source import Source

# Largest partition, in rows and in bytes.
MAX_ROWS = 400_000
MAX_BYTES = 256_000_000
# Part of the workers' memory that rows and features may take.
MEMORY_PART = 0.4

#: Partitions of the rows, and the number of rows before each.
Layout = list[tuple[Delayed, int]]


@final
class PartitionedSource:
    """The validated rows of a source, in its chunks (``checked``) and in partitions for passes.

    ``labelled`` says whether targets are labels, and ``persist`` whether rows and features stay in
    the cluster's memory: True, False, or "auto" to keep what fits.
    """

    def __init__(self, source: Source, scheduler: Scheduler, labelled: bool, persist: Any) -> None:
        self.source, self.scheduler = source, scheduler
        self.labels: Labels | None = None
        self._layouts: dict[int, Layout] = {}
        self._labelled, self._persist = labelled, persist
        self._kept = source.sizes is not None and self._fits(sum(source.sizes))
        scheduler.recompute = self.recompute
        self.checked = self._check()
        tasks = partial(self._mapped_partitions, "description", work.describe, labelled)
        self.about: Description = scheduler.reduce("description", tasks)
        if not self._kept and self._fits(self.n_rows):
            self._kept = True
            self.checked = self._check()
        statistics = scheduler.statistics
        statistics.n_chunks, statistics.n_rows = len(source.chunks), self.n_rows
        statistics.kept = "rows" if self._kept else "nothing"

    @property
    def n_rows(self) -> int:
        """The number of all rows of positive weight."""
        return sum(self.about.sizes)

    @property
    def chunk_offsets(self) -> IntArray:
        """The number of rows before each chunk of the source."""
        return np.concatenate([[0], np.cumsum(self.about.sizes)[:-1]]).astype(np.intp)

    def laid_out(self, block_rows: int) -> Layout:
        """Return partitions of a suitable size, whose blocks are those of one machine.

        Where a chunk ends within a block, the rest of the block's rows are moved to its partition.
        """
        if block_rows not in self._layouts:
            cuts = self._cuts(block_rows)
            starts = [*self.chunk_offsets.tolist(), self.n_rows]
            parts = [self._partition(*ends, starts) for ends in pairwise(cuts)]
            as_given = {part.key for part in self.checked}
            if self._kept and any(part.key not in as_given for part in parts):
                parts = self.scheduler.persist("layout", parts)
            self._layouts[block_rows] = list(zip(parts, cuts[:-1], strict=True))
        return self._layouts[block_rows]

    def _partition(self, first: int, last: int, starts: list[int]) -> Delayed:
        """Return the rows of a range, which may be part of a chunk or of several."""
        low = int(np.searchsorted(starts, first, side="right")) - 1
        high = int(np.searchsorted(starts, last, side="left"))
        pieces = [
            self._piece(i, max(first - starts[i], 0), min(last, starts[i + 1]) - starts[i])
            for i in range(low, high)
            if self.about.sizes[i]
        ]
        return pieces[0] if len(pieces) == 1 else mapped("join", work.join, [(pieces,)])[0]

    def _piece(self, chunk: int, first: int, last: int) -> Delayed:
        """Return a range of the rows of a chunk."""
        if (first, last) == (0, self.about.sizes[chunk]):
            return self.checked[chunk]
        return mapped("cut", work.piece, [(self.checked[chunk], first, last)])[0]

    def recompute(self) -> None:
        """Read the source again, after the cluster has lost the rows it kept."""
        self.checked = self._check()
        self._layouts = {}

    def release(self) -> None:
        """Let the cluster free the rows at once, without waiting for garbage collection."""
        self.scheduler.recompute = None
        self.checked, self._layouts = [], {}

    def may_keep(self, row_bytes: int) -> bool:
        """Return whether additional bytes for each row may stay in the cluster's memory."""
        return self._kept and self._fits(self.n_rows, row_bytes)

    def sample(self, weights: tuple[float, ...], count: int) -> tuple[IntArray, Any, Any]:
        """Return numbers, rows and targets of a subsample; ``weights`` are those of the chunks."""
        if self.about.least == self.about.most and len(set(self._factors.tolist())) == 1:
            tasks = partial(self._picks, draw_evenly(self.n_rows, count))
        else:
            tasks = partial(self._weighted_picks, weights, places_of(count) * sum(weights))
        return self._gathered("sample", tasks)

    @property
    def unit(self) -> float | None:
        """The common unit of the weights in the fit, None if there is none."""
        about, factors = self.about, self._factors
        if about.least == about.most:
            return unit_weight(about.least * factors)
        return 1.0 if about.whole and (factors == np.floor(factors)).all() else None

    @property
    def _factors(self) -> FloatArray:
        """The factors of the weights of the classes."""
        return np.ones(1) if self.labels is None else self.labels.factors

    def everything(self) -> tuple[Any, Any, FloatArray]:
        """Return all rows, targets and weights, where they are few."""
        return self._gathered("everything", partial(self._mapped_rows, check_chunk))

    def _gathered(self, stage: str, tasks: Callable[[], list[Delayed]]) -> tuple[Any, Any, Any]:
        """Return the three arrays that tasks result in, each concatenated over the tasks."""
        one, two, three = zip(*self.scheduler.gather(stage, tasks), strict=True)
        return np.concatenate(one), np.concatenate(two), np.concatenate(three)

    def _fits(self, n_rows: int, more_bytes: int = 0) -> bool:
        """Return whether rows, with more bytes for each, are to stay in the cluster's memory."""
        if isinstance(self._persist, bool):
            return self._persist
        return n_rows * (self._row_bytes + more_bytes) <= MEMORY_PART * self.scheduler.memory

    @property
    def _row_bytes(self) -> int:
        """The bytes of a row, its target, weight and class."""
        return int(self.source.meta.shape[1]) * self.source.itemsize + 3 * 8

    def _mapped_partitions(self, stage: str, function: Any, argument: Any) -> list[Delayed]:
        """Return the results of a function of the validated rows of each chunk."""
        return mapped(stage, function, [(part, argument) for part in self.checked])

    def _check(self) -> list[Delayed]:
        """Validate the rows of each chunk, and keep them if they are to be kept."""
        checked = self._mapped_rows(work.check)
        return self.scheduler.persist("rows", checked) if self._kept else checked

    def _mapped_rows(self, function: Callable[..., Any]) -> list[Delayed]:
        """Return the results of a function of each chunk of the source, its number and labels."""
        jobs = [(*chunk, number) for number, chunk in enumerate(self.source.chunks)]
        return mapped("rows", partial(function, labels=self._labelled), jobs)

    def _cuts(self, block_rows: int) -> list[int]:
        """Return the ends of partitions: multiples of a block, close to the ends of chunks."""
        most = max(int(min(MAX_ROWS, MAX_BYTES // self._row_bytes)) // block_rows, 1) * block_rows
        fewest = min(policy().partition_rows, most)
        cuts = [0]
        for end in np.cumsum(self.about.sizes).tolist():
            cut = self.n_rows if end == self.n_rows else round(end / block_rows) * block_rows
            while cut - cuts[-1] > most:
                cuts.append(cuts[-1] + most)
            if cut - cuts[-1] >= fewest or (cut == self.n_rows > cuts[-1]):
                cuts.append(cut)
        return cuts

    def _picks(self, rows: IntArray) -> list[Delayed]:
        """Return the rows of these numbers, by chunk."""
        starts = self.chunk_offsets.tolist()
        by_chunk = np.split(rows, np.searchsorted(rows, starts[1:]))
        chunks = zip(self.checked, by_chunk, starts, strict=True)
        jobs = [(part, own - start, start) for part, own, start in chunks if len(own)]
        return mapped("sample", work.pick, jobs)

    def _weighted_picks(self, weights: tuple[float, ...], places: FloatArray) -> list[Delayed]:
        """Return the rows at places of the cumulative weight, by chunk."""
        labels, jobs, before = shared(self.labels, "labels"), [], 0.0
        reached = np.cumsum(weights)
        reached[-1] = np.inf
        for i, after in enumerate(reached):
            own = places[(places >= before) & (places < after)]
            if len(own) and self.about.sizes[i]:
                jobs.append((self.checked[i], labels, before, own, int(self.chunk_offsets[i])))
            before = float(after)
        return mapped("sample", work.pick_weighted, jobs)

    def fit_totals(self) -> tuple[float, ...]:
        """Return the weight of each chunk of the source in the fit."""
        if self.labels is None:
            return self.about.totals
        tasks = partial(self._mapped_partitions, "weights", work.weight_of, self.labels)
        return tuple(self.scheduler.gather("weights", tasks))
