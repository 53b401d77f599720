"""The papers' label noise, read in two ways, and fits to rows that carry it.

N(5, 5) has 5 as its standard deviation or as its variance; N(p(x), 0.01), the polynomial's targets,
likewise. A caption (Table 4) also names N(0, 5). Targets are in standard units and a share epsilon
of the training rows gets the noise in their place; test rows are clean.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

from untaint.datasets import make_polynomial

from ..case import Case
from ..data import load
from ..protocol import Split, prepare

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
MEASURES = ("rmse",)


def evaluate(case: Case) -> dict[str, float]:
    """Return the clean-test RMSE of the case's method."""
    split = corrupted(case.dataset, case.kind, case.epsilon, case.seed)
    return {"rmse": split.rmse(METHODS[case.method](split, case))}


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


def kernel_ridge(split: Split, case: Case) -> Any:
    """Return kernel ridge on all rows, its parameters by leave-one-out."""
    return _fit(split, case, contamination=0.0)


def oracle(split: Split, case: Case) -> Any:
    """Return kernel ridge on the clean rows."""
    clean = split.clean_mask
    rows = Split(
        split.X_train[clean], split.y_train[clean], clean[clean], split.X_test, split.y_test
    )
    return _fit(rows, case, contamination=0.0)


def trimmed(split: Split, case: Case) -> Any:
    """Return our estimator, without parameters."""
    return _fit(split, case, contamination="auto")


def least_squares(split: Split, case: Case) -> Any:
    """Return linear regression without a ridge."""
    return LinearRegression().fit(split.X_train, split.y_train)


def _fit(split: Split, case: Case, contamination: Any) -> Any:
    from untaint import SubquantileRegressorCV

    kernel = "poly" if case.dataset in POLYNOMIALS else "rbf"
    model = SubquantileRegressorCV(
        kernel=kernel, contamination=contamination, random_state=case.seed
    )
    return model.fit(split.X_train, split.y_train)


METHODS = {
    "genie": oracle,
    "krr": kernel_ridge,
    "untaint": trimmed,
    "least-squares": least_squares,
}
