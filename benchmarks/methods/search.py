"""Methods without knowledge of the contamination, each with as many settings as ours tries.

genie            our estimator on the clean rows only, given that they are clean (oracle)
untaint-cv       our estimator, without parameters
kernel-ridge-cv  the same, given that all rows are clean
plain-cv         kernel ridge regression over our estimator's own gammas and alphas
svr              support vector regression of epsilon = 0.1, over the same gammas and as many C
huber            linear regression with Huber's loss, over as many alphas and thresholds
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor
from sklearn.model_selection import ParameterGrid
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from untaint import SubquantileClassifierCV, SubquantileRegressorCV
from untaint.datasets.corruption import task_of
from untaint.exceptions import AmbiguousContaminationWarning

from .base import Entry, Method, MethodContext


class Watched(NamedTuple):
    """A fitted model, whether it warned of two explanations, and its time."""

    model: Any
    warned: bool
    seconds: float


def estimator(kind: str, seed: int, **options: Any) -> Any:
    """Return the estimator that needs no setting, for the task of this kind of corruption."""
    classes = task_of(kind) == "classification"
    make = SubquantileClassifierCV if classes else SubquantileRegressorCV
    return make(random_state=seed, **options)


def watch(model: Any, X: Any, y: Any) -> Watched:
    """Fit, and take note of the warning instead of showing it."""
    started = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    seconds = perf_counter() - started
    warned = any(issubclass(one.category, AmbiguousContaminationWarning) for one in caught)
    return Watched(model, warned, seconds)


def ours(context: MethodContext, **options: Any) -> Method:
    """Return our estimator, which selects its own settings."""
    return Method(partial(SubquantileRegressorCV, random_state=context.seed, **options))


def centred_kernel_ridge() -> TransformedTargetRegressor:
    """Return kernel ridge regression; targets are centred, because it has no intercept."""
    return TransformedTargetRegressor(
        KernelRidge(kernel="rbf"), transformer=StandardScaler(with_std=False), check_inverse=False
    )


def plain(context: MethodContext) -> Method:
    """Return kernel ridge regression."""
    gammas, alphas = automatic_grid(context)
    return _searched(
        centred_kernel_ridge(), {"regressor__gamma": gammas, "regressor__alpha": alphas}
    )


def svr(context: MethodContext) -> Method:
    """Return support vector regression, C from 0.01 to 100 in standard units."""
    gammas, alphas = automatic_grid(context)
    C = np.logspace(-2.0, 2.0, len(alphas)).tolist()
    return _searched(SVR(epsilon=0.1), {"gamma": gammas, "C": C})


def huber(context: MethodContext) -> Method:
    """Return linear regression, alpha from 1e-4 to 100 and thresholds from 1.01 to 2 deviations."""
    gammas, alphas = automatic_grid(context)
    settings = {
        "alpha": np.logspace(-4.0, 2.0, len(alphas)).tolist(),
        "epsilon": np.geomspace(1.01, 2.0, len(gammas)).tolist(),
    }
    return _searched(HuberRegressor(), settings)


def automatic_grid(context: MethodContext) -> tuple[list[float], list[float]]:
    """Return the gammas and alphas that our estimator chooses from on these rows."""
    model = SubquantileRegressorCV(contamination=0.0).fit(context.data.X, context.data.y)
    gammas, alphas = (
        [float(value) for value in np.unique(model.cv_results_[f"param_{name}"])]
        for name in ("gamma", "alpha")
    )
    return gammas, alphas


def _searched(model: Any, settings: Mapping[str, Sequence[float]]) -> Method:
    return Method(
        lambda **setting: clone(model).set_params(**setting), list(ParameterGrid(dict(settings)))
    )


METHODS: dict[str, Entry] = {
    "genie": partial(ours, contamination=0.0),
    "untaint-cv": ours,
    "kernel-ridge-cv": partial(ours, contamination=0.0),
    "plain-cv": plain,
    "svr": svr,
    "huber": huber,
}
