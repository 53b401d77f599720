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
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..contamination.few_outliers import with_few_outliers
from ..contamination.loo_diagnostics import min_alpha
from ..contamination.residual_mixture import OutlierPosterior, ResidualMixture
from ..contamination.residual_norm import signed_norms
from ..contamination.restart import MIN_GAIN, should_restart
from ..contamination.two_groups import as_rows
from ..design.base import Design
from ..optim.ridge_path import RidgePath
from ..weighting.trimmed import Trimmed
from .small_samples import linear_columns, posterior_by_tests, starting_weights

# Contamination of the initial search while the contamination itself is being estimated.
INITIAL_CONTAMINATION = 0.45
# Fewest rows from which a contamination is estimated.
FEWEST_ROWS = 8
# Alternations at most, and the mean change of a weight at which they end.
MAX_ROUNDS = 8
SETTLED = 2e-3
# Settings at most at which few rows are tested.
MAX_TESTS = 3

#: Maps residuals and present weights to new weights.
Reweight = Callable[[FloatArray, FloatArray], FloatArray]
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
    weights: FloatArray,
    reweight: Reweight,
    *,
    first: tuple[int, int] = (0, 0),
    fit_intercept: bool = True,
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
        updated = reweight(residuals, weights)
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

    If 25 % or more of the rows are flagged, the alternation restarts from uniform weights, and the
    solution of the higher leave-one-out predictive density is kept
    (:mod:`~untaint.contamination.restart`). Few rows are tested instead
    (:mod:`~untaint.model_selection.small_samples`).
    """
    if contamination is None:
        tested = _select_by_tests(candidates, alphas, y, n_starts, rng, first)
        if tested is not None:
            return tested
    start = candidates[first[0]]
    sample_weight = start.sample_weight
    outlying = np.zeros(len(y), dtype=bool) if contamination == 0 else start.feature_outlier
    mixture = ResidualMixture(y, sample_weight, outlying)
    reweight: Reweight = mixture.posterior_weights
    weights = sample_weight
    if contamination != 0:
        trimmed = INITIAL_CONTAMINATION if contamination is None else contamination
        weights = np.where(outlying, 0.0, starting_weights(start, y, trimmed, n_starts, rng))
    if contamination is not None:
        reweight = _trimming(contamination, sample_weight, outlying)
    alternate = partial(select_jointly, y=y, sample_weight=sample_weight, reweight=reweight)
    alternate = partial(alternate, fit_intercept=start.fit_intercept)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        features = [loo_features_of(design) for design in candidates]
        alphas = np.maximum(alphas, min_alpha(start, outlying))
        joint = alternate(features, alphas, weights=weights, first=first)
        if contamination is not None:
            return joint, None
        posterior = mixture.fit(joint.residuals, joint.weights)
        kernel, alpha = joint.kernel, joint.alpha
        if should_restart(posterior.contamination, features[kernel](), y, as_rows(sample_weight)):
            rival = alternate([features[kernel]], alphas[[alpha]], weights=mixture.included)
            if _log_density(mixture, rival) > _log_density(mixture, joint) + MIN_GAIN:
                joint = alternate(features, alphas, weights=rival.weights, first=(kernel, alpha))
                posterior = mixture.fit(joint.residuals, joint.weights)
        return joint, with_few_outliers(posterior, mixture, joint.deviations)


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
            joint = select_jointly(
                features,
                alphas,
                y,
                design.sample_weight,
                weights,
                lambda residuals, weights: weights,
                first=setting,
                fit_intercept=design.fit_intercept,
            )
            found, previous, setting = (joint, posterior), setting, (joint.kernel, joint.alpha)
            if setting == previous or linear_columns(design) is not None:
                break
    return found


def _trimming(contamination: float, sample_weight: FloatArray, outlying: BoolArray) -> Reweight:
    """Keep the rows of the smallest residuals; those with outlying features are the first to go."""
    rule = Trimmed(contamination)

    def reweight(residuals: FloatArray, weights: FloatArray) -> FloatArray:
        sizes = np.abs(signed_norms(residuals, weights))
        return rule.weights(np.where(outlying, np.inf, sizes), sample_weight)

    return reweight


def _log_density(mixture: ResidualMixture, joint: JointSelection) -> float:
    return mixture.log_predictive_density(joint.residuals, joint.deviations, joint.weights)
