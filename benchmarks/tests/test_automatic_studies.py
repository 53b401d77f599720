"""The studies without parameters declare the cells that they promise, and sum them up."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from benchmarks.automatic import audit as audit_case
from benchmarks.automatic import share
from benchmarks.automatic.fitting import rows_of

from benchmarks import Case
from benchmarks.studies import ambiguity, audit, auto_share, defaults, search_cost

FIVE = {"boston", "concrete", "wine", "drug-1000", "diabetes"}


def cells(study, seeds=(0,)):
    return {(case.dataset, case.kind, case.epsilon) for case in study.cases(seeds, False)}


def as_row(case, measures, **found):
    blank = dict.fromkeys(measures, nan)
    return {**vars(case), **blank, **found, "error": ""}


def test_defaults_has_seven_cells_a_data_set_and_all_methods_in_each():
    declared = defaults.cases(range(10), False)
    assert cells(defaults) == {
        (dataset, kind, epsilon)
        for dataset in FIVE
        for kind in ("label", "cluster", "shift")
        for epsilon in (0.0, 0.2, 0.4)
        if epsilon or kind == "label"
    }
    assert len(declared) == 5 * 7 * len(defaults.METHODS) * 10
    assert [case.seed for case in declared] == sorted(case.seed for case in declared)


def test_rivals_of_two_scores_have_two_columns():
    case = Case("kiln", "label", 0.0, "genie", 0)
    rows = [
        as_row(replace(case, method=method), defaults.MEASURES, rmse=rmse, rmse_by_median=median)
        for method, rmse, median in [
            ("genie", 1.0, nan),
            ("untaint-cv", 1.03, nan),
            ("plain-cv", 1.01, 5.0),
            ("svr", 1.5, 1.25),
        ]
    ]
    over_genie, words, over_plain = defaults.table(rows).split("\n\n")
    assert "| genie rmse | untaint-cv | plain-cv | svr-mse | svr-median |" in over_genie
    assert over_genie.endswith("| 1.000 | 1.030 | 1.010 | 1.500 | 1.250 |")
    assert words.startswith("Without corruption")
    assert over_plain.endswith("| 1.010 | 1.020 |")


def test_shares_are_estimated_on_five_sets_and_on_clean_rows_of_seven_more():
    declared = cells(auto_share)
    assert {(d, e) for d, _, e in declared if d in FIVE} == {
        (d, e) for d in FIVE for e in (0.0, 0.1, 0.2, 0.3, 0.4)
    }
    others = {(d, e) for d, _, e in declared if d not in FIVE}
    assert len(others) == 7
    assert {epsilon for _, epsilon in others} == {0.0}


def share_row(dataset, epsilon, seed, error, flagged):
    return as_row(
        Case(dataset, "label", epsilon, "untaint-cv", seed),
        share.MEASURES,
        share_error=error,
        flagged=flagged,
    )


def test_share_errors_are_of_corrupted_sets_and_flags_of_clean_rows():
    rows = [
        share_row("a", 0.0, 0, 0.0, 0.01),
        share_row("a", 0.2, 0, 0.02, 0.5),
        share_row("a", 0.2, 1, 0.06, 0.5),
        share_row("drawn", 0.0, 0, 0.3, 0.05),
    ]
    assert auto_share.errors(rows) == (
        "Mean absolute error of the share, over 2 cells: 0.020; "
        "largest mean of a cell: 0.040; largest of a single fit: 0.060."
    )
    assert auto_share.flags(rows) == (
        "Flagged of clean rows, over 2 data sets: 0.030; largest mean of a data set: 0.050."
    )


def audit_row(kind, dataset="a", **measures):
    return as_row(Case(dataset, kind, 0.2, "untaint-cv", 0), audit_case.MEASURES, **measures)


def test_the_audit_is_summed_up_by_task_and_against_each_rival():
    found = {"false_discoveries": 0.1, "recall": 0.45, "oracle_recall": 0.5}
    rows = [
        audit_row("label", **found, precision_untaint=0.9, precision_forest=0.5),
        audit_row("shift", false_discoveries=0.3, precision_untaint=0.4, precision_forest=0.5),
        audit_row("flip", false_discoveries=0.4),
    ]
    text = audit.table(rows)
    assert "False discoveries, regression, mean over 2 cells: 0.200." in text
    assert "False discoveries, classification, mean over 1 cells: 0.400." in text
    assert "false discoveries: 0.900, smallest cell 0.900." in text
    assert "Average precision above IsolationForest's in 1 of 2 cells." in text
    assert text.endswith("cleanlab is not installed: no comparison.")


def test_the_audit_has_regression_and_classification_cells():
    assert {dataset for dataset, _, _ in cells(audit)} == FIVE | {"heart", "breast", "vehicle"}
    assert {kind for _, kind, _ in cells(audit)} == {"label", "cluster", "shift", "flip"}


@pytest.mark.parametrize("kind", ambiguity.SHIFTS)
def test_shifts_are_of_the_bad_rows_and_as_large_as_they_say(kind):
    case = Case("weak-100", kind, 0.4, "untaint-cv", 0)
    clean = rows_of(replace(case, kind="shift", epsilon=0.0))
    split = ambiguity.shifted(case)
    assert (~split.clean_mask).sum() == 32
    raised = (split.y_train - clean.y_train)[~split.clean_mask]
    np.testing.assert_allclose(raised, ambiguity.SHIFTS[kind])
    np.testing.assert_array_equal(split.y_train[split.clean_mask], clean.y_train[split.clean_mask])


def test_ambiguity_fills_its_columns_and_tells_due_warnings_from_false_ones():
    case = Case("weak-100", "shift-5", 0.4, "untaint-cv", 0)
    measures = ambiguity.run(case)
    assert set(measures) == set(ambiguity.MEASURES)
    ordinary = replace(case, kind="label")
    rows = [
        as_row(case, ambiguity.MEASURES, warned=1.0),
        as_row(ordinary, ambiguity.MEASURES, warned=0.0),
        as_row(replace(ordinary, seed=1), ambiguity.MEASURES, warned=1.0),
    ]
    text = ambiguity.table(rows)
    assert "A warning is due: warned in 1 of 1 fits." in text
    assert "Ordinary rows, no warning is due: warned in 1 of 2 fits." in text


def test_both_searches_have_the_same_settings(monkeypatch):
    monkeypatch.setattr(search_cost, "GAMMAS", (0.05, 0.1))
    monkeypatch.setattr(search_cost, "ALPHAS", (0.1, 1.0))
    monkeypatch.setattr(search_cost, "repeats", lambda n: 1)
    monkeypatch.setattr(search_cost, "plain", lambda n_jobs, plain=search_cost.plain: plain(None))
    measures = search_cost.run(Case("smooth-120", "label", 0.2, "in-turn", 0))
    assert set(measures) == set(search_cost.MEASURES)
    assert measures["times_faster"] == pytest.approx(
        measures["seconds_grid_search"] / measures["seconds_untaint"]
    )


def test_the_grid_of_the_search_is_5_by_7_and_large_sizes_run_once():
    assert (len(search_cost.GAMMAS), len(search_cost.ALPHAS)) == (5, 7)
    assert [search_cost.repeats(n) for n in search_cost.SIZES] == [3, 2, 1]
    grid = search_cost.plain(-1)
    assert (len(grid.param_grid["gamma"]), grid.n_jobs, grid.cv) == (5, -1, 5)
