"""A lost or added sign: negative values in a column that is positive otherwise.

Let v < 0 be one of at most 2 % of negative values. It is called a mistake if -v is an ordinary
value (its rank among the positive values is between 2 % and 98 %) while v is not::

    (median - v) / s >= 4,   s = (median - q05) / 1.645,

the quantiles being those of the positive values. Columns that pass through zero, such as growth
rates, have negative values of small size: where zero itself is not so far from the median, the
mean rank of the sizes among the positive values has to be at least 0.3 (0.1 if at least 2 % of the
values are zero, where the column ends then), and at least 80 % of the negative values have to be
far and ordinary without their sign. Columns whose names say that they may be negative, such as
latitudes, are left out.
"""

import re
from collections.abc import Sequence

import numpy as np

from ...io.columns.column import Column
from ..finding import CellFinding
from ..variables import scale_of
from .inputs import Cells, present_cells
from .sentinel import LONG_CODES
from .wording import number_text

FEWEST = 50
# Words in names of quantities that may well be negative.
_SIGNED = re.compile(
    r"lat(?:$|[\W_]|itude)|lon(?:$|[\W_]|g)|lng|coord|growth|change|diff|delta|return|profit|balance"
    r"|net(?:$|[\W_])|margin|temp|celsius|score|residual|error|(?:^|[\W_])log|elevation|alt(?:$|[\W_]|itude)"
)
# Largest share of negative values, and of zeros.
MAX_SHARE = 0.02
MAX_ZEROS = 0.9
# Ranks of ordinary values, and the mean rank of values that pass through zero.
ORDINARY = (0.02, 0.98)
MIN_MEAN_RANK, MIN_MEAN_RANK_ZEROS, SOME_ZEROS = 0.3, 0.1, 0.02
# Deviations below the median, and the quantile of the normal law that 5 % lie below.
FAR = 4.0
# Least part of the negative values that are so: others would be the tail of the column.
MIN_FAR = 0.8
_Q05 = 1.645


def find_signs(columns: Sequence[Column]) -> list[CellFinding]:
    """Find negative values whose sign is a mistake.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.sign import find_signs
    >>> from untaint.io.columns.column import Column
    >>> x = np.linspace(10, 20, 100)
    >>> x[3] *= -1
    >>> print(find_signs([Column("x", "number", np.isnan(x), x)])[0].reason)
    -10.303 is the only negative value among 100; without the sign it is an ordinary one.
    """
    return [
        finding
        for cells in present_cells(columns, "number", FEWEST)
        if not _SIGNED.search(cells.name.lower())
        for finding in _signs_of(cells)
    ]


def _signs_of(cells: Cells) -> list[CellFinding]:
    values, n = cells.values, len(cells.values)
    negative = np.flatnonzero((values < 0) & ~np.isin(values, LONG_CODES))
    k = len(negative)
    if not 0 < k <= max(1, MAX_SHARE * n):
        return []
    positive = np.sort(values[values > 0])
    sizes = -values[negative]
    codes = k > 1 and len(np.unique(sizes)) == 1  # one value several times stands for something
    if codes or len(positive) < max((1 - MAX_ZEROS) * n, FEWEST):
        return []
    ranks = np.searchsorted(positive, sizes) / len(positive)
    ranks = (ranks + np.searchsorted(positive, sizes, "right") / len(positive)) / 2
    q05, median = np.quantile(positive, [0.05, 0.5])
    reaches_zero = median * _Q05 < FAR * (median - q05)
    ends_at_zero = (values == 0).mean() >= SOME_ZEROS
    if reaches_zero and ranks.mean() < (MIN_MEAN_RANK_ZEROS if ends_at_zero else MIN_MEAN_RANK):
        return []
    ends = ends_at_zero or scale_of(values)[0] != "identity"
    far = ((median + sizes) * _Q05 >= FAR * (median - q05)) | ends
    ordinary = (ranks >= ORDINARY[0]) & (ranks <= ORDINARY[1])
    if np.mean(far & (ordinary | ~reaches_zero)) < MIN_FAR:
        return []
    what = f"the only negative value among {n:,}" if k == 1 else f"one of {k} negative among {n:,}"
    found, probability = [], 0.9 if k == 1 else 0.93
    for i in negative[far & ordinary]:
        reason = f"{number_text(values[i])} is {what}; without the sign it is an ordinary one."
        found.append(cells.finding(i, probability, "sign", -values[i], reason))
    return found
