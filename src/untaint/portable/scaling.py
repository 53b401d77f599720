r"""Columns from a centre, in units of a scale: :math:`x \mapsto (x - m) / s`."""

from __future__ import annotations

from typing import Any

from .value import Value


def scaled(X: Value, centre: Any, scale: Any) -> Value:
    """Rows after a scaler, in double precision: a large centre takes digits away.

    Parameters
    ----------
    X : Value of shape (n, d)
    centre, scale : array of shape (d,) or None
        None leaves the step out.
    """
    x = X.wide()
    if centre is not None:
        x = x - centre
    if scale is not None:
        x = x / scale
    return x


def unscaled(X: Value, centre: Any, scale: Any) -> Value:
    """What :func:`scaled` was given."""
    x = X.wide()
    if scale is not None:
        x = x * scale
    if centre is not None:
        x = x + centre
    return x


def bounded(X: Value) -> Value:
    """The largest numbers of their type in place of infinite ones."""
    return X.clip(float(X.limits.max))
