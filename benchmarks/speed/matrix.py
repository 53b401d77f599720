"""The kernel matrix alone, which an exact fit needs at the least: a bar to hold fits against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def matrix_builders(
    X: NDArray[np.float32], gamma: float | None = None
) -> dict[str, Callable[[], object]]:
    """Return the two ways of building the single-precision Gaussian kernel matrix once.

    Without a gamma it is 1 / (2 d), that of :func:`untaint.datasets.make_smooth`.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.speed.matrix import matrix_builders
    >>> builders = matrix_builders(np.eye(3, dtype=np.float32))
    >>> bool(np.allclose(*(build() for build in builders.values())))
    True
    """
    from sklearn.metrics.pairwise import rbf_kernel

    from untaint.kernels import RBF

    scale = 1.0 / (2 * X.shape[1]) if gamma is None else gamma
    ours = RBF(gamma=scale)
    return {
        "matrix_untaint": lambda: ours.matrix(X),
        "matrix_sklearn": lambda: rbf_kernel(X, gamma=scale),
    }


class MatrixOnly:
    """Fits nothing: ``fit`` builds the matrix and keeps it, and there is no ``predict``."""

    def __init__(self, builder: str, gamma: float | None) -> None:
        self.builder = builder
        self.gamma = gamma

    def fit(self, X: Any, y: Any) -> MatrixOnly:
        """Compute the kernel matrix."""
        self.matrix_ = matrix_builders(X, self.gamma)[f"matrix_{self.builder}"]()
        return self
