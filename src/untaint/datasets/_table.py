"""A table on disk: UTF-8 CSV with a header row, last column the target, empty cells missing.

The readers use the standard library and NumPy; pandas is imported when a frame is requested.
"""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .._typing import AnyArray, FloatArray

Task: TypeAlias = Literal["regression", "classification"]


class DatasetTable(NamedTuple):
    """Features and target of a data set, with their names."""

    data: FloatArray
    target: AnyArray
    feature_names: list[str]
    target_name: str


def parse_dataset(content: bytes, task: Task) -> DatasetTable:
    r"""Turn the content of a CSV file into a `DatasetTable`.

    Examples
    --------
    >>> from untaint.datasets._table import parse_dataset
    >>> table = parse_dataset(b"width,height,kind\n1,2,a\n3,,b\n", "classification")
    >>> table.data
    array([[ 1.,  2.],
           [ 3., nan]])
    >>> table.target.tolist()
    ['a', 'b']
    """
    from ..io.cells import split_text  # only here, as all of io takes a second to import

    header, *rows = split_text(content, ",")
    return make_dataset(header, rows, task)


def make_dataset(header: list[str], rows: Sequence[Sequence[str]], task: Task) -> DatasetTable:
    """Turn cells into a `DatasetTable`."""
    data = np.array([[float(cell) if cell else np.nan for cell in row[:-1]] for row in rows])
    labels = [row[-1] for row in rows]
    target = np.array(labels, dtype=float) if task == "regression" else _as_classes(labels)
    return DatasetTable(data, target, _distinct(header[:-1]), header[-1])


def write_dataset(table: DatasetTable) -> bytes:
    r"""Turn a `DatasetTable` into the bytes of its CSV file, the same for the same values.

    Numbers are the shortest decimals that read back as the same float64, without a point where
    they are whole, so that it does not matter how an archive spells them: the checksums of
    `_sources` are those of these bytes.

    Examples
    --------
    >>> from untaint.datasets._table import parse_dataset, write_dataset
    >>> write_dataset(parse_dataset(b"width,height,kind\n1.0,.250,a\n3e0,,b", "classification"))
    b'width,height,kind\n1,0.25,a\n3,,b\n'
    """
    numeric = np.issubdtype(table.target.dtype, np.floating)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.feature_names, table.target_name])
    for row, target in zip(table.data.tolist(), table.target.tolist(), strict=True):
        writer.writerow([*map(_cell, row), _cell(target) if numeric else target])
    return text.getvalue().encode()


def _cell(value: float) -> str:
    """Return the shortest decimals of a float, empty where it is missing."""
    if value != value:
        return ""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _as_classes(labels: list[str]) -> AnyArray:
    """Return labels as integers if all of them are, else as text."""
    try:
        return np.array([int(label) for label in labels])
    except ValueError:
        return np.array(labels)


def _distinct(names: list[str]) -> list[str]:
    """Give repeated names a number, which lower-casing left behind: a, a -> a, a_2."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result


def bundle(
    table: DatasetTable, task: Task, description: str, *, return_X_y: bool, as_frame: bool
) -> Any:
    """Give a table the shape that scikit-learn's own loaders return."""
    from sklearn.utils import Bunch  # only here: a second of import that corruption can do without

    data, target, frame = table.data, table.target, None
    if as_frame:
        data, target, frame = _as_pandas(table)
    if return_X_y:
        return data, target
    classes = np.unique(table.target).tolist()
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=table.feature_names,
        target_names=[table.target_name] if task == "regression" else classes,
        DESCR=description,
    )


def _as_pandas(table: DatasetTable) -> tuple[Any, Any, Any]:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "as_frame=True needs pandas; install it or use as_frame=False."
        ) from error
    frame = pd.DataFrame(table.data, columns=table.feature_names)
    frame[table.target_name] = table.target
    return frame[table.feature_names], frame[table.target_name], frame
