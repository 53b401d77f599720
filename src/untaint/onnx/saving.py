"""A graph in a file, all of it or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._atomic_write import open_atomically
from .._validation import check_new_file
from .export import to_onnx


def save_onnx(model: Any, path: Any, *, dtype: Any = "float32", precision: str = "auto") -> None:
    """Write a fitted model to an ONNX file.

    The file appears whole or not at all: until then, one that is there stays as it is.

    Parameters
    ----------
    model : fitted estimator or pipeline
    path : path
        In a directory that exists.
    dtype, precision
        As :func:`to_onnx` takes them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.onnx import save_onnx
    >>> X = np.linspace(0, 3, 40)[:, None]
    >>> model = SubquantileRegressor(contamination=0.25).fit(X, np.sin(X).ravel())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_onnx(model, Path(folder, "model.onnx"))
    ...     [path.name for path in Path(folder).iterdir()]
    ['model.onnx']
    """
    if path is None:
        raise ValueError("path must be the path of a file, got None.")
    check_new_file("path", path)
    content = to_onnx(model, dtype=dtype, precision=precision).SerializeToString()
    with open_atomically(Path(path)) as stream:
        stream.write(content)
