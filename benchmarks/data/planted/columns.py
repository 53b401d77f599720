"""What a column of a data frame holds, and so which mistakes its cells can have."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Values that a column must take to be numeric.
DIFFERENT = 10
#: Levels that a column of categories has at most.
MAX_LEVELS = 60
DATE = re.compile(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]")


def is_number(column: pd.Series) -> bool:
    """Return whether a column has numbers, and these are neither few nor a count of the rows."""
    if pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
        return False
    values = column.dropna()
    if values.nunique() <= DIFFERENT:
        return False
    return not (values.is_unique and values.is_monotonic_increasing and (values % 1 == 0).all())


def is_date(column: pd.Series) -> bool:
    """Return whether a column has dates, or text that begins with year, month and day."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return True
    values = column.dropna()
    return (
        not pd.api.types.is_numeric_dtype(column)
        and len(values) > 0
        and all(isinstance(value, str) and DATE.match(value) for value in values)
    )


def is_category(column: pd.Series) -> bool:
    """Return whether a column has text of few values."""
    if pd.api.types.is_numeric_dtype(column) or is_date(column):
        return False
    values = column.dropna()
    levels = values.nunique()
    if not all(isinstance(value, str) for value in values):
        return False
    return 2 <= levels <= min(MAX_LEVELS, len(values) / 3)


def is_label(column: pd.Series) -> bool:
    """Return whether a target is a label: text, or a number of few values."""
    return not is_number(column)


def is_measured(column: pd.Series) -> bool:
    """Return whether numbers have two significant digits and are not years."""
    digits = np.log10(max(column.median(), 1e-12)) + decimals_of(column)
    return bool(digits > 1.5 and not column.between(1500, 2100).all())


def decimals_of(column: pd.Series) -> int:
    """Return with how many decimals the numbers of a column are written, at most 7."""
    values = column.dropna().to_numpy(dtype=float)
    return next((d for d in range(7) if np.allclose(values, values.round(d), 1e-9, 1e-9)), 7)


def longest_run(column: pd.Series) -> int:
    """Return how many rows in a run have one value."""
    return int(column.groupby((column != column.shift()).cumsum()).size().max())


def as_before(cells: NDArray[Any], before: pd.Series) -> pd.Series:
    """Return cells as a column of the type of another, if they allow it."""
    dtype = before.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        new = [cell for cell in dict.fromkeys(cells) if cell not in dtype.categories]
        new = [cell for cell in new if isinstance(cell, str)]
        dtype = pd.CategoricalDtype([*dtype.categories, *new], dtype.ordered)
    elif pd.api.types.is_integer_dtype(before) and any(cell != int(cell) for cell in cells):
        dtype = np.dtype(float)
    return pd.Series(cells, index=before.index).astype(dtype)
