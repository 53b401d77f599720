"""Problems that the tests of the baselines share, and the baselines themselves."""

import warnings

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

from untaint.baselines import (
    ConsistentRegressor,
    HardThresholdRegressor,
    ReweightedRegressor,
    SeverClassifier,
    SeverRegressor,
    TiltedClassifier,
    TiltedRegressor,
)

LINEAR = [
    HardThresholdRegressor(),
    HardThresholdRegressor(step="gradient"),
    HardThresholdRegressor(step="hybrid"),
    ConsistentRegressor(),
    ReweightedRegressor(),
]
KERNEL_REGRESSORS = [SeverRegressor(), TiltedRegressor()]
REGRESSORS = [*KERNEL_REGRESSORS, *LINEAR]
CLASSIFIERS = [SeverClassifier(), TiltedClassifier()]
EVERY = [*REGRESSORS, *CLASSIFIERS]
# Those whose contamination is a parameter.
TRIMMERS = [model for model in EVERY if hasattr(model, "contamination")]


def name(model):
    """For the test's own name."""
    return repr(model).replace("Regressor", "").replace("Classifier", " labels")


def linear_problem(
    seed, *, n=300, d=5, contamination=0.2, size=100.0, noise=0.0, one_sided=False, intercept=True
):
    """Rows, targets of which a fraction is corrupted whatever the row, slopes, intercept, mask."""
    rng = np.random.default_rng(seed)
    X, coef, shift = rng.normal(size=(n, d)), rng.normal(size=d), intercept * rng.normal()
    y = X @ coef + shift + noise * rng.normal(size=n)
    bad = np.zeros(n, dtype=bool)
    bad[rng.choice(n, round(contamination * n), replace=False)] = True
    wrong = size * rng.normal(size=n)
    y[bad] += np.abs(wrong[bad]) if one_sided else wrong[bad]
    return X, y, coef, shift, bad


def problem_of(model, n=80, seed=0):
    """Rows and targets that suit the model, a tenth of them wrong, and the mask of those."""
    rng = np.random.default_rng(seed)
    bad = np.zeros(n, dtype=bool)
    bad[:: n // (n // 10)] = True
    X = rng.normal(size=(n, 3))
    if is_classifier(model):
        y = (np.arange(n) // 2) % 2
        X = X + 4.0 * y[:, None]
        return X, np.where(bad, 1 - y, y), bad
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=n)
    y[bad] += 30.0 + 10.0 * rng.random(bad.sum())
    return X, y, bad


def quietly(model, *args, **kwargs):
    """Fit, without a word on convergence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)
