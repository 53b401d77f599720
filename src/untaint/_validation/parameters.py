"""Numbers, choices, flags, grids, rates and paths."""

import os
from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

MAX_COUNT = 10**15  # of anything that is counted
MAX_THREADS = 10**6


def check_real(
    name: str,
    value: Any,
    *,
    low: float,
    inclusive: bool = True,
    high: float = np.inf,
    optional: bool = False,
) -> None:
    """Raise unless the value is a finite number of at least (or above) low, and below high."""
    if optional and value is None:
        return
    try:
        number = float(value) if is_real(value) else np.nan
    except OverflowError:  # whole numbers may be of any length
        number = np.inf
    good = -np.inf < number < min(high, np.inf)
    if not good or (number < low if inclusive else number <= low):
        bound = f"of at least {low:g}" if inclusive else f"greater than {low:g}"
        below = f" and less than {high:g}" if np.isfinite(high) else ""
        alternative = " or None" if optional else ""
        raise ValueError(
            f"{name} must be a finite number {bound}{below}{alternative}, got {value!r}."
        )


def check_at_most(name: str, value: Any, high: float) -> None:
    """Raise unless the value is a finite number of at most high."""
    if not is_real(value) or not -np.inf < value <= high:
        raise ValueError(f"{name} must be a finite number of at most {high:g}, got {value!r}.")


def check_grid(name: str, values: Any) -> None:
    """Raise unless the values are positive numbers, or "auto"."""
    if isinstance(values, str) and values == "auto":
        return
    expected = f'{name} must be "auto" or a sequence of positive finite numbers'
    try:
        flat = not isinstance(values, str) and np.ndim(values) == 1 and len(values) > 0
    except ValueError:  # a ragged list
        flat = False
    if not flat:
        raise ValueError(f"{expected}, got {values!r}.")
    for value in values:
        if not is_real(value) or not 0 < value < np.inf:
            raise ValueError(f"{expected}, got one of {value!r}.")


def check_count(
    name: str,
    value: Any,
    *,
    low: int = 1,
    high: int = MAX_COUNT,
    optional: bool = False,
    alternative: str = "",
) -> None:
    """Raise unless the value is an integer from low to high."""
    if optional and value is None:
        return
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if not whole or not low <= value <= high:
        alternative = " or None" if optional else f" {alternative}" if alternative else ""
        limit = f" and at most {high:,}" if whole and value > high else ""
        raise ValueError(
            f"{name} must be an integer of at least {low}{limit}{alternative}, got {value!r}."
        )


def check_verbose(verbose: Any) -> None:
    """Raise unless the value is a flag or a count."""
    if not isinstance(verbose, (bool, np.bool_)):
        check_count("verbose", verbose, low=0, optional=True)


def seed_of(random_state: Any) -> int:
    """Return a seed drawn from a seed, a RandomState or None."""
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be a whole number from 0 to 2**32 - 1, a RandomState or None, got "
            f"{random_state!r}."
        ) from None


def is_word(value: Any, word: str) -> bool:
    """Return whether a value, which may be an array, is a word."""
    return isinstance(value, str) and value == word


def check_flag(name: str, value: Any) -> None:
    """Raise unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}.")


def check_choice(name: str, value: Any, choices: Collection[str | None]) -> None:
    """Raise unless the value is one of the choices."""
    hint = ""
    if value is None or isinstance(value, str):
        if value in choices:
            return
        close = get_close_matches(str(value), [c for c in choices if c], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(repr(choice) for choice in choices)
    raise ValueError(f"{name} must be one of {listed}, got {value!r}.{hint}")


def check_rate(learning_rate: Any) -> float | Callable[[int], float] | None:
    """Return the step size or schedule, None for "auto"."""
    if isinstance(learning_rate, str) and learning_rate == "auto":
        return None
    if callable(learning_rate):
        return partial(scheduled_rate, learning_rate)
    if is_real(learning_rate) and 0 < learning_rate < np.inf:
        return float(learning_rate)
    raise ValueError(
        'learning_rate must be a positive number, a function of the iteration or "auto", '
        f"got {learning_rate!r}."
    )


def scheduled_rate(schedule: Callable[[int], float], t: int) -> float:
    """Return the step size of round t, counted from 1, and raise unless it is one."""
    found = schedule(t)
    try:
        rate = float(found)
    except (TypeError, ValueError):
        rate = np.nan
    if not 0.0 <= rate < np.inf:
        raise ValueError(
            f"learning_rate must give a finite number of at least 0, got {found!r} in round {t}."
        )
    return rate


def check_new_file(name: str, path: Any) -> None:
    """Raise unless the path is None, or names a file in an existing directory."""
    if path is None:
        return
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise ValueError(f"{name} must be the path of a file or None, got {path!r}.")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{name} must name a file in a directory that exists, got {str(path)!r}.")
    if Path(path).is_dir():
        raise ValueError(f"{name} must name a file, got the directory {str(path)!r}.")


def is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
