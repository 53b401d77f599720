r"""Expectation-maximisation of the two-groups model, from several starts at a time.

With inlier probabilities :math:`p_i`, sample weights :math:`v_i` and Student's weights
:math:`u_i = (\nu + 1) / (\nu + z_i^2)`, :math:`z_i = (r_i - m) / (s\, s_i)`, the parameters are

.. math:: m = \frac{\sum v_i p_i u_i r_i / s_i^2}{\sum v_i p_i u_i / s_i^2}, \qquad
          s^2 = \frac{\sum v_i p_i u_i (r_i - m)^2 / s_i^2}{\sum v_i p_i}, \qquad
          \epsilon = \frac{\sum v_i (1 - p_i)}{\sum v_i},

and c and S are mean and deviation under the weights :math:`v_i (1 - p_i)`. All starts are computed
as rows of arrays, because a single one is too small for the overhead of array operations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from .._typing import BoolArray, FloatArray, IntArray

MAX_ITER = 200
# Rise of the log-likelihood at which the iteration ends.
MIN_RISE = 1e-3
# Largest fraction of outliers that an iteration may pass through, and the largest one of a fit.
MAJORITY, MAX_CONTAMINATION = 0.6, 0.49
# Outliers that there are at least, in the second mode and in a diffuse group.
MIN_CLUSTER, MIN_DIFFUSE = 8.0, 1e-9


class OutlierModel(NamedTuple):
    """A model of the outliers' residuals.

    ``offset`` tells whether the centre m of the inliers is free. ``min_width`` and
    ``min_deviation`` are lower bounds of S and of the root mean square of the outliers' residuals,
    in units of s. ``parameters`` is the number of parameters besides those of a null model.
    ``shifted`` says that S is s, ``permuted`` that the outliers' density is given, and
    ``of_target`` that c and S are mean and deviation of the outliers' targets, not residuals.
    """

    offset: bool
    min_width: float
    min_deviation: float
    parameters: int
    shifted: bool = False
    permuted: bool = False
    of_target: bool = False


class Residuals(NamedTuple):
    """Residuals, the relative noise scale of each, and what its target would be if it were wrong.

    A residual is the target less a prediction, in units of a deviation whose logarithm is
    ``log_unit``. ``log_background`` is the log-density of the residual if the target were that of
    another sample. The targets are NaN, and the log-density minus infinity, where such outliers are
    not considered.
    """

    values: FloatArray
    relative_scale: FloatArray
    targets: FloatArray
    log_unit: FloatArray
    log_background: FloatArray

    def at(self, rows: BoolArray | IntArray) -> Residuals:
        """Return some of the residuals."""
        return Residuals(*(part[rows] for part in self))

    @staticmethod
    def of(
        values: FloatArray,
        relative_scale: FloatArray | None = None,
        log_background: FloatArray | None = None,
    ) -> Residuals:
        """Return residuals of a common scale, of unknown targets, unless they are given."""
        n = len(values)
        scale = np.ones(n) if relative_scale is None else relative_scale
        background = np.full(n, -np.inf) if log_background is None else log_background
        return Residuals(values, scale, np.full(n, np.nan), np.zeros(n), background)


class Parameters(NamedTuple):
    """Parameters of several fits, each an array of shape (k,), and their log-likelihoods.

    The log-likelihood of a fit of which a group vanished is minus infinity.
    """

    contamination: FloatArray
    scale: FloatArray
    centre: FloatArray
    width: FloatArray
    offset: FloatArray
    log_likelihood: FloatArray


def maximise_likelihood(
    residuals: Residuals,
    weights: FloatArray,
    models: list[OutlierModel],
    tails: FloatArray,
    inlier_probability: FloatArray,
    least_scale: float,
    min_rise: float = MIN_RISE,
    max_iter: int = MAX_ITER,
) -> Parameters:
    """Fit k models of inliers' ``tails``, (k,), from inlier probabilities, (k, n).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> values = np.r_[rng.normal(size=800), rng.normal(0.0, 20.0, size=200)]
    >>> model = OutlierModel(offset=False, min_width=3.0, min_deviation=6.0, parameters=3)
    >>> start = (np.abs(values) < 2)[None, :].astype(float)
    >>> fits = maximise_likelihood(
    ...     Residuals.of(values), np.ones(1000), [model], np.array([np.inf]), start, 0.0
    ... )
    >>> bool(abs(fits.contamination[0] - 0.2) < 0.03)
    True
    """
    batch = _Batch(residuals, weights, models, tails, least_scale)
    p = np.asarray(inlier_probability, dtype=float)
    quotients = residuals.values / residuals.relative_scale
    kept = p * weights
    scale = np.sqrt(kept @ quotients**2 / np.maximum(kept.sum(axis=1), np.finfo(float).tiny))
    k = len(models)
    present = Parameters(*np.zeros((5, k)), log_likelihood=np.full(k, -np.inf))  # type: ignore
    present = present._replace(scale=np.maximum(scale, least_scale))
    result = Parameters(*(part.copy() for part in present))
    active = np.arange(k)
    for _ in range(max_iter):
        alive = batch.both_groups(active, p, present.log_likelihood)
        result.log_likelihood[active[~alive]] = -np.inf
        active, p, present = active[alive], p[alive], _at(present, alive)
        if not len(active):
            break
        previous = present.log_likelihood
        present, p, alive = batch.step(active, p, present)
        ended = alive & (present.log_likelihood - previous <= min_rise)
        for whole, part in zip(result, present, strict=True):
            whole[active[alive]] = part[alive]
        result.log_likelihood[active[~alive]] = -np.inf
        going = alive & ~ended
        active, p, present = active[going], p[going], _at(present, going)
    return result


class _Batch:
    """The data of all starts, and one step of some of them."""

    def __init__(
        self,
        residuals: Residuals,
        weights: FloatArray,
        models: list[OutlierModel],
        tails: FloatArray,
        least_scale: float,
    ) -> None:
        self.residuals, self.weights, self.least_scale = residuals, weights, least_scale
        self.total, self.tails = float(weights.sum()), tails
        columns = [np.array(column) for column in zip(*models, strict=True)]
        self.offset, self.min_width, self.min_deviation = columns[:3]
        self.shifted, self.permuted, self.of_target = columns[4:]
        self.min_outliers = np.where(self.offset, MIN_CLUSTER, MIN_DIFFUSE * self.total)

    def both_groups(self, rows: IntArray, p: FloatArray, likelihood: FloatArray) -> BoolArray:
        """Return for which of these starts both groups exist; the first step may be of any."""
        n_outliers = (1.0 - p) @ self.weights
        majority = np.isfinite(likelihood) & (n_outliers >= MAJORITY * self.total)
        return (n_outliers > self.min_outliers[rows]) & ~majority

    def step(
        self, rows: IntArray, p: FloatArray, present: Parameters
    ) -> tuple[Parameters, FloatArray, BoolArray]:
        """Return parameters and probabilities after one step, and which fits have a scale."""
        found = self._maximise(rows, p, present)
        alive = found.scale > 0
        safe = found._replace(scale=np.where(alive, found.scale, 1.0))
        safe = safe._replace(width=np.where(safe.width > 0, safe.width, 1.0))
        log_in, log_out = self._log_densities(rows, safe)
        log_f = np.logaddexp(log_in, log_out)
        return found._replace(log_likelihood=log_f @ self.weights), np.exp(log_in - log_f), alive

    def _maximise(self, rows: IntArray, p: FloatArray, present: Parameters) -> Parameters:
        values, relative, w = self.residuals.values, self.residuals.relative_scale, self.weights
        inlying, outlying = p * w, (1.0 - p) * w
        n_inliers, n_outliers = inlying.sum(axis=1), outlying.sum(axis=1)
        z = (values - present.offset[:, None]) / (present.scale[:, None] * relative)
        inlying = inlying * student_weights(z, self.tails[rows]) / relative**2
        offset = np.where(self.offset[rows], inlying @ values / inlying.sum(axis=1), 0.0)
        squares = np.einsum("kn,kn->k", inlying, (values - offset[:, None]) ** 2)
        outlier_values = self._outlier_values(rows)
        centre = np.einsum("kn,kn->k", outlying, outlier_values) / n_outliers
        from_centre = np.einsum("kn,kn->k", outlying, (outlier_values - centre[:, None]) ** 2)
        shifted = self.shifted[rows]
        variance = np.where(shifted, (squares + from_centre) / self.total, squares / n_inliers)
        scale = np.maximum(np.sqrt(variance), self.least_scale)
        # A bound of the deviation from zero: outliers to one side need less width of their own.
        beyond = np.maximum((self.min_deviation[rows] * scale) ** 2 - centre**2, 0.0)
        width = np.sqrt(from_centre / n_outliers)
        width = np.maximum(width, np.maximum(self.min_width[rows] * scale, np.sqrt(beyond)))
        contamination = np.minimum(n_outliers / self.total, MAX_CONTAMINATION)
        width = np.where(shifted, scale, width)
        return Parameters(contamination, scale, centre, width, offset, present.log_likelihood)

    def _outlier_values(self, rows: IntArray) -> FloatArray:
        """Return what the outliers' Gaussian density is of: residuals, or targets."""
        residuals = self.residuals
        return np.where(self.of_target[rows, None], residuals.targets, residuals.values)

    def _log_densities(self, rows: IntArray, fits: Parameters) -> tuple[FloatArray, FloatArray]:
        values, relative = self.residuals.values, self.residuals.relative_scale
        scales = np.maximum(fits.scale[:, None] * relative, self.least_scale)
        log_in = log_student_rows((values - fits.offset[:, None]) / scales, self.tails[rows])
        log_in += np.log1p(-fits.contamination)[:, None] - np.log(scales)
        z = (self._outlier_values(rows) - fits.centre[:, None]) / fits.width[:, None]
        log_out = -0.5 * z**2 - (0.5 * np.log(2 * np.pi) + np.log(fits.width))[:, None]
        of_target, permuted = self.of_target[rows], self.permuted[rows]
        log_out[of_target] += self.residuals.log_unit
        log_out[permuted] = self.residuals.log_background
        return log_in, log_out + np.log(fits.contamination)[:, None]


def log_student_rows(z: FloatArray, tails: FloatArray) -> FloatArray:
    """Return the log-densities of Student's distributions, one for each row of z."""
    log_density = -0.5 * z**2 - 0.5 * np.log(2 * np.pi)
    finite = np.isfinite(tails)
    nu = tails[finite, None]
    constant = gammaln(0.5 * (nu + 1)) - gammaln(0.5 * nu) - 0.5 * np.log(nu * np.pi)
    log_density[finite] = constant - 0.5 * (nu + 1) * np.log1p(z[finite] ** 2 / nu)
    return np.asarray(log_density)


def student_weights(z: FloatArray, tails: FloatArray) -> FloatArray:
    """Return the weights of standardised residuals in the update of Student's scale, by rows."""
    weights = np.ones_like(z)
    finite = np.isfinite(tails)
    nu = tails[finite, None]
    weights[finite] = (nu + 1) / (nu + z[finite] ** 2)
    return weights


def _at(fits: Parameters, rows: BoolArray) -> Parameters:
    return Parameters(*(part[rows] for part in fits))
