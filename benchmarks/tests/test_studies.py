"""Studies declare what they promise, and the code path from case to row works with fake methods."""

from __future__ import annotations

import importlib
import os
from collections import Counter

import bench_fakes as fakes
import numpy as np
import pytest
from benchmarks.fitting import gammas
from benchmarks.memory import Usage
from benchmarks.noisy.streams import ANGLES
from benchmarks.papers.readings import READINGS
from benchmarks.simulation.designs import ERRORS

from benchmarks import Case, prepare
from benchmarks.data import load
from benchmarks.evaluate import ALPHAS, MEASURES, POWERS, evaluate
from benchmarks.studies import (
    STUDIES,
    ambiguity,
    class_growth,
    class_speed,
    growth,
    measurement_error,
    mistakes,
    privacy,
    small_tables,
    speed,
)
from benchmarks.studies.simulation import PLACES, SIZES
from untaint.datasets.corruption import KINDS, task_of

# Streams, surfaces and tables that are drawn in the study, and have no name among the data sets.
DRAW_THEIR_OWN = (
    "regret",
    "noisy-kernel",
    "stream-speed",
    "simulation",
    "mistakes",
    *speed.STUDIES,
)


@pytest.fixture
def fake_methods(monkeypatch):
    monkeypatch.setattr("benchmarks.methods", fakes, raising=False)


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("quick", [False, True])
def test_cases_are_distinct_and_name_known_kinds(name, quick):
    cases = STUDIES[name].cases(range(2), quick)
    assert len(set(cases)) == len(cases) > 0
    # The study of ambiguity has a shift of its own, people make mistakes of their own, noise of
    # features is no corruption of rows, a simulation draws errors and places lies, and the papers'
    # noise is read in two ways.
    noisy = {measurement_error.KIND, privacy.KIND, *ANGLES}
    simulated = {*ERRORS, *(f"{place}-{size:g}" for place in PLACES for size in SIZES)}
    others = {*ambiguity.SHIFTS, *mistakes.KINDS, *noisy, *simulated, *READINGS, "clean"}
    assert {case.kind for case in cases} <= {*KINDS, *others}
    assert {case.seed for case in cases} == {0, 1}


@pytest.mark.parametrize("name", ["label-noise", "structured", "breakdown"])
def test_every_accuracy_setting_has_its_genie_and_ten_seeds(name):
    study = STUDIES[name]
    cases = study.cases(range(study.seeds), False)
    assert study.seeds >= 10
    settings = {(case.dataset, case.kind, case.epsilon, case.seed) for case in cases}
    genies = Counter(case.method for case in cases)["genie"]
    assert genies == len(settings)
    assert {case.dataset for case in cases} == {"boston", "concrete", "wine"}


@pytest.mark.parametrize(
    ("name", "datasets", "seeds"),
    [
        ("flips", {"heart", "breast"}, 20),
        ("one-sided", {"heart", "breast"}, 20),
        ("flips-with-features", {"heart", "breast"}, 20),
        ("rare-class", {"rare-2000"}, 10),
        ("probabilities", {"heart", "breast"}, 20),
    ],
)
def test_every_classification_setting_has_its_genie(name, datasets, seeds):
    study = STUDIES[name]
    cases = study.cases(range(study.seeds), False)
    assert study.seeds == seeds
    settings = {(case.dataset, case.kind, case.epsilon, case.seed) for case in cases}
    assert Counter(case.method for case in cases)["genie"] == len(settings)
    assert {case.dataset for case in cases} == datasets
    assert {"untaint", "untaint-auto", "kernel-logistic"} < {case.method for case in cases}
    assert {task_of(case.kind) for case in cases} == {"classification"}


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in DRAW_THEIR_OWN])
def test_a_trial_run_reads_no_files(name, monkeypatch):
    monkeypatch.delenv("UNTAINT_DATA", raising=False)
    for dataset in {case.dataset for case in STUDIES[name].cases([0], True)}:
        assert len(load(dataset, 0)[0]) <= 600


def test_a_table_for_every_measure_that_a_study_reports():
    case = {"dataset": "rare-400", "kind": "flip-spare-rare", "epsilon": 0.2, "seed": 0}
    rows = [
        {**case, "method": method, "rarest_recall": recall, "accuracy": 0.9}
        for method, recall in (("genie", 0.5), ("svc", 0.25))
    ]
    recalls, accuracies = STUDIES["rare-class"].table(rows).split("\n\n")
    assert "| genie rarest recall | svc |" in recalls
    assert recalls.endswith("| 0.500 | 0.250 (-0.250) |")
    assert accuracies.endswith("| 0.900 | 0.900 (+0.000) |")


