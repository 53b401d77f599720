"""The example of the documentation."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.datasets import load_kiln, make_kiln
from untaint.datasets.example import KILN_COLUMNS


def test_the_rows_are_those_of_the_recipe_with_seed_0():
    kiln = load_kiln()
    rows = np.column_stack([kiln.data, kiln.target])
    np.testing.assert_array_equal(rows, make_kiln(0))
    np.testing.assert_allclose(rows[0], [1123, 58, 5.0, 52.65], atol=0.011)
    assert (*kiln.feature_names, *kiln.target_names) == KILN_COLUMNS


def test_strength_rises_and_falls_with_temperature():
    X, y = load_kiln(return_X_y=True)
    cold, middle, hot = (
        y[(X[:, 0] > a) & (X[:, 0] < b)].mean() for a, b in [(900, 950), (1080, 1150), (1220, 1250)]
    )
    assert cold + 20 < middle
    assert hot + 20 < middle


def test_frame_has_names():
    pytest.importorskip("pandas")
    assert list(load_kiln(as_frame=True).frame.columns) == list(KILN_COLUMNS)
