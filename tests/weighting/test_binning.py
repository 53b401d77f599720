"""Bins by leading bits are those of a binary search, for any values and edges."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.weighting.binning import BinTable

N = 3_000


@pytest.mark.parametrize("edges", ["heavy", "narrow", "below zero", "with values", "infinite"])
@pytest.mark.parametrize("odd", [False, True])
def test_bins_are_those_of_a_binary_search(edges, odd, rng):
    values = np.abs(rng.standard_cauchy(N)) ** 2
    if odd:
        values[:8] = [0.0, -0.0, np.inf, np.nan, -3.0, 5e-324, 1e300, np.finfo(float).tiny]
    bounds = {
        "heavy": np.abs(rng.standard_cauchy(200)),
        "narrow": np.concatenate([np.linspace(1.0, 1.001, 256), [0.1, 50.0]]),
        "below zero": np.linspace(-1.0, 2.0, 100),
        "with values": np.concatenate([values[8:40], [0.0]]),
        "infinite": np.array([0.5, 2.0, np.inf]),
    }[edges]
    bounds = np.sort(bounds)
    np.testing.assert_array_equal(BinTable(bounds).bins(values), np.searchsorted(bounds, values))


@pytest.mark.parametrize("edges", [[0.0], [0.0, 0.0], [-2.0, -1.0]])
def test_edges_need_not_be_positive(edges, rng):
    values = rng.normal(size=N) ** 2
    found = BinTable(np.array(edges)).bins(values)
    np.testing.assert_array_equal(found, np.searchsorted(edges, values))
