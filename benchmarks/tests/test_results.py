"""Rows are written whole, read back as written, and the last row of a case counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.frame import Case, ResultsFile

CASE = Case("kiln", "label+feature", 0.2, "genie", 0)


@pytest.fixture
def results(tmp_path):
    return ResultsFile(tmp_path / "deep" / "down" / "rows.csv", ["rmse", "note"])


def test_a_row_survives_the_trip(results):
    results.append(CASE, {"rmse": 0.1 + 0.2, "note": 'said "so", twice'})
    (row,) = results.read()
    assert row["rmse"] == 0.3
    assert row["note"] == 'said "so", twice'
    assert row["error"] == ""
    assert Case.from_row(row) == CASE
    assert row["epsilon"] == 0.2
    assert row["seed"] == 0


def test_cases_are_put_into_order_and_others_kept_after_them(results):
    cases = [Case("kiln", "label", 0.2, "genie", seed) for seed in range(4)]
    for place in (3, 1, 0):
        results.append(cases[place], {"error": "no"} if place == 1 else {"rmse": 0.1})
    results.append(cases[1], {"rmse": 0.5})
    results.arrange(cases[:3])
    assert [(row["seed"], row["rmse"]) for row in results.read()] == [(0, 0.1), (1, 0.5), (3, 0.1)]
    assert results.path.read_text().count("\n") == 4
    assert list(results.path.parent.iterdir()) == [results.path]


def test_rows_of_methods_are_forgotten(results):
    for case in (CASE, replace(CASE, method="other")):
        results.append(case, {"rmse": 1.0})
    results.forget(["other"])
    assert results.done() == {CASE}


def test_an_error_takes_one_line_and_may_be_tried_again(results):
    results.append(CASE, {"error": "ValueError: first\nsecond, third"})
    assert results.path.read_text().count("\n") == 2
    assert results.read()[0]["error"] == "ValueError: first second, third"
    assert results.read()[0]["rmse"] == ""
    assert results.done() == set()
    results.append(CASE, {"rmse": 1.0})
    assert [row["rmse"] for row in results.read()] == [1.0]
    assert results.done() == {CASE}


@pytest.mark.parametrize("torn", ["kiln,label,0.2,ge", '"half a quo'])
def test_a_torn_last_line_is_not_read_and_is_cut_off(results, torn):
    results.append(CASE, {"rmse": 1.0})
    whole = results.path.read_text()
    results.path.write_text(whole + torn)
    assert len(results.read()) == 1
    other = Case("kiln", "label", 0.2, "genie", 1)
    results.append(other, {"rmse": 2.0})
    assert results.path.read_text() == whole + "kiln,label,0.2,genie,1,2.0,,\n"


def test_another_studys_file_is_not_mixed_up(results):
    results.append(CASE, {"rmse": 1.0})
    other = ResultsFile(results.path, ["seconds"])
    with pytest.raises(ValueError, match="has other columns"):
        other.append(CASE, {"seconds": 1.0})
    with pytest.raises(ValueError, match="has other columns"):
        other.done()


def test_a_measure_without_a_column_is_refused(results):
    with pytest.raises(ValueError, match=r"\['colour'\] are not columns"):
        results.append(CASE, {"colour": 1.0})
