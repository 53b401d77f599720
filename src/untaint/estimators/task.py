"""What regression and classification do differently in a robust fit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..design.base import FitDesign
from ..design.features import FeatureDesign
from ..design.subsample import ROWS_PER_FEATURE
from ..losses import Loss
from ..optim.c_steps import LOOSE
from ..outliers.audit import LooDiagnostics
from ..weighting.base import TrimmingRule
from .state import Hyperparameters, InitialState, SolverStage

if TYPE_CHECKING:
    from .base import SubquantileEstimator


@dataclass(eq=False)
class Task(ABC):
    """Loss, weighting rule, contamination and solvers of one kind of target.

    Only the parameters of the estimator are read. A contamination of None is to be estimated.
    """

    params: SubquantileEstimator
    contamination: float | None
    seed: int
    loss: Loss = field(init=False)
    #: Rows so many median radii away from the centre are excluded a priori.
    exclusion_radius: ClassVar[float]

    #: Decrease of the objective, for each unknown, that the fit to a subsample need not find.
    sampling_slack = 0.0

    @property
    def rows_per_feature(self) -> int:
        """Rows of the subsample of many rows for each feature, within limits."""
        return ROWS_PER_FEATURE

    def rng(self) -> np.random.Generator:
        """Return a generator of the fit's random numbers, always from the same state."""
        return np.random.default_rng(self.seed)

    @abstractmethod
    def groups(self, y: FloatArray) -> IntArray:
        """Return the class of each row, from the targets of the loss; zeros for regression."""

    @abstractmethod
    def weighting(self, contamination: float, y: FloatArray) -> TrimmingRule:
        """Return the rule that turns losses into weights."""

    @abstractmethod
    def initialise(self, design: FitDesign, y: FloatArray, hyper: Hyperparameters) -> InitialState:
        """Return the weighting rule and where to start; estimate the contamination if need be."""

    @abstractmethod
    def stages(self, design: FitDesign, y: FloatArray, initial: InitialState) -> list[SolverStage]:
        """Return solvers; the last one counts, and earlier ones find better weights for it."""

    def fit_loss(self, initial: InitialState) -> Loss:
        """Return the loss that the fit minimises."""
        return self.loss

    @abstractmethod
    def outlier_attributes(
        self,
        predictions: FloatArray,
        losses: FloatArray,
        initial: InitialState,
        present: IntArray,
    ) -> dict[str, Any]:
        """Return fitted attributes that describe each row, from predictions and losses of all."""

    @abstractmethod
    def loo_diagnostics(self, feature_outlier: BoolArray) -> LooDiagnostics:
        """Return diagnostics of each training row of the fitted estimator by the other rows."""

    def audit_columns(self, diagnostics: LooDiagnostics) -> dict[str, NDArray[Any]]:
        """Return further columns of the audit table."""
        return {}

    def feature_stage(
        self, design: FeatureDesign, y: FloatArray, initial: InitialState
    ) -> SolverStage:
        """Return the solver on features."""
        newton = design.newton(self.loss, y)
        loose = LOOSE if initial.weighting.contamination > 0 else 0.0
        return SolverStage(newton.solve, loose, system=newton.space)
