r"""Joint selection of hyperparameters and weights by leave-one-out residuals.

Hyperparameters can be selected by leave-one-out errors once the inliers are known, and inliers be
identified by leave-one-out residuals once the hyperparameters are known. The two steps alternate:

1. For each setting, compute the leave-one-out residuals of the fit with the present weights. The
   best setting has the smallest mean square under these weights. All settings are scored with the
   same weights: a setting that chose its own rows would choose those that it fits.
2. Compute new weights from the standardised residuals under that setting.

One eigendecomposition of a kernel serves every alpha (:mod:`~untaint.optim.ridge_path`). Rounds on
few features come first, and settle most of the weights and the neighbourhood of the setting at a
small part of the cost; those on all features follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from .._progress import part, report_step, shown_by
from .._threads import map_in_threads, single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..contamination.duplicates import has_many_duplicates
from ..contamination.expectation_maximisation import MAX_CONTAMINATION
from ..contamination.few_outliers import with_few_outliers
from ..contamination.loo_diagnostics import min_alpha
from ..contamination.misfit import far_targets, flagged_groups
from ..contamination.posterior_updates import (
    FIRST_COMPARISONS,
    MAX_ROUNDS,
    SETTLED,
    PosteriorUpdates,
    mean_change,
)
from ..contamination.residual_mixture import OutlierPosterior, ResidualMixture
from ..contamination.residual_norm import signed_norms
from ..contamination.two_groups import as_rows
from ..design.base import Design
from ..optim.ridge_at_alpha import ridge_at_alpha
from ..optim.ridge_path import LooRidge, RidgePath
from ..weighting.trimmed import Trimmed
from .small_samples import linear_columns, posterior_by_tests, starting_weights

# Contamination of the initial search while the contamination itself is being estimated.
INITIAL_CONTAMINATION = 0.45
# Part of the weights by which starts of that search may differ and count as alike: good rows near
# the threshold may be kept or not.
INITIAL_AGREEMENT = 0.1
# Fewest rows from which a contamination is estimated.
FEWEST_ROWS = 8
# Ridge paths that are kept at a time, two rounds of all kernels.
KNOWN_PATHS = 12
# A given contamination and an estimated one that differ by less mean the same rows.
AGREEMENT = 0.1
# Mean change of a weight at which an alternation on coarse features ends: other features change
# the weights as much.
ROUGHLY_SETTLED = 0.01
# Kernels whose error on coarse features is more than so many times the smallest are not scored on
# all features.
MAX_ERROR = 1.3
# Mean difference of weights up to which two alternations start alike, and a setting stays the best.
SAME_START = 0.02
# Log-likelihood by which outliers have to explain the rows better than noise does. Of 600 clean
# Gaussian samples of 20 to 200 rows the largest difference was 4.5.
MIN_EVIDENCE = 5.0
# Such a difference for each row, by which fits to coarse features and to all of them differ less.
CLEAR_EVIDENCE = 0.2
# Scattered outliers that are wider than the noise, but not so many times, may be its skewness.
MIN_WIDTH = 4.0
# Those of nearly the largest contamination would be most of the rows if they could: they have to be
# clear, or half as clear if they are wider, unless they are so many times as wide as the noise.
NEARLY, CLEAR_WIDTH = 0.98 * MAX_CONTAMINATION, 10.0
# Times that flagged rows may turn out to be misfit of the function.
MAX_GROUPS = 3
# Settings at most at which few rows are tested.
MAX_TESTS = 3

#: Maps residuals, their deviations and present weights to new weights.
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
    n_alphas), mean squared residuals; those of kernels away from the best one are approximate.
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
    paths: RidgePaths | None = None,
    known: FloatArray | None = None,
    rough: bool = False,
) -> JointSelection:
    """Alternate until neither the setting nor the weights change.

    Neighbours in the sequence of features are those of similar kernels. ``weights`` are those to
    start with, and ``first`` is the setting, kernel and alpha, that they were found with. Ridge
    paths are taken from ``paths`` where they are known. All kernels are scored in the second round,
    and those near the best whenever the weights have changed much since. A selection that refines
    another one, whose errors are ``known``, scores those near the first setting in its first round.
    A ``rough`` one, to be refined, ends sooner.
    """
    errors = np.full((len(features), len(alphas)), np.inf) if known is None else known.copy()
    paths = paths or RidgePaths(fit_intercept)
    scores = LooScores(features, alphas, y, sample_weight, paths, errors)
    near = None if known is None else first[0]
    choice, scored, n_rounds = first, weights if known is None else None, 0
    while True:
        previous = choice
        if n_rounds == 1 and known is None:
            scored = None
        if errors.size > 1 and (scored is None or _differ(weights, scored, sample_weight)):
            choice, path = scores.best(weights, near)
            near, scored = choice[0], weights
        elif n_rounds == 0:  # other alphas will be scored with these weights if they stay the same
            (path,) = scores.paths_of(choice[:1], weights)
        else:
            path = paths.of(features[choice[0]], weights, float(alphas[choice[1]]))
        residuals, deviations = path.standardized(y, alphas[choice[1]], sample_weight)
        updated = reweight(residuals, deviations, weights)
        moved = mean_change(updated, weights, sample_weight)
        weights, n_rounds = updated, n_rounds + 1
        report_step(n_rounds, MAX_ROUNDS)
        if rough:
            settled = moved <= ROUGHLY_SETTLED and choice[0] == previous[0]
        else:
            settled = moved <= SETTLED and choice == previous
        if n_rounds >= MAX_ROUNDS or (settled and scores.complete):
            if errors.size == 1:  # a single setting is not scored on the way
                errors[:] = path.mean_square(y, alphas[0], sample_weight)
            return JointSelection(*choice, weights, residuals, deviations, errors, n_rounds)


def _differ(one: FloatArray, other: FloatArray, sample_weight: FloatArray) -> bool:
    """Return whether weights are so different that a setting has to be selected again."""
    return mean_change(one, other, sample_weight) > SAME_START


@final
class RidgePaths:
    """The latest ridge paths: alternations from different starts often come to the same weights."""

    def __init__(self, fit_intercept: bool) -> None:
        self.fit_intercept = fit_intercept
        self._known: dict[tuple[Features, bytes, float | None], LooRidge] = {}

    def of(self, features: Features, weights: FloatArray, alpha: float | None = None) -> LooRidge:
        """Return the path of a fit to features with weights, or the fit at one alpha."""
        return self.of_each([features], weights, alpha)[0]

    def of_each(
        self, features: Sequence[Features], weights: FloatArray, alpha: float | None = None
    ) -> list[LooRidge]:
        """Return the path, or the fit at one alpha, for each of several features."""

        def fitted(rows: FloatArray) -> LooRidge:
            if alpha is None:
                return RidgePath(rows, weights, self.fit_intercept)
            return ridge_at_alpha(rows, weights, alpha, self.fit_intercept)

        present, paths = weights.tobytes(), dict[Features, LooRidge]()
        for one in features:  # a path serves every alpha
            known = self._known.get((one, present, None)) or self._known.get((one, present, alpha))
            if known is not None:
                paths[one] = known
        new = [one for one in features if one not in paths]
        for one, found in zip(new, map_in_threads(fitted, [one() for one in new]), strict=True):
            if len(self._known) >= KNOWN_PATHS:
                self._known.pop(next(iter(self._known)))
            paths[one] = self._known[one, present, alpha] = found
        return [paths[one] for one in features]


@final
@dataclass(frozen=True)
class LooScores:
    """Leave-one-out errors of all settings, infinite for those that were not scored so far."""

    features: Sequence[Features]
    alphas: Sequence[float] | FloatArray
    y: FloatArray
    sample_weight: FloatArray
    paths: RidgePaths
    errors: FloatArray

    @property
    def complete(self) -> bool:
        """Whether every setting has been scored, or there is only one."""
        return self.errors.size == 1 or bool(np.isfinite(self.errors).all())

    def paths_of(self, kernels: Iterable[int], weights: FloatArray) -> list[LooRidge]:
        """Return the ridge paths of some kernels, or their fits at the only alpha."""
        alpha = float(self.alphas[0]) if len(self.alphas) == 1 else None
        return self.paths.of_each([self.features[kernel] for kernel in kernels], weights, alpha)

    def mean_squares(self, path: LooRidge) -> FloatArray:
        """Return the errors of one kernel at each alpha."""
        return path.mean_squares(self.y, np.asarray(self.alphas, dtype=float), self.sample_weight)

    def best(
        self, weights: FloatArray, near: int | None = None
    ) -> tuple[tuple[int, int], LooRidge]:
        """Return the setting of the smallest error; of equal errors, that of the largest alpha.

        If a kernel is given, the search goes from there to neighbours while the error falls: as a
        function of the bandwidth it has one minimum, as a rule. Kernels whose known errors are far
        from the smallest one are not scored. The known errors of other kernels, under other
        weights, change by a common factor.
        """
        before, paths = self.errors.min(axis=1), dict[int, LooRidge]()
        far = np.isfinite(before) & (before > MAX_ERROR * before.min())

        def beside(kernel: int) -> list[int]:
            three = range(max(kernel - 1, 0), min(kernel + 2, len(far)))
            return [one for one in three if one == kernel or not far[one]]

        new = list(range(len(far))) if near is None else beside(near)
        while new:
            found = self.paths_of(new, weights)
            self.errors[new] = map_in_threads(self.mean_squares, found)
            paths |= zip(new, found, strict=True)
            best = self._smallest(paths)
            new = [kernel for kernel in beside(best[0]) if kernel not in paths]
        known, others = float(before[[*paths]].min()), np.setdiff1d(np.arange(len(far)), [*paths])
        if 0 < known < np.inf:
            self.errors[others] *= self.errors[best] / known
        return best, paths[best[0]]

    def _smallest(self, kernels: Iterable[int]) -> tuple[int, int]:
        """Return the setting of the smallest error of some kernels, the last of equal ones."""
        scored = sorted(kernels)
        errors = np.nan_to_num(self.errors[scored], nan=np.inf, posinf=np.inf)
        kernel, alpha = np.argwhere(errors == errors.min())[-1]
        return scored[kernel], int(alpha)


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
    contamination of None weights each row by its posterior probability, which is also returned. A
    given one trims; the setting is that of the posterior weights if the contamination that these
    estimate agrees. The search is at the own alpha of the first design.

    If outliers are found, the alternation is repeated from uniform weights, and the solution of the
    higher leave-one-out predictive density is kept. Few rows are tested instead
    (:mod:`~untaint.model_selection.small_samples`).
    """
    if contamination is None:
        tested = _select_by_tests(candidates, alphas, y, n_starts, rng, first)
        if tested is not None:
            return tested
    start = candidates[first[0]]
    sample_weight = start.sample_weight
    outlying = np.zeros(len(y), dtype=bool) if contamination == 0 else start.feature_outlier
    weights = sample_weight
    if contamination != 0:
        trimmed, agreement = contamination, 0.0
        if trimmed is None:
            trimmed, agreement = INITIAL_CONTAMINATION, INITIAL_AGREEMENT
        found = starting_weights(start, y, trimmed, n_starts, rng, agreement)
        weights = np.where(outlying, 0.0, found)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        features = [loo_features_of(design) for design in candidates]
        coarse = [coarse_features_of(design) for design in candidates]
        alphas = np.maximum(alphas, min_alpha(start, outlying))
        mixture = ResidualMixture(y, sample_weight, outlying)
        paths = RidgePaths(start.fit_intercept)
        search = _Search(features, coarse, alphas, y, sample_weight, paths, mixture, first)
        if contamination is None:
            joint, posterior = search.without_misfit(search.ends(weights), start.X)
            return joint, with_few_outliers(posterior, mixture, joint.deviations)
        if contamination > 0:
            joint, posterior = search.ends(weights)[0]
            if abs(posterior.contamination - contamination) <= AGREEMENT:
                return joint, None
        return search.select(weights, _trimming(contamination, sample_weight, outlying)), None


