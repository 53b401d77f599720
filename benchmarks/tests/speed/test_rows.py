"""Rows are the same for every method, a fifth of their labels is wrong, and test rows are clean."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.speed.rows import border, draw_rows, friedman, line, plane, surface

from benchmarks.speed import rows as module


@pytest.mark.parametrize(
    ("truth", "kind", "d"),
    [(surface, "label", 10), (line, "label", 20), (border, "flip", 10), (plane, "flip", 50)],
)
def test_the_seed_decides_the_rows_and_a_fifth_is_wrong(truth, kind, d):
    one, two = (draw_rows(truth, 500, 3, kind=kind, n_test=100) for _ in range(2))
    other = draw_rows(truth, 500, 4, kind=kind, n_test=100)
    np.testing.assert_array_equal(one.y, two.y)
    assert (one.X != other.X).any()
    assert one.X.shape == (500, d)
    assert one.X_test.shape == (100, d)
    assert one.clean_mask.sum() == 400


def test_the_surface_is_in_standard_units():
    values = friedman(np.random.default_rng(0).random((100_000, 10)))
    assert values.mean() == pytest.approx(0.0, abs=0.02)
    assert values.std() == pytest.approx(1.0, abs=0.03)


def test_clean_rows_follow_the_line():
    rows = draw_rows(line, 4000, 0, kind="label", n_test=10)
    clean = rows.clean_mask
    residuals = rows.y - rows.X @ rows.coef - module.INTERCEPT
    assert residuals[clean].std() == pytest.approx(0.5, abs=0.03)
    assert np.abs(residuals[~clean]).mean() > 4.0


def test_a_memory_map_holds_the_same_rows_in_single_precision(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 64)
    arguments = {"kind": "label", "n_test": 10}
    here = draw_rows(surface, 200, 0, **arguments)
    there = draw_rows(surface, 200, 0, file=tmp_path / "X.f32", **arguments)
    assert isinstance(there.X, np.memmap)
    assert not there.X.flags.writeable
    np.testing.assert_array_equal(there.X, here.X.astype(np.float32))
    np.testing.assert_array_equal(there.y, here.y)
