"""Map and reduce over partitions: the only place where Dask computes anything for a fit.

A pass maps a function over partitions and sums its results in a tree whose shape depends only on
their number. Tasks are pure: what is lost with a worker is computed again. Keys begin with
``untaint-`` and the name of the stage, as in ``untaint-gradient-1``, which dashboards and progress
bars show.
"""

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from time import monotonic, perf_counter
from typing import Any, final
from uuid import uuid4

import dask.array as da
import numpy as np
from dask.base import annotate, compute, persist
from dask.delayed import Delayed, delayed
from dask.diagnostics.progress import ProgressBar
from dask.highlevelgraph import HighLevelGraph

from .._validation import memory_bytes

# Results that one task adds up.
FAN_IN = 16
# Seconds without any worker after which a pass fails.
NO_WORKERS = 300.0
# Number of times that a pass is started, if the cluster loses its tasks.
ATTEMPTS = 3
TICK = 1.0


class ClusterError(RuntimeError):
    """The cluster could not finish a pass; the message gives the reason."""


@final
@dataclass
class Statistics:
    """The passes of a fit on the cluster.

    Attributes
    ----------
    stages : list of (str, float, int)
        Name, seconds and bytes of each pass: those sent to each worker, and at most those returned
        by each task. Neither depends on the number of rows of a task, except for the listed losses
        around the threshold, about a thousand of all rows, which are counted for every task.
    kept : str
        What was kept in the cluster's memory between passes: "features", "rows" or "nothing".
    """

    stages: list[tuple[str, float, int]] = field(default_factory=list)
    n_chunks: int = 0
    n_rows: int = 0
    kept: str = "nothing"

    @property
    def passes(self) -> int:
        """The number of passes over all chunks."""
        return len(self.stages)

    @property
    def bytes_per_pass(self) -> int:
        """The largest number of bytes that a pass moved."""
        return max((size for _, _, size in self.stages), default=0)

    @property
    def seconds(self) -> float:
        """The duration of all passes."""
        return sum(seconds for _, seconds, _ in self.stages)


