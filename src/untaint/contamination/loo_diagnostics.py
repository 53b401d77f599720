"""Outlier diagnostics of all training rows from leave-one-out residuals of one fit.

Few rows are diagnosed on the features of :class:`~untaint.design.base.Design`; of many rows, the
residuals are computed in blocks and a subsample fits the mixture.
"""

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..design.base import Design
from ..design.features import FeatureDesign
from ..optim.leave_one_out import deletion_residuals
from ..optim.ridge_path import RidgePath
from .residual_mixture import OutlierPosterior, ResidualMixture, overall_contamination
from .residual_norm import signed_norms

# Ridge parameter of these fits at least, relative to the mean squared norm of the features.
MIN_ALPHA = 1e-8
# Residuals of this size, relative to the targets' median size, are rounding errors.
ROUNDING = 1e-12


def loo_diagnostics(
    design: Design,
    y: FloatArray,
    weights: FloatArray,
    feature_outlier: BoolArray,
    misfit: BoolArray | None = None,
) -> tuple[FloatArray, OutlierPosterior]:
    """Return leave-one-out residuals of a fit with these weights, and their posterior."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(design.loo_features, weights, design.fit_intercept)
        alpha = max(design.alpha, min_alpha(design, feature_outlier))
        residuals, _ = path.leave_one_out(y, alpha, design.sample_weight)
        standardized, deviations = path.standardized(y, alpha, design.sample_weight)
        mixture = ResidualMixture(y, design.sample_weight, feature_outlier, misfit)
        return np.nan_to_num(residuals), mixture.fit(standardized, deviations, weights)


def loo_diagnostics_blocked(
    design: FeatureDesign,
    y: FloatArray,
    predictions: FloatArray,
    weights: FloatArray,
    feature_outlier: BoolArray,
) -> tuple[FloatArray, OutlierPosterior]:
    """Return the same diagnostics for very many rows, whose predictions are known."""
    q = design.leverages(weights)
    residuals, variance = deletion_residuals(y - predictions, weights, design.sample_weight, q)
    standardized = residuals / np.sqrt(1.0 + variance)[:, None]
    signed = without_rounding(signed_norms(standardized, weights), rounding_of(y))
    rows, own = design.subsample_rows, np.maximum(design.sample_weight, np.finfo(float).tiny)
    assert rows is not None
    mixture = ResidualMixture(y[rows], np.ones(len(rows)), feature_outlier[rows])
    relative = np.minimum(weights / own, 1.0)[rows]
    deviations = np.sqrt(1.0 + variance)
    posterior = mixture.fit(signed[rows, None], deviations[rows], relative)
    parts = posterior.model.residuals(signed, y - residuals, deviations)
    included = np.where(feature_outlier, 0.0, design.sample_weight)
    excluded = float(design.sample_weight[feature_outlier].sum() / design.sample_weight.sum())
    contamination = overall_contamination(
        posterior.model, posterior.own_interval, parts, included, excluded
    )
    return residuals, posterior.of_samples(parts, feature_outlier, *contamination)


def min_alpha(design: Design, feature_outlier: BoolArray) -> float:
    """Return the smallest useful ridge parameter: an interpolating fit diagnoses nothing."""
    features, included = design.loo_features, np.flatnonzero(~feature_outlier)
    squares = np.einsum("ij,ij->i", features, features)[included]
    return MIN_ALPHA * float(squares.sum()) / max(len(included), 1)


def rounding_of(y: FloatArray) -> float:
    """Return the size of residuals that are rounding errors, as of targets that are all equal."""
    return ROUNDING * float(np.median(np.abs(y)))


def without_rounding(signed: FloatArray, rounding: float) -> FloatArray:
    """Return residuals of which those that are rounding errors are zero."""
    return np.where(np.abs(signed) <= rounding, 0.0, signed)
