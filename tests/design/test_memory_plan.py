"""A plan keeps to its limit, and takes what the limit leaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.design.memory_plan import (
    COPIES_PER_BLOCK,
    MATRICES,
    MIN_BLOCK_ROWS,
    OVERHEAD,
    min_bytes,
    plan_blocks,
    row_bytes,
)

sizes = st.fixed_dictionaries(
    {
        "n_rows": st.integers(1, 10**7),
        "n_outputs": st.integers(1, 10),
        "raw_width": st.integers(1, 3000),
        "dtype": st.sampled_from([np.float32, np.float64]),
    }
)


def planned_bytes(plan, n_rows, n_outputs, raw_width, dtype):
    row = raw_width * np.dtype(dtype).itemsize
    fixed = row_bytes(n_rows, n_outputs) + 8 * MATRICES * raw_width**2 + OVERHEAD
    return fixed + row * (COPIES_PER_BLOCK * plan.block_rows + plan.kept_rows)


@given(size=sizes, more=st.integers(0, 10**11))
@settings(max_examples=200)
def test_whatever_suffices_for_the_least_is_kept_to(size, more):
    limit = min_bytes(**size) + more
    plan = plan_blocks(**size, limit=limit)
    assert planned_bytes(plan, **size) <= limit
    assert 1 <= plan.block_rows <= size["n_rows"]
    assert 0 <= plan.kept_rows <= size["n_rows"]
    assert plan.block_rows >= min(MIN_BLOCK_ROWS, size["n_rows"])


@given(size=sizes, more=st.integers(0, 10**10))
@settings(max_examples=100)
def test_more_memory_never_keeps_fewer_rows_or_shortens_blocks(size, more):
    less = plan_blocks(**size, limit=min_bytes(**size) + more)
    plenty = plan_blocks(**size, limit=min_bytes(**size) + 2 * more + 10**6)
    assert plenty.block_rows >= less.block_rows
    assert plenty.kept_rows >= less.kept_rows


def test_all_rows_are_kept_where_there_is_room():
    assert plan_blocks(1000, 1, 100, np.float64, 10**9).kept_rows == 1000


def test_features_that_are_not_worth_keeping_are_not_kept():
    assert plan_blocks(1000, 1, 100, np.float64, 10**9, keep=False).kept_rows == 0


@pytest.mark.parametrize("limit", [0, 10**6])
def test_too_small_a_limit_still_plans_blocks_that_work(limit):
    plan = plan_blocks(10**5, 1, 500, np.float64, limit)
    assert (plan.block_rows, plan.kept_rows) == (MIN_BLOCK_ROWS, 0)


@given(size=sizes)
@settings(max_examples=50)
def test_the_least_grows_with_everything(size):
    least = min_bytes(**size)
    for name in ("n_rows", "n_outputs", "raw_width"):
        assert min_bytes(**(size | {name: 2 * size[name]})) > least
    assert min_bytes(**(size | {"dtype": np.float64})) >= least
