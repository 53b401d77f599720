"""The methods by name, each set as its family says, with all cores where that can be set.

untaint               ours, given the contamination; -auto finds it, -plain trims nothing,
                      -rff has random Fourier features in place of landmarks
genie                 ours, trimming nothing, on the good rows only
nystroem-*            scikit-learn's Nystroem before Ridge or LogisticRegression; -32 is given
                      single precision
matrix                no fit: the kernel matrix in single precision, by our code or scikit-learn's

Other competitors are scikit-learn's with their defaults. Where the default number of iterations
could be too few there are 1,000: a fit that is broken off is no fit to time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .families import OURS, Family
from .matrix import MatrixOnly
from .rows import EPSILON, Array, GeneratedRows

MAX_ITER = 1_000
SHARES: dict[str, Any] = {"untaint-auto": "auto", "untaint-plain": 0.0, "genie": 0.0}


def build(method: str, family: Family, seed: int, components: int | None) -> Any:
    """Return the unfitted model of a case.

    Examples
    --------
    >>> from benchmarks.speed.families import FAMILIES
    >>> from benchmarks.speed.models import build
    >>> build("kernel-ridge", FAMILIES["exact"], seed=0, components=None)
    KernelRidge(alpha=0.1, gamma=0.05, kernel='rbf')
    """
    if method in OURS:
        return ours(method, family, seed, components)
    return COMPETITORS[method](family, seed, components)


def ours(method: str, family: Family, seed: int, components: int | None) -> Any:
    """Return our estimator, with what the family and the method's name say."""
    from untaint import SubquantileClassifier, SubquantileRegressor

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


def _kernel_ridge(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.kernel_ridge import KernelRidge

    return KernelRidge(kernel="rbf", gamma=family.gamma, alpha=family.alpha)


def _svr(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.svm import SVR

    return SVR(gamma=family.gamma, C=_C(family))


def _svc(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.svm import SVC

    return SVC(gamma=family.gamma, C=_C(family))


def _nystroem_ridge(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.linear_model import Ridge

    return _after_nystroem(Ridge(alpha=family.alpha), family, seed, components)


def _nystroem_logistic(family: Family, seed: int, components: int | None) -> Any:
    return _after_nystroem(_logistic(family, seed, components), family, seed, components)


def _after_nystroem(model: Any, family: Family, seed: int, components: int | None) -> Any:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline

    features = Nystroem(gamma=family.gamma, n_components=components, random_state=seed, n_jobs=-1)
    return make_pipeline(features, model)


def _logistic(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=_C(family), max_iter=MAX_ITER)


def _least_squares(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _huber(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.linear_model import HuberRegressor

    return HuberRegressor(max_iter=MAX_ITER)


def _ransac(family: Family, seed: int, components: int | None) -> Any:
    from sklearn.linear_model import RANSACRegressor

    return RANSACRegressor(random_state=seed)


def _C(family: Family) -> float:
    return 1.0 / (2.0 * family.alpha)


COMPETITORS: dict[str, Callable[[Family, int, int | None], Any]] = {
    "kernel-ridge": _kernel_ridge,
    "svr": _svr,
    "svc": _svc,
    "matrix": lambda family, seed, components: MatrixOnly("untaint", family.gamma),
    "matrix-sklearn": lambda family, seed, components: MatrixOnly("sklearn", family.gamma),
    "nystroem-ridge": _nystroem_ridge,
    "nystroem-ridge-32": _nystroem_ridge,
    "nystroem-logistic": _nystroem_logistic,
    "linear-regression": _least_squares,
    "huber": _huber,
    "ransac": _ransac,
    "logistic-regression": _logistic,
}