def test_sizes_of_the_growth_studies():
    assert [case.dataset for case in growth.cases([0], False)] == [
        f"smooth-{n}" for n in (5000, 10000, 20000)
    ]
    assert [case.dataset for case in class_speed.cases([0], False)] == [
        "classes2-5000",
        "classes5-5000",
    ]
    assert [case.dataset for case in class_growth.cases([0], False)] == [
        f"classes2-{n}" for n in (2000, 5000, 10000)
    ]


def test_small_tables_are_compared_by_the_times_of_their_fits(monkeypatch):
    monkeypatch.setattr(small_tables, "REPEATS", 1)
    measures = small_tables.run(Case("smooth-60", "label", 0.2, "in-turn", 0))
    assert set(measures) == set(small_tables.MEASURES)
    assert measures["auto_over_given"] == pytest.approx(
        measures["seconds_auto"] / measures["seconds_given"]
    )


def test_class_speed_fills_its_columns():
    measures = class_speed.run(Case("classes2-120", "flip", 0.2, "in-turn", 0))
    assert set(measures) == set(class_speed.MEASURES)
    assert all(value > 0 for value in measures.values())
    assert measures["time_over_svc"] == pytest.approx(
        measures["seconds_untaint"] / measures["seconds_svc"]
    )
    assert measures["accuracy_genie"] > 0.6


def test_class_growth_measures_a_fit_of_all_rows(monkeypatch):
    def here(job, **arguments):
        module, _, function = job.partition(":")
        model = getattr(importlib.import_module(module), function)(**arguments)()
        assert len(model.inlier_mask_) == 150
        return Usage(seconds=2.0, megabytes=3.0)

    monkeypatch.setattr(growth, "peak_memory", here)
    measures = class_growth.run(Case("classes2-150", "flip", 0.2, "untaint", 0))
    assert measures == pytest.approx(
        {"seconds": 2.0, "peak_megabytes": 3.0, "matrix_megabytes": 4 * 150**2 / 2**20}
    )


@pytest.mark.usefixtures("fake_methods")
def test_evaluation_scores_on_clean_rows():
    genie = evaluate(Case("kiln", "label", 0.4, "genie", 0))
    mean = evaluate(Case("kiln", "label", 0.4, "mean", 0))
    assert set(genie) == set(MEASURES)
    assert genie["rmse"] == pytest.approx(1.0, abs=0.2)
    assert mean["rmse"] == pytest.approx((genie["rmse"] ** 2 + 2.0**2) ** 0.5, abs=0.5)
    assert genie["alpha"] == ALPHAS[0]
    assert genie["gamma"] == gammas(3, POWERS)[0]


def test_data_sets_are_found_by_name():
    assert load("kiln", 0)[0].shape == (400, 3)
    assert load("polynomial-20", 0)[0].shape == (20, 1)
    assert (load("smooth-20", 0)[1] != load("smooth-20", 1)[1]).any()
    with pytest.raises(ValueError, match=r"Unknown data set 'smoth-20'.*digits, .*rare-N\."):
        load("smoth-20", 0)


@pytest.mark.parametrize(("name", "sizes"), [("classes2", 2), ("classes5", 5), ("rare", 3)])
def test_drawn_classes_are_found_by_name(name, sizes):
    X, y = load(f"{name}-300", 0)
    assert X.shape == (300, 8)
    assert len(Counter(y.tolist())) == sizes
    assert (min(Counter(y.tolist()).values()) == 9) == (name == "rare")


@pytest.mark.skipif("UNTAINT_DATA" not in os.environ, reason="needs the real files")
@pytest.mark.parametrize("name", ["heart", "breast", "vehicle", "segment", "glass", "digits"])
def test_classification_sets_pass_the_protocol(name):
    X, y = load(name, 0)
    split = prepare(X, y, kind="flip", epsilon=0.2, seed=0)
    assert np.isfinite(split.X_train).all()
    assert np.isfinite(split.X_test).all()
    n_classes = len(np.unique(y))
    assert set(split.y_train) == set(split.y_test) == set(range(n_classes))


def size_row(n, **measures):
    return {"dataset": f"smooth-{n}", "seed": 0, "error": "", **measures}


def test_growth_table_ends_with_the_exponents():
    rows = [
        size_row(n, seconds=3.0 * n**2, peak_megabytes=5.0 * n, matrix_megabytes=1.0)
        for n in (20, 10)
    ]
    text = growth.table(rows)
    assert text.endswith("Time grows as n^2.00, peak memory as n^1.00.")
    assert text.split("\n")[2].startswith("| 10 | 300.00 |")
