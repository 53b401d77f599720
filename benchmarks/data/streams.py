"""Streams with a known truth, whose targets may turn against the learner.

    |x_t| = 1,   y_t = <w_t, x_t> + 0.1 N(0, 1),   |w_t| = 1

The learner sees copies x_t + N(0, s^2 I). How w_t moves is the stream's kind:

iid          it does not
blocks       it changes sign ten times
rotating     it turns once around a plane, in forty steps
alternating  it changes sign every round
doubling     it changes sign at the rounds 1, 2, 4, 8, ...
drifting     it turns once around a plane, a little every round
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from untaint.datasets import make_noisy_views

from .drawn import Array

TARGET_NOISE = 0.1
N_BLOCKS, N_STEPS = 10, 40


@dataclass(frozen=True)
class Stream:
    """Clean rows, two noisy copies of them, and targets."""

    X: Array
    A: Array
    B: Array
    y: Array
    noise_cov: float


# From the rounds 0, 1, ..., T - 1 and T to the angles of w_t.
ANGLES: dict[str, Callable[[Array, int], Array]] = {
    "iid": lambda t, T: np.zeros(T),
    "blocks": lambda t, T: np.pi * np.floor(N_BLOCKS * t / T),
    "rotating": lambda t, T: 2.0 * np.pi * np.floor(N_STEPS * t / T) / N_STEPS,
    "alternating": lambda t, T: np.pi * t,
    "doubling": lambda t, T: np.pi * np.floor(np.log2(t + 1.0)),
    "drifting": lambda t, T: 2.0 * np.pi * t / T,
}


def make_stream(kind: str, T: int, *, d: int, deviation: float, seed: int) -> Stream:
    """Draw T rounds; w_t turns in the plane of two random directions."""
    rng = np.random.default_rng(seed)
    plane = np.linalg.qr(rng.normal(size=(d, 2)))[0]
    angles = ANGLES[kind](np.arange(T, dtype=np.float64), T)
    w = np.column_stack([np.cos(angles), np.sin(angles)]) @ plane.T
    X = rng.normal(size=(T, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.sum(w * X, axis=1) + TARGET_NOISE * rng.normal(size=T)
    A, B = make_noisy_views(X, noise_cov=deviation**2, random_state=rng)
    return Stream(X, A, B, y, deviation**2)