@final
@dataclass(frozen=True)
class _Search:
    """Alternations of one problem from several starts, compared by their predictive density.

    The ``coarse`` features are fewer ones of the same kernels.
    """

    features: Sequence[Features]
    coarse: Sequence[Features]
    alphas: FloatArray
    y: FloatArray
    sample_weight: FloatArray
    paths: RidgePaths
    mixture: ResidualMixture
    first: tuple[int, int]

    def ends(self, weights: FloatArray) -> list[End]:
        """Return the ends of two starts, that of the higher predictive density first.

        The starts are the inliers that the initial search found, and all rows. From each, outliers
        are taken for granted while the first setting stays fixed. Where that leads to a fit of
        which they are not the likeliest explanation, all rows are weighted alike.
        """
        mixture, counts = self.mixture, as_rows(self.sample_weight)
        begins, reached = list[FloatArray](), list[FloatArray]()
        # A copy predicts its duplicate, outlier or not: a fit to all rows would always be likelier.
        copies = has_many_duplicates(self.features[self.first[0]](), self.y, counts)
        for start in [weights] if copies else [weights, mixture.included]:
            begin = self._begin(start, reached, copies)
            if begin is None:
                continue
            reached.append(begin)
            if not self._finds_outliers(begin):
                begin = mixture.included
            if not self._is_among(begin, begins):
                begins.append(begin)
        ends = []
        for number, begin in enumerate(begins):
            with part(2 * number, 2 * len(begins)):
                end = self._end(begin)
            with part(2 * number + 1, 2 * len(begins)):
                ends.append(end if copies else self._with_evidence(end))
        return sorted(ends, key=lambda end: -self._log_density(end))

    def without_misfit(self, ends: list[End], X: Any) -> End:
        """Return the first end whose flagged rows cannot be predicted from their features.

        If there is none, the predicted rows are kept, and the alternation is repeated with them.
        """
        search, counts = self, as_rows(self.sample_weight)
        for _ in range(MAX_GROUPS):
            mixture = search.mixture
            groups = [_group(X, posterior, mixture, counts) for _, posterior in ends]
            misfit = mixture.misfit | groups[0]
            for (joint, posterior), group in zip(ends, groups, strict=True):
                if not group.any():
                    kept = misfit & (posterior.inlier_probability >= 0.5)
                    return joint, replace(posterior, misfit=kept)
            parts = (self.y, self.sample_weight, mixture.feature_outlier, misfit)
            search = replace(self, mixture=ResidualMixture(*parts))
            with shown_by(None):
                ends = [search._end(search.mixture.included)]
        return ends[0]

    def select(
        self, weights: FloatArray, reweight: Reweight, first: tuple[int, int] | None = None
    ) -> JointSelection:
        """Alternate over all settings on coarse features, then near the best one on all."""
        first, known = first or self.first, None
        rows = (self.y, self.sample_weight, self.paths.fit_intercept)
        if len(self.features) > 1:
            start = (*rows, weights, reweight, first)
            with part(0, 2):
                found = select_jointly(self.coarse, self.alphas, *start, rough=True)
            first, weights, known = (found.kernel, found.alpha), found.weights, found.errors
        parts = (*rows, weights, reweight, first, self.paths, known)
        with part(1, 2):
            return select_jointly(self.features, self.alphas, *parts)

    def _at(
        self, features: Sequence[Features], setting: tuple[int, int], weights: FloatArray
    ) -> JointSelection:
        """Fit at one setting, with weights that stay as they are."""
        kernel, alpha = setting
        rows = (self.y, self.sample_weight, self.paths.fit_intercept)
        parts = ([features[kernel]], self.alphas[[alpha]], *rows, weights, _unchanged)
        with shown_by(None):  # a small part of the work
            return select_jointly(*parts, paths=self.paths)

    def _begin(
        self, weights: FloatArray, reached: list[FloatArray], copies: bool
    ) -> FloatArray | None:
        """Return weights that take outliers for granted, None if they come near to reached ones.

        The alternation is on coarse features, at the first setting. All models compete in the first
        rounds only: they will again where the alternation on all features begins.
        """
        updates = PosteriorUpdates(self.mixture, True, copies, FIRST_COMPARISONS)
        features, alpha = self.coarse[self.first[0]], float(self.alphas[self.first[1]])
        for _ in range(MAX_ROUNDS):
            path = self.paths.of(features, weights, alpha)
            parts = path.standardized(self.y, alpha, self.sample_weight)
            previous, weights = weights, updates(*parts, weights)
            if self._is_among(weights, reached):
                return None
            if mean_change(weights, previous, self.sample_weight) <= ROUGHLY_SETTLED:
                break
        return weights

    def _finds_outliers(self, weights: FloatArray) -> bool:
        """Return whether outliers explain the residuals of a fit with these weights best."""
        fit = self._at(self.features, self.first, weights)
        return self.mixture.finds_outliers(fit.residuals, fit.deviations, weights)

    def _is_among(self, weights: FloatArray, known: list[FloatArray]) -> bool:
        """Return whether weights are about the same as some known ones."""
        return any(mean_change(weights, one, self.sample_weight) <= SAME_START for one in known)

    def _end(self, weights: FloatArray) -> End:
        """Return where the alternation ends that starts from these weights."""
        joint = self.select(weights, PosteriorUpdates(self.mixture))
        return joint, self.mixture.fit(joint.residuals, joint.deviations, joint.weights)

    def _with_evidence(self, end: End) -> End:
        """Return the end, or a fit to all rows if outliers explain little more than noise does.

        The noise is that of a fit at the setting of the end, and of one at its own best setting. In
        the latter case, the end is the best of so many settings, which has to be worth its price.
        Outliers that are hardly wider than the noise have to explain more than skewed noise about
        the same function does.
        """
        joint, posterior = end
        setting = (joint.kernel, joint.alpha)
        if posterior.model.groups.contamination == 0:
            return end if joint.n_rounds < MAX_ROUNDS else self._of_all_rows(setting)
        groups, clear = posterior.model.groups, CLEAR_EVIDENCE * float(self.mixture.counts.sum())
        width = np.inf if groups.clustered else groups.width / groups.scale
        doubtful = groups.contamination >= NEARLY and width < CLEAR_WIDTH
        price = float(np.log(len(self.features) * len(self.alphas)))
        if doubtful:
            price = clear if width < MIN_WIDTH else 0.5 * clear
        possible = not 1.0 <= width < MIN_WIDTH
        if not possible:
            possible = self._exceeds(end, self._as_noise(joint, thorough=True), MIN_EVIDENCE)
        # A fit to coarse features decides where the difference is far beyond that of the features.
        if possible and not doubtful:
            null = self._null_at(self.coarse, setting)
            if self._exceeds(end, null, MIN_EVIDENCE + clear):
                return end
        null = self._of_all_rows(setting)
        possible = possible and self._exceeds(end, null, MIN_EVIDENCE + price)
        if possible and self._exceeds(end, self._null_at(self.features, setting), MIN_EVIDENCE):
            return end
        joint, found = null
        return joint, replace(found, interval=(found.interval[0], posterior.interval[1]))

    def _exceeds(self, end: End, null: End, evidence: float) -> bool:
        """Return whether the first end is likelier by this evidence."""
        return self._log_density(end) >= self._log_density(null) + evidence

    def _null_at(self, features: Sequence[Features], setting: tuple[int, int]) -> End:
        """Return the fit to all rows at one setting, without outliers."""
        return self._as_noise(self._at(features, setting, self.mixture.included))

    def _of_all_rows(self, first: tuple[int, int]) -> End:
        """Return the selection for all rows alike, without outliers."""
        return self._as_noise(self.select(self.mixture.included, _unchanged, first))

    def _as_noise(self, joint: JointSelection, *, thorough: bool = False) -> End:
        """Return the same function with noise alone, after a thorough search by a skewed one."""
        rows = joint.residuals, joint.deviations, joint.weights
        return joint, self.mixture.fit_null(*rows, thorough=thorough)

    def _log_density(self, end: End) -> float:
        """Return the log-density of the targets of included rows, each given the others."""
        joint, posterior = end
        return posterior.log_likelihood - float(self.mixture.counts @ np.log(joint.deviations))


