"""Records that the steps of a robust fit hand to one another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.residual_mixture import OutlierPosterior
from ..design.base import FitDesign
from ..kernels import Kernel
from ..optim.base import Fit, Solution
from ..optim.checkpoint import Stateful
from ..weighting.base import TrimmingRule

#: Minimises the weighted problem: (weights, alpha, start, tol) -> Fit.
Solve = Callable[[FloatArray, float, Fit | None, float], Fit]


@final
@dataclass(frozen=True)
class TrainingData:
    """Checked training rows.

    Attributes
    ----------
    X, targets, sample_weight
        All rows, their targets in columns, and their weights in the fit (class weights included).
    present : array of indices
        The rows of positive weight, which alone take part in the fit.
    rows, y, weights, counts
        X, targets and weights of these rows, and the weights that the user gave them.
    """

    X: Any
    targets: FloatArray
    sample_weight: FloatArray
    present: IntArray
    rows: Any
    y: FloatArray
    weights: FloatArray
    counts: FloatArray


class LabelContamination(NamedTuple):
    """Share of wrong labels, and its 95 % interval."""

    contamination: float
    interval: tuple[float, float]


@final
@dataclass(frozen=True)
class Hyperparameters:
    """Kernel and alpha of a fit, and what their selection found on the way.

    Attributes
    ----------
    kernel : Kernel
    alpha : float
    posterior : OutlierPosterior or None
        Of all rows, if the selection of a regressor computed it.
    label_contamination : LabelContamination or None
        If the selection of a classifier estimated it.
    attributes : dict
        Fitted attributes of the selection, such as ``cv_results_``.
    """

    kernel: Kernel
    alpha: float
    posterior: OutlierPosterior | None = None
    label_contamination: LabelContamination | None = None
    attributes: dict[str, Any] | None = None


@final
@dataclass(frozen=True)
class InitialState:
    """Weighting rule of a fit, and where it starts.

    Attributes
    ----------
    weighting : TrimmingRule
    weights : array of shape (n,)
    predictions : array of shape (n, k), optional
        Of a rough fit with these weights.
    posterior : OutlierPosterior, optional
        If the contamination was estimated from residuals.
    interval : tuple of float, optional
        Of the contamination, if it was estimated.
    excluded : bool array of shape (n,), optional
        Rows that were excluded a priori.
    """

    weighting: TrimmingRule
    weights: FloatArray
    predictions: FloatArray | None = None
    posterior: OutlierPosterior | None = None
    interval: tuple[float, float] | None = None
    excluded: BoolArray | None = None


@final
@dataclass(frozen=True)
class SolverStage:
    """A solver of the weighted problem.

    Attributes
    ----------
    solve : callable
    loose : float
        Tolerance of refits whose weights are about to change.
    tol : float
        Tolerance that is tight enough for this stage.
    system : Stateful, optional
        Part of the solver that a checkpoint saves.
    """

    solve: Solve
    loose: float
    tol: float = 0.0
    system: Stateful | None = None


@final
@dataclass(frozen=True)
class RobustFit:
    """Result of a robust fit."""

    design: FitDesign
    initial: InitialState
    solution: Solution
    hyper: Hyperparameters
