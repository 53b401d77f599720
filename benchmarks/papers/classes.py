"""The classifiers of Table 3 and of the studies beyond it, each given the same information."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC

from untaint import SubquantileClassifier, SubquantileClassifierCV

from .method import Entry, Method, MethodContext

# Rows of probability p get a weight of p to these powers.
TILTS = (-0.2, -0.5, -1.0)


def subquantile(context: MethodContext) -> Method:
    """Return our estimator, given the contamination."""
    return Method(_trimmed(context), context.two_parameters(), takes_contamination=True)


def automatic(context: MethodContext) -> Method:
    """Return our estimator, without parameters."""
    make = partial(SubquantileClassifierCV, kernel=context.kernel, random_state=context.seed)
    return Method(make, [{}])


def kernel_logistic(context: MethodContext) -> Method:
    """Return kernel logistic regression on whatever rows it is given."""
    return Method(_trimmed(context, contamination=0.0), context.two_parameters())


def svm(context: MethodContext) -> Method:
    """Return a support vector machine."""
    return Method(_svm, context.two_parameters())


def sever(context: MethodContext) -> Method:
    """Return kernel logistic regression that trims the rows of outlying gradients."""
    from untaint.baselines import SeverClassifier

    make = partial(SeverClassifier, n_rounds=8, kernel=context.kernel)
    return Method(make, context.two_parameters(), takes_contamination=True)


def term(context: MethodContext) -> Method:
    """Return kernel logistic regression under tilted losses."""
    from untaint.baselines import TiltedClassifier

    return Method(
        partial(TiltedClassifier, kernel=context.kernel), context.three_parameters(tilt=TILTS)
    )


def forest(context: MethodContext) -> Method:
    """Return a random forest."""
    return Method(partial(_forest, seed=context.seed), context.forest_parameters())


def cleanlab(context: MethodContext) -> Method:
    """Return kernel logistic regression on the rows that cleanlab leaves it."""
    return Method(partial(_cleanlab, context), context.two_parameters())


def _trimmed(context: MethodContext, **options: Any) -> partial[SubquantileClassifier]:
    return partial(
        SubquantileClassifier, kernel=context.kernel, random_state=context.seed, **options
    )


def _svm(gamma: float, alpha: float) -> SVC:
    return SVC(C=1.0 / (2.0 * alpha), gamma=gamma)


def _forest(leaf: int, features: float, seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(min_samples_leaf=leaf, max_features=features, random_state=seed)


def _cleanlab(context: MethodContext, gamma: float, alpha: float) -> Any:
    learner = _trimmed(context, contamination=0.0)(gamma=gamma, alpha=alpha)
    return import_module("cleanlab.classification").CleanLearning(learner, seed=context.seed)


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
