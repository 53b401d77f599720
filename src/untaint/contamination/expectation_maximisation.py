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
from functools import cached_property, lru_cache
from typing import NamedTuple, final

import numpy as np
from scipy.special import gammaln

from .._typing import BoolArray, FloatArray, IntArray

MAX_ITER = 200
# Rise of the log-likelihood at which the iteration ends.
MIN_RISE = 1e-3
# A start is dropped if it would have to rise by more than so many times its last rise.
LAST_RISES = 10.0
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
OFFSET, MIN_WIDTH, MIN_DEVIATION, PARAMETERS = 0, 1, 2, 3
SHIFTED, PERMUTED, OF_TARGET = 4, 5, 6
# The logarithm of the normal density's constant, with the other sign.
LOG_NORMAL = 0.5 * float(np.log(2 * np.pi))


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
    max_behind: float = np.inf,
    known: float = -np.inf,
) -> Parameters:
    """Fit k models of inliers' ``tails``, (k,), from inlier probabilities, (k, n).

    The residuals are those of all fits, (n,), or of each, (k, n). A start ends before its maximum
    if its likelihood hardly rises and is less than the best one, or a ``known`` one, by more than
    ``max_behind``, each less what its parameters cost.
    """
    batch = _Batch.of(residuals, weights, models, tails, least_scale)
    state = batch.first(np.asarray(inlier_probability, dtype=float)[batch.numbers])
    result = Parameters(*(np.empty(len(models)) for _ in Parameters._fields))
    best = known + batch.total * float(np.log(batch.unit))
    for _ in range(max_iter):
        vanished = batch.vanished(state)
        if vanished.any():
            state.fits.log_likelihood[vanished] = -np.inf
            batch, state = batch.without(vanished, state, result)
        if not len(batch.numbers):
            break
        previous = state.fits.log_likelihood
        state = batch.step(state)
        ended = ~(state.fits.log_likelihood > previous + min_rise)
        if max_behind < np.inf:
            reached = state.fits.log_likelihood - batch.penalties
            best = max(best, float(reached[batch.unconditional].max(initial=-np.inf)))
            with np.errstate(invalid="ignore"):  # of a start without a likelihood, which has ended
                rise = state.fits.log_likelihood - previous
            ended |= reached + LAST_RISES * rise < best - max_behind
        if ended.any():
            batch, state = batch.without(ended, state, result)
    if len(batch.numbers):
        batch.without(np.ones(len(batch.numbers), dtype=bool), state, result)
    return result


class _State(NamedTuple):
    """Where the fits are: parameters, the groups' weights, and distances from their centres.

    ``inlying`` and ``outlying`` are the weights :math:`v_i p_i` and :math:`v_i (1 - p_i)`.
    ``squares`` are those of :math:`(r_i - m) / s_i`, ``from_centre`` residuals or targets less c,
    and ``centre_squares`` their squares: the next step corrects these sums for the new centres.
    """

    fits: Parameters
    inlying: FloatArray
    outlying: FloatArray
    n_outliers: FloatArray
    squares: FloatArray
    from_centre: FloatArray
    centre_squares: FloatArray

    def at(self, places: IntArray) -> _State:
        """Return some of the fits."""
        fits = Parameters(*(part.take(places) for part in self.fits))
        return _State(fits, *(part.take(places, axis=0) for part in self[1:]))


