r"""Selection of a transformation of the targets by leave-one-out predictive likelihood.

A transformation T is compared with none by the log-density of the targets, each given the others,

.. math:: \sum_i \bigl(\log p_T(r_i) + \log T'(y_i)\bigr) - \tfrac{q}{2} \log n,

with r the leave-one-out residuals of T(y), p their mixture of inliers and outliers
(:mod:`~untaint.contamination.residual_mixture`), or the likeliest null model of noise
(:mod:`~untaint.contamination.null_models`) if all rows are known to be good, and q the number of
parameters of T. T is taken if

* it wins by a clear margin: clean tables decide by ten units or more;
* the full selections on both scales, each with its own outliers, agree;
* few rows are outliers on the transformed scale;
* and the leave-one-out errors of the mean in the targets' own units are hardly larger than without
  T (:func:`confirms`).

Both scales are compared first by fits to the same rows, because a scale that chose its own rows
would choose those that fit it. A row is kept if it is near the trimmed fit on either scale. Rows at
a value that censors the targets on either scale do not count. Kernels and alphas are every other
one of the grid, and one decomposition of a kernel serves both scales.

Only the logarithm of positive targets is tried. A power has to be requested: where many outliers
lie on one side, the best power takes their skewness for that of the noise. Its exponent
maximises the profile likelihood of Box and Cox on the rows that are kept on the original scale: the
centre of the data alone, as Raymaekers and Rousseeuw recommend.

References
----------
Box and Cox (1964), An analysis of transformations.
Raymaekers and Rousseeuw (2024), Transforming variables to central normality.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..contamination.loo_diagnostics import min_alpha
from ..contamination.noise_scale import CONSTANT, NoiseScale, fit_noise_scale
from ..contamination.null_models import null_fits
from ..contamination.residual_mixture import (
    SCALE_PARAMETERS,
    OutlierPosterior,
    ResidualMixture,
)
from ..contamination.residual_norm import censored
from ..contamination.two_groups import as_rows
from ..design.base import Design
from ..initialization.multistart import find_inliers
from ..optim.ridge_path import RidgePath
from ..screening.radius import weighted_median
from ..target_transform import (
    BackTransform,
    LogTransform,
    PowerTransform,
    Statistic,
    TargetTransform,
    fit_back_transform,
)
from ..weighting.trimmed import loss_reached
from .joint import FEWEST_ROWS, INITIAL_CONTAMINATION, JointSelection

#: Values of the parameter ``target_transform``.
CHOICES = (None, "auto", "log", "power")
# Ratio of the 99th to the first percentile of kept targets above which the logarithm is tried.
WIDE = 4.0
# The smallest target that the logarithm knows, relative to the smallest one seen.
LEAST = 1e-3
# Exponents of the power transformation; 1 is none.
EXPONENTS = (0.0, 0.5, 1.0, 1.5, 2.0)
# Log-likelihood by which a transformation has to win.
MIN_GAIN = 5.0
# Largest contamination on a transformed scale: among many outliers, the most concentrated rows may
# be taken for the inliers on some scale.
MAX_CONTAMINATION = 0.25
# A transformation that explains the rows makes hardly more of them outliers.
MORE_OUTLIERS = 0.12
# Largest ratio of the leave-one-out errors in the targets' own units.
MAX_ERROR_RATIO = 1.05
# Every so many-th kernel and alpha of the grid is tried.
STRIDE = 2
# Rows within so many standard deviations of the trimmed fit are kept, and the standard deviation of
# Gaussian residuals over the median size of the smallest 55 % of them.
CUT = 3.0
TRIMMED_MEDIAN = 0.3549


@final
@dataclass(frozen=True)
class TransformData:
    """Targets, (n,), and the rows under the kernels and alphas of a grid.

    A contamination of None is unknown.
    """

    y: FloatArray
    designs: Sequence[Design]
    alphas: FloatArray
    contamination: float | None
    n_starts: int
    rng: np.random.Generator
    first: tuple[int, int] = (0, 0)

    @property
    def design(self) -> Design:
        """The rows under the first kernel."""
        return self.designs[self.first[0]]

    @property
    def sample_weight(self) -> FloatArray:
        """The weights of the rows."""
        return self.design.sample_weight

    @property
    def feature_outlier(self) -> BoolArray:
        """Rows that are excluded a priori: none, if all are known to be good."""
        if self.contamination == 0:
            return np.zeros(len(self.y), dtype=bool)
        return self.design.feature_outlier

    def path(self, kernel: int, weights: FloatArray) -> RidgePath:
        """Return the ridge path under one of the kernels."""
        design = self.designs[kernel]
        return RidgePath(design.loo_features, weights, design.fit_intercept)


class _LooFit(NamedTuple):
    """Leave-one-out residuals, (n,), in units of their deviations, at the best setting."""

    targets: FloatArray
    residuals: FloatArray
    deviations: FloatArray

    @property
    def predictions(self) -> FloatArray:
        return self.targets - self.residuals * self.deviations


def select_target_transform(asked: str | None, data: TransformData) -> TargetTransform | None:
    """Return the requested transformation, the one selected from the data, or None."""
    if asked is None:
        return None
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        if asked == "log":
            return log_transform(data.y)
        if asked == "power":
            return _power_transform(data, _kept(data, data.y))
        low, high = data.y.min(), data.y.max()
        if len(data.y) < FEWEST_ROWS or not 0 < WIDE * low < high:  # of all, outliers included
            return None
        kept = _kept(data, data.y)
        alternative = _candidate(data, kept)
        return alternative if alternative is not None and _wins(alternative, data, kept) else None


def confirms(
    transform: TargetTransform,
    y: FloatArray,
    sample_weight: FloatArray,
    plain: tuple[JointSelection, OutlierPosterior | None],
    transformed: tuple[JointSelection, OutlierPosterior | None],
) -> bool:
    """Return whether the full selections on both scales, of targets (n,), prefer the transformed.

    They do if nothing can be compared, because the contamination is given or the rows are few.
    """
    (joint, posterior), (alternative, other) = plain, transformed
    if posterior is None or other is None:
        return True
    if other.contamination > min(MAX_CONTAMINATION, posterior.contamination + MORE_OUTLIERS):
        return False
    gain = other.log_likelihood - posterior.log_likelihood
    if not np.isfinite(gain):
        return True
    apart = censored(y[:, None], sample_weight) | posterior.misfit | other.misfit
    counts = as_rows(np.where(apart, 0.0, sample_weight))
    jacobian = transform.log_derivative(y) + np.log(joint.deviations / alternative.deviations)
    penalty = 0.5 * transform.n_parameters * np.log(counts.sum())
    if not gain + counts @ jacobian - penalty > MIN_GAIN:
        return False
    z, good = transform.forward(y), other.inlier_probability * sample_weight
    back = fit_target_scale(transform, "mean", z, alternative)
    errors = y - back(z - alternative.residuals[:, 0] * alternative.deviations)
    references = joint.residuals[:, 0] * joint.deviations
    return bool(good @ errors**2 <= MAX_ERROR_RATIO**2 * (good @ references**2))


def log_transform(y: FloatArray) -> LogTransform:
    """Return the logarithm for positive targets."""
    return LogTransform(LEAST * float(y.min()))


def fit_target_scale(
    transform: TargetTransform, statistic: Statistic, targets: FloatArray, found: JointSelection
) -> BackTransform:
    """Return the way back from a transformed scale, for the residuals of a selected setting.

    ``targets``, (n,), are those that were transformed.
    """
    residuals, deviations = found.residuals[:, 0], found.deviations
    mixture = ResidualMixture(targets[:, None], found.weights, np.zeros(len(targets), dtype=bool))
    _, scale = _null_likelihood(_LooFit(targets, residuals, deviations), mixture)
    rows = (targets, residuals * deviations, found.weights)
    return fit_back_transform(transform, statistic, *rows, scale.knots, scale.log_scales)


def _candidate(data: TransformData, kept: FloatArray) -> TargetTransform | None:
    """Return the logarithm if it is far from linear in the range of the kept targets."""
    total = float(kept.sum())
    low, high = (loss_reached(data.y, kept, q * total) for q in (0.01, 0.99))
    return log_transform(data.y) if high > WIDE * low else None


def _power_transform(data: TransformData, weights: FloatArray) -> PowerTransform | None:
    """Return the power transformation of the largest profile likelihood, if targets differ."""
    centre, scale = _centre_and_scale(data.y, data.sample_weight)
    if scale == 0:
        return None
    path, alphas = data.path(data.first[0], weights), _alphas(data)
    total, best, largest = float(weights.sum()), None, -np.inf
    for exponent in EXPONENTS:
        alternative = PowerTransform(exponent, centre, scale)
        z = alternative.forward(data.y)[:, None]
        error = min(path.mean_square(z, alpha, data.sample_weight) for alpha in alphas)
        profile = float(weights @ alternative.log_derivative(data.y)) - 0.5 * total * np.log(error)
        if profile > largest:
            best, largest = alternative, profile
    return best


def _centre_and_scale(y: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return median, and median distance from it of the targets that differ from it."""
    centre = float(weighted_median(y, weights))
    others = y != centre
    if not others.any():
        return centre, 0.0
    return centre, float(weighted_median(np.abs(y[others] - centre), weights[others]))


