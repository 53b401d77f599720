r"""The outlier posterior of a subsample, estimated on a part of it.

The alternation of leave-one-out fits and mixture models takes time in proportion to its rows, and a
few thousand of them determine the mixture. The other rows of the subsample are then weighted by
their residuals under the fit to that part,

.. math:: r_i = (y_i - f(x_i)) / d, \qquad w_i = (1 - \epsilon)\, f_0(r_i) / f(r_i),

which are residuals of rows that the fit has not seen, as leave-one-out residuals are; d is the
median standard deviation of such predictions. The mixture is fitted again to all rows of the
subsample when the fit continues on all samples (:mod:`untaint.contamination.mixture_weighting`).
"""

from dataclasses import replace

import numpy as np

from .._policy import policy
from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.residual_mixture import OutlierPosterior
from ..contamination.residual_norm import fit_residual_norm
from ..design.base import Design, FitDesign
from ..design.features import FeatureDesign
from ..design.subsample import draw_evenly
from ..losses import Loss
from ..model_selection.joint import estimate_posterior

# Relative residual of the fit to the part: its sampling error is larger.
PART_TOL = 1e-3
ROWS_PER_FEATURE = 10


def posterior_of(
    design: FitDesign, loss: Loss, y: FloatArray, n_starts: int, rng: np.random.Generator
) -> OutlierPosterior:
    """Estimate the posterior of all rows of a design, on a part of them if it is a subsample."""
    if not isinstance(design, FeatureDesign) or not design.is_subsample:
        return estimate_posterior(design, y, n_starts, rng)
    rows = draw_evenly(len(y), part_size(design.features.width))
    if len(rows) == len(y):
        return estimate_posterior(design, y, n_starts, rng)
    part = design.among(rows)
    found = estimate_posterior(part, y[rows], n_starts, rng)
    weights = found.inlier_probability
    fit = part.newton(loss, y[rows]).solve(weights, part.alpha, None, PART_TOL)
    coef = np.vstack([fit.coef, fit.intercept]) if design.fit_intercept else fit.coef
    return _extended(found, y, design.features.values(coef), rows, _outlying(design, part, rows))


def part_size(n_features: int) -> int:
    """Return the number of rows that determine fit and mixture well enough to continue from.

    Examples
    --------
    >>> part_size(20), part_size(400), part_size(1000)
    (2000, 4000, 5000)
    """
    most = policy().posterior_rows
    return max(2 * most // 5, min(most, ROWS_PER_FEATURE * n_features))


def _extended(
    found: OutlierPosterior,
    y: FloatArray,
    predictions: FloatArray,
    rows: IntArray,
    outlying: BoolArray,
) -> OutlierPosterior:
    """Return the posterior of all rows, given that of some and the predictions of a fit to them."""
    deviation = float(np.exp(np.median(found.residuals.log_unit)))
    deviations = (y - predictions) / deviation
    norm = fit_residual_norm(deviations[rows], found.inlier_probability)
    residuals = found.model.residuals(norm.signed(deviations), predictions, deviation)
    whole = found.of_samples(residuals, outlying, found.contamination, found.interval)
    probability, misfit = whole.inlier_probability, whole.misfit
    probability[rows], misfit[rows] = found.inlier_probability, found.misfit
    return replace(whole, inlier_probability=probability, misfit=misfit)


def _outlying(design: FeatureDesign, part: Design, rows: IntArray) -> BoolArray:
    """Return the feature outliers of a design, by the screen of a part of its rows."""
    model = part.screen.screen_model
    outlying = np.zeros(len(design.sample_weight), dtype=bool)
    if model is not None:
        outlying = model.total(design.X) > 1
    outlying[rows] = part.feature_outlier
    return outlying
