r"""A pipeline taken apart: scalers, :math:`x \mapsto (x - m) / s`, and the learner at its end."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..learners.base import KernelEstimator
from ..portable import Value, bounded, scaled
from ..preprocessing import MedianScaler

LEARNERS = "one of untaint's batch estimators with a kernel"
SCALERS = (MedianScaler, StandardScaler, RobustScaler)


class Chain(NamedTuple):
    """The steps of a pipeline: scalers, then a learner."""

    scalers: list[Any]
    learner: KernelEstimator

    @property
    def first(self) -> Any:
        """The step that is given the rows first."""
        return self.scalers[0] if self.scalers else self.learner


def chain_of(model: Any) -> Chain:
    """Return the steps of an estimator or a pipeline; check that all are fitted and supported."""
    steps = _steps(model)
    if not steps or not isinstance(steps[-1], KernelEstimator):
        found = "no step" if not steps else type(steps[-1]).__name__
        raise ValueError(f"model must be, or end in, {LEARNERS}, got {found}.")
    for step in steps[:-1]:
        if not isinstance(step, SCALERS):
            names = ", ".join(scaler.__name__ for scaler in SCALERS)
            raise ValueError(
                f"model must have no other steps before its estimator than {names}, got "
                f"{type(step).__name__}."
            )
    for step in steps:
        check_is_fitted(step)
    return Chain(steps[:-1], steps[-1])


def _steps(model: Any) -> list[Any]:
    if not isinstance(model, Pipeline):
        return [model]
    steps = [step for _, step in model.steps if step is not None and step != "passthrough"]
    return [part for step in steps for part in _steps(step)]


def after(scaler: Any, X: Value) -> Value:
    """Return rows after a scaler."""
    if isinstance(scaler, StandardScaler):
        return scaled(X, scaler.mean_ if scaler.with_mean else None, scaler.scale_)
    x = scaled(X, scaler.center_, scaler.scale_)
    return bounded(x) if isinstance(scaler, MedianScaler) else x
