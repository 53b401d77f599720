"""Numbers of a model that are not finite: no model of ours has any, but an edited file may."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

# Nothing is computed from these, and they overflow where targets are near the largest number.
_DIAGNOSTICS = frozenset({"objective_path_"})


def find_not_finite(value: Any) -> str | None:
    """Return where an object holds a number that is NaN or infinite, None if it holds none.

    Parameters
    ----------
    value : object
        Whose attributes and items are looked at, and theirs, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.finite import find_not_finite
    >>> find_not_finite({"a": [1.0, np.zeros(3)]})
    >>> find_not_finite({"a": [1.0, np.array([0.0, np.inf])]})
    'a'
    """
    seen: set[int] = set()
    waiting = [("", value)]
    while waiting:
        name, part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if _is_not_finite(part):
            return name
        # Items of a list go by the name of the list.
        waiting.extend((own or name, inner) for own, inner in _parts(part))
    return None


def _is_not_finite(part: Any) -> bool:
    if isinstance(part, (np.ndarray, np.generic)):
        return part.dtype.kind in "fc" and not bool(np.isfinite(part).all())
    return isinstance(part, float) and not math.isfinite(part)


def _parts(part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, np.ndarray):
        if part.dtype.names:
            yield from ((name, part[name]) for name in part.dtype.names)
        elif part.dtype.kind == "O":
            yield from (("", inner) for inner in part.ravel().tolist())
    elif isinstance(part, dict):
        yield from ((str(name), inner) for name, inner in part.items())
    elif isinstance(part, (list, tuple)):
        yield from (("", inner) for inner in part)
    elif not isinstance(part, type):
        attributes = getattr(part, "__dict__", {}).items()
        yield from (pair for pair in attributes if pair[0] not in _DIAGNOSTICS)
