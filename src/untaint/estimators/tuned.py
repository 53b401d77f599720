"""Estimators that choose their own kernel scale and ridge: what they share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._policy import policy
from .._typing import FloatArray
from .._validation import check_grid
from ..design.base import Sketch
from ..design.subsample import Subset
from ..kernels import Kernel, gamma_distance, resolve_gamma
from ..model_selection.grid import (
    ALPHA_FACTORS,
    FIRST_ALPHA,
    GAMMA_FACTORS,
    Grid,
    auto_alphas,
    nearest,
)
from .parameters import Common

# Squared distance from the mean, as a part of the squared size, that is rounding.
SAME = 1e-12


class Tuned(Common):
    """Grids in place of one kernel scale and one ridge."""

    alphas: Any
    gammas: Any
    #: Automatic ridges, in units of the kernel and of the number of rows.
    _alpha_factors: ClassVar[FloatArray] = ALPHA_FACTORS

    def _check_parameters(self) -> None:
        check_grid("alphas", self.alphas)
        check_grid("gammas", self.gammas)
        if gamma_distance(self.kernel) is None:
            self._kernel_of_scale(None)  # which says what is wrong with the kernel, if anything
        if gamma_distance(self.kernel) is None and not isinstance(self.gammas, str):
            raise ValueError(
                f"gammas must be 'auto' for kernel={self.kernel!r}, which has no scale to choose, "
                f"got {self.gammas!r}."
            )
        # Past the checks of the one setting that this estimator does not have.
        Common._check_parameters(self)

    def _grid(self, X: Any, sample_weight: FloatArray) -> Grid:
        """Settings for these rows."""
        gammas, kernels, first_kernel = self._kernels(X, sample_weight)
        unit = _centred_size(self._sketch(kernels[first_kernel], X, sample_weight, 1.0))
        if isinstance(self.alphas, str):
            alphas = auto_alphas(unit, float(sample_weight.sum()), self._alpha_factors)
        else:
            alphas = np.unique(np.asarray(self.alphas, dtype=float))
        return Grid(gammas, kernels, alphas, (first_kernel, nearest(alphas, FIRST_ALPHA * unit)))

    def _kernels(
        self, X: Any, sample_weight: FloatArray
    ) -> tuple[list[float | None], list[Kernel], int]:
        """Scales, kernels, and which of them to begin with."""
        distance = gamma_distance(self.kernel)
        if distance is None:
            return [None], [self._kernel_of_scale(None)], 0
        middle = resolve_gamma("median", X, sample_weight, distance=distance)
        # A squared distance takes a squared factor.
        factors = GAMMA_FACTORS if distance == "sqeuclidean" else np.sqrt(GAMMA_FACTORS)
        scales = middle * factors
        if not isinstance(self.gammas, str):
            scales = np.unique(np.asarray(self.gammas, dtype=float))
        gammas: list[float | None] = [float(gamma) for gamma in scales]
        return gammas, [self._kernel_of_scale(gamma) for gamma in gammas], nearest(scales, middle)

    def _sketch(self, kernel: Kernel, X: Any, sample_weight: FloatArray, alpha: float) -> Sketch:
        return Sketch(kernel, X, sample_weight, alpha, self.fit_intercept)

    def _tuning_sample(self, grid: Grid, X: Any, sample_weight: FloatArray) -> Subset:
        """Rows that stand for all plausible ones while a setting is chosen."""
        sketch = self._sketch(grid.kernels[grid.first[0]], X, sample_weight, 1.0)
        return sketch.representatives(policy().tuning_rows)

    def _store_choice(self, grid: Grid, kernel: int, alpha: int, errors: FloatArray) -> None:
        self.gamma_ = grid.gammas[kernel]
        self.alpha_ = float(grid.alphas[alpha])
        self.cv_results_ = grid.results(errors)


def _centred_size(sketch: Sketch) -> float:
    """Mean squared distance of the plausible rows' features from their mean."""
    weights = np.where(sketch.near, sketch.sample_weight, 0.0)
    features = sketch.init_features[weights > 0]
    inside = weights[weights > 0]
    centred = features - inside @ features / inside.sum()
    size = float(inside @ np.einsum("ij,ij->i", centred, centred) / inside.sum())
    whole = float(inside @ np.einsum("ij,ij->i", features, features) / inside.sum())
    # Rows that are all alike: any ridge will do.
    return size if size > SAME * whole else 1.0
