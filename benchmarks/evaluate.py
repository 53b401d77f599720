"""One accuracy case: prepare the data, fit the method tuned as all are, score on clean rows.

rmse = sqrt(mean((prediction - y)^2)) over the clean test rows, in standard units.
"""

from __future__ import annotations

import numpy as np

from .case import Case
from .fitting import fit_case

MEASURES = ("rmse", "seconds", "alpha", "gamma")

# Wide enough on both sides: clean rows like 1e-3, plain ridge on corrupted rows 1e1 and more.
ALPHAS = tuple(float(alpha) for alpha in np.logspace(-3.0, 1.0, 9))
POWERS = range(-4, 2)


def evaluate(case: Case) -> dict[str, float]:
    """Fit the case's method on corrupted rows and return its measures."""
    # Only here, because methods imports every competitor and cases are declared without them.
    from . import methods

    model, split, seconds = fit_case(case, methods.fit, powers=POWERS, alphas=ALPHAS)
    return {
        "rmse": split.rmse(model),
        "seconds": seconds,
        "alpha": float(model.alpha),
        "gamma": float(model.gamma),
    }
