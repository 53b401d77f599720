"""Columns that tell rows apart and say nothing else of them: row numbers, keys, names."""

import re

import numpy as np

from ..._typing import FloatArray
from ..arrow import pc
from .levels import Levels

_FEWEST = 5  # rows that count up by chance are as many as are no evidence
_WORDS = "id|ids|uuid|guid|index|idx|key|nr|no|nummer|rowid|rownum|row|pk|oid|sku|isbn|ean"
_IDENTIFIER_NAME = re.compile(
    rf"(?:^|[\W_])(?:{_WORDS})\.?$|^(?:id|uuid)[\W_]|^unnamed: ?\d+$|^column \d+'*$"
)
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_WORDS_OF_PROSE = 4


def counts_up(values: FloatArray) -> bool:
    """Return whether integers go up row by row in constant steps."""
    if len(values) < _FEWEST or not np.isfinite(values).all():
        return False
    step = values[1] - values[0]
    return bool(step > 0 and (values == np.floor(values)).all() and (np.diff(values) == step).all())


def has_identifier_name(name: str) -> bool:
    """Return whether a column's name says that it is a key.

    Examples
    --------
    >>> from untaint.io.columns.identifiers import has_identifier_name
    >>> [has_identifier_name(name) for name in ("id", "customer_id", "orderId", "paid")]
    [True, True, True, False]
    """
    return _IDENTIFIER_NAME.search(_CAMEL.sub("_", name).lower()) is not None


def has_distinct_values(values: FloatArray) -> bool:
    """Return whether all values are whole numbers and different."""
    present = values[~np.isnan(values)]
    whole = bool((present == np.floor(present)).all())
    return whole and len(present) > 1 and len(np.unique(present)) == len(present)


def is_prose(levels: Levels) -> bool:
    """Return whether texts are of several words each."""
    words = pc.mean(pc.count_substring_regex(levels.texts, r"\s+")).as_py() or 0.0
    return bool(words + 1 >= _WORDS_OF_PROSE)
