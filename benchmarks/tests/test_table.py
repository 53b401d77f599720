"""The pivot averages ratios seed by seed and hides no failure."""

from __future__ import annotations

import pytest
from benchmarks.table import mean_table

from benchmarks import difference_table, ratio_table


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
    text = ratio_table(rows)
    assert text.split("\n")[0] == "| dataset | kind | epsilon | genie rmse | plain |"
    assert body(text) == [["kiln", "label", "0.2", "2.50", "2.00"]]


def test_the_order_of_rows_does_not_matter_for_the_numbers():
    rows = [row("plain", 0, 3.0), row("genie", 1, 4.0), row("plain", 1, 4.0), row("genie", 0, 1.0)]
    assert body(ratio_table(rows)) == [["kiln", "label", "0.2", "2.50", "2.00"]]


def test_failed_seeds_are_counted_in_the_cell():
    rows = [row("genie", 0, 1.0), row("genie", 1, 1.0), row("plain", 0, 3.0), row("plain", 1, "")]
    assert body(ratio_table(rows))[0][3:] == ["1.00", "3.00 (1 of 2)"]


def test_methods_without_any_success_say_so():
    rows = [row("genie", 0, 1.0), row("plain", 0, "")]
    assert body(ratio_table(rows))[0][3:] == ["1.00", "failed"]
    assert body(ratio_table([row("plain", 0, 1.0)]))[0][3:] == ["failed", "failed"]


def test_settings_get_a_line_each_and_large_ratios_powers_of_ten():
    rows = [row("genie", 0, 2.0), row("plain", 0, 1e12)]
    rows += [row("genie", 0, 2.0, 0.4), row("plain", 0, float("nan"), 0.4)]
    assert [line[2:] for line in body(ratio_table(rows))] == [
        ["0.2", "2.00", "5.0e+11"],
        ["0.4", "2.00", "nan"],
    ]


@pytest.mark.parametrize("reference", ["genie", "plain"])
def test_the_reference_can_be_chosen(reference):
    rows = [row("genie", 0, 1.0), row("plain", 0, 2.0)]
    ratio = body(ratio_table(rows, reference=reference))[0][-1]
    assert ratio == {"genie": "2.00", "plain": "0.50"}[reference]


def test_differences_stand_beside_the_means():
    rows = [row("genie", 0, 0.9), row("genie", 1, 0.8), row("svc", 0, 0.7), row("svc", 1, 0.9)]
    text = difference_table(rows, value="rmse")
    assert text.split("\n")[0] == "| dataset | kind | epsilon | genie rmse | svc |"
    assert body(text) == [["kiln", "label", "0.2", "0.850", "0.800 (-0.050)"]]


def test_differences_are_of_the_seeds_that_both_have():
    rows = [row("genie", 0, 0.9), row("genie", 1, 0.8), row("svc", 0, 0.7), row("svc", 1, "")]
    assert body(difference_table(rows, value="rmse"))[0][3:] == [
        "0.850",
        "0.700 (-0.200) (1 of 2)",
    ]


def test_mean_table_keeps_the_order_and_shows_failures():
    rows = [
        {"dataset": name, "error": error, "time_over_svc": value}
        for name, error, value in [("b", "", 1.0), ("a", "no", ""), ("b", "", 4.0), ("b", "no", "")]
    ]
    text = mean_table(rows, ["time_over_svc"], name=str.upper)
    assert text.split("\n")[0] == "| dataset | time over svc |"
    assert body(text) == [["B", "2.50"], ["A", "failed"]]
