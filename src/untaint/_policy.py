"""Sizes at which a fit changes its method, in one object.

>>> from untaint._policy import policy, set_policy
>>> with set_policy(exact_rows=10):
...     policy().exact_rows
10
>>> policy().exact_rows
600
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import final


@final
@dataclass(frozen=True)
class SizePolicy:
    """Numbers of rows, landmarks, bytes and seconds that decide how a fit proceeds.

    Attributes
    ----------
    exact_rows : int
        Up to so many rows a kernel matrix is factorised; beyond, the solver iterates.
    double_rows : int
        Up to so many rows matrices and features are kept in double precision.
    subsample_rows : int
        Beyond so many rows a fit on features starts from a subsample of at most as many.
    posterior_rows : int
        Rows of such a subsample on which the contamination is first estimated.
    tuning_rows : int
        Hyperparameters are selected on so many representative rows.
    coarse_rows, init_rows : int
        Rows of the first and the second level of the initial search.
    init_landmarks, coarse_landmarks, loo_landmarks : int
        Nystroem landmarks of the initial search, of the first leave-one-out fits, and of the last.
    label_noise_rows : int
        Rows from which the label-noise rate is estimated.
    extreme_rows : int
        Outermost rows that a screening by subsample includes.
    exact_losses : int
        Losses near a threshold that a histogram lists at most.
    predicted_values : int
        Kernel values that are held at a time while predicting.
    block_bytes : int
        Size of a block of features.
    partition_rows : int
        Rows that a task on a cluster has at least.
    checkpoint_seconds : float
        Time between two checkpoints.
    """

    exact_rows: int = 600
    double_rows: int = 4_000
    subsample_rows: int = 20_000
    posterior_rows: int = 5_000
    tuning_rows: int = 3_000
    coarse_rows: int = 400
    init_rows: int = 1_000
    init_landmarks: int = 80
    coarse_landmarks: int = 160
    loo_landmarks: int = 400
    label_noise_rows: int = 1_000
    extreme_rows: int = 500
    exact_losses: int = 20_000
    predicted_values: int = 1 << 23
    block_bytes: int = 8_000_000
    partition_rows: int = 20_000
    checkpoint_seconds: float = 5.0


_current = SizePolicy()


def policy() -> SizePolicy:
    """Return the policy in force."""
    return _current


@contextmanager
def set_policy(**changes: float) -> Iterator[SizePolicy]:
    """Change some sizes of the policy for a while, in all threads of this process."""
    global _current
    before, _current = _current, replace(_current, **changes)  # type: ignore[arg-type]
    try:
        yield _current
    finally:
        _current = before
