r"""The default of the kernel learner: the best fit to corrected moments of random features.

The predictor is :math:`f(x) = \langle w, \phi(x) \rangle + b` with the waves of :mod:`.features`;
its clean loss over some rows is :math:`u^T \hat M u` for the residual :math:`u^T r` and their
corrected moments of r r', r = (1, waves, target).
"""

from __future__ import annotations

import warnings
from typing import final

import numpy as np

from .._typing import FloatArray
from .engine import Engine
from .features import Frequencies, WaveCorrection, waves
from .leader import Leader, Plan
from .mixture import Mixture
from .noise import log_characteristic
from .views import Views, with_constant


@final
class Following(Engine):
    """The best fit to the corrected moments of random features."""

    def __init__(self, mixture: Mixture, budget: int, seed: int, noise: str) -> None:
        self._draw = Frequencies(mixture, budget, seed)
        self._noise = noise
        self._leader = Leader(2 * budget, Plan(scaled=False, late=1 / 8), noisy=False)
        self._level: float | None = None

    def prepare(self, mixture: Mixture, cov: FloatArray, n_copies: int) -> None:
        """Draw frequencies, and see what noise leaves of their waves."""
        self._omega = self._draw.matrix(len(cov))
        self._correction = WaveCorrection(self._omega, cov, self._noise, n_copies)
        self._leader.forget_fit()

    def learn(self, views: Views, target_bound: float | None) -> None:
        """Add to the moments."""
        if self._level is None:
            self._level = float(np.average(views.y, weights=views.weights))
        self._leader.add(self._rows(views), None)

    def values(self, X: FloatArray, doubt: FloatArray | None) -> FloatArray:
        """Weights times waves, damped by doubt."""
        fit = self._leader.fit(self._correction)
        coef = fit.coef
        if doubt is not None:
            left = np.exp(log_characteristic(self._omega, doubt, "gaussian"))
            coef = coef * np.concatenate([left, left])
        return waves(X, self._omega) @ coef + (fit.intercept + (self._level or 0.0))

    def clean_error(self, views: Views) -> float:
        """u' M u for the residual u' r and the corrected moments M of r r'."""
        fit = self._leader.fit(self._correction)
        rows = self._rows(views)
        u = np.concatenate([[-fit.intercept], -fit.coef, [1.0]])
        errors, sizes = [], []
        for part in np.array_split(rows, min(16, len(rows))):
            second = self._correction(part.T @ part / len(part), np.empty(0), 1.0)
            errors.append(float(u @ second @ u))
            sizes.append(len(part))
        spread = float(np.std(errors)) / np.sqrt(len(errors))
        if spread > np.var(views.y):
            warnings.warn(
                f"the corrected score is known to about {spread:.2g} only: noise leaves too little "
                "of this kernel's waves for so few rows.",
                stacklevel=4,
            )
        return float(np.average(errors, weights=sizes))

    def share(self) -> float:
        """As the leader chose."""
        return self._leader.fit(self._correction).choice.share

    def due(self, rounds: int) -> tuple[int, int]:
        """As the leader says."""
        return self._leader.marks(rounds)

    def coef(self) -> FloatArray:
        """Weights of cosines and sines."""
        return self._leader.fit(self._correction).coef.copy()

    def frequencies(self) -> FloatArray:
        """One row a frequency."""
        return self._omega.copy()

    def _rows(self, views: Views) -> FloatArray:
        Z = views.X if views.copy is None else (views.X + views.copy) / 2
        return with_constant(
            waves(Z, self._omega), views.y, views.weights, level=self._level or 0.0
        )
