"""The page sets ratios side by side, says how things grow, and hides no failure."""

from __future__ import annotations

import math

import pytest

from benchmarks.speed import robustbase
from benchmarks.speed.page import page, slope
from benchmarks.speed.process import MEASURES


def row(dataset, method, *, seed=0, **found):
    known = {"outcome": "", "hardware": "2 cores", "software": "Python", **found}
    n = float(dataset.rpartition("-")[2])
    blank = dict.fromkeys(MEASURES, math.nan)
    return {
        "dataset": dataset,
        "method": method,
        "seed": seed,
        **blank,
        "n": n,
        "error": "",
        **known,
    }


def exact(n, method, factor):
    found = {"seconds": factor * n**2 / 1e4, "peak_megabytes": float(n), "rmse": factor}
    return row(f"exact-{n}", method, **found)


def test_ratios_are_taken_on_the_same_rows_and_growth_is_told():
    rows = [
        exact(n, method, factor)
        for n in (100, 200)
        for method, factor in (("untaint", 2.0), ("untaint-plain", 1.0), ("genie", 4.0))
    ]
    text = page(rows)
    assert text.startswith("Machine: 2 cores. Software: Python.")
    assert "| 100 | untaint | 2.00 | 1.00 | 2.00 | 100 | 2.0000 | 0.500 |" in text
    assert "| 200 | genie | 16.00 | 2.00 | 4.00 | 200 | 4.0000 | 1.000 |" in text
    assert "| untaint | 100 to 200 | 2.00 | 1.00 |" in text
    assert "share" not in text.split("## ")[1]  # nobody has one


def test_what_came_to_no_end_says_why():
    rows = [
        exact(100, "untaint", 1.0),
        row("exact-100", "svr", outcome="out of memory", seconds=""),
        row("exact-100", "genie", error="TypeError: a|b") | {"outcome": "", "hardware": ""},
    ]
    text = page(rows)
    assert "| 100 | svr | - | - | - | - | out of memory |" in text
    assert "| failed: TypeError: a/b |" in text
    assert "n^p" not in text


def test_ratios_are_averaged_over_the_seeds_that_both_have():
    rows = [
        row("exact-100", method, seed=seed, seconds=seconds, rmse=1.0)
        for method, times in (("untaint", (1.0, 2.0)), ("svr", (3.0, 2.0, 9.0)))
        for seed, seconds in enumerate(times)
    ]
    assert "| 100 | svr | 4.67 | 2.00 |" in page(rows)


def test_accuracies_are_compared_by_differences():
    rows = [
        row("classes-exact-100", method, seconds=1.0, accuracy=accuracy)
        for method, accuracy in (("untaint", 0.875), ("genie", 0.9))
    ]
    assert "| 100 | untaint | 1.00 | 1.00 | 0.8750 | -0.0250 |" in page(rows)


def test_rivals_that_are_not_installed_are_named(monkeypatch):
    monkeypatch.setattr(robustbase, "missing", lambda: "Rscript is not installed")
    text = page([row("linear-100", "untaint", seconds=1.0, coef_error=0.25)])
    assert text.endswith("`ltsreg`, `lmrob` left out: Rscript is not installed.")
    assert "| coefficients off by |" in text


def test_a_busy_machine_is_told():
    rows = [row("exact-100", "svr", seconds=1.0, others=cores) for cores in (0.1, 1.25)]
    assert "Others kept up to 1.2 cores busy" in page(rows).splitlines()[0]
    assert "busy" not in page(rows[:1])


def test_a_slope_needs_two_sizes():
    assert math.isnan(slope([{"n": 10.0, "seconds": 1.0}] * 2, "seconds"))
    assert math.isnan(slope([{"n": 10.0, "seconds": ""}, {"n": 20.0, "seconds": 0.0}], "seconds"))
    rows = [{"n": n, "seconds": n**1.5} for n in (10.0, 40.0)]
    assert slope(rows, "seconds") == pytest.approx(1.5)
