"""The regressors of Table 2: those of Table 1 with the linear kernel, and four that are linear."""

from __future__ import annotations

from functools import partial

from sklearn.linear_model import RANSACRegressor, Ridge

from . import kernel
from .entry import Entry, Method, Told

# Residuals within which RANSAC calls a row good, in standard units of the target.
THRESHOLDS = (2.0, 1.0, 0.5)
# A ridge can do with fewer rows than features, and few rows are more often all good.
LARGEST_SAMPLE = 50
GROWTHS = (1.5, 2.0, 4.0)
STEPS = ("gradient", "hybrid", "corrective")
# At a small alpha on drug, CRR and STIR have not settled after 2,000 steps (6 and 15 s) either.
MOST_STEPS = 200


def ransac(told: Told) -> Method:
    """Ridge regression on the rows that agree with a small sample of them."""
    make = partial(_ransac, sample=min(told.n_features + 1, LARGEST_SAMPLE), seed=told.seed)
    return Method(make, told.three_knobs(threshold=THRESHOLDS))


def crr(told: Told) -> Method:
    """CRR, which corrects targets."""
    from ...baselines import ConsistentRegressor

    make = partial(ConsistentRegressor, max_iter=MOST_STEPS)
    return Method(make, told.two_knobs(), takes_share=True)


def stir(told: Told) -> Method:
    """STIR, which weighs rows by truncated inverse residuals."""
    from ...baselines import ReweightedRegressor

    make = partial(ReweightedRegressor, max_iter=MOST_STEPS)
    return Method(make, told.three_knobs(growth=GROWTHS))


def torrent(told: Told) -> Method:
    """TORRENT, which refits on the rows of smallest residual."""
    from ...baselines import HardThresholdRegressor

    return Method(HardThresholdRegressor, told.three_knobs(step=STEPS), takes_share=True)


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
