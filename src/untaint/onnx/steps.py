r"""A pipeline taken apart: scalers, :math:`x \mapsto (x - m) / s`, and the learner at its end."""

from typing import Any, NamedTuple

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..learners.base import KernelEstimator
from ..meta_estimators.base import RobustMetaEstimator
from ..portable import Value, bounded, scaled
from ..preprocessing import MedianScaler

LEARNERS = "one of untaint's batch estimators with a kernel, or a robust one with boosted trees"
BOOSTING = (HistGradientBoostingRegressor, HistGradientBoostingClassifier)
SCALERS = (MedianScaler, StandardScaler, RobustScaler)


class Chain(NamedTuple):
    """The steps of a pipeline: scalers, then a learner."""

    scalers: list[Any]
    learner: Any

    @property
    def first(self) -> Any:
        """The step that is given the rows first."""
        return self.scalers[0] if self.scalers else self.learner


def chain_of(model: Any) -> Chain:
    """Return the steps of an estimator or a pipeline; check that all are fitted and supported."""
    steps = _steps(model)
    last: Any = steps[-1] if steps else None
    robust = isinstance(last, RobustMetaEstimator)
    if not isinstance(last, KernelEstimator) and not robust:
        found = "no step" if not steps else type(last).__name__
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
    if robust and not isinstance(last.estimator_, BOOSTING):
        found = f"{type(last).__name__} with {type(last.estimator_).__name__}"
        raise ValueError(f"model must be, or end in, {LEARNERS}, got {found}.")
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