def _wins(alternative: TargetTransform, data: TransformData, kept: FloatArray) -> bool:
    """Return whether a transformation wins against none."""
    y, z = data.y, alternative.forward(data.y)
    weights = np.maximum(kept, _kept(data, z))
    plain, transformed = _best_fits(data, [y, z], weights)
    excluded = data.feature_outlier | censored(y[:, None], weights) | censored(z[:, None], weights)
    reference = _log_density(data, plain, weights, excluded)
    density = _log_density(data, transformed, weights, excluded)
    counts = as_rows(np.where(excluded, 0.0, data.sample_weight))
    penalty = 0.5 * alternative.n_parameters * np.log(counts.sum())
    return bool(density + counts @ alternative.log_derivative(y) - penalty - reference > MIN_GAIN)


def _log_density(
    data: TransformData, fit: _LooFit, weights: FloatArray, excluded: BoolArray
) -> float:
    """Return the log-density of the targets of the other rows."""
    mixture = ResidualMixture(fit.targets[:, None], data.sample_weight, excluded)
    if data.contamination == 0:
        likelihood, _ = _null_likelihood(fit, mixture)
    else:
        rows = (fit.residuals[:, None], fit.deviations, weights)
        likelihood = mixture.fit(*rows).log_likelihood
    return likelihood - float(mixture.counts @ np.log(fit.deviations))


