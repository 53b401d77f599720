r"""Algorithm 2: gradient descent in the surrogate's space, from two copies of each row.

One copy gives the slope, :math:`\tilde g = 2 (\hat f(\tilde x') - y)`, the other the direction,
:math:`\hat\Psi(\tilde x)`. :class:`Supporting` keeps the rows, :class:`Descending` random features.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from typing import final

import numpy as np

from .._typing import FloatArray
from .descent import Descent
from .engine import Engine
from .features import waves
from .mixture import Mixture
from .noise import log_characteristic
from .steps import DistanceOverGradients, Step, Theory
from .support import Support
from .surrogate import Surrogate
from .views import Views


class ByGradient(Engine):
    """Algorithm 2: from two copies, by steps in the surrogate's space."""

    step: Step
    radius: float | None

    def prepare(self, mixture: Mixture, cov: FloatArray, n_copies: int) -> None:
        """Make the surrogate."""
        if n_copies < 2:
            raise ValueError(
                "X_copy must be given for Algorithm 2, got one copy of each row: give a second "
                'one, or use learning_rate="auto", which needs one only.'
            )
        self._mixture, self._cov = mixture, cov
        self._surrogate = Surrogate(mixture, cov)
        self._get_ready(len(cov))

    @abstractmethod
    def _get_ready(self, n_features: int) -> None:
        """Make room."""

    @abstractmethod
    def _noisy_values(self, X: FloatArray) -> FloatArray:
        """Values at noisy rows, whose means are the predictions at the clean ones."""

    @abstractmethod
    def _round(self) -> int:
        """Rounds so far."""

    def clean_error(self, views: Views) -> float:
        """Product of the two copies' residuals."""
        assert views.copy is not None
        first, second = self._noisy_values(views.X), self._noisy_values(views.copy)
        return float(np.mean((first - views.y) * (second - views.y)))

    def regret_bound(self, rounds: int) -> float:
        """Theorem 2's, with the cross term that it leaves out."""
        if not isinstance(self.step, Theory):
            return super().regret_bound(rounds)
        return self.step.regret_bound(rounds)

    def _stretches(self, views: Views, target_bound: float | None) -> Iterator[Views]:
        """Rows between which the theorem's constant has to be raised, which is then done."""
        ends = [0, len(views.y)]
        if isinstance(self.step, Theory):
            largest = np.maximum.accumulate(np.maximum(np.abs(views.y), target_bound or 0.0))
            ends[1:1] = (np.flatnonzero(np.diff(largest)) + 1).tolist()
        for part in map(slice, ends, ends[1:]):
            weights = None if views.weights is None else views.weights[part]
            copy = None if views.copy is None else views.copy[part]
            stretch = Views(views.X[part], views.y[part], copy, views.noise, weights)
            self._allow(stretch, target_bound)
            yield stretch

    def _allow(self, views: Views, target_bound: float | None) -> None:
        """Let the theorem's constant cover these targets: sqrt(G) = 2 (W R + B_y) R."""
        if views.weights is not None and not np.all(views.weights == 1.0):
            raise ValueError("sample_weight must be None, or all ones, for Algorithm 2.")
        if isinstance(self.step, DistanceOverGradients):
            first = views.y[np.argmax(views.y != 0.0)]  # rounds before it do not move
            self.step.see(abs(float(first)) / float(np.sqrt(self._surrogate.peak)))
        if not isinstance(self.step, Theory):
            return
        largest = max(float(np.abs(views.y).max(initial=0.0)), target_bound or 0.0)
        root = float(np.sqrt(self._surrogate.peak))
        self.step.allow(2 * (self.step.radius * root + largest) * root, self._round() + 1)
        if self._round() <= self.step.horizon < self._round() + len(views.y):
            warnings.warn(
                f"more rounds than horizon={self.step.horizon}: the step is too long for them, "
                "and regret_bound_ grows in proportion.",
                stacklevel=7,
            )


