r"""Declared noise of the features, and its characteristic function.

A row is observed as :math:`\tilde x = x + n` with :math:`E[n] = 0` and :math:`E[n n^T] = \Sigma`,
declared as one variance for all features, one for each, a matrix, or one of these for each row.
Gaussian noise, and Laplace noise with independent coordinates, have the characteristic function

.. math:: c(\omega) = E[e^{i \omega^T n}] = e^{-\omega^T \Sigma \omega / 2}
          \quad\text{or}\quad \prod_j (1 + \Sigma_{jj} \omega_j^2 / 2)^{-1}.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, final

import numpy as np

from .._typing import FloatArray, IntArray

SHAPES = "a variance, one variance for each feature, or a covariance matrix"
_RTOL = 1e-8  # computed covariances are symmetric and semidefinite up to rounding


def covariance_matrix(
    noise_cov: Any, d: int, names: Sequence[Any] = (), *, allow_unknown: bool = False
) -> FloatArray:
    """Return the declared noise covariance of d features as a matrix."""
    noise_cov = _series_to_dict(noise_cov)
    if isinstance(noise_cov, Mapping):
        noise_cov = _variances_by_name(noise_cov, names, allow_unknown)
    given = _as_float_array(noise_cov)
    if given.ndim == 0:
        return _check_nonnegative(given) * np.eye(d)
    if given.shape == (d,):
        return np.diag(_check_nonnegative(given))
    if given.shape == (d, d):
        return _check_semidefinite(given[None])[0]
    raise ValueError(
        f"noise_cov must be {SHAPES}: for {d} features a number, shape ({d},) or ({d}, {d}), "
        f"got shape {given.shape}."
    )


@final
@dataclass(frozen=True)
class RowNoise:
    """RowNoise holds a noise covariance for each row.

    ``kind`` is the meaning of the values: "variances" (n, d), "matrices" (n, d, d), or "roots" (n,
    d), vectors e such that e e' is the covariance or has the covariance as its mean. "factors" (n,)
    multiply one covariance, ``cov``. "replicates" (n, k, d) are deviations with ``freedom`` degrees
    of freedom from which the covariance is to be estimated, or its factor if ``cov`` is given; the
    noise of a row is ``factors`` times that.
    """

    kind: Literal["variances", "matrices", "roots", "factors", "replicates"]
    values: FloatArray
    cov: FloatArray | None = None
    freedom: FloatArray | None = None
    factors: FloatArray | None = None

    def __getitem__(self, rows: slice | IntArray) -> Self:
        freedom = None if self.freedom is None else self.freedom[rows]
        factors = None if self.factors is None else self.factors[rows]
        return replace(self, values=self.values[rows], freedom=freedom, factors=factors)

    def sum(self, weights: FloatArray) -> FloatArray:
        """Return the weighted sum of the covariances of the rows."""
        if self.kind == "factors":
            assert self.cov is not None
            return (weights @ self.values) * self.cov
        if self.kind == "roots":
            return (self.values * weights[:, None]).T @ self.values
        if self.kind == "variances":
            return np.diag(weights @ self.values)
        return np.tensordot(weights, self.values, 1)

    def matvec(self, row: int, w: FloatArray) -> FloatArray:
        """Return Sigma w for the noise covariance of one row."""
        values = self.values[row]
        if self.kind == "factors":
            assert self.cov is not None
            return values * (self.cov @ w)
        if self.kind == "variances":
            return values * w
        return values @ w if self.kind == "matrices" else values * (values @ w)


Noise = FloatArray | RowNoise  # one covariance matrix for all rows, or one per row


def noise_of(noise: Noise | None, rows: slice | IntArray) -> Noise | None:
    """Return the noise of some of the rows."""
    return noise[rows] if isinstance(noise, RowNoise) else noise


def is_estimated(noise_cov: Any) -> bool:
    """Return whether the covariance is to be estimated from replicates."""
    return isinstance(noise_cov, str) and noise_cov == "replicates"


def parse_noise_cov(noise_cov: Any, n: int, d: int, names: Sequence[Any] = ()) -> Noise:
    """Validate the declared noise of n rows with d features.

    An array of shape (d, d) is one matrix for all rows, also if n equals d.
    """
    noise_cov = _series_to_dict(noise_cov)
    if isinstance(noise_cov, Mapping):
        return covariance_matrix(noise_cov, d, names)
    given = _as_float_array(noise_cov)
    if given.shape == (n, d, d):
        return RowNoise("matrices", _check_semidefinite(given))
    if given.shape == (n, d) and n != d:
        return RowNoise("variances", _check_nonnegative(given))
    if given.ndim == 3 or (given.ndim == 2 and given.shape != (d, d)):
        raise ValueError(
            f"noise_cov must be {SHAPES}, or the rows' own: for {n} rows of {d} features shape "
            f"({n}, {d}) or ({n}, {d}, {d}), got shape {given.shape}."
        )
    return covariance_matrix(given, d)


def log_characteristic_function(frequencies: FloatArray, cov: FloatArray, noise: str) -> FloatArray:
    """Return log c(omega) along the last axis of the frequencies."""
    if noise == "laplace":
        return -np.log1p(frequencies**2 * (np.diag(cov) / 2)).sum(axis=-1)
    return -0.5 * np.einsum("...i,ij,...j->...", frequencies, cov, frequencies)


def _series_to_dict(noise_cov: Any) -> Any:
    """Convert a labelled series to a mapping, and return anything else as it is."""
    index: Any = getattr(noise_cov, "index", None)
    if hasattr(index, "tolist") and np.ndim(noise_cov) == 1:
        names = index.tolist()
        if names != list(range(len(names))):
            return dict(zip(names, noise_cov.tolist(), strict=True))
    return noise_cov


def _as_float_array(noise_cov: Any) -> FloatArray:
    try:
        if np.iscomplexobj(noise_cov):
            raise TypeError
        given = np.asarray(noise_cov, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"noise_cov must be {SHAPES}, or 'replicates' (linear learners), got {noise_cov!r}."
        ) from None
    if not np.isfinite(given).all():
        raise ValueError("noise_cov must hold finite numbers, got NaN or infinity.")
    return given


def _check_nonnegative(variances: FloatArray) -> FloatArray:
    if (variances < 0).any():
        raise ValueError(
            f"noise_cov must not be negative, got a smallest variance of {variances.min():g}."
        )
    return variances


def _check_semidefinite(matrices: FloatArray) -> FloatArray:
    size = np.abs(matrices).max(initial=0.0)
    if np.abs(matrices - matrices.swapaxes(1, 2)).max(initial=0.0) > _RTOL * size:
        raise ValueError("noise_cov must be a symmetric matrix, got one that is not.")
    smallest = np.linalg.eigvalsh(matrices).min(initial=0.0)
    if smallest < -_RTOL * size * matrices.shape[-1]:
        raise ValueError(
            "noise_cov must be positive semidefinite, got a matrix with the eigenvalue "
            f"{smallest:.3g}."
        )
    return (matrices + matrices.swapaxes(1, 2)) / 2


def _variances_by_name(
    noise_cov: Mapping[Any, Any], names: Sequence[Any], allow_unknown: bool
) -> list[Any]:
    unknown = (
        [] if allow_unknown else [name for name in noise_cov if len(names) and name not in names]
    )
    if unknown or not (allow_unknown or len(names)):
        raise ValueError(
            f"noise_cov names the feature {next(iter(unknown or noise_cov))!r}, which the rows do "
            "not have."
        )
    return [noise_cov.get(name, 0.0) for name in names]
