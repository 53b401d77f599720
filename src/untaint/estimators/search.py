"""Grids of hyperparameters for the CV estimators, and the rows that they are selected on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._policy import policy
from .._typing import FloatArray
from .._validation import check_grid
from ..design.base import Sketch
from ..design.subsample import Subset
from ..kernels import Kernel, gamma_distance, resolve_gamma
from ..learners.base import take
from ..model_selection.grid import FIRST_ALPHA, GAMMA_FACTORS, Grid, auto_alphas, nearest

if TYPE_CHECKING:
    from .base import SubquantileEstimator

# Squared distance from the mean, relative to the squared size, that is rounding.
SAME = 1e-12


def check_grids(params: SubquantileEstimator) -> None:
    """Check the parameters ``alphas`` and ``gammas`` of a CV estimator."""
    check_grid("alphas", params.alphas)
    check_grid("gammas", params.gammas)
    if gamma_distance(params.kernel) is None:
        params._kernel_of_scale(None)  # raises an error if the kernel is unknown
        if not isinstance(params.gammas, str):
            raise ValueError(
                f"gammas must be 'auto' for kernel={params.kernel!r}, which has no scale to "
                f"choose, got {params.gammas!r}."
            )


def make_grid(
    params: SubquantileEstimator, X: Any, sample_weight: FloatArray, factors: FloatArray
) -> Grid:
    """Return the settings for these rows; ``factors`` are automatic alphas in natural units."""
    scales, kernels, first_kernel = _kernels(params, X, sample_weight)
    unit = _centred_size(Sketch(kernels[first_kernel], X, sample_weight, 1.0, params.fit_intercept))
    alphas = auto_alphas(unit, float(sample_weight.sum()), factors)
    if not isinstance(params.alphas, str):
        alphas = np.unique(np.asarray(params.alphas, dtype=float))
    return Grid(scales, kernels, alphas, (first_kernel, nearest(alphas, FIRST_ALPHA * unit)))


def tuning_designs(
    params: SubquantileEstimator, grid: Grid, X: Any, sample_weight: FloatArray
) -> tuple[Subset, float, list[Sketch]]:
    """Return representative rows, their part of the weight, and a design of them for each kernel.

    An alpha is meant for the weight of all rows: a part of them takes its part of it.
    """
    sketch = Sketch(grid.kernels[grid.first[0]], X, sample_weight, 1.0, params.fit_intercept)
    sample = sketch.representatives(policy().tuning_rows)
    part = float(sample.weights.sum() / sample_weight.sum())
    rows = take(X, sample.rows, params._pairwise)
    alpha = float(part * grid.alphas[grid.first[1]])
    first = Sketch(grid.kernels[0], rows, sample.weights, alpha, params.fit_intercept)
    return sample, part, [first, *map(first.with_kernel, grid.kernels[1:])]


def fitted_attributes(grid: Grid, kernel: int, alpha: int, errors: FloatArray) -> dict[str, Any]:
    """Return the attributes of a CV estimator that describe the selection."""
    return {
        "gamma_": grid.gammas[kernel],
        "alpha_": float(grid.alphas[alpha]),
        "cv_results_": grid.results(errors),
    }


def _kernels(
    params: SubquantileEstimator, X: Any, sample_weight: FloatArray
) -> tuple[list[float | None], list[Kernel], int]:
    """Return scales, kernels, and which of them to begin with."""
    distance = gamma_distance(params.kernel)
    if distance is None:
        return [None], [params._kernel_of_scale(None)], 0
    middle = resolve_gamma("median", X, sample_weight, distance=distance)
    # A squared distance takes a squared factor.
    factors = GAMMA_FACTORS if distance == "sqeuclidean" else np.sqrt(GAMMA_FACTORS)
    scales = middle * factors
    if not isinstance(params.gammas, str):
        scales = np.unique(np.asarray(params.gammas, dtype=float))
    found: list[float | None] = [float(gamma) for gamma in scales]
    return found, [params._kernel_of_scale(gamma) for gamma in found], nearest(scales, middle)


def _centred_size(sketch: Sketch) -> float:
    """Return the mean squared distance of the near rows' features from their mean."""
    weights = np.where(sketch.near, sketch.sample_weight, 0.0)
    features, inside = sketch.init_features[weights > 0], weights[weights > 0]
    centred = features - inside @ features / inside.sum()
    size = float(inside @ np.einsum("ij,ij->i", centred, centred) / inside.sum())
    whole = float(inside @ np.einsum("ij,ij->i", features, features) / inside.sum())
    # For rows that are all alike any alpha will do.
    return size if size > SAME * whole else 1.0