@final
@dataclass(frozen=True)
class _Batch:
    """The data of all starts, and one step of them; ``numbers`` are those of the starts.

    Residuals and targets are in a common ``unit``. Starts of finite tails come first, and those
    whose centre m is free are next to one another. ``log_ratio`` is what the log-densities of
    outliers and inliers differ by besides terms of the parameters, and ``log_scale`` the sum of
    the logarithms of the relative scales.
    """

    weights: FloatArray
    total: float
    unit: float
    least_scale: float
    numbers: IntArray
    models: FloatArray
    tails: FloatArray
    constants: FloatArray
    inverse: FloatArray
    quotients: FloatArray
    outlier_values: FloatArray
    log_ratio: FloatArray
    log_scale: FloatArray

    @staticmethod
    def of(
        residuals: Residuals,
        weights: FloatArray,
        models: list[OutlierModel],
        tails: FloatArray,
        least_scale: float,
    ) -> _Batch:
        """Return the data of models with tails, one of each for a start."""
        columns = np.array(models, dtype=float).T
        order = np.argsort(_places(columns[OFFSET] > 0, np.isfinite(tails)), kind="stable")
        columns, tails, shape = columns[:, order], tails[order], (len(models), len(weights))
        values, relative, targets, log_unit, background = (
            np.broadcast_to(part, shape)[order] for part in residuals
        )
        of_target, permuted = (columns[kind, :, None] > 0 for kind in (OF_TARGET, PERMUTED))
        inverse, log_relative = 1.0 / relative, np.log(relative)
        unit = _power_of_two(float(np.abs(values * inverse).max(initial=0.0)))
        # What the outliers' Gaussian density is of: residuals, or targets.
        outlier_values = np.where(of_target, targets, values) / unit
        given = np.where(permuted, background + np.log(unit), np.where(of_target, log_unit, 0.0))
        return _Batch(
            *(weights, float(weights.sum()), unit, least_scale / unit, order, columns, tails),
            *(_student_constants(tails), inverse, values * inverse / unit, outlier_values),
            *(given + log_relative, log_relative @ weights),
        )

    def without(self, ended: BoolArray, state: _State, result: Parameters) -> tuple[_Batch, _State]:
        """Write the fits that have ended to the result, and return the others."""
        places, numbers = np.flatnonzero(ended), self.numbers[ended]
        for whole, part in zip(result, state.fits, strict=True):
            whole[numbers] = part.take(places)
        for length in (result.scale, result.centre, result.width, result.offset):
            length[numbers] *= self.unit
        result.log_likelihood[numbers] -= self.total * np.log(self.unit)
        going = np.flatnonzero(~ended)
        common = (self.weights, self.total, self.unit, self.least_scale)
        of_starts = [self.tails, self.constants, self.inverse, self.quotients]
        of_starts += [self.outlier_values, self.log_ratio, self.log_scale]
        chosen = (part.take(going, axis=0) for part in of_starts)
        batch = _Batch(*common, self.numbers[going], self.models[:, going], *chosen)
        return batch, state.at(going)

    @cached_property
    def nu(self) -> FloatArray:
        """The finite tails, (f, 1), which are those of the first starts."""
        return self.tails[np.isfinite(self.tails), None]

    @cached_property
    def moving(self) -> slice:
        """The starts whose inliers have a free centre."""
        places = np.flatnonzero(self.models[OFFSET])
        return slice(int(places[0]), int(places[-1]) + 1) if len(places) else slice(0, 0)

    @cached_property
    def shifted(self) -> BoolArray:
        """Whether S is s."""
        return self.models[SHIFTED] > 0

    @cached_property
    def gaussian(self) -> FloatArray:
        """One for outliers of a Gaussian density, and zero for those of a given one."""
        return 1.0 - self.models[PERMUTED]

    @cached_property
    def min_outliers(self) -> FloatArray:
        """The weight of outliers that there are at least."""
        return np.where(self.models[OFFSET] > 0, MIN_CLUSTER, MIN_DIFFUSE * self.total)

    @cached_property
    def penalties(self) -> FloatArray:
        """What the parameters of each start's model cost by the Bayesian information criterion."""
        return 0.5 * float(np.log(self.total)) * self.models[PARAMETERS]

    @cached_property
    def unconditional(self) -> BoolArray:
        """The starts whose fits count wherever their parameters lie, unlike those of clusters."""
        return ~(self.models[OFFSET] + self.models[OF_TARGET] > 0)

    @cached_property
    def smallest(self) -> FloatArray:
        """The smallest relative scale of each start."""
        return 1.0 / self.inverse.max(axis=1)

    def first(self, p: FloatArray) -> _State:
        """Return the scales that probabilities, (k, n), give, and no likelihood yet."""
        inlying, outlying = p * self.weights, (1.0 - p) * self.weights
        squares, values = self.quotients**2, self.outlier_values
        totals = np.maximum(inlying.sum(axis=1), np.finfo(float).tiny)
        scale = np.maximum(np.sqrt(_sums(inlying, squares) / totals), self.least_scale)
        none = np.zeros(len(p))
        fits = Parameters(none, scale, none, none, none, np.full(len(p), -np.inf))
        parts = (outlying, outlying.sum(axis=1), squares, values, values**2)
        return _State(fits, inlying, *parts)

    def vanished(self, state: _State) -> BoolArray:
        """Return which of the starts have lost a group; the first step may be of any."""
        majority = state.n_outliers >= MAJORITY * self.total
        majority &= np.isfinite(state.fits.log_likelihood)
        return majority | ~(state.n_outliers > self.min_outliers)

    def step(self, state: _State) -> _State:
        """Return parameters and probabilities after one step; no scale is no likelihood."""
        fits = self._maximise(state)
        alive = fits.scale > 0
        scale, width = np.where(alive, fits.scale, 1.0), np.where(fits.width > 0, fits.width, 1.0)
        squares = self._squares(state, fits.offset)
        log_in = self._log_inliers(squares, scale)
        from_centre = self.outlier_values - fits.centre[:, None]
        centre_squares = from_centre * from_centre
        own = np.log1p(-fits.contamination) - np.log(scale) + self.constants
        other = np.log(fits.contamination) - self.gaussian * (LOG_NORMAL + np.log(width))
        # x is the logarithm of the outliers' part over the inliers', and f = in * (1 + exp(x)).
        x = centre_squares * (-0.5 * self.gaussian / width**2)[:, None]
        x += self.log_ratio
        x -= log_in
        x += (other - own)[:, None]
        log_rest = np.abs(x)
        np.log1p(np.exp(np.negative(log_rest, out=log_rest), out=log_rest), out=log_rest)
        log_rest += np.maximum(x, 0.0, out=x)
        log_in += log_rest
        likelihood = log_in @ self.weights + (own * self.total - self.log_scale)
        fits = fits._replace(log_likelihood=np.where(alive, likelihood, -np.inf))
        inlying = np.exp(np.negative(log_rest, out=log_rest), out=log_rest)
        inlying *= self.weights
        outlying = self.weights - inlying
        parts = (outlying, outlying.sum(axis=1), squares, from_centre, centre_squares)
        return _State(fits, inlying, *parts)

    def _maximise(self, state: _State) -> Parameters:
        """Return the likeliest parameters for the groups' weights."""
        fits, n_outliers, outlying = state.fits, state.n_outliers, state.outlying
        inlying, offset = self._student_weighted(state), fits.offset
        squares = _sums(inlying, state.squares)
        moving = self.moving
        if moving.stop:
            parts, inverse = inlying[moving] * self.inverse[moving], self.inverse[moving]
            change = _sums(parts, self._distances(offset)) / (size := _sums(parts, inverse))
            offset = offset.copy()
            offset[moving] += change
            squares[moving] = np.maximum(squares[moving] - size * change**2, 0.0)
        change = _sums(outlying, state.from_centre) / n_outliers
        centre = fits.centre + change
        from_centre = _sums(outlying, state.centre_squares) - n_outliers * change**2
        from_centre = np.maximum(from_centre, 0.0)
        variance = squares / (self.total - n_outliers)
        variance = np.where(self.shifted, (squares + from_centre) / self.total, variance)
        scale = np.maximum(np.sqrt(variance), self.least_scale)
        width = self._width(np.sqrt(from_centre / n_outliers), scale, centre)
        contamination = np.minimum(n_outliers / self.total, MAX_CONTAMINATION)
        return Parameters(contamination, scale, centre, width, offset, fits.log_likelihood)

    def _student_weighted(self, state: _State) -> FloatArray:
        """Return the inliers' weights times Student's."""
        nu = self.nu
        if not len(nu):
            return state.inlying
        weighted, first = state.inlying.copy(), slice(0, len(nu))
        u = state.squares[first] / (state.fits.scale[first] ** 2)[:, None]
        u += nu
        weighted[first] *= np.divide(nu + 1.0, u, out=u)
        return weighted

    def _distances(self, offset: FloatArray) -> FloatArray:
        """Return the residuals less m, over their relative scales, where m is free."""
        moving = self.moving
        return self.quotients[moving] - offset[moving, None] * self.inverse[moving]

    def _squares(self, state: _State, offset: FloatArray) -> FloatArray:
        """Return the squares of such distances; where m is zero, they are as they were."""
        if self.moving.stop:
            np.square(self._distances(offset), out=state.squares[self.moving])
        return state.squares

    def _log_inliers(self, squares: FloatArray, scale: FloatArray) -> FloatArray:
        """Return the logarithms of the inliers' densities up to constants and scales."""
        floored = scale * self.smallest < self.least_scale
        factor, nu = 1.0 / scale**2, self.nu
        factor[: len(nu)] /= nu[:, 0]
        factor[len(nu) :] *= -0.5
        log_in = squares * factor[:, None]
        # The noise of a sample is not below the least scale.
        ratio: FloatArray | float = 1.0
        if floored.any():
            ratio = np.maximum(self.least_scale * self.inverse / scale[:, None], 1.0)
            log_in /= ratio**2
        if len(nu):
            tails = log_in[: len(nu)]
            np.log1p(tails, out=tails)
            tails *= -0.5 * (nu + 1.0)
        if floored.any():
            log_in -= np.log(ratio)
        return np.asarray(log_in)

    def _width(self, width: FloatArray, scale: FloatArray, centre: FloatArray) -> FloatArray:
        """Return the outliers' deviation, within its bounds."""
        # A bound of the deviation from zero: outliers to one side need less width of their own.
        beyond = np.maximum((self.models[MIN_DEVIATION] * scale) ** 2 - centre**2, 0.0)
        least = np.maximum(self.models[MIN_WIDTH] * scale, np.sqrt(beyond))
        return np.where(self.shifted, scale, np.maximum(width, least))


