"""Kernel classifiers, each given the same information.

scikit-learn weighs the summed loss by C against half of the squared norm, hence C = 1 / (2 alpha).
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from untaint import SubquantileClassifier, SubquantileClassifierCV
from untaint.baselines import SeverClassifier, TiltedClassifier

from .base import Entry, Method, MethodContext

# Rows of probability p get a weight of p to these powers.
TILTS = (-0.2, -0.5, -1.0)


def trimmed(context: MethodContext, **options: Any) -> partial[SubquantileClassifier]:
    """Return our estimator as a function of its setting."""
    return partial(
        SubquantileClassifier, kernel=context.kernel, random_state=context.seed, **options
    )


def robust(context: MethodContext) -> Method:
    """Return our estimator, given the contamination."""
    return Method(trimmed(context), context.two_parameters(), takes_contamination=True)


def share_estimated(context: MethodContext) -> Method:
    """Return our estimator, which has to find the share."""
    return Method(trimmed(context, contamination="auto"), context.two_parameters())


def automatic(context: MethodContext) -> Method:
    """Return our estimator, without parameters."""
    make = partial(SubquantileClassifierCV, kernel=context.kernel, random_state=context.seed)
    return Method(make)


def kernel_logistic(context: MethodContext) -> Method:
    """Return kernel logistic regression on whatever rows it is given."""
    return Method(trimmed(context, contamination=0.0), context.two_parameters())


def svm(context: MethodContext) -> Method:
    """Return a support vector machine, which has no probabilities."""
    return Method(_svm, context.two_parameters())


def calibrated_svm(context: MethodContext) -> Method:
    """Return a support vector machine with probabilities (Platt's sigmoid)."""
    return Method(
        lambda gamma, alpha: CalibratedClassifierCV(_svm(gamma, alpha), ensemble=False),
        context.two_parameters(),
    )


def logistic(context: MethodContext) -> Method:
    """Return linear logistic regression."""
    return Method(
        lambda alpha: LogisticRegression(C=1.0 / (2.0 * alpha), max_iter=1000), context.alphas()
    )


def sever(context: MethodContext) -> Method:
    """Return kernel logistic regression that trims the rows of outlying gradients."""
    make = partial(SeverClassifier, n_rounds=8, kernel=context.kernel)
    return Method(make, context.two_parameters(), takes_contamination=True)


def term(context: MethodContext) -> Method:
    """Return kernel logistic regression under tilted losses."""
    make = partial(TiltedClassifier, kernel=context.kernel)
    return Method(make, context.three_parameters(tilt=TILTS))


def forest(context: MethodContext) -> Method:
    """Return a random forest."""
    return Method(
        lambda leaf, features: RandomForestClassifier(
            min_samples_leaf=leaf, max_features=features, random_state=context.seed
        ),
        context.forest_parameters(),
    )


def cleanlab(context: MethodContext) -> Method:
    """Return kernel logistic regression on the rows that cleanlab leaves it."""

    def make(**setting: float) -> Any:
        learner = trimmed(context, contamination=0.0)(**setting)
        return import_module("cleanlab.classification").CleanLearning(learner, seed=context.seed)

    return Method(make, context.two_parameters())


def _svm(gamma: float, alpha: float) -> SVC:
    return SVC(C=1.0 / (2.0 * alpha), gamma=gamma)


METHODS: dict[str, Entry] = {
    "genie": kernel_logistic,
    "untaint": robust,
    "untaint-auto": share_estimated,
    "svc": svm,
    "svc-calibrated": calibrated_svm,
    "logistic": logistic,
    "subquantile": robust,
    "subquantile-auto": automatic,
    "svm": svm,
    "sever": sever,
    "term": term,
    "kernel-logistic": kernel_logistic,
    "random-forest": forest,
    "cleanlab": cleanlab,
}
