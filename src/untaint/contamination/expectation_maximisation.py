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

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

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

    ``offset`` is whether the centre m of the inliers is free. ``min_width`` and
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


# Columns of an array of such models.
OFFSET, MIN_WIDTH, MIN_DEVIATION = 0, 1, 2
SHIFTED, PERMUTED, OF_TARGET = 4, 5, 6
# The logarithm of the normal density's constant, with the other sign.
LOG_NORMAL = 0.5 * np.log(2 * np.pi)


class Residuals(NamedTuple):
    """Residuals with their relative noise scales, and their densities if the targets are wrong.

    Attributes
    ----------
    values : array of shape (n,)
        Targets minus predictions, in units of a deviation.
    relative_scale : array of shape (n,)
        Relative noise scale of each residual.
    targets : array of shape (n,)
        The targets; NaN if outliers that depend on the target alone are not considered.
    log_unit : array of shape (n,)
        Logarithm of the deviation.
    log_background : array of shape (n,)
        Log-density of the residual if the target were that of another sample; minus infinity if
        such outliers are not considered.
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

    The residuals are those of all fits, (n,), or of each, (k, n).

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
    batch = _Batch.of(residuals, weights, models, tails, least_scale)
    p = np.asarray(inlier_probability, dtype=float)
    present = batch.first(p)
    result = Parameters(*(part.copy() for part in present))
    for _ in range(max_iter):
        alive = batch.both_groups(p, present.log_likelihood)
        if not alive.all():
            result.log_likelihood[batch.numbers[~alive]] = -np.inf
            batch, p, present = batch.at(alive), p[alive], _at(present, alive)
        if not len(p):
            break
        previous = present.log_likelihood
        present, p = batch.step(p, present)
        going = present.log_likelihood > previous + min_rise
        if not going.all():
            for whole, part in zip(result, present, strict=True):
                whole[batch.numbers[~going]] = part[~going]
            batch, p, present = batch.at(going), p[going], _at(present, going)
    for whole, part in zip(result, present, strict=True):
        whole[batch.numbers] = part
    return result


@final
@dataclass(frozen=True)
class _Batch:
    """The data of all starts, and one step of them; ``numbers`` are those of the starts."""

    residuals: Residuals
    weights: FloatArray
    least_scale: float
    numbers: IntArray
    models: FloatArray
    tails: _Tails
    outlier_values: FloatArray

    @staticmethod
    def of(
        residuals: Residuals,
        weights: FloatArray,
        models: list[OutlierModel],
        tails: FloatArray,
        least_scale: float,
    ) -> _Batch:
        """Return the data of models with tails, one of each for a start."""
        columns = np.array(models, dtype=float)
        shape = (len(models), len(weights))
        each = Residuals(*(np.broadcast_to(part, shape) for part in residuals))
        of_target = columns[:, OF_TARGET].astype(bool)[:, None]
        # What the outliers' Gaussian density is of: residuals, or targets.
        values = np.where(of_target, each.targets, each.values)
        parts = (each, weights, least_scale, np.arange(len(models)), columns.T)
        return _Batch(*parts, _Tails.of(tails), values)

    def at(self, rows: BoolArray) -> _Batch:
        """Return some of the starts."""
        parts = (self.numbers[rows], self.models[:, rows], self.tails.at(rows))
        each = self.residuals.at(rows)
        return _Batch(each, self.weights, self.least_scale, *parts, self.outlier_values[rows])

    @cached_property
    def total(self) -> float:
        """The weight of all samples."""
        return float(self.weights.sum())

    @cached_property
    def offset(self) -> BoolArray:
        """Whether the centre of each start's inliers is free."""
        return self.models[OFFSET] > 0

    @cached_property
    def shifted(self) -> BoolArray:
        """Whether S is s."""
        return self.models[SHIFTED] > 0

    @cached_property
    def of_target(self) -> IntArray:
        """The starts whose outliers have a density of targets."""
        return np.flatnonzero(self.models[OF_TARGET])

    @cached_property
    def permuted(self) -> IntArray:
        """The starts whose outliers' density is given."""
        return np.flatnonzero(self.models[PERMUTED])

    @cached_property
    def min_outliers(self) -> FloatArray:
        """The weight of outliers that there are at least."""
        return np.where(self.offset, MIN_CLUSTER, MIN_DIFFUSE * self.total)

    def first(self, p: FloatArray) -> Parameters:
        """Return the scales that probabilities, (k, n), give, and no likelihood yet."""
        quotients, kept = self.residuals.values / self.residuals.relative_scale, p * self.weights
        squares = np.einsum("kn,kn->k", kept, quotients**2)
        scale = np.sqrt(squares / np.maximum(kept.sum(axis=1), np.finfo(float).tiny))
        none, scale = np.zeros(len(p)), np.maximum(scale, self.least_scale)
        return Parameters(none, scale, none, none, none, np.full(len(p), -np.inf))

    def both_groups(self, p: FloatArray, likelihood: FloatArray) -> BoolArray:
        """Return for which of the starts both groups exist; the first step may be of any."""
        n_outliers = (1.0 - p) @ self.weights
        majority = np.isfinite(likelihood) & (n_outliers >= MAJORITY * self.total)
        return (n_outliers > self.min_outliers) & ~majority

    def step(self, p: FloatArray, present: Parameters) -> tuple[Parameters, FloatArray]:
        """Return parameters and probabilities after one step; no scale is no likelihood."""
        found = self._maximise(p, present)
        alive = found.scale > 0
        scale = np.where(alive, found.scale, 1.0)
        width = np.where(found.width > 0, found.width, 1.0)
        log_in, log_out = self._log_densities(found, scale, width)
        # log(exp(log_in) + exp(log_out)) and the first one's part in it, by one exponential.
        difference = log_out - log_in
        ratio = np.exp(-np.abs(difference))
        log_f = np.maximum(log_in, log_out) + np.log1p(ratio)
        p = np.where(difference > 0, ratio, 1.0) / (1.0 + ratio)
        likelihood = np.where(alive, log_f @ self.weights, -np.inf)
        return found._replace(log_likelihood=likelihood), p

    def _maximise(self, p: FloatArray, present: Parameters) -> Parameters:
        values, relative, w = self.residuals.values, self.residuals.relative_scale, self.weights
        inlying, outlying = p * w, (1.0 - p) * w
        n_inliers, n_outliers = inlying.sum(axis=1), outlying.sum(axis=1)
        z = (values - present.offset[:, None]) / (present.scale[:, None] * relative)
        inlying = inlying * self.tails.weights(z) / relative**2
        means = np.einsum("kn,kn->k", inlying, values) / inlying.sum(axis=1)
        offset = np.where(self.offset, means, 0.0)
        squares = np.einsum("kn,kn->k", inlying, (values - offset[:, None]) ** 2)
        centre = np.einsum("kn,kn->k", outlying, self.outlier_values) / n_outliers
        from_centre = (self.outlier_values - centre[:, None]) ** 2
        from_centre = np.einsum("kn,kn->k", outlying, from_centre)
        both = (squares + from_centre) / self.total
        variance = np.where(self.shifted, both, squares / n_inliers)
        scale = np.maximum(np.sqrt(variance), self.least_scale)
        width = self._width(np.sqrt(from_centre / n_outliers), scale, centre)
        contamination = np.minimum(n_outliers / self.total, MAX_CONTAMINATION)
        return Parameters(contamination, scale, centre, width, offset, present.log_likelihood)

    def _width(self, width: FloatArray, scale: FloatArray, centre: FloatArray) -> FloatArray:
        """Return the outliers' deviation, within its bounds."""
        # A bound of the deviation from zero: outliers to one side need less width of their own.
        beyond = np.maximum((self.models[MIN_DEVIATION] * scale) ** 2 - centre**2, 0.0)
        least = np.maximum(self.models[MIN_WIDTH] * scale, np.sqrt(beyond))
        return np.where(self.shifted, scale, np.maximum(width, least))

    def _log_densities(
        self, fits: Parameters, scale: FloatArray, width: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        values, relative = self.residuals.values, self.residuals.relative_scale
        scales = np.maximum(scale[:, None] * relative, self.least_scale)
        log_in = self.tails.log_densities((values - fits.offset[:, None]) / scales)
        log_in += np.log1p(-fits.contamination)[:, None] - np.log(scales)
        z = (self.outlier_values - fits.centre[:, None]) / width[:, None]
        log_out = -0.5 * z**2 - (LOG_NORMAL + np.log(width))[:, None]
        if len(self.of_target):
            log_out[self.of_target] += self.residuals.log_unit[self.of_target]
        if len(self.permuted):
            log_out[self.permuted] = self.residuals.log_background[self.permuted]
        return log_in, log_out + np.log(fits.contamination)[:, None]


class _Tails(NamedTuple):
    """Rows of finite degrees of freedom, these, (f, 1), and the constants of their densities."""

    finite: BoolArray
    nu: FloatArray
    constant: FloatArray

    @staticmethod
    def of(tails: FloatArray) -> _Tails:
        """Return the tails of rows."""
        finite = np.isfinite(tails)
        nu = tails[finite, None]
        constant = gammaln(0.5 * (nu + 1)) - gammaln(0.5 * nu) - 0.5 * np.log(nu * np.pi)
        return _Tails(finite, nu, constant)

    def at(self, rows: BoolArray) -> _Tails:
        """Return some of the rows."""
        among = rows[self.finite]
        return _Tails(self.finite[rows], self.nu[among], self.constant[among])

    def log_densities(self, z: FloatArray) -> FloatArray:
        """Return the log-densities of Student's distributions, one for each row of z."""
        log_density = -0.5 * z**2 - LOG_NORMAL
        if len(self.nu):
            tail = 0.5 * (self.nu + 1) * np.log1p(z[self.finite] ** 2 / self.nu)
            log_density[self.finite] = self.constant - tail
        return np.asarray(log_density)

    def weights(self, z: FloatArray) -> FloatArray:
        """Return the weights of standardised residuals in the update of Student's scale."""
        weights = np.ones_like(z)
        if len(self.nu):
            weights[self.finite] = (self.nu + 1) / (self.nu + z[self.finite] ** 2)
        return weights


def log_student_rows(z: FloatArray, tails: FloatArray) -> FloatArray:
    """Return the log-densities of Student's distributions, one for each row of z."""
    return _Tails.of(tails).log_densities(z)


def student_weights(z: FloatArray, tails: FloatArray) -> FloatArray:
    """Return the weights of standardised residuals in the update of Student's scale, by rows."""
    return _Tails.of(tails).weights(z)


def _at(fits: Parameters, rows: BoolArray) -> Parameters:
    return Parameters(*(part[rows] for part in fits))
