"""The papers' label noise, read in two ways, and fits to rows that carry it.

N(5, 5) has 5 as its standard deviation or as its variance; N(p(x), 0.01), the polynomial's targets,
likewise. A caption (Table 4) also names N(0, 5). Targets are in standard units and a share epsilon
of the training rows gets the noise in their place; test rows are clean. How many rows of drug the
papers took is not said either, so parts of it are fitted by least squares.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

from untaint import SubquantileRegressorCV
from untaint.datasets import make_polynomial

from ..data.protocol import Split, prepare
from ..data.sets import load
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import SETTING, groups, markdown, show, values
from .printed import printed_in

#: Mean and standard deviation of the noise.
READINGS = {
    "N(5, sd 5)": (5.0, 5.0),
    "N(5, var 5)": (5.0, sqrt(5.0)),
    "N(0, sd 5)": (0.0, 5.0),
    "N(0, var 5)": (0.0, sqrt(5.0)),
}
INFLATED = "label+feature"
#: Standard deviations of the polynomial's targets: the variance is 0.01, or the deviation.
POLYNOMIALS = {"polynomial-var": 0.1, "polynomial-sd": 0.01}
DRUG = ("drug-700", "drug-1000", "drug-1500", "drug-4085")
METHODS = ("genie", "krr", "untaint", "least-squares")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return kernel fits on every reading, and least squares on parts of drug."""
    seeds = list(seeds)
    if quick:
        return crossed([Cells(["kiln"], [*READINGS], [0.2], ("genie", "krr"))])(seeds, quick)
    kinds = ("N(5, sd 5)", "N(5, var 5)", INFLATED)
    squares = ["least-squares"]
    linear = [Cells(DRUG, kinds, [0.2], squares), Cells(DRUG, ["clean"], [0.0], squares)]
    sets = ("boston", "concrete", *POLYNOMIALS)
    kernels = [Cells(sets, [*READINGS], [0.2, 0.4], ("genie", "krr", "untaint"))]
    return [*crossed(linear)(seeds, quick), *crossed(kernels)(seeds, quick)]


def run(case: Case) -> dict[str, float]:
    """Return the clean-test RMSE of the case's method."""
    split = corrupted(case.dataset, case.kind, case.epsilon, case.seed)
    rows = split.clean_mask if case.method == "genie" else slice(None)
    return {"rmse": split.rmse(_model(case).fit(split.X_train[rows], split.y_train[rows]))}


def _model(case: Case) -> Any:
    if case.method == "least-squares":
        return LinearRegression()
    return SubquantileRegressorCV(
        kernel="poly" if case.dataset in POLYNOMIALS else "rbf",
        contamination="auto" if case.method == "untaint" else 0.0,
        random_state=case.seed,
    )


@lru_cache(maxsize=1)
def corrupted(dataset: str, kind: str, epsilon: float, seed: int) -> Split:
    """Return split and standardised rows whose bad targets follow a reading."""
    if dataset in POLYNOMIALS:
        X, y = make_polynomial(1000, noise=POLYNOMIALS[dataset], random_state=seed)
    else:
        X, y = load(dataset, seed)
    planted = INFLATED if kind == INFLATED else "label"
    split = prepare(X, y, kind=planted, epsilon=epsilon, seed=seed)
    if kind in READINGS:
        bad = ~split.clean_mask
        mean, deviation = READINGS[kind]
        rng = np.random.default_rng(seed).spawn(4)[3]
        split.y_train[bad] = mean + deviation * rng.normal(size=int(bad.sum()))
    return split


def table(rows: list[Row]) -> str:
    """Return mean errors of every method, next to the printed ones of the plain fit."""
    methods = [name for name in METHODS if any(row["method"] == name for row in rows)]
    printed, body = printed_in("table1"), []
    for (dataset, kind, epsilon), part in groups(rows).items():
        by_method = groups(part, ("method",))
        found = [values(by_method.get((name,), []), "rmse") for name in methods]
        cells = [show(fmean(errors)) if errors else "-" for errors in found]
        figures = [printed.get((dataset, "label", epsilon, m)) for m in ("krr", "subquantile")]
        figure = ", ".join("-" if one is None else show(one.mean) for one in figures)
        body.append([dataset, kind, epsilon, *cells, figure])
    header = [SETTING[0], "bad targets", SETTING[2], *methods, "print: krr, subquantile"]
    return f"Clean-test RMSE in standard units, mean over the seeds.\n\n{markdown(header, body)}"


STUDIES = {
    "readings": Study(
        "Clean-test RMSE under both readings of the papers' label noise, and on parts of drug.",
        cases,
        run,
        ("rmse",),
        table,
        seeds=3,
    )
}
