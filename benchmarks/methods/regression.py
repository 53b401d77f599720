"""Kernel regressors, each given the same information.

Plain kernel ridge is our estimator without trimming, which equals scikit-learn's and has an
intercept. scikit-learn weighs the summed loss by C against half of the squared norm, hence
C = 1 / (2 alpha). *Genie* is the oracle, which is fitted to the clean rows only; the word is that
of the TERM paper. ``untaint`` cuts rows off at once, ``subquantile`` with the papers' softplus
edge.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import HuberRegressor
from sklearn.svm import SVR

from untaint import SubquantileRegressor, SubquantileRegressorCV
from untaint.baselines import SeverRegressor, TiltedRegressor

from .base import Entry, Method, MethodContext, combine, spread

# In units of one over the squared target, as good residuals of a deviation of 2, 1 and 1/2 ask for.
TILTS = (-0.125, -0.5, -2.0)
# Soft weights close in on their limit long after predictions have.
ENOUGH = 1e-4
# How sharply rows are cut off, in the same units: from softly to all but at once.
SMOOTHINGS = (0.3, 3.0, 30.0)
# Rows that SEVER removes for each bad one, in eight rounds: it finds some good ones first.
EXCESS = (1.0, 1.1, 1.2)
# Estimators take shares below a half; a fold may hold more bad rows than the whole.
MOST = 0.49
THRESHOLDS = (2.0, 1.75, 1.5, 1.35, 1.15, 1.01)
# The papers' own method: projected gradient from a random start, here with momentum.
GRADIENT: dict[str, Any] = {
    "solver": "gradient",
    "init": "random",
    "acceleration": "momentum",
    "tol": 1e-5,
    "max_iter": 500,
}


def trimmed(context: MethodContext, **options: Any) -> partial[SubquantileRegressor]:
    """Return our estimator as a function of its setting."""
    return partial(
        SubquantileRegressor, kernel=context.kernel, random_state=context.seed, **options
    )


def subquantile(context: MethodContext) -> Method:
    """Return our estimator, given the contamination, with the papers' softplus edge."""
    make = trimmed(context, tol=ENOUGH)
    return Method(make, context.three_parameters(smoothing=SMOOTHINGS), takes_contamination=True)


def robust(context: MethodContext) -> Method:
    """Return our estimator, given the contamination."""
    return Method(trimmed(context), context.two_parameters(), takes_contamination=True)


def gradient(context: MethodContext) -> Method:
    """Return the papers' own method."""
    make = trimmed(context, **GRADIENT)
    return Method(make, context.two_parameters(), takes_contamination=True)


def automatic(context: MethodContext) -> Method:
    """Return our estimator, without parameters."""
    make = partial(SubquantileRegressorCV, kernel=context.kernel, random_state=context.seed)
    return Method(make)


def plain(context: MethodContext) -> Method:
    """Return kernel ridge on whatever rows it is given."""
    return Method(trimmed(context, contamination=0.0), context.two_parameters())


def sever(context: MethodContext) -> Method:
    """Return kernel ridge that trims the rows of outlying gradients."""

    def make(contamination: float, excess: float, **setting: Any) -> SeverRegressor:
        removed = min(excess * contamination, MOST)
        return SeverRegressor(contamination=removed, n_rounds=8, kernel=context.kernel, **setting)

    return Method(make, context.three_parameters(excess=EXCESS), takes_contamination=True)


def term(context: MethodContext) -> Method:
    """Return kernel ridge under tilted losses."""
    make = partial(TiltedRegressor, kernel=context.kernel, tol=ENOUGH)
    return Method(make, context.three_parameters(tilt=TILTS))


def svr(context: MethodContext) -> Method:
    """Return support vector regression of epsilon = 0.1."""
    return Method(
        lambda gamma, alpha: SVR(C=1.0 / (2.0 * alpha), gamma=gamma, epsilon=0.1),
        context.two_parameters(),
    )


def huber(context: MethodContext) -> Method:
    """Return linear regression under Huber's loss."""
    thresholds = spread(THRESHOLDS, len(context.grid.powers))
    return Method(
        lambda threshold, alpha: HuberRegressor(epsilon=threshold, alpha=alpha, max_iter=300),
        combine(threshold=thresholds, alpha=context.grid.alphas),
    )


def forest(context: MethodContext) -> Method:
    """Return a random forest."""
    return Method(
        lambda leaf, features: RandomForestRegressor(
            min_samples_leaf=leaf, max_features=features, random_state=context.seed
        ),
        context.forest_parameters(),
    )


METHODS: dict[str, Entry] = {
    "genie": plain,
    "untaint": robust,
    "untaint-gradient": gradient,
    "kernel-ridge": plain,
    "subquantile": subquantile,
    "subquantile-gradient": gradient,
    "subquantile-auto": automatic,
    "krr": plain,
    "sever": sever,
    "term": term,
    "svr": svr,
    "huber": huber,
    "random-forest": forest,
}
