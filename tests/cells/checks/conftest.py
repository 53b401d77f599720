"""Columns of tables that are written in a test."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas
import pytest

from untaint.io.columns.column import Column
from untaint.io.columns.read import read_columns
from untaint.io.frame import frame_table


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def columns() -> Callable[[Mapping[str, Any]], list[Column]]:
    return lambda table: read_columns(frame_table(pandas.DataFrame(table)))


@pytest.fixture
def texts(columns) -> Callable[[Mapping[str, Any]], list[Column]]:
    """Return the columns of a table that comes as text, as from a file."""
    return lambda table: columns({name: [str(cell) for cell in table[name]] for name in table})
