"""The methods by name, each set as its family says, with all cores where that can be set.

untaint               ours, given the contamination; -auto finds it, -plain trims nothing,
                      -rff has random Fourier features in place of landmarks
genie                 ours, trimming nothing, on the good rows only
nystroem-*            scikit-learn's Nystroem before Ridge or LogisticRegression; -32 is given
                      single precision
matrix                no fit: the kernel matrix in single precision, by our code or scikit-learn's,
                      which an exact fit needs at the least

Other competitors are scikit-learn's with their defaults. Where the default number of iterations
could be too few there are 1,000: a fit that is broken off is no fit to time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    RANSACRegressor,
    Ridge,
)
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR

from untaint import SubquantileClassifier, SubquantileRegressor
from untaint.kernels import RBF

from ..data.large import EPSILON, Array, GeneratedRows
from .families import OURS, Family

MAX_ITER = 1_000
SHARES: dict[str, Any] = {"untaint-auto": "auto", "untaint-plain": 0.0, "genie": 0.0}


def build(method: str, family: Family, seed: int, components: int | None) -> Any:
    """Return the unfitted model of a case."""
    if method in OURS:
        return ours(method, family, seed, components)
    C = 1.0 / (2.0 * family.alpha)
    logistic = LogisticRegression(C=C, max_iter=MAX_ITER)
    features = Nystroem(gamma=family.gamma, n_components=components, random_state=seed, n_jobs=-1)
    ridge = make_pipeline(features, Ridge(alpha=family.alpha))
    return {
        "kernel-ridge": KernelRidge(kernel="rbf", gamma=family.gamma, alpha=family.alpha),
        "svr": SVR(gamma=family.gamma, C=C),
        "svc": SVC(gamma=family.gamma, C=C),
        "matrix": MatrixOnly("untaint", family.gamma),
        "matrix-sklearn": MatrixOnly("sklearn", family.gamma),
        "nystroem-ridge": ridge,
        "nystroem-ridge-32": ridge,
        "nystroem-logistic": make_pipeline(features, logistic),
        "linear-regression": LinearRegression(),
        "huber": HuberRegressor(max_iter=MAX_ITER),
        "ransac": RANSACRegressor(random_state=seed),
        "logistic-regression": logistic,
    }[method]


def ours(method: str, family: Family, seed: int, components: int | None) -> Any:
    """Return our estimator, with what the family and the method's name say."""
    estimator = SubquantileClassifier if family.classes else SubquantileRegressor
    options: dict[str, Any] = {
        "contamination": SHARES.get(method, EPSILON),
        "kernel": family.kernel,
        "alpha": family.alpha,
        "random_state": seed,
    }
    if family.gamma is not None:
        options["gamma"] = family.gamma
    if components is not None:
        approximation = "rff" if method == "untaint-rff" else "nystroem"
        options |= {"approximation": approximation, "n_components": components}
    elif family.kernel != "linear":
        options["approximation"] = None
    if family.memory_limit is not None:
        options["memory_limit"] = family.memory_limit
    return estimator(**options)


def given(method: str, rows: GeneratedRows) -> tuple[Array, Array]:
    """Return training rows as a method gets them."""
    X, y = rows.X, rows.y
    if method == "genie":
        return X[rows.clean_mask], y[rows.clean_mask]
    if method in ("nystroem-ridge-32", "matrix", "matrix-sklearn"):
        return X.astype(np.float32), y.astype(np.float32)
    return X, y


def matrix_builders(X: Array, gamma: float | None = None) -> dict[str, Callable[[], object]]:
    """Return the two ways of building the single-precision Gaussian kernel matrix once.

    Without a gamma it is 1 / (2 d), that of :func:`untaint.datasets.make_smooth`.
    """
    scale = 1.0 / (2 * X.shape[1]) if gamma is None else gamma
    kernel = RBF(gamma=scale)
    return {
        "matrix_untaint": lambda: kernel.matrix(X),
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
