"""The regressors of Table 2: those of Table 1 with the linear kernel, and four that are linear."""

from __future__ import annotations

from functools import partial

from sklearn.linear_model import RANSACRegressor, Ridge

from . import kernel
from .method import Entry, Method, MethodContext

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
    make = partial(_ransac, sample=min(context.n_features + 1, LARGEST_SAMPLE), seed=context.seed)
    return Method(make, context.three_parameters(threshold=THRESHOLDS))


def crr(context: MethodContext) -> Method:
    """Return CRR, which corrects targets."""
    from untaint.baselines import ConsistentRegressor

    make = partial(ConsistentRegressor, max_iter=MOST_STEPS)
    return Method(make, context.two_parameters(), takes_contamination=True)


def stir(context: MethodContext) -> Method:
    """Return STIR, which weighs rows by truncated inverse residuals."""
    from untaint.baselines import ReweightedRegressor

    make = partial(ReweightedRegressor, max_iter=MOST_STEPS)
    return Method(make, context.three_parameters(growth=GROWTHS))


def torrent(context: MethodContext) -> Method:
    """Return TORRENT, which refits on the rows of smallest residual."""
    from untaint.baselines import HardThresholdRegressor

    return Method(
        HardThresholdRegressor, context.three_parameters(step=STEPS), takes_contamination=True
    )


def _ransac(alpha: float, threshold: float, sample: int, seed: int) -> RANSACRegressor:
    return RANSACRegressor(
        Ridge(alpha=alpha),
        min_samples=sample,
        residual_threshold=threshold,
        max_trials=100,
        random_state=seed,
    )


_SHARED = ("genie", "subquantile", "subquantile-auto", "krr")
METHODS: dict[str, Entry] = {
    **{name: kernel.METHODS[name] for name in _SHARED},
    "ransac": ransac,
    "crr": crr,
    "stir": stir,
    "torrent": torrent,
    "sever": kernel.sever,
    "term": kernel.term,
}
