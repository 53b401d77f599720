"""Linear models with an intercept from noisy features, by name: from noisy rows to a fitted model.

Names that end in ``two`` see both copies and are not given the noise; all others but ``naive`` and
``river`` see one copy and are given the noise's variances.

untaint   our closed form; ``stream`` one pass of our online learner in small batches
naive     ridge, its alpha by leave-one-out, on the noisy rows as they are
river     one pass of stochastic gradient descent, river's defaults
tls       total least squares: the smallest right singular vector of the centred [A / s, y / r]
odrpack   orthogonal distance regression: minimise sum (y - f(x))^2 / r^2 + sum |x - a|^2 / s^2
rc        regression calibration: ridge on E[x | a], where clean rows are normal and have the
          covariance of the noisy rows less that of the noise
simex     refit with more noise, (1 + k) s^2 for k up to 2, and extrapolate the coefficients to
          k = -1 by a parabola

s are the known deviations of the features' noise; r, that of the target, is taken from the
residuals of the naive fit. Columns without noise are constant here, and are left out of tls and
odrpack.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge, RidgeCV

from untaint.online import CorrectedRidge, NoisyLinearRegressor

from ..data.drawn import Array
from ..data.noisy import NoisyRows

BATCH = 32
ALPHAS = np.logspace(-3.0, 3.0, 25)
EXTRA_NOISE = (0.5, 1.0, 1.5, 2.0)
N_DRAWS = 20


class Line(NamedTuple):
    """A fitted linear model."""

    coef: Array
    intercept: float

    def predict(self, X: Array) -> Array:
        """Return <w, x> + b."""
        return X @ self.coef + self.intercept


def ridge(X: Array, y: Array) -> Any:
    """Return ridge regression tuned by leave-one-out."""
    return RidgeCV(alphas=ALPHAS).fit(X, y)


def river(X: Array, y: Array) -> Line:
    """Return one pass of river's linear regression."""
    from river import linear_model

    model = linear_model.LinearRegression()
    for x, target in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(x)), target)
    return Line(np.array([model.weights.get(i, 0.0) for i in range(X.shape[1])]), model.intercept)


def target_deviation(X: Array, y: Array) -> float:
    """Return deviation of the naive fit's residuals."""
    return float(np.std(y - ridge(X, y).predict(X)))


def total_least_squares(X: Array, y: Array, noise_cov: Array) -> Line:
    """Return total least squares with columns in units of their noise."""
    noisy, r = noise_cov > 0, target_deviation(X, y)
    s = np.sqrt(noise_cov[noisy])
    joint = np.column_stack([(X - X.mean(axis=0))[:, noisy] / s, (y - y.mean()) / r])
    smallest = np.linalg.svd(joint, full_matrices=False)[2][-1]
    return _line(-smallest[:-1] / smallest[-1] * r / s, noisy, X, y)


def orthogonal_distance(X: Array, y: Array, noise_cov: Array) -> Line:
    """Return explicit orthogonal distance regression by odrpack, from the naive fit."""
    noisy, r = noise_cov > 0, target_deviation(X, y)
    Z = (X - X.mean(axis=0))[:, noisy]
    found = import_module("odrpack").odr_fit(
        lambda x, w: w @ x,
        np.ascontiguousarray(Z.T),
        y - y.mean(),
        beta0=ridge(X, y).coef_[noisy],
        weight_x=1.0 / noise_cov[noisy],
        weight_y=1.0 / r**2,
        jac_beta=lambda x, w: x,
        jac_x=lambda x, w: np.repeat(w[:, np.newaxis], x.shape[1], axis=1),
        maxit=200,
    )
    return _line(found.beta, noisy, X, y)


def regression_calibration(X: Array, y: Array, noise_cov: Array) -> Line:
    """Return ridge regression on the expected clean rows, given the noisy ones."""
    mean = X.mean(axis=0)
    model = ridge((X - mean) @ calibration(X, noise_cov), y)
    return Line(model.coef_, float(model.intercept_ - mean @ model.coef_))


