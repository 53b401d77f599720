r"""Concentration steps: weight the samples by their losses, refit, and repeat.

.. math:: w \leftarrow h'(\ell(f)), \qquad f \leftarrow \arg\min_f \sum_i w_i \ell_i(f) +
          \alpha \|f\|^2

Both steps lower :math:`h(\ell(f)) + \alpha \|f\|^2`, because h is concave: under exact refits the
objective never rises, and with trimming the iteration ends after finitely many steps. These are
eqs. (9) and (10) of the papers with the exact minimiser in place of a gradient step.

One iteration is an exact refit, or a Newton step (:mod:`untaint.optim.subsampled_c_steps`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, final

import numpy as np

from .._typing import BoolArray, FloatArray
from ..losses import Loss
from ..weighting.base import WeightingRule
from .base import Callback, Fit, Progress, Solution, no_callback
from .checkpoint import CheckpointSlot, Stateful, nested, pack, part_of, unpack
from .newton import SINGLE

Refit = Callable[[FloatArray, Fit | None, float], Fit]

# Loosest tolerance of a refit whose weights are about to change.
LOOSE = 1e-2
REMEDY = "raise max_iter, or alpha if the kept rows keep changing"


class Process(Stateful, Protocol):
    """One iteration of concentration steps, and the objectives of those so far as its path."""

    path: list[float]

    def evaluate(self) -> int:
        """Evaluate the next function, append its objective, return how many weights changed."""

    @property
    def stopped(self) -> bool:
        """Whether further iterations bring nothing."""

    def advance(self) -> None:
        """Choose what the next iteration evaluates."""

    def solution(self) -> Solution:
        """Return the fit that the iterations have reached."""


def c_steps(
    process: Process,
    *,
    max_iter: int,
    callback: Callback = no_callback,
    slot: CheckpointSlot | None = None,
) -> Solution:
    """Iterate a process until it stops, from and to a slot of a checkpoint if there is one."""
    if slot is not None:
        slot.load(process)
    while True:
        n_changed = process.evaluate()
        callback(Progress(len(process.path), max_iter, process.path[-1], n_changed))
        if process.stopped or len(process.path) >= max_iter:
            return process.solution()
        process.advance()
        if slot is not None:
            slot.save(process)


@final
@dataclass(eq=False)
class ExactRefits:
    """Concentration steps with exact refits, until the weights no longer change.

    ``refit`` minimises the weighted problem from a start, to a relative residual of a tolerance.
    For the first refits that is ``loose``, and for the last ones ``tol``; with tol or less,
    ``loose`` means that the refit is exact in any case. The iteration also ends where two steps
    lower the objective, relatively, by less than a hundredth of tol, or by less than ``slack``.
    ``weights`` are the initial ones, ``fit`` the start of the first refit, and ``excluded`` rows
    are excluded a priori.
    """

    refit: Refit
    loss: Loss
    weighting: WeightingRule
    y: FloatArray
    sample_weight: FloatArray
    weights: FloatArray
    alpha: float
    tol: float
    loose: float = LOOSE
    excluded: BoolArray | None = None
    slack: float = 0.0
    fit: Fit | None = None
    path: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tolerance = max(self.tol, self.loose)
        # Soft weights never stop changing: their last refits are as accurate as the objective.
        self._soft = self.weighting.soft and self.loose > self.tol

    def evaluate(self) -> int:
        """Refit, and weight the rows by their losses under the fit."""
        self.fit = self.refit(self.weights, self.fit, self._tolerance)
        losses = self.loss.value(self.y, self.fit.predictions)
        if self.excluded is not None:
            losses[self.excluded] = np.inf
        self._next = self.weighting.weights(losses, self.sample_weight)
        value = self.weighting.value_at(self._next, losses, self.sample_weight)
        self.path.append(value + self.alpha * self.fit.squared_norm)
        change = float(np.abs(self._next - self.weights).sum())
        self._moved = change / float(self.sample_weight.sum())
        return int(np.count_nonzero(self._next != self.weights))

    @property
    def stopped(self) -> bool:
        """Whether the weights, or else the objective, no longer change under accurate refits."""
        accurate = self._tolerance <= (np.sqrt(self.tol) if self._soft else self.tol)
        return bool(accurate and (self._moved < 1e-12 or self._settled))

    @property
    def _settled(self) -> bool:
        """Whether two steps brought nothing: tied rows may be exchanged for ever."""
        little = 1e-2 * self.tol
        if self._soft:
            # Soft weights converge linearly where the objective is flat: predictions are accurate
            # to the root of its decrease, which single precision does not resolve.
            little = 1e-4 * self.tol if self.tol < SINGLE else self.tol
        if len(self.path) < 3:
            return False
        before, last = -np.diff(self.path[-3:])
        # Steps under soft weights bring about the same part each of what the one before brought.
        geometric = self._soft and before > last > 0
        left = last / (1.0 - last / before) if geometric else before + last
        return bool(left <= max(little * abs(self.path[-1]), self.slack))

    def advance(self) -> None:
        """Take the new weights, and refit to the share of them that changed."""
        if self.loose > self.tol:
            self._tolerance = min(self._tolerance, max(self.tol, self._moved))
        self.weights = self._next

    def solution(self) -> Solution:
        """Return the last refit and the weights that it belongs to."""
        assert self.fit is not None
        path = (self.path, len(self.path), self.stopped, "" if self.stopped else REMEDY)
        return Solution(self.fit, self.weights, *path)

    def state_dict(self) -> dict[str, FloatArray]:
        """Return the fit, the next weights, the path and the tolerance."""
        assert self.fit is not None
        numbers = {"path": np.array(self.path), "tolerance": np.array(self._tolerance)}
        return nested("fit", pack(self.fit)) | {"weights": self.weights} | numbers

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Continue from such a state."""
        self.fit = unpack(part_of("fit", state))
        self.weights, self.path = state["weights"], state["path"].tolist()
        self._tolerance = float(state["tolerance"])