def _kept(data: TransformData, z: FloatArray) -> FloatArray:
    """Return the weights of rows that are kept on a scale of the targets."""
    weights, contamination = data.sample_weight, data.contamination
    if contamination == 0:
        return weights
    targets, outlying = z[:, None], data.feature_outlier
    trimmed = INITIAL_CONTAMINATION if contamination is None else contamination
    found = find_inliers(data.design, targets, trimmed, data.n_starts, data.rng).weights
    inliers = np.where(outlying, 0.0, found)
    if contamination is not None:
        return inliers
    path = data.path(data.first[0], inliers)
    residuals, deviations = path.standardized(targets, _alpha(data), weights)
    predictions = z - residuals[:, 0] * deviations
    scale = fit_noise_scale(residuals[:, 0], predictions, inliers)
    sizes = np.abs(residuals[:, 0]) / scale(predictions)
    inside = inliers > 0
    middle = loss_reached(sizes[inside], inliers[inside], 0.5 * float(inliers.sum()))
    near = sizes <= CUT / TRIMMED_MEDIAN * middle
    return np.where(near & ~outlying, weights, 0.0)


def _alphas(data: TransformData) -> FloatArray:
    floor = min_alpha(data.design, data.feature_outlier)
    return np.maximum(data.alphas[data.first[1] % STRIDE :: STRIDE], floor)


def _alpha(data: TransformData) -> float:
    floor = min_alpha(data.design, data.feature_outlier)
    return max(float(data.alphas[data.first[1]]), floor)


def _best_fits(
    data: TransformData, scales: Sequence[FloatArray], weights: FloatArray
) -> list[_LooFit]:
    """Return the leave-one-out fit of the smallest error, for the targets on each scale."""
    alphas, sample_weight = _alphas(data), data.sample_weight
    fits, least = list[_LooFit | None]([None] * len(scales)), [np.inf] * len(scales)
    for kernel in range(data.first[0] % STRIDE, len(data.designs), STRIDE):
        path = data.path(kernel, weights)
        for k, z in enumerate(scales):
            targets = z[:, None]
            errors = [path.mean_square(targets, alpha, sample_weight) for alpha in alphas]
            best = int(np.argmin(errors))
            if fits[k] is None or errors[best] < least[k]:
                residuals, deviations = path.standardized(targets, alphas[best], sample_weight)
                fits[k], least[k] = _LooFit(z, residuals[:, 0], deviations), errors[best]
    return [fit for fit in fits if fit is not None]


def _null_likelihood(fit: _LooFit, mixture: ResidualMixture) -> tuple[float, NoiseScale]:
    """Return the log-likelihood of the residuals under the best null model, and its noise scale."""
    counts, predictions = mixture.counts, fit.predictions
    inside, total = counts > 0, float(counts.sum())
    least = max(mixture.min_scale, mixture.step / np.sqrt(12.0))
    best, chosen = -np.inf, CONSTANT
    for scale in (CONSTANT, fit_noise_scale(fit.residuals, predictions, counts)):
        if scale is not CONSTANT and not scale.varies:
            continue
        relative = scale(predictions)
        values = fit.residuals[inside] / relative[inside]
        likelihood = max(null.log_likelihood for null in null_fits(values, counts[inside], least))
        likelihood -= float(counts @ np.log(relative))
        likelihood -= 0.5 * SCALE_PARAMETERS * np.log(total) if scale.varies else 0.0
        if likelihood > best:
            best, chosen = likelihood, scale
    return best, chosen
