"""Seeds: whatever scikit-learn users pass as ``random_state`` becomes a Generator."""

from typing import TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a NumPy Generator for a seed, a Generator, a legacy RandomState or None.

    Examples
    --------
    >>> from untaint.datasets._random_state import as_generator
    >>> as_generator(0).integers(10) == as_generator(0).integers(10)
    np.True_
    """
    if isinstance(random_state, np.random.RandomState):
        # Drawing a seed advances the caller's state, as sharing it would have done.
        return np.random.default_rng(random_state.randint(2**31 - 1))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be a whole number from 0 on, a Generator, a RandomState or None, "
            f"got {random_state!r}."
        ) from None
