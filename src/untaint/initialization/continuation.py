r"""Continuation in the ridge parameter: trimmed fits along a regularisation path.

With :math:`\lambda_j` the eigenvalues of the Gram matrix of the centred features, c the second
derivative of the loss at the constant fit and :math:`s_j = c \lambda_j / 2`, a fit at alpha has

.. math:: \mathrm{dof}(\alpha) = \sum_j s_j / (s_j + \alpha)

degrees of freedom. A fit of many reaches the outliers, whose losses then look small. So a path
takes concentration steps where the fit has a few, and again at a tenth of alpha, and so on.

The features are rotated to their principal components. At each alpha the components that it
shrinks to a tenth or less are left out, which makes the strongly regularised fits cheap. Refits at
one alpha depend on the task: see :mod:`.ridge_refit` and :mod:`.logistic_refit`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self, final

import numpy as np
from scipy.linalg import eigh

from .._typing import BoolArray, FloatArray, IntArray
from ..design.subsample import Subset
from ..losses import Loss
from ..optim.base import Fit
from ..optim.ridge_path import rows_inside
from ..weighting.base import TrimmingRule

ALPHA_STEP = 10.0
# Components with s_j / alpha below this are left out at that alpha.
NEGLIGIBLE = 0.1
MAX_NEWTON = 100


class PathStart(NamedTuple):
    """The degrees of freedom of a path's first fit, and its quantile (ignored for labels)."""

    dof: float
    quantile: float = 0.5


class Candidate(NamedTuple):
    """Weights on a path, and the fit that they were found with where the task keeps it."""

    weights: FloatArray
    fit: Fit | None = None


@dataclass(frozen=True, eq=False)
class SubsetRefit(ABC):
    """The part of a continuation that depends on the task: fits and their weights, at one alpha.

    The targets are those of the loss, (n, k), and the rule is one for these n samples. Samples that
    are not ``near`` are trimmed whatever their loss. The ``columns`` that methods take are a
    constant column and the leading principal components.
    """

    y: FloatArray
    sample_weight: FloatArray
    near: BoolArray
    loss: Loss
    rule: TrimmingRule

    def among(self, sample: Subset) -> Self:
        """Return the refit of some of the samples, with weights of their own."""
        rows, rule = sample.rows, self.rule.among(sample.rows)
        y, near = self.y[rows], self.near[rows]
        return replace(self, y=y, sample_weight=sample.weights, near=near, rule=rule)

    @property
    @abstractmethod
    def curvature(self) -> float:
        """Second derivative of the loss at the constant fit."""

    def start(
        self, columns: FloatArray, alpha: float, quantiles: Sequence[float], members: BoolArray
    ) -> list[FloatArray]:
        """Return the weights that paths begin with; by default those of a fit to the members."""
        return len(quantiles) * [np.where(members & self.near, self.sample_weight, 0.0)]

    def extend(self, columns: FloatArray, alpha: float, weights: FloatArray) -> FloatArray:
        """Return weights of all samples from those of some; by default zero for the others."""
        return weights

    @abstractmethod
    def c_steps(self, columns: FloatArray, alpha: float, start: Candidate) -> Candidate:
        """Take a few concentration steps."""

    @abstractmethod
    def objective(self, columns: FloatArray, alpha: float, candidate: Candidate) -> float:
        """Return the trimmed objective of a candidate."""

    def trim(self, losses: FloatArray) -> FloatArray:
        """Return the weights of the samples that may be kept, by their losses."""
        return self.rule.weights(np.where(self.near, losses, np.inf), self.sample_weight)


