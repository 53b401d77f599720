"""Losses by the book: one row at a time, in Python floats, or decimals where digits cancel."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext


def squared(y, f):
    return math.fsum((a - b) ** 2 for a, b in zip(y, f, strict=True))


def logistic(y, f):
    """log(1 + e^f) - y f."""
    with localcontext(prec=60):
        score = Decimal(f[0])
        return float((1 + score.exp()).ln() - Decimal(y[0]) * score)


def softmax(y, f):
    """log sum e^f - y f."""
    with localcontext(prec=60):
        total = sum(Decimal(score).exp() for score in f)
        own = sum(Decimal(a) * Decimal(b) for a, b in zip(y, f, strict=True))
        return float(total.ln() - own)


def logistic_hessian(f):
    """p (1 - p), as a matrix of one entry."""
    p = 1 / (1 + math.exp(-f[0]))
    return [[p * (1 - p)]]


def softmax_hessian(f):
    """diag(p) - p p^T, entry by entry."""
    parts = [math.exp(score - max(f)) for score in f]
    p = [part / math.fsum(parts) for part in parts]
    return [
        [p[j] * (1 - p[j]) if j == k else -p[j] * p[k] for k in range(len(p))]
        for j in range(len(p))
    ]


def squared_hessian(f):
    """Twice the identity."""
    return [[2.0 if j == k else 0.0 for k in range(len(f))] for j in range(len(f))]
