r"""Rows that carry their scaling along, so that a learner can scale the noise alike.

A scaler replaces x by :math:`(x - m) / s`, so that noise of covariance :math:`\Sigma` becomes noise
of covariance :math:`\Sigma_{jk} / (s_j s_k)`. A learner behind the scaler sees rows only. Therefore
the rows are arrays, dictionaries or frames with a reference to the scaling that was applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from .._typing import FloatArray
from .noise import Noise, RowNoise, covariance_matrix
from .stream_input import frame_values

ATTRIBUTE = "untaint_scaling"  # in the attributes of a data frame


@final
@dataclass(frozen=True, eq=False)
class Scaling:
    """A Scaling holds means and scales of features, and the noise declared in the old units."""

    names: tuple[Any, ...]
    mean: FloatArray
    scale: FloatArray
    noise_cov: Any = None
    is_final: bool = True  # whether later rows will be scaled alike

    def rows(self, X: FloatArray) -> ScaledRows:
        """Return scaled rows that carry this scaling."""
        scaled = ((X - self.mean) / self.scale).view(ScaledRows)
        scaled.scaling = self
        return scaled

    def row(self, x: Mapping[Any, Any]) -> ScaledRow:
        """Return a scaled dictionary; a feature that is not known yet is centred at itself."""
        scaled, known = ScaledRow(), self._by_name
        for name, value in x.items():
            mean, scale = known.get(name, (value, 1.0))
            scaled[name] = (value - mean) / scale
        scaled.scaling, scaled.original = self, x
        return scaled

    def columns(self, names: Sequence[Any], X: FloatArray) -> FloatArray:
        """Return scaled columns of these names."""
        origin = np.array([self._by_name.get(name, (0.0, 1.0))[0] for name in names])
        return (X - origin) / self._scales(names)

    def noise(self, noise: Noise, names: Sequence[Any] | None = None) -> Noise:
        """Return noise that was declared in the old units in the new ones."""
        scale = self.scale if names is None else self._scales(names)
        if not isinstance(noise, RowNoise):
            return noise / np.outer(scale, scale)
        divisor = scale**2 if noise.kind == "variances" else np.outer(scale, scale)
        return RowNoise(noise.kind, noise.values / divisor)

    def noise_matrix(self) -> FloatArray | None:
        """Return the noise that was declared to the scaler, in the new units."""
        if self.noise_cov is None:
            return None
        cov = covariance_matrix(self.noise_cov, len(self.scale), self.names)
        return cov / np.outer(self.scale, self.scale)

    def _scales(self, names: Sequence[Any]) -> FloatArray:
        return np.array([self._by_name.get(name, (0.0, 1.0))[1] for name in names])

    @cached_property
    def _by_name(self) -> dict[Any, tuple[float, float]]:
        """The mean and the scale of each feature."""
        moments = zip(self.mean.tolist(), self.scale.tolist(), strict=True)
        return dict(zip(self.names, moments, strict=True))


class ScaledRows(np.ndarray):
    """An array of scaled rows that carries its scaling; results of arithmetic are plain arrays."""

    scaling: Scaling | None = None

    def __array_finalize__(self, other: Any) -> None:
        self.scaling = getattr(other, "scaling", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            kwargs["out"] = tuple(_plain(out) for out in kwargs["out"])
        return getattr(ufunc, method)(*(_plain(value) for value in inputs), **kwargs)

    def __reduce__(self) -> Any:
        return (_restore, (np.asarray(self), self.scaling))


class ScaledRow(dict[Any, Any]):
    """A dictionary of scaled features that carries its scaling and the features themselves."""

    scaling: Scaling
    original: Mapping[Any, Any]


def scaling_of(X: Any) -> Scaling | None:
    """Return the scaling that rows carry, or None."""
    if isinstance(X, (ScaledRows, ScaledRow)):
        found: Any = X.scaling
    else:  # looking for another attribute of a data frame is slow
        attributes = getattr(X, "attrs", None)
        found = attributes.get(ATTRIBUTE) if isinstance(attributes, dict) else None
    if not isinstance(found, Scaling):
        return None
    return found if isinstance(X, dict) or np.shape(X)[1:] == found.scale.shape else None


def scale_copy(X_copy: Any, scaling: Scaling | None) -> Any:
    """Return a copy of rows in the units of the rows: scaled, unless it has been scaled already."""
    if X_copy is None or scaling is None or scaling_of(X_copy) is not None:
        return X_copy
    if isinstance(X_copy, Mapping):
        return dict(scaling.row(X_copy))
    return (frame_values("X_copy", X_copy) - scaling.mean) / scaling.scale


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, ScaledRows) else value


def _restore(values: FloatArray, scaling: Scaling | None) -> ScaledRows:
    rows = values.view(ScaledRows)
    rows.scaling = scaling
    return rows