@final
class Scheduler:
    """A runner of passes over partitions, on the active client or Dask's default scheduler."""

    def __init__(self, verbose: int = 0) -> None:
        self.client: Any = None
        with suppress(ImportError, ValueError):
            from distributed import get_client

            self.client = get_client()
        self.verbose, self.statistics = verbose, Statistics()
        #: Called before a pass is started again, to replace lost partitions.
        self.recompute: Callable[[], None] | None = None

    @property
    def n_workers(self) -> int:
        """The current number of workers."""
        return 1 if self.client is None else len(self._workers())

    @property
    def memory(self) -> int:
        """The total memory limit of the workers in bytes; 0 if it is unknown."""
        if self.client is None:
            return memory_bytes("auto")
        limits = [int(worker["memory_limit"] or 0) for worker in self._workers().values()]
        return sum(limits) if limits and all(limits) else 0

    def _workers(self) -> dict[str, Any]:
        """Return the scheduler's information about each worker."""
        return self.client.scheduler_info(n_workers=-1)["workers"]

    def reduce(self, stage: str, tasks: Callable[[], Sequence[Delayed]], sent: Any = None) -> Any:
        """Return the sum of results; lost tasks are made again, ``sent`` goes to each worker."""
        began, count = perf_counter(), 0

        def tree() -> list[Delayed]:
            nonlocal count
            leaves = tasks()
            count = len(leaves)
            return [summed(stage, leaves)]

        result = self._compute(stage, tree)[0]
        self._record(stage, began, sent, result, count)
        return result

    def gather(self, stage: str, tasks: Callable[[], Sequence[Delayed]]) -> list[Any]:
        """Return the results of tasks as a list."""
        began = perf_counter()
        results = self._compute(stage, tasks)
        self._record(stage, began, None, results, 1)
        return results

    def persist(self, stage: str, tasks: Sequence[Delayed]) -> list[Delayed]:
        """Keep the results of tasks in the cluster's memory."""
        with annotate(untaint=stage):
            return list(persist(*tasks))

    def _record(self, stage: str, began: float, sent: Any, result: Any, count: int) -> None:
        """Add a pass of ``count`` tasks that return as much as ``result`` to the statistics."""
        seconds = perf_counter() - began
        sent_bytes = 0 if sent is None else len(pickle.dumps(sent)) * self.n_workers
        returned = len(pickle.dumps(result)) * count
        self.statistics.stages.append((stage, seconds, sent_bytes + returned))

    def _compute(self, stage: str, tasks: Callable[[], Sequence[Delayed]]) -> list[Any]:
        """Return the results of tasks, started again if the cluster loses them."""
        for attempt in range(ATTEMPTS):
            try:
                return self._once(stage, tasks())
            except CancelledError as lost:
                if attempt + 1 == ATTEMPTS:
                    raise ClusterError(
                        f"The cluster has forgotten what it was working on {ATTEMPTS} times, in "
                        f"stage {stage!r}: it was restarted, or its client was closed."
                    ) from lost
                self._check_client(stage)
                if self.recompute is not None:
                    self.recompute()
        raise AssertionError

    def _once(self, stage: str, tasks: Sequence[Delayed]) -> list[Any]:
        """Compute tasks on the client, or here if there is none."""
        if self.verbose:
            print(f"untaint {stage}", flush=True)
        with annotate(untaint=stage):
            if self.client is None:
                with ProgressBar() if self.verbose else nullcontext():
                    return list(compute(*tasks))
            futures = self.client.compute(list(tasks))
        return self._wait(stage, futures)

    def _wait(self, stage: str, futures: list[Any]) -> list[Any]:
        """Wait until all futures are done, or no workers are left."""
        from distributed import KilledWorker, progress, wait

        if self.verbose:
            progress(*futures, notebook=False)
        no_workers_since: float | None = None
        while True:
            try:
                wait(futures, timeout=TICK)
                break
            except TimeoutError:
                no_workers_since = self._check_workers(stage, no_workers_since)
        try:
            return list(self.client.gather(futures))
        except KilledWorker as killed:
            raise ClusterError(
                f"Workers died again and again in stage {stage!r}, most likely for want of memory: "
                "give them more of it, or make chunks smaller."
            ) from killed

    def _check_client(self, stage: str) -> None:
        """Raise an error if the client was closed."""
        if self.client is not None and self.client.status not in ("running", "connecting"):
            raise ClusterError(f"The client was closed in stage {stage!r}.")

    def _check_workers(self, stage: str, no_workers_since: float | None) -> float | None:
        """Return since when there are no workers; raise an error if it is too long."""
        self._check_client(stage)
        if self.n_workers:
            return None
        since = monotonic() if no_workers_since is None else no_workers_since
        if monotonic() - since > NO_WORKERS:
            raise ClusterError(
                f"The cluster has had no workers for {NO_WORKERS:.0f} seconds in stage {stage!r}."
            )
        return since


def mapped(
    stage: str, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> list[Delayed]:
    """Return one task for each tuple of arguments, with a key that names the stage."""
    name, call = f"untaint-{stage}-{uuid4().hex[:12]}", delayed(function, pure=False)
    return [call(*args, dask_key_name=f"{name}-{i}") for i, args in enumerate(arguments)]


def summed(stage: str, parts: Sequence[Delayed]) -> Delayed:
    """Return the sum of tasks' results, computed in a tree."""
    while len(parts) > 1:
        groups = [parts[i : i + FAN_IN] for i in range(0, len(parts), FAN_IN)]
        parts = mapped(f"{stage}-sum", partial(reduce, add), [(group,) for group in groups])
    return parts[0]


def stacked(
    parts: Sequence[Delayed], sizes: Sequence[int] | None, shape: tuple[int, ...], dtype: Any
) -> Any:
    """Return the results of tasks as one lazy array, a chunk for each; sizes may be unknown."""
    # da.concatenate would drop empty chunks, which the rows have too.
    known: Sequence[float] = [np.nan] * len(parts) if sizes is None else sizes
    name, tail, sources = f"untaint-stacked-{uuid4().hex}", (0,) * len(shape), list[Any](parts)
    layer: dict[Any, Any] = {(name, i, *tail): part.key for i, part in enumerate(parts)}
    graph = HighLevelGraph.from_collections(name, layer, dependencies=sources)
    return da.Array(graph, name, (tuple(known), *((n,) for n in shape)), dtype=np.dtype(dtype))


def shared(value: Any, name: str) -> Delayed:
    """Return a value that many tasks need as a task, so that each worker receives it once."""
    return delayed(value, name=f"untaint-{name}-{uuid4().hex}", traverse=False)
