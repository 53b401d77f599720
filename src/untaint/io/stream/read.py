"""`read_rows`: rows from files or blocks in one memory-mapped array."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..._progress import ProgressLine, shown_by
from ..._validation import check_choice, check_count
from ..encoding import OtherEncodingError
from ..errors import DataFileError
from .arrays import map_array
from .block import BlockFormat, RowBlock
from .blocks import is_frame, read_blocks
from .files import ReadOptions, count_rows, find_files, kind_of, read_files
from .rows_table import Table
from .selection import ColumnSelector
from .spool import Spool
from .targets import Targets, TextTargetError


def read_rows(
    source: Any,
    *,
    target: str | int | None = None,
    columns: Iterable[str | int] | None = None,
    dtype: Any = "float64",
    directory: Any = None,
    block_rows: int | None = None,
    verbose: bool = False,
) -> Table:
    r"""Read a table that need not fit into memory.

    The rows are read once, a block at a time, and written as plain numbers into a temporary file
    that `Table.X` maps, because a fit passes over them many times and in any order. A .npy file
    that holds them already, with neither target nor columns to pick, is mapped as it is.

    Parameters
    ----------
    source : path, list of paths, iterable of blocks, or function that returns one
        A file of text (.csv, .tsv), JSON lines, an Excel workbook or a Parquet file, in gzip or
        zip or not, as `read_table` reads them, or a .npy file; a directory of such files of one
        kind, which are read by name and whose columns are matched by name; or blocks: 2-d arrays,
        pandas or polars frames, or pairs (X, y). Workbooks and JSON lines are held in memory while
        they are read. Text has a header line; if pyarrow is installed, it is read several times
        faster, with the same result.
    target : str or int, optional
        Name of the column that becomes y, or its position where columns have no names.
    columns : list of str or int, optional
        Columns that become X, in this order. All but the target by default.
    dtype : {"float64", "float32"}
        Type of X.
    directory : path, optional
        Where the temporary file goes. The system's temporary directory by default.
    block_rows : int, optional
        Approximate number of rows to hold at a time. By default some megabytes of rows.
    verbose : bool, default=False
        Whether to show a bar, and the time that is left, on standard error.

    Returns
    -------
    Table
        A table with ``X``, ``y`` and ``names``; close it to remove its temporary file.

    Raises
    ------
    DataFileError
        If something is missing, is no number or does not match; the message says where. Lines of
        a file count from 1, rows of an array, a frame or a Parquet file from 0.
    ImportError
        If the files are neither text nor arrays, and pyarrow is not installed.

    Notes
    -----
    Numbers in text are what `float` reads, without underscores and with the file's decimal mark.
    The targets are float64 if each of them is a number, else text; they are kept in memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from untaint.io import read_rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "kiln.csv"
    ...     _ = path.write_text("hours,heat,kind\n2,850,a\n3,900,b\n")
    ...     with read_rows(path, target="kind") as table:
    ...         table.names, table.X.tolist(), table.y.tolist()
    (['hours', 'heat'], [[2.0, 850.0], [3.0, 900.0]], ['a', 'b'])

    Blocks come from anywhere, here from a generator:

    >>> import numpy as np
    >>> blocks = ((np.full((2, 3), i), np.full(2, i)) for i in range(4))
    >>> with read_rows(blocks, dtype="float32") as table:
    ...     table.X.shape, table.X.dtype.name, table.y.tolist()
    ((8, 3), 'float32', [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0])
    """
    check_count("block_rows", block_rows, optional=True)
    block_format = BlockFormat(_checked_dtype(dtype), block_rows)
    folder = None if directory is None else Path(directory)
    chosen = list(columns) if isinstance(columns, Iterator) else columns
    files = find_files(source)
    if files is None:
        wanted = ColumnSelector(target, chosen)
        blocks = read_blocks(_as_blocks(source), wanted, block_format)
        return _spooled(blocks, "source", wanted, Spool(folder, block_format.dtype, lambda: None))
    if target is None and chosen is None and len(files) == 1 and kind_of(files[0]) == ".npy":
        mapped = map_array(files[0], block_format)
        if mapped is not None:
            return mapped
    with _bar(verbose):
        return _read_files(files, lambda: ColumnSelector(target, chosen), block_format, folder)


@contextmanager
def _bar(verbose: bool) -> Iterator[None]:
    if not verbose:
        yield
        return
    line = ProgressLine("read_rows")
    with shown_by(line.on_step):
        yield
    line.close()


def _checked_dtype(dtype: Any) -> np.dtype[Any]:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = dtype
    check_choice("dtype", name, ("float64", "float32"))
    return np.dtype(name)


def _as_blocks(source: Any) -> Iterable[Any]:
    if callable(source):
        source = source()
    if isinstance(source, np.ndarray) or is_frame(source) or hasattr(source, "tocsr"):
        return [source]
    if isinstance(source, Iterable):
        return source
    raise ValueError(
        "source must be a path, a list of paths, an iterable of blocks or a function that returns "
        f"one, got {source!r}."
    )


def _read_files(
    files: list[Path],
    make_columns: Callable[[], ColumnSelector],
    block_format: BlockFormat,
    folder: Path | None,
) -> Table:
    """Read files, with targets as numbers and text as UTF-8; where one is not, read all again."""
    place = str(files[0]) if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"
    options = ReadOptions()
    while True:
        columns = make_columns()
        rows = read_files(files, columns, block_format, options)
        spool = Spool(folder, block_format.dtype, lambda: count_rows(files))
        try:
            return _spooled(rows, place, columns, spool)
        except TextTargetError:
            options = options._replace(text_target=True)
        except OtherEncodingError as error:
            options = options._replace(not_utf8=options.not_utf8 | {str(error)})


def _spooled(
    blocks: Iterator[RowBlock], place: str, columns: ColumnSelector, spool: Spool
) -> Table:
    targets = Targets()
    with spool:
        for block in blocks:
            spool.write(block.X)
            targets.add(block.y, block.place)
        if spool.n_rows == 0:
            raise DataFileError(f"{place}: expected at least one row, found none.")
        X, remove = spool.finish()
    return Table(X, targets.result(), columns.names, remove)
