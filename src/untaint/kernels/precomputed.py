"""The kernel of a user's precomputed matrix: k(X, Z) = X."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import scipy.sparse as sp

from .arrays import Array, MatrixLike, working_dtype
from .base import Kernel


@final
@dataclass(frozen=True)
class Precomputed(Kernel):
    """A kernel whose samples X are rows of the kernel matrix.

    The matrix is returned as it is, without a copy if its dtype is the requested one: neither
    its symmetry nor its positive semi-definiteness is checked.

    Examples
    --------
    >>> import numpy as np
    >>> Precomputed().matrix(np.eye(2), dtype=np.float32)
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

    name: ClassVar[str] = "precomputed"

    def _matrix(
        self, X: MatrixLike, Z: MatrixLike | None, dtype: np.dtype[Any], n_threads: int | None
    ) -> Array:
        if Z is not None and X.shape[1] != Z.shape[0]:
            raise ValueError(
                f"A precomputed kernel matrix must have one column for each of the {Z.shape[0]} "
                f"rows it was fitted on, got {X.shape[1]} columns."
            )
        dense = X.toarray() if sp.issparse(X) else X
        return np.asarray(dense, dtype=dtype)

    def diagonal(self, X: MatrixLike) -> Array:
        """Return the diagonal of the matrix X."""
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"A precomputed kernel matrix must be square, got shape {X.shape}.")
        return np.array(X.diagonal(), dtype=working_dtype(X))
