"""What a fitted estimator remembers of its training rows, for audits and diagnostics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from .._policy import policy
from .._typing import FloatArray
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

    Attributes
    ----------
    kernel : Kernel
    X : array or CSR of shape (n, d), or None
        None for a saved model whose rows lie in a file.
    targets : array of shape (n, k)
        Targets of the loss.
    sample_weight : array of shape (n,)
    fit_weight : array of shape (n,)
        Part of each row's weight that the fit kept.
    alpha : float
    fit_intercept : bool
    norm_bound : float or None
    weighting : TrimmingRule or None
        The rule of the fit, for the rows of positive weight.
    feature_map : FeatureMap or None
        The features of the fit, if it was made on any.
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
        n, memory = self.X.shape[0], memory_bytes(memory_limit)
        plan = plan_blocks(
            n,
            self.targets.shape[1],
            self.feature_map.raw_width,
            self.feature_map.dtype,
            memory,
            keep=False,
        )
        subsample = None
        if n > policy().subsample_rows:
            subsample = draw_rows(
                self.sample_weight, subsample_size(self.feature_map.width, memory)
            )
        return FeatureDesign(
            self.kernel,
            self.X,
            self.sample_weight,
            self.alpha,
            self.fit_intercept,
            self.feature_map,
            plan,
            subsample,
            n_threads=n_threads,
        )


def is_mapped(X: Any) -> bool:
    """Return whether an array, or what it is a view of, lies in a file."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False
