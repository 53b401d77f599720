"""The exponential decay exp(-t) of a scaled distance, in place."""

from __future__ import annotations

import numpy as np

from .arrays import Array


def exponential_decay(t: Array) -> None:
    """Replace t >= 0 by exp(-t), and by 0 where that is below the smallest normal number.

    Outliers produce many such entries. Computing them takes four times as long as others, and so
    does every product with the denormal results.

    Examples
    --------
    >>> t = np.array([0.0, 1.0, 740.0])
    >>> exponential_decay(t)
    >>> t.round(3)
    array([1.   , 0.368, 0.   ])
    """
    max_exponent = -np.log(np.finfo(t.dtype).tiny)
    if t.size and t.max() > max_exponent:
        np.copyto(t, np.inf, where=t > max_exponent)
    np.negative(t, out=t)
    np.exp(t, out=t)
