"""The studies of speed declare what they promise."""

from __future__ import annotations

import pytest

from benchmarks.speed import robustbase
from benchmarks.speed.families import FAMILIES, parse
from benchmarks.studies import STUDIES

SPEED = [name for name in STUDIES if name == "speed" or name.startswith("speed-")]


def families(name, quick=False):
    return {parse(case.dataset)[0] for case in STUDIES[name].cases([0], quick)}


def test_there_is_a_study_a_family_and_one_of_all_but_the_largest():
    assert SPEED == [
        "speed",
        "speed-exact",
        "speed-approximate",
        "speed-linear",
        "speed-classes",
        "speed-linear-classes",
        "speed-memory",
        "speed-map",
    ]
    assert families("speed") == set(FAMILIES) - {"map"}
    assert families("speed-classes") == {"classes-exact", "classes-approximate"}
    assert families("speed-map") == {"map"}


@pytest.mark.parametrize("name", SPEED)
def test_all_methods_of_a_family_follow_one_another_on_the_same_rows(name):
    cases = STUDIES[name].cases(range(2), False)
    changes = [(case.seed, case.dataset) for case in cases]
    blocks = [now for before, now in zip([None, *changes], changes, strict=False) if now != before]
    assert len(blocks) == len(set(blocks))
    for dataset in {case.dataset for case in cases}:
        methods = [c.method for c in cases if c.dataset == dataset and c.seed == 0]
        assert methods[0] == "untaint"
        assert "untaint-plain" in methods


@pytest.mark.parametrize("name", SPEED)
def test_a_trial_run_is_small_and_a_failed_one_has_its_page(name):
    study = STUDIES[name]
    cases = study.cases([0], True)
    assert max(parse(case.dataset)[1] for case in cases) <= 600
    failed = {**dict.fromkeys(study.measures, ""), "error": "no luck"}
    assert "failed: no luck" in study.table([{**vars(case), **failed} for case in cases])


def test_sizes():
    sizes = {name: family.sizes for name, family in FAMILIES.items()}
    assert sizes["exact"] == (1_000, 2_000, 4_000, 8_000, 16_000)
    assert sizes["approximate"] == sizes["linear"]
    assert sizes["linear"] == (10_000, 30_000, 100_000, 300_000, 1_000_000)
    assert sizes["classes-approximate"][-1] == 300_000
    assert sizes["linear-classes"][-1] == 500_000
    assert sizes["map"] == (10_000_000,)


@pytest.mark.parametrize("reason", [None, "Rscript is not installed"])
def test_rivals_of_r_take_part_where_r_is(reason, monkeypatch):
    monkeypatch.setattr(robustbase, "missing", lambda: reason)
    methods = {case.method for case in STUDIES["speed-linear"].cases([0], False)}
    assert ({"ltsreg", "lmrob"} <= methods) == (reason is None)
