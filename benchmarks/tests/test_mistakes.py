"""Mistakes are planted in tables, found, and reported by kind."""

import math

import pytest
from benchmarks.case import Case
from benchmarks.mistakes import MEASURES, load_frame, measure_mistakes
from benchmarks.planted.kinds import KINDS
from benchmarks.planted.planting import possible

from benchmarks.studies.mistakes import STUDY


@pytest.mark.parametrize(
    ("dataset", "kind"), [("kiln", "feature_x1000"), ("cars-300", "typo"), ("kiln", "target_x10")]
)
def test_a_case_is_measured_from_table_to_cells(dataset, kind):
    found = measure_mistakes(Case(dataset, kind, 0.05, "untaint-clean", 0))
    assert tuple(found) == MEASURES
    assert found["recall"] > 0.9
    assert found["precision"] > 0.9
    assert found["right_cell"] > 0.9


def test_a_kind_that_a_table_cannot_have_has_no_measures():
    found = measure_mistakes(Case("kiln", "typo", 0.05, "untaint-clean", 0))
    assert all(math.isnan(value) for value in found.values())


def test_cars_without_mistakes_can_have_every_kind_but_that_of_labels():
    assert {*possible(load_frame("cars-300", 0), "target")} == {*KINDS} - {"label_other"}


def test_the_table_has_a_line_for_each_kind_and_one_for_all():
    case = {"dataset": "kiln", "epsilon": 0.05, "method": "untaint-clean", "seed": 0, "error": ""}
    rows = [
        case | {"kind": kind} | dict.fromkeys(MEASURES, value)
        for kind, value in (("mixed", 0.25), ("typo", 1.0), ("stuck", 0.5))
    ]
    lines = STUDY.table(rows).splitlines()
    assert lines[0] == "| kind | recall | precision | right cell | right kind | seconds |"
    assert [line.split(" | ")[:2] for line in lines[2:]] == [
        ["| typo", "1.000"],
        ["| stuck", "0.500"],
        ["| mixed", "0.250"],
        ["| all but mixed", "0.750"],
    ]
