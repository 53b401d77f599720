"""One classification case: prepare, fit the method tuned as all are, score on clean rows."""

from __future__ import annotations

import numpy as np

from ..case import Case
from ..fitting import fit_case
from .measures import SCORES, scores

MEASURES = (*SCORES, "seconds", "alpha", "gamma")

# Flipped labels ask for far more smoothing than clean ones.
ALPHAS = tuple(float(alpha) for alpha in np.logspace(-2.0, 0.5, 6))
POWERS = (-4, -2, 0)


def evaluate(case: Case) -> dict[str, float]:
    """Fit the case's method on corrupted rows and return its measures."""
    # Only here, because methods imports every competitor and cases are declared without them.
    from . import methods

    tuned, split, seconds = fit_case(case, methods.fit, powers=POWERS, alphas=ALPHAS)
    return {
        **scores(tuned.model, split.X_test, split.y_test),
        "seconds": seconds,
        "alpha": tuned.setting.alpha,
        "gamma": tuned.setting.gamma,
    }
