"""Statistics leave out what failed and what has no value, and lines say so."""

from __future__ import annotations

from math import isnan, nan

from benchmarks.summary import groups, largest, mean, summary_table


def row(share, dataset="kiln", error=""):
    return {"dataset": dataset, "kind": "label", "epsilon": 0.2, "share": share, "error": error}


def test_values_that_are_missing_are_left_out():
    rows = [row(1.0), row(nan), row(2.0), row("")]
    assert mean("share")(rows) == 1.5
    assert largest("share")(rows) == 2.0
    assert isnan(mean("share")(rows[1:2]))


def test_settings_appear_in_order_with_failures_counted():
    rows = [row(1.0, "b"), row("", "a", "no"), row("", "b", "no"), row(nan, "c")]
    lines = summary_table(rows, {"share": mean("share"), "most": largest("share")}).split("\n")
    assert lines[0] == "| dataset | kind | epsilon | share | most |"
    assert lines[2:] == [
        "| b | label | 0.2 | 1.000 (1 of 2) | 1.000 |",
        "| a | label | 0.2 | failed | failed |",
        "| c | label | 0.2 | - | - |",
    ]


def test_groups_can_be_coarser_than_settings():
    rows = [row(1.0), row(2.0) | {"epsilon": 0.4}]
    assert len(groups(rows)) == 2
    assert groups(rows, by=["dataset"]) == {("kiln",): rows}
