"""Figures 1 and 2: the papers' gradient method, watched as it descends.

Every run has the kernel scale 1 / (2 d) and the same ridge, and is given the contamination. A
fit of k iterations is the beginning of a fit of more, so that refits show the way of one run.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from untaint import SubquantileRegressor

from ..data.protocol import Split, split_of
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import groups, markdown, mean, summary_table, values
from ..methods.base import gammas

# Errors need a refit for each; the papers end at 10,000.
CHECKPOINTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
# Objectives come with one fit.
ITERATIONS = tuple(sorted({round(10 ** (place / 10)) for place in range(33)} | {2000}))
ALPHA = 1.0
# Below any progress worth the name, so that runs do not end before they are looked at.
TOLERANCE = 1e-14
ACCELERATIONS = ("plain", "momentum", "nesterov")


def columns(name: str, iterations: Sequence[int]) -> tuple[str, ...]:
    """Return columns of a measure over the iterations: ``"rmse@1"``, ``"rmse@10"``."""
    return tuple(f"{name}@{k}" for k in iterations)


def watch_errors(case: Case) -> dict[str, float]:
    """Return test error and share of bad rows among those kept, after some numbers of iterations.

    Genie is kernel ridge of the same setting on the clean rows.
    """
    split = split_of(case)
    clean = split.clean_mask
    genie = _model(case, split, contamination=0.0).fit(split.X_train[clean], split.y_train[clean])
    measures = {"genie": split.rmse(genie)}
    for k in CHECKPOINTS:
        model = _descend(case, split, max_iter=k)
        measures[f"rmse@{k}"] = split.rmse(model)
        measures[f"bad@{k}"] = float(np.mean(~clean[model.inlier_mask_]))
    return measures


def watch_objective(case: Case) -> dict[str, float]:
    """Return the objective over that at which plain steps end, and when it came there.

    All accelerations have the same start and the same step.
    """
    split = split_of(case)
    plain = _descend(case, split, max_iter=ITERATIONS[-1])
    path, goal = plain.objective_path_, plain.objective_path_[-1]
    if case.method != "plain":
        model = _descend(case, split, max_iter=ITERATIONS[-1], acceleration=case.method)
        path = model.objective_path_
    there = np.flatnonzero(path <= goal)
    # As it ended where it has ended before.
    excess = {f"excess@{k}": float(path[min(k, len(path) - 1)] / goal) for k in ITERATIONS}
    reached = float(there[0]) if len(there) else math.nan
    return {"reached": reached, "plain_n_iter": float(plain.n_iter_)} | excess


def _descend(case: Case, split: Split, **options: Any) -> Any:
    options = {"solver": "gradient", "init": "random", "tol": TOLERANCE} | options
    model = _model(case, split, contamination=case.epsilon, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it was stopped is the point
        return model.fit(split.X_train, split.y_train)


def _model(case: Case, split: Split, **options: Any) -> Any:
    (gamma,) = gammas(split.X_train.shape[1], powers=[0])
    kernel = "poly" if case.dataset.startswith("polynomial") else "rbf"
    return SubquantileRegressor(
        kernel=kernel, gamma=gamma, alpha=ALPHA, random_state=case.seed, **options
    )


def error_table(rows: list[Row]) -> str:
    """Return errors after some iterations, and the share of bad rows after the last."""
    errors = {f"rmse at {k:,}": mean(f"rmse@{k}") for k in CHECKPOINTS[::3]}
    last = {"bad among kept": mean(f"bad@{CHECKPOINTS[-1]}")}
    return summary_table(rows, {"genie": mean("genie"), **errors, **last})


def objective_table(rows: list[Row]) -> str:
    """Return iterations to the last objective of plain steps, relative to theirs."""
    header = ["dataset", "method", "iterations", "plain's", "ratio", "seeds that came there"]
    body = []
    for setting, part in groups(rows, ("dataset", "method")).items():
        there = [row for row in part if values([row], "reached")]
        cells = ["-", "-", "-"]
        if there:
            counts = [fmean(row[name] for row in there) for name in ("reached", "plain_n_iter")]
            ratio = fmean(row["reached"] / row["plain_n_iter"] for row in there)
            cells = [f"{counts[0]:.0f}", f"{counts[1]:.0f}", f"{ratio:.3f}"]
        body.append([*setting, *cells, f"{len(there)} of {len(part)}"])
    return markdown(header, body)


STUDIES = {
    "figure1": Study(
        "Figure 1: clean-test RMSE, and bad rows among those kept, over the iterations.",
        crossed(
            [
                Cells(
                    ("concrete", "boston", "polynomial-1000"),
                    ["label"],
                    [0.0, 0.1, 0.2, 0.3, 0.4],
                    ["gradient"],
                )
            ],
            quick=[
                Cells(["smooth-150", "polynomial-200"], ["label"], [0.0, 0.2, 0.4], ["gradient"])
            ],
        ),
        watch_errors,
        ("genie", *columns("rmse", CHECKPOINTS), *columns("bad", CHECKPOINTS)),
        error_table,
        seeds=5,
        draw="descent:draw_errors",
    ),
    "figure2": Study(
        "Figure 2: iterations until the objective is where plain gradient "
        "steps end, 20 % bad labels.",
        crossed(
            [Cells(["boston", "concrete"], ["label"], [0.2], ACCELERATIONS)],
            quick=[Cells(["smooth-150"], ["label"], [0.2], ACCELERATIONS)],
        ),
        watch_objective,
        ("reached", "plain_n_iter", *columns("excess", ITERATIONS)),
        objective_table,
        seeds=5,
        draw="descent:draw_objectives",
    ),
}
