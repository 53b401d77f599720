r"""The prediction function of a fitted learner, with all its numbers.

.. math:: f(x) = x^T w + b, \qquad f(x) = \sum_i a_i k(z_i, x) + b, \qquad
          f(x) = \sum_j c_j \cos \omega_j^T (x - m) + d_j \sin \omega_j^T (x - m) + b

The first is the linear kernel's, the second an expansion in training rows or landmarks, the third
that of random Fourier features.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .._typing import FloatArray
from ..feature_maps.fourier import FourierFeatures
from ..kernels import CallableKernel, Kernel, Precomputed
from .kernels import kernel_values
from .value import Value


class LinearFunction(NamedTuple):
    """A linear function of the features, or of the values of a precomputed kernel.

    Attributes
    ----------
    coef : array of shape (d, k)
    intercept : array of shape (k,)
    """

    coef: FloatArray
    intercept: FloatArray

    def __call__(self, X: Value) -> Value:
        """Return the raw predictions of rows."""
        return X.narrow() @ self.coef + self.intercept


class KernelExpansion(NamedTuple):
    """A sum of kernel functions.

    Attributes
    ----------
    kernel : Kernel
    rows : array of shape (m, d)
    coef : array of shape (m, k)
    intercept : array of shape (k,)
    """

    kernel: Kernel
    rows: FloatArray
    coef: FloatArray
    intercept: FloatArray

    def __call__(self, X: Value) -> Value:
        """Return the raw predictions of rows."""
        return kernel_values(self.kernel, X, self.rows) @ self.coef + self.intercept


class FourierExpansion(NamedTuple):
    """An expansion in random Fourier features.

    Attributes
    ----------
    omega : array of shape (d, m)
    centre : array of shape (d,)
    coef : array of shape (2 m, k)
        Coefficients of the cosines, then of the sines.
    intercept : array of shape (k,)
    """

    omega: FloatArray
    centre: FloatArray
    coef: FloatArray
    intercept: FloatArray

    def __call__(self, X: Value) -> Value:
        """Return the raw predictions of rows; angles of far rows need double precision."""
        cycles = (X.wide() - self.centre) @ (self.omega / (2.0 * np.pi))
        angles = (2.0 * np.pi * (cycles - cycles.floor())).narrow()
        half = self.omega.shape[1]
        fourier = angles.cos() @ self.coef[:half] + angles.sin() @ self.coef[half:]
        return fourier * np.sqrt(1.0 / half) + self.intercept


#: Raw predictions of shape (n, k) for rows of any array library, in working precision.
Function = LinearFunction | KernelExpansion | FourierExpansion


def function_of(model: Any) -> Function:
    """Return the prediction function of a fitted learner."""
    intercept = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    if hasattr(model, "coef_"):
        return LinearFunction(np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)).T, intercept)
    if hasattr(model, "feature_map_"):
        assert isinstance(model.feature_map_, FourierFeatures)
        fourier = model.feature_map_
        return FourierExpansion(
            fourier.omega, fourier.centre, _columns(model.feature_coef_), intercept
        )
    coef, kernel = _columns(model.dual_coef_), model.kernel_
    if isinstance(kernel, Precomputed):
        return LinearFunction(coef, intercept)
    if isinstance(kernel, CallableKernel):
        raise ValueError(
            "kernel must have a formula for a prediction to be written as one, got a function "
            f"of Python's, {kernel.function!r}."
        )
    used = np.flatnonzero(coef.any(axis=1))
    rows = model.X_fit_[used]
    rows = rows.toarray() if sparse.issparse(rows) else rows
    return KernelExpansion(kernel, np.asarray(rows, dtype=np.float64), coef[used], intercept)


def _columns(coef: Any) -> FloatArray:
    coef = np.asarray(coef, dtype=np.float64)
    return coef[:, None] if coef.ndim == 1 else coef
