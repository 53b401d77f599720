r"""What is known of the noise in the features.

A row is seen as :math:`\tilde x = x + n` with :math:`E[n] = 0` and :math:`E[n n^T] = \Sigma`,
declared as one variance for all features, one for each, a matrix, or rows' own. Gaussian noise, and
Laplace noise in independent coordinates, also have a known characteristic function

.. math:: c(\omega) = E[e^{i \omega^T n}] = e^{-\omega^T \Sigma \omega / 2}
          \quad\text{or}\quad \prod_j (1 + \Sigma_{jj} \omega_j^2 / 2)^{-1}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from .._typing import FloatArray

SHAPES = "a variance, one variance for each feature, or a covariance matrix"
_SLACK = 1e-8  # relative; a covariance that was computed is symmetric and positive up to rounding


def covariance_matrix(
    noise_cov: Any, d: int, names: Sequence[Any] = (), *, more: bool = False
) -> FloatArray:
    """The declared covariance of d features as a matrix.

    Examples
    --------
    >>> covariance_matrix([1.0, 4.0], 2)
    array([[1., 0.],
           [0., 4.]])
    """
    noise_cov = _unlabelled(noise_cov)
    if isinstance(noise_cov, Mapping):
        noise_cov = _by_name(noise_cov, names, more)
    given = _numbers(noise_cov)
    if given.ndim == 0:
        return _nonnegative(given) * np.eye(d)
    if given.shape == (d,):
        return np.diag(_nonnegative(given))
    if given.shape == (d, d):
        return _positive(given[None])[0]
    raise ValueError(
        f"noise_cov must be {SHAPES}: for {d} features a number, shape ({d},) or ({d}, {d}), "
        f"got shape {given.shape}."
    )


@final
@dataclass(frozen=True)
class RowNoise:
    """Noise of rows, each its own.

    kind says what the values are: "variances" (n, d), "matrices" (n, d, d), or "roots" (n, d),
    vectors e whose e e' is the covariance, or has it as its mean.
    """

    kind: Literal["variances", "matrices", "roots"]
    values: FloatArray

    def __getitem__(self, rows: slice) -> RowNoise:
        return RowNoise(self.kind, self.values[rows])

    def halved(self) -> RowNoise:
        """Noise of the mean of two copies, for variances and matrices."""
        return RowNoise(self.kind, self.values / 2.0)

    def times(self, row: int, w: FloatArray) -> FloatArray:
        """Sigma w for the noise of one row."""
        values = self.values[row]
        if self.kind == "variances":
            return values * w
        return values @ w if self.kind == "matrices" else values * (values @ w)


Noise = FloatArray | RowNoise  # one matrix for all rows, or the rows' own


def check_noise(noise_cov: Any, n: int, d: int, names: Sequence[Any] = ()) -> Noise:
    """What was declared for n rows of d features.

    An array of shape (d, d) is one matrix for all rows, also if n is d.
    """
    noise_cov = _unlabelled(noise_cov)
    if isinstance(noise_cov, Mapping):
        return covariance_matrix(noise_cov, d, names)
    given = _numbers(noise_cov)
    if given.shape == (n, d, d):
        return RowNoise("matrices", _positive(given))
    if given.shape == (n, d) and n != d:
        return RowNoise("variances", _nonnegative(given))
    if given.ndim == 3 or (given.ndim == 2 and given.shape != (d, d)):
        raise ValueError(
            f"noise_cov must be {SHAPES}, or the rows' own: for {n} rows of {d} features shape "
            f"({n}, {d}) or ({n}, {d}, {d}), got shape {given.shape}."
        )
    return covariance_matrix(given, d)


def log_characteristic(frequencies: FloatArray, cov: FloatArray, noise: str) -> FloatArray:
    """log c(omega) along the last axis of the frequencies."""
    if noise == "laplace":
        return -np.log1p(frequencies**2 * (np.diag(cov) / 2)).sum(axis=-1)
    return -0.5 * np.einsum("...i,ij,...j->...", frequencies, cov, frequencies)


def _unlabelled(noise_cov: Any) -> Any:
    """A series that names its features as a mapping."""
    index: Any = getattr(noise_cov, "index", None)
    if hasattr(index, "tolist") and np.ndim(noise_cov) == 1:
        names = index.tolist()
        if names != list(range(len(names))):
            return dict(zip(names, noise_cov.tolist(), strict=True))
    return noise_cov


def _numbers(noise_cov: Any) -> FloatArray:
    try:
        given = np.asarray(noise_cov, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"noise_cov must be {SHAPES}, got {noise_cov!r}.") from None
    if not np.isfinite(given).all():
        raise ValueError("noise_cov must hold finite numbers, got NaN or infinity.")
    return given


def _nonnegative(variances: FloatArray) -> FloatArray:
    if (variances < 0).any():
        raise ValueError(
            f"noise_cov must not be negative, got a smallest variance of {variances.min():g}."
        )
    return variances


def _positive(matrices: FloatArray) -> FloatArray:
    size = np.abs(matrices).max(initial=0.0)
    if np.abs(matrices - matrices.swapaxes(1, 2)).max(initial=0.0) > _SLACK * size:
        raise ValueError("noise_cov must be a symmetric matrix, got one that is not.")
    smallest = np.linalg.eigvalsh(matrices).min(initial=0.0)
    if smallest < -_SLACK * size * matrices.shape[-1]:
        raise ValueError(
            "noise_cov must be positive semidefinite, got a matrix with the eigenvalue "
            f"{smallest:.3g}."
        )
    return (matrices + matrices.swapaxes(1, 2)) / 2


def _by_name(noise_cov: Mapping[Any, Any], names: Sequence[Any], more: bool) -> list[Any]:
    unknown = [] if more else [name for name in noise_cov if len(names) and name not in names]
    if unknown or not (more or len(names)):
        raise ValueError(
            f"noise_cov names the feature {next(iter(unknown or noise_cov))!r}, which the rows do "
            "not have."
        )
    return [noise_cov.get(name, 0.0) for name in names]
