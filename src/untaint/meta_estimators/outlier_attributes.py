"""What a robust regression finds in each row."""

from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray
from ..contamination.residual_norm import signed_norms
from ..outliers.scores import score_scale
from ..weighting.trimmed import Trimmed
from .reweighting import SETTLED, ReweightingResult


class OutlierAttributes(NamedTuple):
    """The attributes of each row after a fit, and the estimated contamination."""

    inlier_probability: FloatArray
    scores: FloatArray
    noise_scale: FloatArray
    predictions: FloatArray
    contamination: float
    interval: tuple[float, float]
    misfit: BoolArray
    n_rounds: int
    converged: bool
    ambiguity_message: str = ""


def attributes_of(end: ReweightingResult) -> OutlierAttributes:
    """Return the attributes of rows that are all predicted by fits without them."""
    found = end.posterior
    return OutlierAttributes(
        found.inlier_probability,
        found.scores,
        found.noise_scale,
        end.predictions,
        found.contamination,
        found.interval,
        found.misfit & (found.inlier_probability >= 0.5),
        end.n_rounds,
        end.moved <= SETTLED,
        found.ambiguity_message,
    )


def trimmed_attributes(
    y: FloatArray,
    predictions: FloatArray,
    weights: FloatArray,
    sample_weight: FloatArray,
    contamination: float,
) -> OutlierAttributes:
    """Return the attributes of rows of which those of the smallest residuals are kept.

    Predictions (n, k) are by fits with given weights.
    """
    residuals = np.nan_to_num(y - predictions)
    sizes = np.abs(signed_norms(residuals, weights))
    kept, present = Trimmed(contamination).weights(sizes, sample_weight), sample_weight > 0
    kept = np.divide(kept, sample_weight, out=np.zeros(len(sizes)), where=present)
    losses = np.square(residuals).sum(axis=1)
    scale = score_scale(losses[present], sample_weight[present], contamination, y.shape[1])
    return OutlierAttributes(
        kept,
        np.sqrt(losses) / scale,
        np.full(len(sizes), scale),
        predictions,
        contamination,
        (contamination, contamination),
        np.zeros(len(sizes), dtype=bool),
        1,
        True,
    )
