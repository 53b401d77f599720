"""Membership in river's class hierarchy without importing river.

River recognises a regressor by ``isinstance(model, river.base.Regressor)``. Its base classes are
abstract, so that other classes can be registered, which is done once river has been imported. The
remaining methods are those that river's pipelines and checks call.
"""

import copy
import sys
from typing import Any

_registered: set[type] = set()
# Classes to be registered, whose instances river accepts as the last step of a model.
_STAND_INS = {name: type(name, (), {}) for name in ("MiniBatchRegressor", "MiniBatchClassifier")}


def register_with_river(cls: type) -> None:
    """Register a class with base classes of river if river has been imported."""
    if cls in _registered or "river" not in sys.modules:
        return
    names = getattr(cls, "_river_bases", ("MiniBatchRegressor",))
    base = getattr(sys.modules["river"], "base", None)
    if base is not None and all(hasattr(base, name) for name in names):
        for name in names:
            getattr(base, name).register(cls)
        for name, stand_in in _STAND_INS.items():
            getattr(base, name).register(stand_in)
        _registered.add(cls)


class RiverCompatMixin:
    """Mixin that provides what river expects of a model beside learning and predicting."""

    #: The classes of river.base that a learner stands for.
    _river_bases: tuple[str, ...] = ("MiniBatchRegressor",)
    _supervised = True
    _is_stochastic = False
    _mutable_attributes: frozenset[str] = frozenset()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Register the class with river when an instance is created."""
        register_with_river(cls)
        return super().__new__(cls)

    @property
    def _last_step(self) -> Any:
        # River's isinstance hook needs this: it registers models made before river was imported.
        register_with_river(type(self))
        return _STAND_INS.get(self._river_bases[0], _STAND_INS["MiniBatchRegressor"])()

    @property
    def _tags(self) -> set[str]:
        register_with_river(type(self))
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
        register_with_river(type(self))
        return set()

    def _get_params(self) -> dict[str, Any]:
        return self.get_params(deep=False)  # type: ignore[attr-defined]

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Any:
        """Return a new learner with the same or other parameters, like river's ``clone``."""
        register_with_river(type(self))
        parameters = {**self._get_params(), **(new_params or {})}
        other = type(self)(**{name: copy.deepcopy(value) for name, value in parameters.items()})
        if include_attributes:
            fitted = {name: value for name, value in vars(self).items() if name not in parameters}
            vars(other).update(copy.deepcopy(fitted))
        return other

    def mutate(self, new_attrs: dict[str, Any]) -> None:
        """Raise, because no parameter can be changed during learning."""
        for name in new_attrs:
            raise ValueError(f"{name!r} is not a mutable attribute of {type(self).__name__}")

    def __or__(self, other: Any) -> Any:
        from river import compose

        register_with_river(type(self))
        return compose.Pipeline(self, other)

    def __ror__(self, other: Any) -> Any:
        from river import compose

        register_with_river(type(self))
        return compose.Pipeline(other, self)
