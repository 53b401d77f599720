"""River's view of our learners: members of its family, without importing it.

River tells a regressor by ``isinstance(model, river.base.Regressor)``. Its base classes are
abstract ones, which take in others by registration; that can wait until river has been imported.
The rest is a handful of methods that its pipelines and checks call.
"""

from __future__ import annotations

import copy
import sys
from typing import Any

_introduced: set[type] = set()


class _Member:
    """Stands for any learner where ``isinstance`` asks for a model's last step."""


def introduce(cls: type) -> None:
    """Register a class as a mini-batch regressor of river's, once river is there."""
    if cls in _introduced or "river" not in sys.modules:
        return
    base = getattr(sys.modules["river"], "base", None)
    if base is not None and hasattr(base, "MiniBatchRegressor"):
        base.MiniBatchRegressor.register(cls)
        base.MiniBatchRegressor.register(_Member)
        _introduced.add(cls)


class RiverMember:
    """What river asks of a regressor, beside learning and predicting."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Introduce the class as soon as there is a learner of it."""
        introduce(cls)
        return super().__new__(cls)

    @property
    def _last_step(self) -> Any:
        # Where isinstance looks next if a class of river's does not know us: made before river.
        introduce(type(self))
        return _Member()

    @property
    def _supervised(self) -> bool:
        return True

    @property
    def _tags(self) -> set[str]:
        introduce(type(self))
        return set()

    @property
    def _is_stochastic(self) -> bool:
        return False

    @property
    def _mutable_attributes(self) -> set[str]:
        return set()

    @property
    def _raw_memory_usage(self) -> int:
        if "river" not in sys.modules:
            raise AttributeError("river measures memory, and has not been imported")
        return sys.modules["river"].base.Base._raw_memory_usage.fget(self)

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"noise_cov": 0.0}

    def _unit_test_skips(self) -> set[str]:
        introduce(type(self))
        return set()

    def _get_params(self) -> dict[str, Any]:
        return self.get_params(deep=False)  # type: ignore[attr-defined]

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Any:
        """A new learner with the same parameters, or some new ones, as river's ``clone``."""
        introduce(type(self))
        parameters = {**self._get_params(), **(new_params or {})}
        other = type(self)(**{name: copy.deepcopy(value) for name, value in parameters.items()})
        if include_attributes:
            for name, value in vars(self).items():
                if name not in parameters:
                    setattr(other, name, copy.deepcopy(value))
        return other

    def mutate(self, new_attrs: dict[str, Any]) -> None:
        """Refuse to change parameters while learning."""
        for name in new_attrs:
            raise ValueError(f"{name!r} is not a mutable attribute of {type(self).__name__}")

    def __or__(self, other: Any) -> Any:
        from river import compose

        introduce(type(self))
        return compose.Pipeline(self, other)

    def __ror__(self, other: Any) -> Any:
        from river import compose

        introduce(type(self))
        return (
            other.__or__(self)
            if isinstance(other, compose.Pipeline)
            else compose.Pipeline(other, self)
        )
