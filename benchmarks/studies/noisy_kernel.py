"""Nonlinear regression from two noisy copies, against fits that take their mean for the truth.

All have a Gaussian kernel through as many random frequencies.

untaint   as it comes: gamma, ridge and the share of noise to remove by folds left out
median    the same with gamma="median"
naive     gamma of five and the ridge by a quarter held out, on the mean of the copies
clean     the same on the clean rows

Errors are to the function itself, on clean test rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any

import numpy as np

from untaint.online import NoisyKernelRegressor

from ..data.surfaces import SURFACES, Views, make_views
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import largest, mean, summary_table
from ..methods.fourier import fit_fourier

N, QUICK_N = 24_000, 2_000
DIMENSIONS = (2, 5)
DEVIATIONS = (0.05, 0.3, 0.6)
POWERS = (-3, -2, -1, 0, 1)
MEASURES = (
    *("error_untaint", "error_median", "error_naive", "error_clean", "untaint_over_naive"),
    *("median_over_naive", "gamma_untaint", "gamma_naive", "seconds_untaint"),
    *("seconds_naive",),
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each function, dimension, noise and seed; all fits are in it."""
    n = QUICK_N if quick else N
    datasets = [f"{name}{d}-{n}" for name in SURFACES for d in DIMENSIONS]
    return crossed([Cells(datasets, ["gaussian"], DEVIATIONS)])(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Fit all on one problem."""
    name, d = case.family[:-1], int(case.family[-1])
    views = make_views(name, case.size, d=d, deviation=case.epsilon, seed=case.seed)
    gammas = [2.0**power for power in POWERS]
    started = perf_counter()
    ours = learner("auto", case).fit(views.A, views.y, X_copy=views.B)
    ours.predict(views.X_test[:1])  # the fit waits until it is asked for
    between = perf_counter()
    normal = ours.frequencies_ / np.sqrt(2.0 * ours.gamma_)
    naive = fit_fourier((views.A + views.B) / 2, views.y, gammas, normal)
    ended = perf_counter()
    clean = fit_fourier(views.X, views.y, gammas, normal)
    median = learner("median", case).fit(views.A, views.y, X_copy=views.B)
    models = {"untaint": ours, "median": median, "naive": naive, "clean": clean}
    errors = {f"error_{key}": error(model, views) for key, model in models.items()}
    return {
        **errors,
        "untaint_over_naive": errors["error_untaint"] / errors["error_naive"],
        "median_over_naive": errors["error_median"] / errors["error_naive"],
        "gamma_untaint": ours.gamma_,
        "gamma_naive": naive.gamma,
        "seconds_untaint": between - started,
        "seconds_naive": ended - between,
    }


def learner(gamma: float | str, case: Case) -> Any:
    """Return our learner, given the noise."""
    return NoisyKernelRegressor(noise_cov=case.epsilon**2, gamma=gamma, random_state=case.seed)


def error(model: Any, views: Views) -> float:
    """Return root mean squared distance to the function on clean test rows."""
    return float(np.sqrt(np.mean(np.square(model.predict(views.X_test) - views.f_test))))


def table(rows: list[Row]) -> str:
    """Return one line for each problem."""
    columns = {
        "clean": mean("error_clean"),
        "naive": mean("error_naive"),
        "untaint": mean("error_untaint"),
        "median": mean("error_median"),
        "over naive": mean("untaint_over_naive"),
        "largest": largest("untaint_over_naive"),
        "median over naive": mean("median_over_naive"),
        "seconds": mean("seconds_untaint"),
        "naive's": mean("seconds_naive"),
    }
    return summary_table(rows, columns, by=("dataset", "epsilon"))


STUDIES = {
    "noisy-kernel": Study(
        "RMSE to the function on clean rows, learnt from two noisy copies with a Gaussian kernel.",
        cases,
        run,
        MEASURES,
        table,
        seeds=3,
    )
}