@final
class Supporting(ByGradient):
    """Algorithm 2 as printed, in O(t) a round: every row is kept."""

    def __init__(self, step: Step, radius: float | None, average: bool) -> None:
        self.step, self.radius, self._average = step, radius, average
        self._support: Support | None = None

    def _get_ready(self, n_features: int) -> None:
        if self._support is None:
            self._support = Support(n_features, self.step, self.radius)
        self._support.widen(n_features)

    def _round(self) -> int:
        return self._kept.n

    @property
    def _kept(self) -> Support:
        assert self._support is not None
        return self._support

    def learn(self, views: Views, target_bound: float | None) -> None:
        """One round a row."""
        for part in self._stretches(views, target_bound):
            assert part.copy is not None
            self._kept.learn(self._surrogate, part.X, part.copy, part.y)

    def values(self, X: FloatArray, doubt: FloatArray | None) -> FloatArray:
        """Sum of coefficients times kernel; blurred, the kernel of doubtful rows."""
        blurred = Surrogate(self._mixture, np.zeros_like(self._cov) if doubt is None else -doubt)
        return self._sum(blurred, X)

    def _noisy_values(self, X: FloatArray) -> FloatArray:
        return self._sum(self._surrogate, X)

    def _sum(self, kernel: Surrogate, X: FloatArray) -> FloatArray:
        rows, coef = self._kept.rows, self._kept.coef(self._average)
        parts = [kernel.matrix(X[i : i + 512], rows) @ coef for i in range(0, len(X), 512)]
        return np.concatenate(parts) if parts else np.empty(0)

    def dual_coef(self) -> FloatArray:
        """Coefficients."""
        return self._kept.coef(self._average).copy()

    def support(self) -> FloatArray:
        """Rows, each the first copy of its round."""
        return self._kept.rows.copy()


@final
class Descending(ByGradient):
    r"""Algorithm 2 on random features of the surrogate: O(budget) a round, for ever.

    With frequencies from the surrogate's spectrum :math:`\hat\phi = R (\cos, \sin) / \sqrt D` has
    the norm R exactly. The kernel's own spectrum is the surrogate's times :math:`c(\omega)`, so
    that :math:`\langle \hat w, c \hat\phi(x) \rangle` is the predictor in the kernel's space.
    """

    def __init__(
        self, step: Step, radius: float | None, average: bool, budget: int, seed: int
    ) -> None:
        self.step, self.radius, self._average = step, radius, average
        self._budget, self._seed = budget, seed
        self._descent = Descent(2 * budget, step, radius)

    def _get_ready(self, n_features: int) -> None:
        self._omega = self._surrogate.draw(self._budget, self._seed)
        left = np.exp(log_characteristic(self._omega, self._cov, "gaussian"))
        self._left = np.concatenate([left, left])
        self._length = np.sqrt(self._surrogate.peak / self._budget)

    def _round(self) -> int:
        return self._descent.rounds

    def learn(self, views: Views, target_bound: float | None) -> None:
        """One round a row."""
        for part in self._stretches(views, target_bound):
            self._descend(part)

    def _descend(self, views: Views) -> None:
        assert views.copy is not None
        descent = self._descent
        for start in range(0, len(views.y), 256):
            part = slice(start, start + 256)
            at_row = self._length * waves(views.X[part], self._omega)
            at_copy = self._length * waves(views.copy[part], self._omega)
            for t, y in enumerate(views.y[part].tolist()):
                descent.move(2.0 * (float(descent.w @ at_copy[t]) - y) * at_row[t])

    def values(self, X: FloatArray, doubt: FloatArray | None) -> FloatArray:
        """Weights times waves, damped as the kernel's spectrum is, and by doubt."""
        weights = self.coef()
        if doubt is not None:
            left = np.exp(log_characteristic(self._omega, doubt, "gaussian"))
            weights = weights * np.concatenate([left, left])
        return waves(X, self._omega) @ weights

    def _noisy_values(self, X: FloatArray) -> FloatArray:
        return self._length * (waves(X, self._omega) @ self._descent.point(self._average))

    def coef(self) -> FloatArray:
        """Weights of cosines and sines."""
        return self._length * self._left * self._descent.point(self._average)

    def frequencies(self) -> FloatArray:
        """One row a frequency."""
        return self._omega.copy()