def calibration(X: Array, noise_cov: Array) -> Array:
    """Return the matrix that maps a centred noisy row to the clean row expected of it."""
    noise = np.diag(noise_cov)
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True) - noise)
    clean = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return np.linalg.pinv(clean + noise, hermitian=True) @ clean


def simex(X: Array, y: Array, noise_cov: Array, seed: int) -> Line:
    """Return ridge coefficients by SIMEX, with the alpha of the naive fit."""
    naive = ridge(X, y)
    end = extrapolated(naive, Ridge(alpha=naive.alpha_), X, y, noise_cov, seed)
    return Line(end[:-1], float(end[-1]))


def extrapolated(naive: Any, model: Any, X: Array, y: Array, noise_cov: Array, seed: int) -> Array:
    """Return coefficients, and the intercept last, that a parabola over more noise has at none."""
    rng = np.random.default_rng(seed).spawn(4)[3]
    paths = [_coefficients(naive)]
    for extra in EXTRA_NOISE:
        draws = [X + np.sqrt(extra * noise_cov) * rng.normal(size=X.shape) for _ in range(N_DRAWS)]
        paths.append(np.mean([_coefficients(model.fit(drawn, y)) for drawn in draws], axis=0))
    parabola = np.polynomial.polynomial.polyfit([0.0, *EXTRA_NOISE], np.array(paths), deg=2)
    return np.dot([1.0, -1.0, 1.0], parabola)


def _coefficients(model: Any) -> Array:
    return np.append(model.coef_, model.intercept_)


def _line(coef: Array, noisy: NDArray[np.bool_], X: Array, y: Array) -> Line:
    """Put zeros in for the columns left out, and let the line pass through the means."""
    whole = np.zeros(X.shape[1])
    whole[noisy] = coef
    return Line(whole, float(y.mean() - X.mean(axis=0) @ whole))


def one_pass(model: Any, rows: NoisyRows, *, two: bool = False, **options: Any) -> Any:
    """Return an online learner after one pass of the rows in small batches."""
    for start in range(0, len(rows.y), BATCH):
        part = slice(start, start + BATCH)
        copy = {"X_copy": rows.B[part]} if two else {}
        model.partial_fit(rows.A[part], rows.y[part], **copy, **options)
    return model


Method: TypeAlias = Callable[[NoisyRows, int], Any]

METHODS: dict[str, Method] = {
    "untaint": lambda rows, seed: CorrectedRidge(noise_cov=rows.noise_cov).fit(rows.A, rows.y),
    "untaint-stream": lambda rows, seed: one_pass(
        NoisyLinearRegressor(noise_cov=rows.noise_cov), rows
    ),
    "naive": lambda rows, seed: ridge(rows.A, rows.y),
    "river": lambda rows, seed: river(rows.A, rows.y),
    "tls": lambda rows, seed: total_least_squares(rows.A, rows.y, rows.noise_cov),
    "odrpack": lambda rows, seed: orthogonal_distance(rows.A, rows.y, rows.noise_cov),
    "rc": lambda rows, seed: regression_calibration(rows.A, rows.y, rows.noise_cov),
    "simex": lambda rows, seed: simex(rows.A, rows.y, rows.noise_cov, seed),
    "untaint-two": lambda rows, seed: CorrectedRidge().fit(rows.A, rows.y, X_copy=rows.B),
    "untaint-stream-two": lambda rows, seed: one_pass(NoisyLinearRegressor(), rows, two=True),
    "naive-two": lambda rows, seed: ridge((rows.A + rows.B) / 2, rows.y),
}
# Methods that are left out where their package is not installed.
PACKAGES = {"river": "river", "odrpack": "odrpack"}


def installed() -> tuple[str, ...]:
    """Return the methods whose packages are installed."""
    return tuple(
        name for name in METHODS if name not in PACKAGES or find_spec(PACKAGES[name]) is not None
    )
