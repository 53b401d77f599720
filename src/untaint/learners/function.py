r"""The fitted function of a kernel estimator, evaluated at new rows.

.. math:: f(x) = \beta^T x + b, \qquad f(x) = \sum_i a_i k(x_i, x) + b, \qquad
          f(x) = c^T r(x) + b

by slopes (linear kernel), by dual coefficients of training rows or landmarks, or by coefficients of
random features. Predictions are computed in double precision whatever that of the rows:
coefficients may be large and nearly cancel.
"""

from collections.abc import Callable
from typing import Any, final

import numpy as np

from .._policy import policy
from .._typing import FloatArray
from .._validation import array_namespace_of, in_double, to_numpy
from ..kernels import CallableKernel, Precomputed
from ..portable import ArrayArithmetic, function_of


@final
class FittedFunction:
    """Evaluates the function whose coefficients a fitted estimator holds.

    Besides ``intercept_`` and ``kernel_`` these are ``coef_``, or ``feature_map_`` and
    ``feature_coef_``, or ``dual_coef_`` and ``X_fit_``.
    """

    def __init__(self, model: Any, n_threads: int | None = None) -> None:
        self.model, self.n_threads = model, n_threads

    def __call__(self, X: Any) -> FloatArray:
        """Return predictions of rows, in blocks where kernel values or features are needed."""
        model = self.model
        if hasattr(model, "coef_"):
            return self._linear(X) + model.intercept_
        coef, features = self._features()
        if features is None:
            return X[:, used_rows(model)] @ coef + model.intercept_
        out = np.empty((X.shape[0], *coef.shape[1:]))
        step = max(policy().predicted_values // max(len(coef), 1), 1)
        for start in range(0, X.shape[0], step):
            block = features(X[start : start + step])
            out[start : start + step] = block @ coef.astype(block.dtype) + model.intercept_
        return out

    def in_namespace(self, X: Any) -> Any:
        """Return predictions of an array-API library's rows, in columns, on the rows' device."""
        namespace = array_namespace_of(X)
        assert namespace is not None
        if isinstance(self.model.kernel_, CallableKernel):  # a function of NumPy arrays
            raw = as_2d(np.asarray(self(to_numpy(X))))
            return namespace.xp.asarray(raw, device=namespace.device)
        arithmetic = ArrayArithmetic.at(namespace, X)
        function = function_of(self.model)
        step = max(policy().predicted_values // max(len(function.coef), 1), 1)
        n = X.shape[0]  # the standard knows no slices beyond it
        blocks = (X[start : min(start + step, n), :] for start in range(0, n, step))
        return namespace.xp.concat([function(arithmetic.value(rows)).data for rows in blocks])

    def _features(self) -> tuple[FloatArray, Callable[[Any], FloatArray] | None]:
        """Return coefficients and the features that they belong to; None if X has these values."""
        model = self.model
        if hasattr(model, "feature_map_"):
            return model.feature_coef_, model.feature_map_.raw
        used = used_rows(model)
        if isinstance(model.kernel_, Precomputed):
            return model.dual_coef_[used], None
        landmarks = model.X_fit_[used]

        def kernel_values(X: Any) -> FloatArray:
            return model.kernel_.matrix(X, landmarks, dtype=np.float64, n_threads=self.n_threads)

        return model.dual_coef_[used], kernel_values

    def _linear(self, X: Any) -> FloatArray:
        """Return values of a linear function without its intercept, block by block if single."""
        slopes = self.model.coef_.T.astype(np.float64, copy=False)
        if X.dtype == np.float64:
            return np.asarray(X @ slopes)
        step = max(policy().predicted_values // max(X.shape[1], 1), 1)
        starts = range(0, X.shape[0], step)
        return np.concatenate([in_double(X[i : i + step]) @ slopes for i in starts])


def used_rows(model: Any) -> Any:
    """Return the positions of the rows with a nonzero dual coefficient."""
    return np.flatnonzero(as_2d(model.dual_coef_).any(axis=1))


def as_2d(y: FloatArray) -> FloatArray:
    """Return an array with one column for each output."""
    return y[:, None] if y.ndim == 1 else y