def _group(
    X: Any, posterior: OutlierPosterior, mixture: ResidualMixture, counts: FloatArray
) -> BoolArray:
    """Return flagged rows that a better function would explain; gross outliers are not."""
    kept = posterior.inlier_probability >= 0.5
    flagged = ~kept & ~mixture.feature_outlier & ~mixture.misfit & ~far_targets(mixture.y, kept)
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


def coarse_features_of(design: Design) -> Features:
    """Return a function that computes the coarse features of a design."""
    return lambda: design.coarse_features


def _select_by_tests(
    candidates: Sequence[Design],
    alphas: FloatArray,
    y: FloatArray,
    n_starts: int,
    rng: np.random.Generator,
    setting: tuple[int, int],
) -> tuple[JointSelection, OutlierPosterior | None] | None:
    """Test few rows, select a setting for those kept, and again if the tests depend on it.

    None if a mixture model serves the rows better.
    """
    found = None
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        features = [loo_features_of(design) for design in candidates]
        for _ in range(MAX_TESTS):
            design = candidates[setting[0]].with_alpha(float(alphas[setting[1]]))
            posterior = posterior_by_tests(design, y, n_starts, rng)
            if posterior is None:
                break  # at the first setting; others may be too flexible for tests
            weights = posterior.inlier_probability * design.sample_weight
            rows = (y, design.sample_weight, design.fit_intercept)
            joint = select_jointly(features, alphas, *rows, weights, _unchanged, setting)
            found, previous, setting = (joint, posterior), setting, (joint.kernel, joint.alpha)
            if setting == previous or linear_columns(design) is not None:
                break
    return found


def _unchanged(residuals: FloatArray, deviations: FloatArray, weights: FloatArray) -> FloatArray:
    return weights


def _trimming(contamination: float, sample_weight: FloatArray, outlying: BoolArray) -> Reweight:
    """Keep the rows of the smallest residuals; those with outlying features are the first to go."""
    rule = Trimmed(contamination)

    def reweight(residuals: FloatArray, deviations: FloatArray, weights: FloatArray) -> FloatArray:
        sizes = np.abs(signed_norms(residuals, weights))
        return rule.weights(np.where(outlying, np.inf, sizes), sample_weight)

    return reweight