def log_student_rows(z: FloatArray, tails: FloatArray) -> FloatArray:
    """Return the log-densities of Student's distributions, one for each row of z."""
    finite, squares = np.isfinite(tails), z**2
    log_density = _student_constants(tails)[:, None] - 0.5 * squares
    nu = tails[finite, None]
    tail = 0.5 * (nu + 1) * np.log1p(squares[finite] / nu)
    log_density[finite] = _student_constants(tails)[finite, None] - tail
    return np.asarray(log_density)


def _student_constants(tails: FloatArray) -> FloatArray:
    """Return the logarithms of the constants of Student's densities."""
    return np.array([_student_constant(float(tail)) for tail in tails])


@lru_cache(maxsize=64)
def _student_constant(tail: float) -> float:
    if np.isinf(tail):
        return -LOG_NORMAL
    return float(gammaln(0.5 * (tail + 1)) - gammaln(0.5 * tail) - 0.5 * np.log(tail * np.pi))


def _places(offset: BoolArray, finite: BoolArray) -> IntArray:
    """Return numbers that sort starts by their tails, and by whether m is free."""
    return np.where(finite, 0 + offset, 3 - offset)


def _power_of_two(value: float) -> float:
    """Return the power of two next to a value, 1 for zero and for what is not finite."""
    return float(np.ldexp(1.0, np.frexp(value)[1])) if 0 < value < np.inf else 1.0


def _sums(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the scalar products of rows."""
    return np.einsum("kn,kn->k", one, other)
