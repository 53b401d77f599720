"""Imports that a command can do without: pandas, and scipy.stats until something of it is used.

Where pandas is installed, pyarrow imports it with the first value that it converts, and
scikit-learn with itself; both do without it. scikit-learn imports scipy.stats as well, and most
commands use nothing of it. Each of them takes as long as the fits to a small table.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

STATS = "scipy.stats"


class _Hidden(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        """Find no pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("no command needs pandas", name=fullname)


class _Deferred(ModuleType):
    """A module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def light_imports() -> Iterator[None]:
    """Let nothing import pandas, nor scipy.stats unless it is used; what is imported stays."""
    hidden, deferred = _Hidden(), _Deferred(STATS)
    sys.meta_path.insert(0, hidden)
    sys.modules.setdefault(STATS, deferred)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)
        if sys.modules.get(STATS) is deferred:
            del sys.modules[STATS]
