"""Every study runs: a case of each method, its file, its table and its pictures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.frame import run_study
from benchmarks.frame.results import ResultsFile
from benchmarks.studies import STUDIES

# A process for every case, and methods that repeat in all families.
FEW = {name: 2 for name in STUDIES if name.startswith("speed")}


def some_cases(name):
    """The first case of every method in a trial run, some of these where they are many."""
    found = {}
    for case in STUDIES[name].cases([0], True):
        found.setdefault(case.method, case)
    return list(found.values())[: FEW.get(name)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STUDIES)
def test_a_trial_run_fills_its_columns_and_draws_its_table(name, tmp_path, capsys):
    cases = some_cases(name)
    study = replace(STUDIES[name], cases=lambda seeds, quick: cases)
    assert run_study(study, tmp_path / "rows.csv", quick=True) == 0
    rows = ResultsFile(tmp_path / "rows.csv", study.measures).read()
    assert len(rows) == len(cases)
    assert all(any(row[name] != "" for name in study.measures) for row in rows)
    text = (tmp_path / "rows.md").read_text()
    assert text.startswith(study.question) and "| ---: |" in text
    assert not study.draw or list(tmp_path.glob("*.png")) or "matplotlib" in capsys.readouterr().err


@pytest.mark.parametrize("name", STUDIES)
def test_cases_are_distinct_and_a_failed_study_still_has_a_table(name):
    study = STUDIES[name]
    cases = study.cases(range(2), True)
    assert len(set(cases)) == len(cases) > 0
    failed = {**dict.fromkeys(study.measures, ""), "error": "no luck"}
    assert study.table([{**vars(case), **failed} for case in cases])
