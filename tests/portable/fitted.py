"""Small fitted models, one of each kind of function."""

from functools import cache

import numpy as np

from untaint import SubquantileClassifier, SubquantileRegressor

KERNELS = ("linear", "poly", "rbf", "laplacian", "exponential", "rational_quadratic")
FUNCTIONS = [
    (kernel, approximation)
    for kernel in KERNELS
    for approximation in (None, "nystroem", "rff")
    if not (approximation == "rff" and kernel in ("linear", "poly"))
]


@cache
def rows(count=80, columns=4, seed=0):
    draws = np.random.default_rng(seed).normal(size=(count, columns))
    return draws + np.array([1.0, 0.0, 0.0, -1.0])


def targets(n_outputs=1):
    X = rows()
    y = np.sin(X[:, 0]) + X[:, 1]
    return y if n_outputs == 1 else np.column_stack([y, -2.0 * y + X[:, 2]])


def codes(n_classes=2):
    return np.digitize(rows()[:, 1] + rows()[:, 2], [-0.5, 0.8][: n_classes - 1])


@cache
def regressor(kernel="rbf", approximation=None, n_outputs=1):
    model = SubquantileRegressor(
        contamination=0.1,
        kernel=kernel,
        approximation=approximation,
        n_components=30,
        shape=1.5,
        random_state=0,
    )
    return model.fit(rows(), targets(n_outputs))


@cache
def classifier(kernel="rbf", n_classes=2, names=None):
    model = SubquantileClassifier(contamination=0.1, kernel=kernel)
    labels = codes(n_classes)
    return model.fit(rows(), labels if names is None else np.array(names)[labels])
