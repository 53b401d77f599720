"""Linear regressors: the kernel regressors with the linear kernel, and four that are linear."""

from __future__ import annotations

from functools import partial

from sklearn.linear_model import RANSACRegressor, Ridge

from untaint.baselines import ConsistentRegressor, HardThresholdRegressor, ReweightedRegressor

from . import regression
from .base import Entry, Method, MethodContext

# Residuals within which RANSAC calls a row good, in standard units of the target.
THRESHOLDS = (2.0, 1.0, 0.5)
# A ridge can do with fewer rows than features, and few rows are more often all good.
LARGEST_SAMPLE = 50
GROWTHS = (1.5, 2.0, 4.0)
STEPS = ("gradient", "hybrid", "corrective")
# At a small alpha on drug, CRR and STIR have not settled after 2,000 steps (6 and 15 s) either.
MOST_STEPS = 200


def ransac(context: MethodContext) -> Method:
    """Return ridge regression on the rows that agree with a small sample of them."""
    sample = min(context.data.X.shape[1] + 1, LARGEST_SAMPLE)
    return Method(
        lambda alpha, threshold: RANSACRegressor(
            Ridge(alpha=alpha),
            min_samples=sample,
            residual_threshold=threshold,
            max_trials=100,
            random_state=context.seed,
        ),
        context.three_parameters(threshold=THRESHOLDS),
    )


def crr(context: MethodContext) -> Method:
    """Return CRR, which corrects targets."""
    make = partial(ConsistentRegressor, max_iter=MOST_STEPS)
    return Method(make, context.two_parameters(), takes_contamination=True)


def stir(context: MethodContext) -> Method:
    """Return STIR, which weighs rows by their truncated inverse residuals."""
    make = partial(ReweightedRegressor, max_iter=MOST_STEPS)
    return Method(make, context.three_parameters(growth=GROWTHS))


def torrent(context: MethodContext) -> Method:
    """Return TORRENT, which refits on the rows of smallest residual."""
    settings = context.three_parameters(step=STEPS)
    return Method(HardThresholdRegressor, settings, takes_contamination=True)


METHODS: dict[str, Entry] = {
    **regression.METHODS,
    "ransac": ransac,
    "crr": crr,
    "stir": stir,
    "torrent": torrent,
}
