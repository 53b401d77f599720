"""The chunks of Dask collections, with the targets and weights of the same rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed


class Chunk(NamedTuple):
    """A chunk of lazy rows with their targets and weights."""

    X: Delayed
    y: Delayed | None = None
    weights: Delayed | None = None


class Source(NamedTuple):
    """The chunks of a Dask collection, their sizes where known, and an empty chunk, ``meta``."""

    chunks: list[Chunk]
    sizes: list[int] | None
    meta: Any

    @property
    def itemsize(self) -> int:
        """The bytes of a value of X: 4 in single precision, else 8."""
        return 4 if getattr(self.meta, "dtype", None) == np.float32 else 8


def is_distributed(*data: Any) -> bool:
    """Return whether any of the data are Dask collections."""
    return any(is_dask_collection(part) for part in data)


def open_source(X: Any, y: Any = None, sample_weight: Any = None) -> Source:
    """Return the chunks of a collection, with targets and weights, which may be in memory."""
    if not is_dask_collection(X):
        raise ValueError(
            "X must be a Dask array or data frame if y or sample_weight is one, got "
            f"{type(X).__name__}."
        )
    rows, sizes, meta = _rows(X)
    targets = _beside("y", y, len(rows), sizes)
    weights = _beside("sample_weight", sample_weight, len(rows), sizes)
    chunks = [Chunk(*parts) for parts in zip(rows, targets, weights, strict=True)]
    return Source(chunks, sizes, meta)


def _rows(X: Any) -> tuple[list[Delayed], list[int] | None, Any]:
    """Return the chunks of X, their sizes if they are known, and an empty chunk."""
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, got {X.ndim}: reshape it to (n, d).")
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        if X.dtype.kind not in "fiub":
            raise ValueError(f"X must hold numbers, got a Dask array of {X.dtype}.")
        meta = np.empty((0, X.shape[1]), dtype=X.dtype)
        return list(X.to_delayed().ravel()), _known(X.chunks[0]), meta
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        _check_columns(X)
        return list(X.to_delayed()), None, X._meta
    raise ValueError(f"X must be a Dask array or data frame, got {type(X).__name__}.")


def _check_columns(X: Any) -> None:
    """Raise an error if columns are not numeric."""
    kinds = ((str(name), getattr(kind, "kind", "O")) for name, kind in X.dtypes.items())
    text = [name for name, kind in kinds if kind not in "fiub"]
    if text:
        named = ", ".join(repr(name) for name in text[:5]) + ("…" if len(text) > 5 else "")
        raise ValueError(
            f"X must hold numbers only, got columns of another type: {named}. Encode or drop them."
        )


def _beside(name: str, data: Any, count: int, sizes: list[int] | None) -> Sequence[Delayed | None]:
    """Return the chunks of an array with a value for every row of X."""
    if data is None:
        return [None] * count
    if not is_dask_collection(data):
        data = _scattered(name, data, sizes)
    if isinstance(data, da.Array):
        return _array_beside(name, data, count, sizes)
    parts = list(data.to_delayed())
    if len(parts) != count:
        raise ValueError(
            f"{name} must have as many partitions as X, which has {count:,}, got {len(parts):,}: "
            "repartition one of them."
        )
    return parts


def _scattered(name: str, data: Any, sizes: list[int] | None) -> Any:
    """Return an array in memory in the chunks of X."""
    values = np.asarray(data)
    if sizes is None:
        raise ValueError(
            f"{name} must be a Dask collection like X, whose chunks are of unknown size, got "
            f"{type(data).__name__}."
        )
    _check_length(name, len(values) if values.ndim else 0, sizes)
    return da.from_array(values, chunks=(tuple(sizes), *((-1,) * (values.ndim - 1))))


def _array_beside(name: str, data: da.Array, count: int, sizes: list[int] | None) -> list[Delayed]:
    """Return the chunks of a Dask array, in those of X if the sizes of both are known."""
    if data.ndim not in (1, 2):
        raise ValueError(f"{name} must have one dimension or two, got {data.ndim}.")
    if data.ndim == 2 and data.numblocks[1] > 1:
        data = data.rechunk({1: -1})
    own = _known(data.chunks[0])
    if own is not None and sizes is not None and own != sizes:
        _check_length(name, sum(own), sizes)
        data = data.rechunk({0: tuple(sizes)})
    elif len(data.chunks[0]) != count:
        raise ValueError(
            f"{name} must have as many chunks as X, which has {count:,} of unknown size, got "
            f"{len(data.chunks[0]):,}: call compute_chunk_sizes() on both, or rechunk one."
        )
    return list(data.to_delayed().ravel())


def _check_length(name: str, found: int, sizes: list[int]) -> None:
    """Raise an error unless there are as many rows as in X."""
    if found != sum(sizes):
        raise ValueError(f"{name} must have {sum(sizes):,} rows like X, got {found:,}.")


def _known(chunks: tuple[Any, ...]) -> list[int] | None:
    """Return the sizes of chunks, None if one is unknown."""
    return None if any(np.isnan(size) for size in chunks) else [int(size) for size in chunks]