@final
class Continuation:
    """Trimmed fits of one task on one set of samples, along a path that ends at alpha.

    The principal components are those of the samples, or of a part of them whose continuation is
    given.
    """

    def __init__(
        self,
        features: FloatArray,
        alpha: float,
        refit: SubsetRefit,
        of_part: Continuation | None = None,
    ) -> None:
        self.alpha, self.refit = alpha, refit
        frame = np.where(refit.near, refit.sample_weight, 0.0)
        self._total = float(frame.sum())
        if of_part is None:
            spectrum, self._rotate = principal_rotation(np.asarray(features, dtype=float), frame)
            self._spectrum = 0.5 * refit.curvature * spectrum
        else:
            self._rotate = of_part._rotate
            self._spectrum = of_part._spectrum * (self._total / of_part._total)
        self._columns = np.column_stack([np.ones(len(features)), self._rotate(features)])
        self._alphas: dict[float, float] = {}
        self._ends: dict[tuple[float, bytes], Candidate] = {}

    def alpha_for_dof(self, dof: float) -> float:
        """Return the alpha of a fit of so many degrees of freedom, or the last one if larger."""
        if not np.isfinite(dof):
            return self.alpha
        if dof not in self._alphas:  # several starts have as many
            size = max(float(self.refit.sample_weight.sum()), len(self._columns))
            self._alphas[dof] = alpha_of_dof(self._spectrum, min(dof, max(1.0, size / 10.0)))
        return max(self.alpha, self._alphas[dof])

    def start(self, dof: float, quantiles: Sequence[float], members: BoolArray) -> list[Candidate]:
        """Return the weights that the first fits to some of the samples lead to."""
        alpha = self.alpha_for_dof(dof)
        found = self.refit.start(self._leading(alpha), alpha, quantiles, members)
        return [Candidate(weights) for weights in found]

    def follow_path(self, candidate: Candidate, alpha: float, last: float) -> Candidate:
        """Take concentration steps at ever smaller alpha, the first and the last included."""
        candidate = self.c_steps(candidate, alpha)
        while alpha > last:
            alpha = max(alpha / ALPHA_STEP, last)
            candidate = self.c_steps(candidate, alpha)
        return candidate

    def c_steps(self, candidate: Candidate, alpha: float) -> Candidate:
        """Take concentration steps at one alpha; starts that have met go on together."""
        key = (alpha, candidate.weights.tobytes())
        if candidate.fit is not None:
            return self.refit.c_steps(self._leading(alpha), alpha, candidate)
        if key not in self._ends:
            self._ends[key] = self.refit.c_steps(self._leading(alpha), alpha, candidate)
        return self._ends[key]

    def extend(self, candidate: Candidate, inside: IntArray, alpha: float) -> Candidate:
        """Return weights of all samples, from those found on the samples ``inside`` at alpha."""
        weights = np.zeros(len(self._columns))
        weights[inside] = candidate.weights
        return Candidate(self.refit.extend(self._leading(alpha), alpha, weights))

    def best(self, candidates: Sequence[Candidate], alpha: float, count: int) -> list[Candidate]:
        """Return at most ``count`` candidates of the lowest objectives, equal weights once."""
        columns, distinct = self._leading(alpha), self.distinct(candidates)
        if len(distinct) > 1:
            objective = self.refit.objective
            distinct = sorted(distinct, key=lambda known: objective(columns, alpha, known))
        return distinct[:count]

    @staticmethod
    def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates, equal weights once."""
        found = list[Candidate]()
        for candidate in candidates:
            if not any(np.array_equal(candidate.weights, known.weights) for known in found):
                found.append(candidate)
        return found

    def predict(self, fit: Fit, features: FloatArray) -> FloatArray:
        """Return the raw predictions, at any samples, of a fit found here."""
        return self._rotate(features)[:, : len(fit.coef)] @ fit.coef + fit.intercept

    def _leading(self, alpha: float) -> FloatArray:
        """Return the constant column and the components that matter at alpha, one at least."""
        width = max(1, int(np.count_nonzero(self._spectrum > NEGLIGIBLE * alpha)))
        return self._columns[:, : width + 1]


def alpha_of_dof(spectrum: FloatArray, dof: float) -> float:
    """Return the ridge parameter of a fit of ``dof`` degrees of freedom, 0 if none has as many.

    The inverse of the degrees of freedom is a concave function of alpha, so that Newton's method
    rises to the solution from any smaller value.
    """
    positive = spectrum[spectrum > 0]
    if len(positive) <= dof:
        return 0.0
    alpha = float(positive.min()) * (len(positive) / dof - 1.0)
    for _ in range(MAX_NEWTON):
        shrunk = positive / (positive + alpha)
        reached = float(shrunk.sum())
        slope = float(shrunk @ (1.0 / (positive + alpha)))
        previous, alpha = alpha, alpha + reached * (reached / dof - 1.0) / slope
        if not alpha > (1.0 + 1e-10) * previous:
            break
    return alpha


def principal_rotation(
    features: FloatArray, sample_weight: FloatArray
) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
    """Return the eigenvalues of the centred Gram matrix, descending, and the rotation to match."""
    inside = rows_inside(sample_weight)
    mean = sample_weight[inside] @ features[inside] / sample_weight.sum()
    part = features[inside] - mean
    values, vectors = eigh(part.T @ (part * sample_weight[inside, None]), check_finite=False)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    return values, lambda features: (np.asarray(features, dtype=float) - mean) @ vectors
