"""Numbers that stand for a missing value: -999 among lengths."""

import numpy as np

from ..._typing import FloatArray

_NINES = [float("9" * k) for k in range(1, 8)]
_CODES = [-1.0, -888.0, -8888.0, *(-code for code in _NINES), *_NINES[2:]]
_SEVERAL = 3
_FAR = 2.0


def find_sentinels(values: FloatArray) -> list[float]:
    """Return codes that occur several times and lie far outside of the rest.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.io.columns.sentinels import find_sentinels
    >>> find_sentinels(np.append(np.linspace(0, 50, 100), [-999.0] * 4))
    [-999.0]
    """
    present = values[~np.isnan(values)]
    codes = np.isin(present, _CODES)
    if codes.sum() < _SEVERAL or codes.all():
        return []
    low, high = np.quantile(present[~codes], [0.01, 0.99])
    reach = _FAR * max(high - low, 1e-9)
    found, counts = np.unique(present[codes], return_counts=True)
    far = (found < low - reach) | (found > high + reach)
    return [float(code) for code in found[far & (counts >= _SEVERAL)]]
