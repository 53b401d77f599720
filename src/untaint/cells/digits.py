r"""Numbers with two neighbouring digits exchanged: 63 for 36, 1985 for 1958.

With the digits of :math:`|x| = d_1 d_2 d_3 \ldots` from the first that is not zero, an exchange
of :math:`d_k` and :math:`d_{k+1}` changes the number by

.. math:: 9\,(d_{k+1} - d_k)\, 10^{e - k} ,

where :math:`e` is the exponent of the first digit. Numbers are left as they are if
:math:`d_{k+1}` is a zero that ends them, as such zeros may stand for rounding, or if the first
digit would become zero.
"""

import numpy as np

from .._typing import FloatArray

# Digits that a number of double precision certainly has.
PRECISE = 1e12


def exchange_digits(values: FloatArray, k: int) -> FloatArray:
    """Return numbers with significant digits k and k + 1, counted from 1, exchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.digits import exchange_digits
    >>> exchange_digits(np.array([63.0, -1.87, 500.0, 105.0]), 1)
    array([ 36.  ,  -8.17, 500.  , 105.  ])
    """
    size = np.abs(np.asarray(values, float))
    usable = np.isfinite(size) & (size > 1 / PRECISE) & (size < PRECISE)
    size = np.where(usable, size, 1.0)
    exponent = np.floor(np.log10(size) + 1e-12)
    unit = 10.0 ** (exponent - k)  # of digit k + 1
    units = np.round(size / unit, 9)
    low, high = np.floor(units) % 10, np.floor(units / 10) % 10
    fixed = ~usable | (units % 10 == 0) | ((k == 1) & (low == 0))
    return np.where(fixed, values, values + np.sign(values) * 9 * (low - high) * unit)
