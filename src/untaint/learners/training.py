"""What a fitted estimator remembers of its training rows, for audits and diagnostics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from .._policy import policy
from .._typing import BoolArray, FloatArray
from .._validation import memory_bytes
from ..design.base import Sketch
from ..design.features import FeatureDesign
from ..design.memory_plan import plan_blocks
from ..design.subsample import draw_rows, subsample_size
from ..feature_maps.base import FeatureMap
from ..kernels import Kernel, Precomputed
from ..screening.by_subsample import screen_by_sample
from ..screening.screen import Screen, screen
from ..weighting.base import TrimmingRule


@final
@dataclass(frozen=True)
class TrainingRecord:
    """Training rows and the settings of the fit, whatever the parameters are set to later.

    X is None for a saved model whose rows are in a file. The targets, (n, k), are those of the
    loss, ``fit_weight`` the part of each row's weight that the fit kept. The weighting rule is for
    the rows of positive weight; the feature map is that of the fit, if it was made on features.
    ``misfit`` marks rows that were flagged, but kept because their features predict the flags;
    ``observed`` are the targets as given, if those of the loss are on another scale;
    ``label_noise`` is the noise of the labels, if it was estimated.
    """

    kernel: Kernel
    X: Any
    targets: FloatArray
    sample_weight: FloatArray
    fit_weight: FloatArray
    alpha: float
    fit_intercept: bool
    norm_bound: float | None = None
    weighting: TrimmingRule | None = None
    feature_map: FeatureMap | None = None
    misfit: BoolArray | None = None
    observed: FloatArray | None = None
    label_noise: Any = None

    @property
    def is_large(self) -> bool:
        """Whether the rows are so many that diagnostics are computed in blocks."""
        return self.feature_map is not None and len(self.targets) > policy().subsample_rows

    def without_mapped_rows(self) -> TrainingRecord:
        """Return a record to be saved: rows that are mapped from a file stay in their file."""
        return replace(self, X=None) if is_mapped(self.X) else self

    def screen(self) -> Screen | None:
        """Screen the features for outlying rows; None for a precomputed kernel, which has none."""
        if isinstance(self.kernel, Precomputed):
            return None
        if self.X.shape[0] <= policy().subsample_rows:
            return screen(self.X, self.sample_weight)
        sample = np.unique(draw_rows(self.sample_weight, policy().subsample_rows))
        return screen_by_sample(self.X, sample)

    def sketch(self) -> Sketch:
        """Return the training rows under the kernel of the fit."""
        return Sketch(self.kernel, self.X, self.sample_weight, self.alpha, self.fit_intercept)

    def feature_design(self, memory_limit: Any, n_threads: int | None) -> FeatureDesign:
        """Return the training rows on the features of the fit."""
        assert self.feature_map is not None
        features, memory = self.feature_map, memory_bytes(memory_limit)
        (n, n_outputs), subsample = self.targets.shape, None
        plan = plan_blocks(n, n_outputs, features.raw_width, features.dtype, memory, keep=False)
        if n > policy().subsample_rows:
            subsample = draw_rows(self.sample_weight, subsample_size(features.width, memory))
        parts = (self.kernel, self.X, self.sample_weight, self.alpha, self.fit_intercept)
        return FeatureDesign(*parts, features, plan, subsample, n_threads=n_threads)


def is_mapped(X: Any) -> bool:
    """Return whether an array, or what it is a view of, lies in a file."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False
