"""Every public estimator, in the configurations that take different code paths.

A property that an estimator does not promise is listed beside it, with the reason.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from untaint import (
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
)
from untaint.baselines import (
    ConsistentRegressor,
    HardThresholdRegressor,
    ReweightedRegressor,
    SeverClassifier,
    SeverRegressor,
    TiltedClassifier,
    TiltedRegressor,
)
from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor
from untaint.preprocessing import MedianScaler


@dataclass(frozen=True)
class Subject:
    """An estimator under test."""

    name: str
    model: Any
    exempt: dict[str, str] = field(default_factory=dict)  # property: why it is not promised
    tol: float = 1e-7  # of equal fits, in units of the predictions

    def __repr__(self):
        return self.name

    @property
    def labels(self):
        return is_classifier(self.model)

    @property
    def scaler(self):
        return isinstance(self.model, MedianScaler)

    @property
    def online(self):
        return isinstance(self.model, CorrectedRidge | NoisyKernelRegressor | NoisyLinearRegressor)

    @property
    def regressor(self):
        return not (self.labels or self.scaler)

    @property
    def kernel(self):
        if isinstance(self.model, NoisyKernelRegressor) or not hasattr(self.model, "kernel"):
            return None
        return self.model.kernel

    def fit(self, rows, **params):
        """A new model, fitted; its warnings do not matter here."""
        return self.fit_quietly(clone(self.model).set_params(**params), rows)

    def fit_quietly(self, model, rows):
        """Fit this very model; a warning of numpy's is an error."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            return self.fit_loudly(model, rows)

    def fit_loudly(self, model, rows):
        """Fit this very model, warnings and all."""
        more = {"X_copy": rows.copy} if self.needs_copy else {}
        return model.fit(rows.X, rows.y, sample_weight=rows.weights, **more)

    @property
    def needs_copy(self):
        return isinstance(self.model, NoisyKernelRegressor) and self.model.learning_rate != "auto"

    def evaluate(self, model, X):
        """What a fit says of rows, as numbers."""
        if self.scaler:
            return model.transform(X)
        return model.decision_function(X) if self.labels else model.predict(X)


def _regressors():
    for kernel in ("rbf", "linear", "laplacian", "exponential", "rational_quadratic", "poly"):
        yield f"regressor {kernel}", SubquantileRegressor(kernel=kernel, contamination=0.2)
    for kernel in ("rbf", "linear"):
        yield f"regressor {kernel} auto", SubquantileRegressor(kernel=kernel)
    given = {"contamination": 0.2, "random_state": 0}
    yield (
        "regressor nystroem",
        SubquantileRegressor(approximation="nystroem", n_components=12, **given),
    )
    yield "regressor nystroem auto", SubquantileRegressor(approximation="nystroem", n_components=12)
    yield "regressor rff", SubquantileRegressor(approximation="rff", n_components=24, **given)
    yield "regressor ball", SubquantileRegressor(contamination=0.2, norm_bound=2.0)
    yield "regressor smooth", SubquantileRegressor(contamination=0.2, smoothing=1.0, tol=1e-11)
    yield "regressor iterative", SubquantileRegressor(contamination=0.2, solver="iterative")
    yield "regressor gradient", SubquantileRegressor(contamination=0.2, solver="gradient")
    yield "regressor cv", SubquantileRegressorCV()
    yield "regressor cv linear", SubquantileRegressorCV(kernel="linear", contamination=0.2)


def _classifiers():
    for kernel in ("rbf", "linear", "laplacian", "poly"):
        yield f"classifier {kernel}", SubquantileClassifier(kernel=kernel, contamination=0.2)
    yield "classifier rbf auto", SubquantileClassifier()
    yield "classifier linear auto", SubquantileClassifier(kernel="linear")
    yield "classifier balanced", SubquantileClassifier(contamination=0.2, class_weight="balanced")
    given = {"contamination": 0.2, "random_state": 0}
    yield (
        "classifier nystroem",
        SubquantileClassifier(approximation="nystroem", n_components=12, **given),
    )
    yield "classifier rff", SubquantileClassifier(approximation="rff", n_components=24, **given)
    yield "classifier cv", SubquantileClassifierCV()
    yield "classifier cv linear", SubquantileClassifierCV(kernel="linear", contamination=0.2)


def _baselines():
    yield "sever", SeverRegressor(contamination=0.2)
    yield "sever linear", SeverRegressor(contamination=0.2, kernel="linear")
    yield "sever labels", SeverClassifier(contamination=0.2)
    yield "tilted", TiltedRegressor()
    yield "tilted labels", TiltedClassifier()
    for step in ("corrective", "gradient", "hybrid"):
        yield f"hard threshold {step}", HardThresholdRegressor(contamination=0.2, step=step)
    yield "consistent", ConsistentRegressor(contamination=0.2)
    yield "reweighted", ReweightedRegressor()


def _online():
    yield "corrected ridge", CorrectedRidge(noise_cov=0.01)
    yield "corrected ridge given", CorrectedRidge(noise_cov=0.01, alpha=1.0, share=1.0)
    yield "noisy linear", NoisyLinearRegressor(noise_cov=0.01)
    yield "noisy linear adaptive", NoisyLinearRegressor(noise_cov=0.01, learning_rate="adaptive")
    yield "noisy kernel", NoisyKernelRegressor(noise_cov=0.01, budget=20)
    yield (
        "noisy kernel pairs",
        NoisyKernelRegressor(noise_cov=0.01, gamma=0.5, learning_rate=0.1, norm_bound=3.0),
    )


BY_NUMBER = "a stream: rows go to folds, or make a step, one after another"
BY_COLUMN = "random frequencies are drawn column by column"
FROM_ZERO = "it begins at zero, and stops before it has come all the way"
WEIGHTLESS = "Algorithm 2 takes no weights"
FOLDED = dict.fromkeys(("order of rows", "weights are copies", "weight zero is absence"), BY_NUMBER)
FOURIER = {"order of columns": BY_COLUMN}

EXEMPT = {
    "regressor gradient": {"shift of y": FROM_ZERO},
    "regressor rff": FOURIER,
    "classifier rff": FOURIER,
    "sever linear": {"origin of X": "gradients of rows are arrows from the origin"},
    "hard threshold gradient": {"shift of y": FROM_ZERO},
    "corrected ridge": FOLDED,
    "noisy linear": FOLDED,
    "noisy linear adaptive": FOLDED | {"shift of y": FROM_ZERO, "origin of X": FROM_ZERO},
    "noisy kernel": FOLDED | FOURIER,
    "noisy kernel pairs": FOLDED | {"shift of y": FROM_ZERO, "read-only": WEIGHTLESS},
}
# Those that stop at an accuracy of their own; and sums over landmarks that lie close together,
# whose large coefficients take some digits.
TOLERANCES = {
    "regressor nystroem": 1e-4,
    "regressor nystroem auto": 1e-4,
    "regressor gradient": 1e-3,
    "regressor iterative": 1e-6,
    "hard threshold gradient": 1e-5,
}


def _subjects():
    for group in (_regressors, _classifiers, _baselines, _online):
        for name, model in group():
            # The log-loss has no closed form: Newton's method stops at the accuracy asked for.
            tol = TOLERANCES.get(name, 1e-5 if is_classifier(model) else 1e-7)
            yield Subject(name, model, EXEMPT.get(name, {}), tol)
    yield Subject("median scaler", MedianScaler())


SUBJECTS = list(_subjects())


def scale_of(values):
    """Largest absolute value, and no less than one unit."""
    return max(1.0, float(np.abs(values).max(initial=0.0)))
