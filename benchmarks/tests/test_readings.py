"""Both readings of the papers' label noise, and the figures that the papers print."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.frame import Case
from benchmarks.studies import readings
from benchmarks.studies.printed import printed_in
from benchmarks.studies.readings import READINGS, corrupted, run


@pytest.mark.parametrize(("kind", "reading"), READINGS.items())
def test_bad_targets_follow_the_reading_that_is_asked_for(kind, reading):
    split = corrupted("polynomial-var", kind, 0.4, 0)
    bad, (mean, deviation) = ~split.clean_mask, reading
    assert bad.sum() == 320
    assert split.y_train[bad].mean() == pytest.approx(mean, abs=4 * deviation / np.sqrt(320))
    assert split.y_train[bad].std() == pytest.approx(deviation, rel=0.15)


def test_the_same_clean_rows_serve_every_reading():
    splits = [corrupted("polynomial-sd", kind, 0.2, 1) for kind in READINGS]
    for split in splits[1:]:
        np.testing.assert_array_equal(split.clean_mask, splits[0].clean_mask)
        clean = split.clean_mask
        np.testing.assert_array_equal(split.y_train[clean], splits[0].y_train[clean])


@pytest.mark.parametrize("method", ["genie", "krr", "least-squares"])
def test_every_method_has_an_error(method):
    found = run(Case("kiln", "N(0, var 5)", 0.2, method, 0))
    assert 0 < found["rmse"] < 2


def test_the_printed_errors_stand_beside_ours():
    case = Case("boston", "N(5, sd 5)", 0.2, "krr", 0)
    text = readings.table([{**vars(case), "rmse": 1.25, "error": ""}])
    assert "| boston | N(5, sd 5) | 0.2 | 1.250 | 1.285, 0.468 |" in text


@pytest.mark.parametrize(
    ("table", "cell", "figure"),
    [
        ("table1", ("concrete", "label", 0.2, "subquantile"), (0.519, 0.0134)),
        ("table1", ("boston", "label", 0.4, "sever"), (0.720, 0.1147)),
        ("table1", ("drug", "label", 0.2, "term"), None),
        ("table2", ("concrete", "label+feature", 0.2, "subquantile"), (0.630, 0.0269)),
        ("table2", ("drug", "label", 0.2, "genie"), (0.988, 0.0823)),
        ("table3", ("breast", "flip", 0.4, "term"), (0.793, 0.0691)),
    ],
)
def test_printed_figures_are_in_their_cells(table, cell, figure):
    assert printed_in(table)[cell] == figure


def test_every_table_is_whole():
    tables = [printed_in(name) for name in ("table1", "table2", "table3")]
    assert [len(table) for table in tables] == [5 * 8, 8 * 8, 5 * 8]
    assert sum(figure is None for table in tables for figure in table.values()) == 8 + 2 + 8
