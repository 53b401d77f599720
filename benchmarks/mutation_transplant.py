"""A changed module put in the place of the imported one, in the running process: see mutation.py.

The changed file is executed beside the module, and what differs is carried over: the code and the
defaults of functions, wherever they hang, and plain constants, wherever they were imported to. All
who hold a function, a class or an instance then meet the changed one, as after a fresh import.
"""

import ast
import functools
import importlib.util
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

PLAIN = (bool, int, float, str, tuple, np.ndarray)


def transplant(name: str, tree: ast.Module) -> int:
    """Change the imported module, and return how many things differ."""
    module = sys.modules[name]
    scratch = {key: module.__dict__[key] for key in ("__name__", "__package__", "__file__")}
    code = compile(tree, str(module.__file__), "exec")
    # A class asks for its module when it is made (dataclasses), and shall not find the new one.
    exec(code, scratch)
    differences = 0
    for key, new in scratch.items():
        old = module.__dict__.get(key)
        if isinstance(new, type) and new.__module__ == name:
            differences += _class(old, new)
        elif _function(new) is not None and _function(new).__module__ == name:
            differences += _carry(_function(old), _function(new))
        elif _differs(old, new):
            differences += 1
            for holder in _holders(name, key):
                setattr(holder, key, new)
    return differences


def _class(old: Any, new: type) -> int:
    differences = 0
    for key, value in vars(new).items():
        before = vars(old).get(key)
        parts = zip(_functions(before), _functions(value), strict=False)
        for mine, theirs in parts:
            differences += _carry(mine, theirs)
        if not key.startswith("__") and _differs(before, value):
            differences += 1
            setattr(old, key, value)
    return differences


def _carry(old: types.FunctionType, new: types.FunctionType) -> int:
    differences = 0
    if old.__code__ != new.__code__:
        old.__code__ = new.__code__
        differences += 1
    if any(map(_differs, old.__defaults__ or (), new.__defaults__ or ())):
        old.__defaults__ = new.__defaults__
        differences += 1
    for key, value in (new.__kwdefaults__ or {}).items():
        if _differs((old.__kwdefaults__ or {})[key], value):
            old.__kwdefaults__[key] = value
            differences += 1
    return differences


def _function(value: Any) -> Any:
    """Return the function itself, from within a cache's or a context manager's wrapping."""
    value = getattr(value, "__wrapped__", value)
    return value if isinstance(value, types.FunctionType) else None


def _functions(value: Any) -> Iterator[types.FunctionType]:
    if isinstance(value, property):
        parts = [value.fget, value.fset]
    elif isinstance(value, classmethod | staticmethod):
        parts = [value.__func__]
    elif isinstance(value, functools.cached_property):
        parts = [value.func]
    else:
        parts = [_function(value)]
    yield from (part for part in map(_function, parts) if part is not None)


def _differs(old: Any, new: Any) -> bool:
    if isinstance(new, np.ndarray):
        return not np.array_equal(old, new)
    return isinstance(new, PLAIN) and (type(old).__name__ != type(new).__name__ or old != new)


def _holders(name: str, key: str) -> list[types.ModuleType]:
    """Return the module and those that imported this name from it."""
    return [sys.modules[name], *(sys.modules[other] for other in _importers().get((name, key), []))]


@functools.cache
def _importers() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for other, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if not file.endswith(".py") or not ("untaint" in other or "test" in file):
            continue
        try:
            tree = ast.parse(Path(file).read_text())
        except (OSError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or node.level):
                origin = "." * node.level + (node.module or "")
                if node.level:
                    origin = importlib.util.resolve_name(origin, module.__package__ or "")
                for alias in node.names:
                    if (alias.asname or alias.name) in vars(module):
                        found.setdefault((origin, alias.name), []).append(other)
    return found
