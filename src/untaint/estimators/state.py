"""Records that the steps of a robust fit hand to one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.residual_mixture import OutlierPosterior
from ..design.base import FitDesign
from ..kernels import Kernel
from ..model_selection.label_noise import LabelNoise
from ..optim.base import Fit, Solution
from ..optim.checkpoint import Stateful
from ..target_transform import TargetTransform
from ..weighting.base import TrimmingRule

#: Minimises the weighted problem: (weights, alpha, start, tol) -> Fit.
Solve = Callable[[FloatArray, float, Fit | None, float], Fit]


class TrainingData(NamedTuple):
    """All rows, targets in columns and weights, and those of the rows of positive weight alone.

    Rows ``present`` take part in the fit: ``rows``, ``y`` and ``weights``, with class weights;
    ``counts`` are the user's. ``observed`` are the targets as given, if on another scale.
    """

    X: Any
    targets: FloatArray
    sample_weight: FloatArray
    present: IntArray
    rows: Any
    y: FloatArray
    weights: FloatArray
    counts: FloatArray
    observed: FloatArray | None = None

    def transformed(self, transform: TargetTransform | None) -> TrainingData:
        """Return the data with targets on the scale of the fit."""
        if transform is None:
            return self
        targets = transform.forward(self.targets)
        return self._replace(targets=targets, y=targets[self.present], observed=self.targets)


class Hyperparameters(NamedTuple):
    """Kernel and alpha of a fit, and what their selection found on the way.

    That is the posterior of all rows (of a regressor) or the label noise (of a classifier),
    fitted attributes such as ``cv_results_``, and a transformation of the targets.
    """

    kernel: Kernel
    alpha: float
    posterior: OutlierPosterior | None = None
    label_noise: LabelNoise | None = None
    attributes: dict[str, Any] | None = None
    transform: TargetTransform | None = None


class InitialState(NamedTuple):
    """The weighting rule of a fit and the weights, (n,), that it starts from.

    ``predictions``, (n, k), are those of a rough fit with these weights. The posterior is given if
    the contamination was estimated from residuals, its interval if it was estimated at all.
    ``excluded`` marks rows that were excluded a priori. The label noise is given if it was
    estimated: the fit corrects for it in place of trimming.
    """

    weighting: TrimmingRule
    weights: FloatArray
    predictions: FloatArray | None = None
    posterior: OutlierPosterior | None = None
    interval: tuple[float, float] | None = None
    excluded: BoolArray | None = None
    label_noise: LabelNoise | None = None


class SolverStage(NamedTuple):
    """A solver of the weighted problem, and the tolerance ``tol`` that is tight enough for it.

    ``loose`` is the tolerance of refits whose weights are about to change, ``system`` the part of
    the solver that a checkpoint saves.
    """

    solve: Solve
    loose: float
    tol: float = 0.0
    system: Stateful | None = None


class RobustFit(NamedTuple):
    """Result of a robust fit to data whose targets are on the scale of the fit."""

    data: TrainingData
    design: FitDesign
    initial: InitialState
    solution: Solution
    hyper: Hyperparameters
