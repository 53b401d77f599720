"""The methods, at settings that a user would type: none is tuned, few know the contamination.

``untaint-told`` is given the contamination, and so is SEVER, which cannot do without; where there
are no outliers it takes its default of a tenth. All kernel methods have the kernel and the ridge of
the plain learner; SVR has the C that belongs to that ridge.

genie     the plain learner on the clean rows alone (oracle)
plain     least squares, or kernel ridge, on all rows
untaint   ``SubquantileRegressor``, which estimates the contamination
cv        ``SubquantileRegressorCV``, which chooses kernel scale and ridge too
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sklearn.linear_model import HuberRegressor, LinearRegression, RANSACRegressor
from sklearn.svm import SVR

from untaint import SubquantileRegressor, SubquantileRegressorCV
from untaint.baselines import SeverRegressor, TiltedRegressor

from ..data.designs import Sample
from ..data.drawn import Array
from ..r import robustbase

Make: TypeAlias = Callable[[float, int], Any]

# A ridge that is no ridge, where least squares is the plain learner.
SLOPES: dict[str, Any] = {"kernel": "linear", "alpha": 1e-6}
# Of the curve, which bends about every 1.5.
CURVE: dict[str, Any] = {"kernel": "rbf", "gamma": 0.5, "alpha": 0.1}

LINEAR: Mapping[str, Make] = {
    "genie": lambda share, seed: LinearRegression(),
    "plain": lambda share, seed: LinearRegression(),
    "untaint": lambda share, seed: SubquantileRegressor(**SLOPES, random_state=seed),
    "untaint-told": lambda share, seed: SubquantileRegressor(
        **SLOPES, contamination=share, random_state=seed
    ),
    "huber": lambda share, seed: HuberRegressor(alpha=0.0, max_iter=1000),
    "ransac": lambda share, seed: RANSACRegressor(random_state=seed),
    "svr": lambda share, seed: SVR(kernel="linear"),
    "term": lambda share, seed: TiltedRegressor(**SLOPES),
    "sever": lambda share, seed: SeverRegressor(**SLOPES, contamination=share or 0.1),
}
KERNEL: Mapping[str, Make] = {
    "genie": lambda share, seed: SubquantileRegressor(**CURVE, contamination=0.0),
    "plain": lambda share, seed: SubquantileRegressor(**CURVE, contamination=0.0),
    "untaint": lambda share, seed: SubquantileRegressor(**CURVE, random_state=seed),
    "untaint-told": lambda share, seed: SubquantileRegressor(
        **CURVE, contamination=share, random_state=seed
    ),
    "cv": lambda share, seed: SubquantileRegressorCV(random_state=seed),
    "svr": lambda share, seed: SVR(gamma=CURVE["gamma"], C=0.5 / CURVE["alpha"]),
    "term": lambda share, seed: TiltedRegressor(**CURVE),
    "sever": lambda share, seed: SeverRegressor(**CURVE, contamination=share or 0.1),
}
METHODS: Mapping[str, tuple[str, ...]] = {
    "linear": (*LINEAR, *robustbase.METHODS),
    "curve": tuple(KERNEL),
}


def predictions(
    design: str, method: str, samples: Sequence[Sample], epsilon: float, seed: int
) -> list[Array]:
    """Fit a method to each sample and predict its test rows; only Genie sees who is bad."""
    if method in robustbase.METHODS:
        fits = robustbase.fit_all(method, [(sample.X, sample.y) for sample in samples])
        return [fit.predict(sample.X_test) for fit, sample in zip(fits, samples, strict=True)]
    make, found = (LINEAR if design == "linear" else KERNEL)[method], []
    for sample in samples:
        rows = ~sample.bad if method == "genie" else slice(None)
        with warnings.catch_warnings():
            # Of steps that ran out and of shares that are hard to tell: the errors say how it went.
            warnings.simplefilter("ignore")
            model = make(epsilon, seed).fit(sample.X[rows], sample.y[rows])
            found.append(model.predict(sample.X_test))
    return found
