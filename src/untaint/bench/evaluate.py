"""One accuracy case: prepare the data, fit the method tuned as all are, score on clean rows.

rmse = sqrt(mean((prediction - y)^2)) over the clean test rows, in standard units.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from .case import Case
from .data import load
from .protocol import prepare

MEASURES = ("rmse", "seconds", "alpha", "gamma")

# Wide enough on both sides: clean rows like 1e-3, plain ridge on corrupted rows 1e1 and more.
ALPHAS = tuple(float(alpha) for alpha in np.logspace(-3.0, 1.0, 9))


def gammas(n_features: int) -> tuple[float, ...]:
    """Powers of two around 1 / (2 d), which is 1 / the mean squared distance in standard units.

    Examples
    --------
    >>> from untaint.bench.evaluate import gammas
    >>> gammas(8)[4]
    0.0625
    """
    return tuple(float(2.0**power) / (2 * n_features) for power in range(-4, 2))


def evaluate(case: Case) -> dict[str, float]:
    """Fit the case's method on corrupted rows and return its measures."""
    # Only here, because methods imports every rival and cases are declared without them.
    from . import methods

    X, y = load(case.dataset, case.seed)
    split = prepare(X, y, kind=case.kind, epsilon=case.epsilon, seed=case.seed)
    started = perf_counter()
    model = methods.fit(
        case.method,
        split.X_train,
        split.y_train,
        epsilon=case.epsilon,
        clean_mask=split.clean_mask,
        gammas=gammas(X.shape[1]),
        alphas=ALPHAS,
        seed=case.seed,
    )
    seconds = perf_counter() - started
    residuals = model.predict(split.X_test) - split.y_test
    return {
        "rmse": float(np.sqrt(np.mean(np.square(residuals)))),
        "seconds": seconds,
        "alpha": float(model.alpha),
        "gamma": float(model.gamma),
    }
