"""The classifiers of Table 3 and of the studies beyond it, each told the same."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC

from ... import SubquantileClassifier, SubquantileClassifierCV
from .entry import Entry, Method, Told

# Rows of probability p get a weight of p to these powers.
TILTS = (-0.2, -0.5, -1.0)


def subquantile(told: Told) -> Method:
    """Our estimator, told the share."""
    return Method(_trimmed(told), told.two_knobs(), takes_share=True)


def automatic(told: Told) -> Method:
    """Our estimator, told nothing and choosing for itself."""
    make = partial(SubquantileClassifierCV, kernel=told.kernel, random_state=told.seed)
    return Method(make, [{}])


def kernel_logistic(told: Told) -> Method:
    """Kernel logistic regression on whatever rows it is given."""
    return Method(_trimmed(told, contamination=0.0), told.two_knobs())


def svm(told: Told) -> Method:
    """A support vector machine."""
    return Method(_svm, told.two_knobs())


def sever(told: Told) -> Method:
    """Kernel logistic regression that gives up the rows of outlying gradients."""
    from ...baselines import SeverClassifier

    make = partial(SeverClassifier, n_rounds=8, kernel=told.kernel)
    return Method(make, told.two_knobs(), takes_share=True)


def term(told: Told) -> Method:
    """Kernel logistic regression under tilted losses."""
    from ...baselines import TiltedClassifier

    return Method(partial(TiltedClassifier, kernel=told.kernel), told.three_knobs(tilt=TILTS))


def forest(told: Told) -> Method:
    """A random forest."""
    return Method(partial(_forest, seed=told.seed), told.forest_knobs())


def cleanlab(told: Told) -> Method:
    """Kernel logistic regression on the rows that cleanlab leaves it."""
    return Method(partial(_cleanlab, told), told.two_knobs())


def _trimmed(told: Told, **options: Any) -> partial[SubquantileClassifier]:
    return partial(SubquantileClassifier, kernel=told.kernel, random_state=told.seed, **options)


def _svm(gamma: float, alpha: float) -> SVC:
    return SVC(C=1.0 / (2.0 * alpha), gamma=gamma)


def _forest(leaf: int, features: float, seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(min_samples_leaf=leaf, max_features=features, random_state=seed)


def _cleanlab(told: Told, gamma: float, alpha: float) -> Any:
    learner = _trimmed(told, contamination=0.0)(gamma=gamma, alpha=alpha)
    return import_module("cleanlab.classification").CleanLearning(learner, seed=told.seed)


METHODS: dict[str, Entry] = {
    "genie": kernel_logistic,
    "subquantile": subquantile,
    "subquantile-auto": automatic,
    "svm": svm,
    "sever": sever,
    "term": term,
    "kernel-logistic": kernel_logistic,
    "random-forest": forest,
    "cleanlab": cleanlab,
}
