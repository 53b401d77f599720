"""The papers' gradient method, watched as it descends.

Every run has the kernel scale 1 / (2 d) and the same ridge, and is given the contamination. A
fit of k iterations is the beginning of a fit of more, so that refits show the way of one run.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from untaint import SubquantileRegressor

from ..case import Case
from ..data import load
from ..fitting import gammas
from ..protocol import Split, prepare

# Errors need a refit for each; the papers end at 10,000.
CHECKPOINTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
# Objectives come with one fit.
ITERATIONS = tuple(sorted({round(10 ** (place / 10)) for place in range(33)} | {2000}))
ALPHA = 1.0
# Below any progress worth the name, so that runs do not end before they are looked at.
TOLERANCE = 1e-14


def columns(name: str, iterations: Sequence[int]) -> tuple[str, ...]:
    """Return columns of a measure over the iterations.

    Examples
    --------
    >>> from benchmarks.papers.descent import columns
    >>> columns("rmse", [1, 10])
    ('rmse@1', 'rmse@10')
    """
    return tuple(f"{name}@{k}" for k in iterations)


ERROR_MEASURES = ("genie", *columns("rmse", CHECKPOINTS), *columns("bad", CHECKPOINTS))
OBJECTIVE_MEASURES = ("reached", "plain_n_iter", *columns("excess", ITERATIONS))


def watch_errors(case: Case) -> dict[str, float]:
    """Return test error and share of bad rows among those kept, after some numbers of iterations.

    Genie is kernel ridge of the same setting on the clean rows.
    """
    split = _split(case)
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
    split = _split(case)
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


def _split(case: Case) -> Split:
    X, y = load(case.dataset, case.seed)
    return prepare(X, y, kind=case.kind, epsilon=case.epsilon, seed=case.seed)


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
