"""Nonlinear regression from two noisy copies, against fits that take their mean for the truth.

All have a Gaussian kernel through the same random frequencies. A quarter of the rows is held out to
choose gamma of the same five:

untaint   by the unbiased estimate of the clean error
naive     by the squared error, and the ridge with it, on the mean of the copies
clean     the same on the clean rows

untaint-default keeps gamma="median", and chooses nothing. Errors are to the function itself, on
clean test rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any

import numpy as np

from ..case import Case, all_cases
from ..noisy.plain_waves import fit_waves
from ..noisy.surfaces import SURFACES, Views, make_views
from ..results import Row
from ..summary import largest, mean, summary_table
from .base import Study

N, QUICK_N = 24_000, 2_000
DIMENSIONS = (2, 5)
DEVIATIONS = (0.05, 0.3, 0.6)
POWERS = (-3, -2, -1, 0, 1)
MEASURES = (
    "error_untaint",
    "error_untaint_default",
    "error_naive",
    "error_clean",
    "untaint_over_naive",
    "default_over_naive",
    "gamma_untaint",
    "gamma_naive",
    "seconds_untaint",
    "seconds_naive",
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """One case a function, dimension, noise and seed; all fits are in it."""
    n = QUICK_N if quick else N
    return all_cases(
        datasets=[f"{name}{d}-{n}" for name in SURFACES for d in DIMENSIONS],
        kinds=["gaussian"],
        epsilons=DEVIATIONS,
        methods=["in-turn"],
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Fit all on one problem."""
    name, _, size = case.dataset.partition("-")
    d = int(name[-1])
    views = make_views(name[:-1], int(size), d=d, deviation=case.epsilon, seed=case.seed)
    gammas = [2.0**power for power in POWERS]
    started = perf_counter()
    # The kernel's width must exceed twice the variance of the noise.
    ours = corrected(views, [gamma for gamma in gammas if 2 * gamma * case.epsilon**2 < 1], case)
    between = perf_counter()
    normal = ours.frequencies_ / np.sqrt(2.0 * ours.gamma_)
    naive = fit_waves((views.A + views.B) / 2, views.y, gammas, normal)
    ended = perf_counter()
    clean = fit_waves(views.X, views.y, gammas, normal)
    default = learner("median", case).fit(views.A, views.y, X_copy=views.B)
    models = {"untaint": ours, "untaint_default": default, "naive": naive, "clean": clean}
    errors = {f"error_{key}": error(model, views) for key, model in models.items()}
    return {
        **errors,
        "untaint_over_naive": errors["error_untaint"] / errors["error_naive"],
        "default_over_naive": errors["error_untaint_default"] / errors["error_naive"],
        "gamma_untaint": float(ours.gamma),
        "gamma_naive": naive.gamma,
        "seconds_untaint": between - started,
        "seconds_naive": ended - between,
    }


def learner(gamma: float | str, case: Case) -> Any:
    """Our learner, told the noise."""
    from untaint.online import NoisyKernelRegressor

    return NoisyKernelRegressor(noise_cov=case.epsilon**2, gamma=gamma, random_state=case.seed)


def corrected(views: Views, gammas: list[float], case: Case) -> Any:
    """Choose gamma by the corrected score of a quarter of the rows, then fit all."""
    cut = 3 * len(views.y) // 4
    scores = []
    for gamma in gammas:
        model = learner(gamma, case).fit(views.A[:cut], views.y[:cut], X_copy=views.B[:cut])
        scores.append(model.corrected_score(views.A[cut:], views.y[cut:], X_copy=views.B[cut:]))
    best = gammas[int(np.argmin(scores))]
    return learner(best, case).fit(views.A, views.y, X_copy=views.B)


def error(model: Any, views: Views) -> float:
    """Root mean squared distance to the function on clean test rows."""
    return float(np.sqrt(np.mean(np.square(model.predict(views.X_test) - views.f_test))))


def table(rows: list[Row]) -> str:
    """One line a problem."""
    columns = {
        "clean": mean("error_clean"),
        "naive": mean("error_naive"),
        "untaint": mean("error_untaint"),
        "untaint-default": mean("error_untaint_default"),
        "over naive": mean("untaint_over_naive"),
        "largest": largest("untaint_over_naive"),
        "default over naive": mean("default_over_naive"),
        "seconds": mean("seconds_untaint"),
        "naive's": mean("seconds_naive"),
    }
    return summary_table(rows, columns, by=("dataset", "epsilon"))


STUDY = Study(
    "RMSE to the function on clean rows, learnt from two noisy copies with a Gaussian kernel.",
    cases,
    run,
    MEASURES,
    table,
    seeds=3,
)
