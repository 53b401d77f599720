"""Mistakes are planted in the rows that the truth names, and nowhere else."""

import numpy as np
import pytest

from untaint.bench.case import Case
from untaint.bench.data import load
from untaint.bench.mistakes import KINDS, MEASURES, measure_mistakes, plant, write_table


@pytest.mark.parametrize("kind", KINDS)
def test_all_other_rows_are_left_alone(kind):
    X, y = load("kiln", 0)
    X2, y2, wrong = plant(X, y, kind, 0.1, seed=1)
    changed = (X2 != X).any(axis=1) | (y2 != y)
    np.testing.assert_array_equal(changed, wrong)
    assert wrong.sum() == 40


def test_labels_become_other_labels():
    X, y = load("classes2-100", 0)
    _, changed, wrong = plant(X, y, "relabel", 0.2, seed=0)
    assert (changed[wrong] != y[wrong]).all()
    assert set(changed) == set(y)


def test_a_table_is_written_with_empty_cells_for_missing_values(tmp_path):
    write_table(tmp_path / "t.csv", np.array([[1.5, np.nan]]), np.array(["a"]))
    assert (tmp_path / "t.csv").read_text().splitlines() == ["x0,x1,target", "1.5,,a"]


def test_a_case_is_measured_from_file_to_flags():
    found = measure_mistakes(Case("kiln", "unit-up", 0.1, "untaint-clean", 0))
    assert tuple(found) == MEASURES
    assert found["recall"] > 0.9
    assert found["precision"] > 0.9
