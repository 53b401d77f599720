"""The pivot averages ratios seed by seed and hides no failure."""

from __future__ import annotations

import pytest

from benchmarks.frame.tables import (
    RMSE,
    Measure,
    against_table,
    behind,
    comparison_table,
    means,
    number,
    summary_table,
)
from benchmarks.studies.printed import printed_in

ACCURACY = Measure("accuracy", large_is_good=True)


def row(method, seed, rmse, epsilon=0.2):
    return {
        "dataset": "kiln",
        "kind": "label",
        "epsilon": epsilon,
        "method": method,
        "seed": seed,
        "rmse": rmse,
    }


def body(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n")[2:]]


def test_ratios_are_taken_seed_by_seed_before_the_mean():
    rows = [row("genie", 0, 1.0), row("genie", 1, 4.0), row("plain", 0, 3.0), row("plain", 1, 4.0)]
    text = against_table(rows)
    assert text.split("\n")[0] == "| dataset | kind | epsilon | genie rmse | plain |"
    assert body(text) == [["kiln", "label", "0.2", "2.50", "2.00"]]


def test_failed_seeds_are_counted_in_the_cell():
    rows = [row("genie", 0, 1.0), row("genie", 1, 1.0), row("plain", 0, 3.0), row("plain", 1, "")]
    assert body(against_table(rows))[0][3:] == ["1.00", "3.00 (1 of 2)"]


def test_methods_without_any_success_say_so():
    rows = [row("genie", 0, 1.0), row("plain", 0, "")]
    assert body(against_table(rows))[0][3:] == ["1.00", "failed"]
    assert body(against_table([row("plain", 0, 1.0)]))[0][3:] == ["failed", "failed"]


def test_differences_stand_beside_the_means():
    rows = [row("genie", 0, 0.9), row("genie", 1, 0.8), row("svc", 0, 0.7), row("svc", 1, 0.9)]
    text = against_table(rows, differences=True)
    assert text.split("\n")[0] == "| dataset | kind | epsilon | genie rmse | svc |"
    assert body(text) == [["kiln", "label", "0.2", "0.850", "0.800 (-0.050)"]]


def test_summaries_keep_the_order_and_show_failures():
    rows = [
        {"dataset": name, "error": error, "time_over_svc": value}
        for name, error, value in [("b", "", 1.0), ("a", "no", ""), ("b", "", 4.0), ("b", "no", "")]
    ]
    text = summary_table(rows, means(["time_over_svc"]), by=["dataset"], form=number)
    assert text.split("\n")[0] == "| dataset | time over svc |"
    assert body(text) == [["b", "2.50 (2 of 3)"], ["a", "failed"]]


def method_rows(measure="rmse", dataset="boston", **values):
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
    found = method_rows(genie=[0.4, 0.4], subquantile=[0.4, 0.6], krr=[1.0, 1.2])
    assert cells(comparison_table(found, printed=printed_in("table1"))) == [
        "0.400 (0.000)",
        "**0.500 (0.141)** 1.25x<br>*0.468 (0.090)*",
        "1.100 (0.141)<br>*1.285 (0.090)*",
    ]


def test_of_accuracies_large_is_good_and_differences_are_shown():
    found = method_rows("accuracy", genie=[0.9], subquantile=[0.8], svm=[0.85])
    assert cells(comparison_table(found, ACCURACY)) == ["0.900", "0.800 -0.100", "**0.850**"]


def test_failures_are_not_hidden():
    found = method_rows(genie=[1.0, 1.0], subquantile=[1.0, ""], krr=["", ""])
    text = comparison_table(found)
    assert cells(text) == ["1.000 (0.000)", "**1.000** 1.00x (1 of 2)", "failed"]


def test_cells_where_a_rival_is_surely_better_are_listed():
    found = method_rows(genie=[0.1] * 3, subquantile=[1.0, 1.1, 1.2], krr=[0.9, 1.0, 1.1])
    found += method_rows(
        dataset="wine", genie=[0.1] * 3, subquantile=[1.0, 1.1, 1.2], krr=[2.0] * 3
    )
    text = comparison_table(found)
    assert "subquantile is first or within noise of the best competitor in 1 of 2 cells" in text
    assert text.endswith("- boston label 0.2: 1.100, krr 1.000")


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
