r"""Joint selection of hyperparameters and weights by leave-one-out residuals.

Hyperparameters can be selected by leave-one-out errors once the inliers are known, and inliers be
identified by leave-one-out residuals once the hyperparameters are known. The two steps alternate:

1. For each setting, compute the leave-one-out residuals of the fit with the present weights. The
   best setting has the smallest mean square under these weights. All settings are scored with the
   same weights: a setting that chose its own rows would choose those that it fits.
2. Compute new weights from the standardised residuals under that setting.

One eigendecomposition of a kernel serves every alpha (:mod:`~untaint.optim.ridge_path`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..contamination.duplicates import has_many_duplicates
from ..contamination.loo_diagnostics import min_alpha
from ..contamination.misfit import flagged_groups
from ..contamination.residual_mixture import OutlierPosterior, ResidualMixture
from ..contamination.residual_norm import signed_norms
from ..contamination.two_groups import as_rows
from ..design.base import Design
from ..initialization.multistart import find_inliers
from ..optim.ridge_path import RidgePath
from ..weighting.trimmed import Trimmed

# Contamination of the initial search while the contamination itself is being estimated.
INITIAL_CONTAMINATION = 0.45
# Fewest rows from which a contamination is estimated.
FEWEST_ROWS = 20
# Alternations at most, and the mean change of a weight at which they end.
MAX_ROUNDS = 8
SETTLED = 2e-3
# Times that flagged rows may turn out to be misfit of the function.
MAX_GROUPS = 3

#: Maps residuals and present weights to new weights.
Reweight = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
#: Where an alternation ends: the selection, and the posterior of its residuals.
End = tuple["JointSelection", OutlierPosterior]
#: Computes the features of one kernel when they are needed.
Features = Callable[[], FloatArray]


@final
@dataclass(frozen=True)
class JointSelection:
    """Selected positions of kernel and alpha, and the weights under that setting.

    ``residuals``, (n, k), are its standardised leave-one-out residuals, ``deviations``, (n,), the
    standard deviations of these predictions in units of the noise, and ``errors``, (n_kernels,
    n_alphas), mean squared residuals under the weights of the last round that scored a setting.
    """

    kernel: int
    alpha: int
    weights: FloatArray
    residuals: FloatArray
    deviations: FloatArray
    errors: FloatArray
    n_rounds: int


def select_jointly(
    features: Sequence[Features],
    alphas: Sequence[float] | FloatArray,
    y: FloatArray,
    sample_weight: FloatArray,
    fit_intercept: bool,
    weights: FloatArray,
    reweight: Reweight,
    first: tuple[int, int] = (0, 0),
) -> JointSelection:
    """Alternate until neither the setting nor the weights change.

    Neighbours in the sequence of features are those of similar kernels. ``weights`` are those to
    start with, and ``first`` is the setting, kernel and alpha, that they were found with.
    """
    errors = np.full((len(features), len(alphas)), np.inf)
    scores = LooScores(features, alphas, y, sample_weight, fit_intercept, errors)
    everything = range(len(features))
    choice, n_rounds = first, 0
    kernels: Sequence[int] = [first[0]]
    while True:
        previous = choice
        if n_rounds == 0:
            path = scores.path(first[0], weights)
        else:
            choice, path = scores.best(kernels, weights)
        residuals, deviations = path.standardized(y, alphas[choice[1]], sample_weight)
        updated = reweight(residuals, deviations, weights)
        moved = float(np.abs(updated - weights).sum()) / float(sample_weight.sum())
        weights, n_rounds = updated, n_rounds + 1
        settled = moved <= SETTLED and choice == previous
        complete = settled and len(kernels) == len(features) and scores.complete
        if n_rounds >= MAX_ROUNDS or complete:
            if errors.size == 1:  # a single setting is not scored on the way
                errors[:] = path.mean_square(y, alphas[0], sample_weight)
            return JointSelection(*choice, weights, residuals, deviations, errors, n_rounds)
        # All kernels are scored in the second and the last rounds, the neighbours in between.
        if n_rounds == 1 or settled or n_rounds == MAX_ROUNDS - 1:
            kernels = everything
        else:
            kernels = everything[max(0, choice[0] - 1) : choice[0] + 2]


@final
@dataclass(frozen=True)
class LooScores:
    """Leave-one-out errors of all settings, infinite for those that were not scored so far."""

    features: Sequence[Features]
    alphas: Sequence[float] | FloatArray
    y: FloatArray
    sample_weight: FloatArray
    fit_intercept: bool
    errors: FloatArray

    @property
    def complete(self) -> bool:
        """Whether every setting has been scored, or there is only one."""
        return self.errors.size == 1 or bool(np.isfinite(self.errors).all())

    def path(self, kernel: int, weights: FloatArray) -> RidgePath:
        """Return the ridge path of one kernel."""
        return RidgePath(self.features[kernel](), weights, self.fit_intercept)

    def best(
        self, kernels: Iterable[int], weights: FloatArray
    ) -> tuple[tuple[int, int], RidgePath]:
        """Return the setting of the smallest error; of equal errors, that of the largest alpha."""
        best, least = None, np.inf
        for kernel in kernels:
            path = self.path(kernel, weights)
            for j, alpha in enumerate(self.alphas):
                self.errors[kernel, j] = path.mean_square(self.y, alpha, self.sample_weight)
                if best is None or self.errors[kernel, j] <= least:
                    best, least = ((kernel, j), path), self.errors[kernel, j]
        assert best is not None
        return best


def select_hyperparameters(
    candidates: Sequence[Design],
    alphas: FloatArray,
    y: FloatArray,
    contamination: float | None,
    n_starts: int,
    rng: np.random.Generator,
    first: tuple[int, int] = (0, 0),
) -> tuple[JointSelection, OutlierPosterior | None]:
    """Search for inliers, then select hyperparameters and weights jointly.

    The candidates are the same rows under different kernels, of which neighbours are similar. A
    contamination of None weights each row by its posterior probability, which is also returned. The
    search is at the own alpha of the first design.

    If outliers are found, the alternation is repeated from uniform weights, and the solution of the
    higher leave-one-out predictive density is kept.
    """
    start = candidates[first[0]]
    sample_weight = start.sample_weight
    outlying = np.zeros(len(y), dtype=bool) if contamination == 0 else start.feature_outlier
    weights = sample_weight
    if contamination != 0:
        trimmed = INITIAL_CONTAMINATION if contamination is None else contamination
        weights = np.where(outlying, 0.0, find_inliers(start, y, trimmed, n_starts, rng).weights)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        features = [loo_features_of(design) for design in candidates]
        alphas = np.maximum(alphas, min_alpha(start, outlying))
        rows = (y, sample_weight, start.fit_intercept)
        if contamination is not None:
            reweight = _trimming(contamination, sample_weight, outlying)
            return select_jointly(features, alphas, *rows, weights, reweight, first), None
        mixture = ResidualMixture(y, sample_weight, outlying)
        parts = (features, alphas, rows, mixture)
        ends = _ends(*parts, weights, first)
        return _without_misfit(*parts, ends, start.X, first)


def _ends(
    features: Sequence[Features],
    alphas: FloatArray,
    rows: tuple[FloatArray, FloatArray, bool],
    mixture: ResidualMixture,
    weights: FloatArray,
    first: tuple[int, int],
) -> list[End]:
    """Return the ends of two starts, that of the higher leave-one-out predictive density first.

    The starts are the inliers that the initial search found, and all rows. From each, outliers are
    taken for granted while the first setting stays fixed.
    """
    kernel, alpha = features[first[0]], alphas[[first[1]]]
    starts, ends = [weights], list[End]()
    if not has_many_duplicates(kernel(), rows[0], as_rows(rows[1])):
        starts.append(mixture.included)
    for start in starts:
        forced = select_jointly([kernel], alpha, *rows, start, mixture.contaminated_weights)
        parts = (forced.weights, mixture.posterior_weights, first)
        end = select_jointly(features, alphas, *rows, *parts)
        ends.append((end, mixture.fit(end.residuals, end.deviations, end.weights)))
    return sorted(ends, key=lambda found: -_log_density(mixture, *found))


def _without_misfit(
    features: Sequence[Features],
    alphas: FloatArray,
    rows: tuple[FloatArray, FloatArray, bool],
    mixture: ResidualMixture,
    ends: list[End],
    X: Any,
    first: tuple[int, int],
) -> End:
    """Return the first end whose flagged rows cannot be told from their features.

    If there is none, rows that can be told are kept, and the alternation is repeated with them.
    """
    counts = as_rows(rows[1])
    for _ in range(MAX_GROUPS):
        groups = [_group(X, posterior, mixture, counts) for _, posterior in ends]
        misfit = mixture.misfit | groups[0]
        for (joint, posterior), group in zip(ends, groups, strict=True):
            if not group.any():
                kept = misfit & (posterior.inlier_probability >= 0.5)
                return joint, replace(posterior, misfit=kept)
        mixture = ResidualMixture(rows[0], rows[1], mixture.feature_outlier, misfit)
        parts = (mixture.included, mixture.posterior_weights, first)
        end = select_jointly(features, alphas, *rows, *parts)
        ends = [(end, mixture.fit(end.residuals, end.deviations, end.weights))]
    return ends[0]


def _group(
    X: Any, posterior: OutlierPosterior, mixture: ResidualMixture, counts: FloatArray
) -> BoolArray:
    """Return flagged rows that a better function would explain; gross outliers are not."""
    flagged = (posterior.inlier_probability < 0.5) & ~mixture.feature_outlier & ~mixture.misfit
    flagged &= ~posterior.model.groups.is_gross(posterior.residuals)
    return flagged_groups(X, flagged, counts)


def estimate_posterior(
    design: Design, y: FloatArray, n_starts: int, rng: np.random.Generator
) -> OutlierPosterior:
    """Estimate the posterior at the one setting of a design."""
    alphas = np.array([design.alpha])
    _, posterior = select_hyperparameters([design], alphas, y, None, n_starts, rng)
    assert posterior is not None
    return posterior


def loo_features_of(design: Design) -> Features:
    """Return a function that computes the leave-one-out features of a design."""
    return lambda: design.loo_features


def _trimming(contamination: float, sample_weight: FloatArray, outlying: BoolArray) -> Reweight:
    """Keep the rows of the smallest residuals; those with outlying features are the first to go."""
    rule = Trimmed(contamination)

    def reweight(residuals: FloatArray, deviations: FloatArray, weights: FloatArray) -> FloatArray:
        sizes = np.abs(signed_norms(residuals, weights))
        return rule.weights(np.where(outlying, np.inf, sizes), sample_weight)

    return reweight


def _log_density(
    mixture: ResidualMixture, joint: JointSelection, posterior: OutlierPosterior
) -> float:
    """Return the log-density of the targets of included rows, each given the others."""
    return posterior.log_likelihood - float(mixture.counts @ np.log(joint.deviations))
