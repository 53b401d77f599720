"""A graph in a file, all of it or nothing."""

from pathlib import Path
from typing import Any

from .._atomic_write import open_atomically
from .._validation import check_new_file
from .export import to_onnx


def save_onnx(model: Any, path: Any, *, dtype: Any = "float32", precision: str = "auto") -> None:
    """Write a fitted model to an ONNX file.

    The file is written atomically: it is complete, or an existing file is left unchanged.

    Parameters
    ----------
    model : fitted estimator or pipeline
        The model to export.
    path : path
        File in an existing directory.
    dtype : {"float32", "float64"}, default="float32"
        Number type of the input; see :func:`to_onnx`.
    precision : str, default="auto"
        Precision of the computation; see :func:`to_onnx`.

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
