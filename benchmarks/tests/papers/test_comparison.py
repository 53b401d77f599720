"""The table shows means beside print, bold where best, and says where we fall short."""

from __future__ import annotations

import pytest
from benchmarks.papers.comparison import RMSE, Measure, behind, comparison

ACCURACY = Measure("accuracy", large_is_good=True)


def rows(measure="rmse", dataset="boston", **values):
    return [
        {
            "dataset": dataset,
            "kind": "label",
            "epsilon": 0.2,
            "method": method.replace("_", "-"),
            "seed": seed,
            measure: value,
        }
        for method, seeds in values.items()
        for seed, value in enumerate(seeds)
    ]


def cells(text):
    return [cell.strip() for cell in text.split("\n")[2].strip("|").split("|")][3:]


def test_cells_have_mean_deviation_ratio_and_print():
    found = rows(genie=[0.4, 0.4], subquantile=[0.4, 0.6], krr=[1.0, 1.2])
    assert cells(comparison(found, table="table1")) == [
        "0.400 (0.000)",
        "**0.500 (0.141)** 1.25x<br>*0.468 (0.090)*",
        "1.100 (0.141)<br>*1.285 (0.090)*",
    ]


def test_of_accuracies_large_is_good_and_differences_are_shown():
    found = rows("accuracy", genie=[0.9], subquantile=[0.8], svm=[0.85])
    assert cells(comparison(found, ACCURACY)) == ["0.900", "0.800 -0.100", "**0.850**"]


def test_failures_are_not_hidden():
    found = rows(genie=[1.0, 1.0], subquantile=[1.0, ""], krr=["", ""])
    text = comparison(found)
    assert cells(text) == ["1.000 (0.000)", "**1.000** 1.00x (1 of 2)", "failed"]


def test_cells_where_a_rival_is_surely_better_are_listed():
    found = rows(genie=[0.1] * 3, subquantile=[1.0, 1.1, 1.2], krr=[0.9, 1.0, 1.1])
    found += rows(dataset="wine", genie=[0.1] * 3, subquantile=[1.0, 1.1, 1.2], krr=[2.0] * 3)
    text = comparison(found)
    assert "subquantile is first or within noise of the best competitor in 1 of 2 cells" in text
    assert text.endswith("- boston label 0.2: 1.100, krr 1.000")


def test_our_own_are_no_rivals_to_one_another():
    found = rows(subquantile=[1.0, 1.1], subquantile_auto=[0.5, 0.6], krr=[2.0, 2.0])
    text = comparison(found)
    assert "subquantile is first or within noise of the best competitor in 1 of 1 cells." in text
    assert (
        "subquantile-auto is first or within noise of the best competitor in 1 of 1 cells." in text
    )


@pytest.mark.parametrize(
    ("own", "competitor", "expected"),
    [
        ([1.0, 1.0, 1.0], [1.1, 1.2, 1.3], False),
        ([1.0, 1.0, 1.0], [0.9, 0.8, 0.9], True),
        ([1.0, 1.0, 1.0], [0.5, 1.4, 1.0], False),
        ([1.0], [0.9], True),
        ([], [0.9], True),
    ],
)
def test_noise_is_that_of_paired_differences(own, competitor, expected):
    assert behind(dict(enumerate(own)), dict(enumerate(competitor)), RMSE) is expected
    negated = [dict(enumerate(-value for value in values)) for values in (own, competitor)]
    assert behind(*negated, ACCURACY) is expected
