"""Studies declare what they promise, and the road from case to row works with fake methods."""

from __future__ import annotations

from collections import Counter

import bench_fakes as fakes
import pytest

from untaint.bench import Case
from untaint.bench.data import load
from untaint.bench.evaluate import ALPHAS, MEASURES, evaluate, gammas
from untaint.bench.studies import STUDIES, growth, speed
from untaint.datasets.corruption import KINDS


@pytest.fixture
def fake_methods(monkeypatch):
    monkeypatch.setattr("untaint.bench.methods", fakes, raising=False)


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("quick", [False, True])
def test_cases_are_distinct_and_name_known_kinds(name, quick):
    cases = STUDIES[name].cases(range(2), quick)
    assert len(set(cases)) == len(cases) > 0
    assert {case.kind for case in cases} <= set(KINDS)
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


def test_sizes_of_the_speed_and_growth_studies():
    assert [case.dataset for case in speed.cases([0], False)] == [
        f"smooth-{n}" for n in (1000, 2000, 5000, 10000)
    ]
    assert [case.dataset for case in growth.cases([0], False)] == [
        f"smooth-{n}" for n in (5000, 10000, 20000)
    ]


@pytest.mark.usefixtures("fake_methods")
def test_evaluation_scores_on_clean_rows():
    genie = evaluate(Case("kiln", "label", 0.4, "genie", 0))
    mean = evaluate(Case("kiln", "label", 0.4, "mean", 0))
    assert set(genie) == set(MEASURES)
    assert genie["rmse"] == pytest.approx(1.0, abs=0.2)
    assert mean["rmse"] == pytest.approx((genie["rmse"] ** 2 + 2.0**2) ** 0.5, abs=0.5)
    assert genie["alpha"] == ALPHAS[0]
    assert genie["gamma"] == gammas(3)[0]


def test_data_sets_are_found_by_name():
    assert load("kiln", 0)[0].shape == (400, 3)
    assert load("polynomial-20", 0)[0].shape == (20, 1)
    assert (load("smooth-20", 0)[1] != load("smooth-20", 1)[1]).any()
    with pytest.raises(ValueError, match="Unknown data set 'smoth-20'"):
        load("smoth-20", 0)


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


def test_speed_table_averages_seeds_and_shows_failures():
    rows = [size_row(10, **dict.fromkeys(speed.MEASURES, value)) for value in (1.0, 2.0)]
    rows.append(size_row(20, **dict.fromkeys(speed.MEASURES, "")) | {"error": "no"})
    lines = speed.table(rows).split("\n")
    assert lines[2].startswith("| 10 | 1.50 |")
    assert lines[3].startswith("| 20 | failed |")
