r"""Multi-start search for the samples that a trimmed fit begins with.

Concentration steps end in the basin that they start in, and two kinds of basins are wrong. A
flexible fit reaches the outliers, whose losses then look small; and outliers that agree with one
another (a cluster, a shift, a region) look like a second regression function. Starts of few degrees
of freedom can follow neither; from there the search continues in alpha (:mod:`.continuation`).

1. Every start is made on a few hundred samples. In regression a start is a quantile regression:
   the median, or a lower and an upper quantile for errors of one sign. In classification it is a
   fit to all labels.
2. The finalists, two starts of the lowest trimmed objectives, continue on more samples.
3. The better finalist is extended to all samples: by more concentration steps in regression, by
   one prediction in classification, where the full model takes over sooner.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..design.base import Design
from ..design.subsample import Subset
from ..losses import Loss, SquaredLoss
from ..weighting.base import TrimmingRule
from ..weighting.trimmed import Trimmed
from .continuation import Candidate, Continuation, PathStart, SubsetRefit
from .logistic_refit import LogisticRefit
from .ridge_refit import RidgeRefit

# First fits, in the order in which they are tried. Further ones are made on random halves.
STARTS = tuple(PathStart(dof, quantile) for dof in (5.0, 20.0) for quantile in (0.5, 0.25, 0.75))
LABEL_STARTS = tuple(PathStart(dof) for dof in (3.0, 12.0, 6.0, 24.0, 48.0, np.inf))
FINALISTS = 2
# If the first starts, those of the fewest degrees of freedom, end alike, others are not made.
CONSENSUS = 3


class StartingPoint(NamedTuple):
    """Weights of the samples to begin with, and in classification the predictions of their fit."""

    weights: FloatArray
    predictions: FloatArray | None = None


def find_inliers(
    design: Design,
    y: FloatArray,
    contamination: float,
    n_starts: int,
    rng: np.random.Generator,
    agreement: float = 0.0,
) -> StartingPoint:
    """Search a design for the samples that a trimmed regression begins with.

    If the first starts end alike, up to a part ``agreement`` of the weights, others are not made.
    """
    rule, y = Trimmed(contamination), np.asarray(y, dtype=float)
    refit = RidgeRefit(y, design.sample_weight, design.near, SquaredLoss(), rule)
    starts = (STARTS + n_starts * STARTS[:1])[:n_starts]
    # The products are small: several threads would cost more than they save.
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        # The finalists need a second level for the rest of their paths, if only the first again.
        levels = design.levels if len(design.levels) > 1 else 2 * design.levels
        parts = (design, levels, refit, starts, rng, STARTS[-1].dof, CONSENSUS, agreement)
        _, found = multistart(*parts)
    return StartingPoint(found.weights)


def find_label_inliers(
    design: Design,
    y: FloatArray,
    loss: Loss,
    weighting: TrimmingRule,
    n_starts: int,
    rng: np.random.Generator,
) -> StartingPoint:
    """Search a design for the samples that a trimmed classification begins with."""
    refit = LogisticRefit(y, design.sample_weight, design.near, loss, weighting)
    starts = (n_starts * LABEL_STARTS)[:n_starts]
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        levels = design.levels[:-1] or design.levels
        path, found = multistart(design, levels, refit, starts, rng)
        assert found.fit is not None
        if len(design.levels) == 1:
            return StartingPoint(found.weights, found.fit.predictions)
        predictions = path.predict(found.fit, design.init_features)
        losses = np.where(design.near, loss.value(y, predictions), np.inf)
        return StartingPoint(weighting.weights(losses, design.sample_weight), predictions)


def multistart(
    design: Design,
    levels: Sequence[Subset],
    refit: SubsetRefit,
    starts: Sequence[PathStart],
    rng: np.random.Generator,
    dof: float = np.inf,
    consensus: int | None = None,
    agreement: float = 0.0,
) -> tuple[Continuation, Candidate]:
    """Follow the paths of several starts, from few samples to many.

    The levels are the samples of the starts, of the finalists, and of the best, each within the
    next. All samples of the first level take part in the first six starts, random halves in others;
    paths end there at ``dof`` degrees of freedom, by default at the design's alpha. If the first
    ``consensus`` starts end alike, up to a part ``agreement`` of the weights, no others are made.
    The results are the continuation on the last level, and the best candidate there.
    """
    level, path = levels[0], _continuation_on(levels[0], design, refit)
    reached = path.alpha_for_dof(dof)
    ends = list[Candidate]()
    for dof, first in _first_fits(path, starts, design.near[level.rows], rng):
        ends.append(path.follow_path(first, path.alpha_for_dof(dof), reached))
        if len(ends) == consensus and _spread(ends) <= agreement * float(level.weights.sum()):
            break
    candidates = path.best(ends, reached, FINALISTS)
    for wider in levels[1:]:
        if wider is not level:
            path = _continuation_on(wider, design, refit, path)
            inside = np.searchsorted(wider.rows, level.rows)
            candidates = [path.extend(candidate, inside, reached) for candidate in candidates]
            reached *= float(wider.weights.sum() / level.weights.sum())
            level = wider
        # The whole path was followed already if dof is infinite: only its end is left.
        alpha = reached if np.isfinite(dof) else path.alpha
        ends = [path.follow_path(candidate, alpha, path.alpha) for candidate in candidates]
        candidates, reached = path.best(ends, path.alpha, 1), path.alpha
    (best,) = path.best(candidates, reached, 1)
    return path, best


def _first_fits(
    path: Continuation, starts: Sequence[PathStart], near: BoolArray, rng: np.random.Generator
) -> Iterator[tuple[float, Candidate]]:
    """Yield degrees of freedom and weights of each start; those of similar starts come at once."""
    for dof, group in groupby(starts[: len(STARTS)], key=lambda start: start.dof):
        for first in path.start(dof, [start.quantile for start in group], near):
            yield dof, first
    for dof, quantile in starts[len(STARTS) :]:
        members = near & (rng.random(len(near)) < 0.5)
        yield dof, path.start(dof, [quantile], members)[0]


def _spread(candidates: Sequence[Candidate]) -> float:
    """Return the largest sum of differences of the weights of two candidates."""
    pairs = combinations(candidates, 2)
    return max(float(np.abs(one.weights - other.weights).sum()) for one, other in pairs)


def _continuation_on(
    sample: Subset, design: Design, refit: SubsetRefit, of_part: Continuation | None = None
) -> Continuation:
    """Return the continuation on some samples, with their part of the ridge parameter of all."""
    part = float(sample.weights.sum()) / float(design.sample_weight.sum())
    features = design.init_features[sample.rows]
    return Continuation(features, part * design.alpha, refit.among(sample), of_part)
