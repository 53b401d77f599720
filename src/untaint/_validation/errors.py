"""Errors of scikit-learn and of arithmetic, explained in terms of the arguments."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


@contextmanager
def name_argument_in_errors(X: Any, y: Any = None) -> Iterator[None]:
    """Name the argument in errors where scikit-learn does not, and silence its overflows."""
    try:
        # scikit-learn tests finiteness by a sum, which may overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except ValueError as error:
        complaint = str(error)
        if complaint.startswith("could not convert string"):
            raise ValueError(f"X must hold numbers: {complaint}.") from None
        if complaint.startswith("Complex data not supported"):
            found = "X" if np.iscomplexobj(X) else "y"
            raise ValueError(
                f"{found} must hold real numbers. (Complex data not supported.)"
            ) from None
        if complaint.startswith("Expected unique column names"):
            twice = [repr(name) for name, count in Counter(X.columns).items() if count > 1]
            raise ValueError(
                f"X must have column names that are all different, got {', '.join(twice[:5])} more "
                "than once."
            ) from None
        raise


@contextmanager
def overflow_guard() -> Iterator[None]:
    """Allow overflows of losses, whose samples are trimmed, and explain errors that they cause."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise ValueError(
            "X, y and sample_weight must hold values whose squares are numbers, got some too large "
            f"or too small to compute with ({error}): scale them, or leave such rows out."
        ) from error
