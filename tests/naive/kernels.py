"""Kernels by the book: two loops over rows, one formula each."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def linear(x, z):
    return math.fsum(a * b for a, b in zip(x, z, strict=True))


def poly(x, z, *, gamma, degree, coef0):
    return (gamma * linear(x, z) + coef0) ** degree


def rbf(x, z, *, gamma):
    return math.exp(-gamma * _squared_distance(x, z))


def laplacian(x, z, *, gamma):
    return math.exp(-gamma * math.fsum(abs(a - b) for a, b in zip(x, z, strict=True)))


def exponential(x, z, *, gamma):
    return math.exp(-gamma * math.sqrt(_squared_distance(x, z)))


def rational_quadratic(x, z, *, gamma, shape):
    return (1.0 + gamma * _squared_distance(x, z) / shape) ** -shape


def matrix(function: Callable[..., float], X, Z=None, **params) -> np.ndarray:
    """Matrix of ``function`` over all pairs of rows."""
    Z = X if Z is None else Z
    X, Z = np.asarray(X, dtype=float).tolist(), np.asarray(Z, dtype=float).tolist()
    K = [[function(x, z, **params) for z in Z] for x in X]
    return np.array(K, dtype=float).reshape(len(X), len(Z))


def _squared_distance(x, z):
    return math.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True))
