"""Kernels, maps and rows that several tests share, and small subsamples."""

from __future__ import annotations

import numpy as np

from untaint.design.blocked import BlockedFeatures
from untaint.design.memory_plan import Plan
from untaint.feature_maps.fourier import FourierFeatures
from untaint.feature_maps.identity import IdentityMap
from untaint.feature_maps.nystroem import NystroemMap
from untaint.kernels import (
    RBF,
    Exponential,
    Laplacian,
    Linear,
    Polynomial,
    RationalQuadratic,
    make_kernel,
)

GAMMA = 0.15
# Shift-invariant kernels, which have Fourier features.
RADIAL = [
    RBF(GAMMA),
    Laplacian(GAMMA),
    Exponential(GAMMA),
    RationalQuadratic(GAMMA, shape=1.0),
    RationalQuadratic(GAMMA, shape=2.5),
]
CALLABLE = make_kernel(lambda a, b: a @ b.T + 0.1 * (a @ b.T) ** 2)
KERNELS = [*RADIAL, Linear(), Polynomial(GAMMA, degree=3, coef0=1.0), CALLABLE]


def rows(rng, n, d=4):
    """Ordinary rows off the origin."""
    return rng.normal(size=(n, d)) + 0.5


def maps(X, dtype=np.float64):
    """One map of each kind for such rows."""
    return {
        "columns": IdentityMap(np.median(X, axis=0), dtype),
        "landmarks": NystroemMap(RBF(GAMMA), X[:12], dtype),
        "fourier": FourierFeatures(
            RBF(GAMMA), X.shape[1], 14, np.random.default_rng(1), dtype=dtype
        ),
    }


def blocked(feature_map, X, fit_intercept=True, block_rows=7, kept_rows=0, n_threads=1):
    """Its features of the rows, in blocks."""
    plan = Plan(block_rows, kept_rows)
    return BlockedFeatures(feature_map, X, fit_intercept, plan, n_threads)
