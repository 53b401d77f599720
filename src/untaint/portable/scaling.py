r"""Centring and scaling of columns: :math:`x \mapsto (x - m) / s`."""

from typing import Any

from .value import Value


def scaled(X: Value, centre: Any, scale: Any) -> Value:
    """Centre and scale rows, in double precision: a large centre cancels digits.

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
    """Invert :func:`scaled`."""
    x = X.wide()
    if scale is not None:
        x = x * scale
    if centre is not None:
        x = x + centre
    return x


def bounded(X: Value) -> Value:
    """Replace infinite numbers by the largest finite ones of their type."""
    return X.clip(float(X.limits.max))
