"""``make bench`` runs a study, writes its file, prints its table, and resumes."""

from __future__ import annotations

from dataclasses import replace

import bench_fakes as fakes
import pytest
from benchmarks.files import alone_on

from benchmarks import ratio_table
from benchmarks.__main__ import main
from benchmarks.studies import FORMER_NAMES, STUDIES, Study


@pytest.fixture
def study(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def declare(methods):
        study = Study(
            "How good?",
            lambda seeds, quick: fakes.cases(len(seeds), methods),
            fakes.run,
            ("rmse",),
            ratio_table,
            seeds=3,
        )
        monkeypatch.setitem(STUDIES, "fake", study)

    return declare


def test_table_and_file_are_written(study, tmp_path, capsys):
    study(("genie", "mean"))
    assert main(["fake"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("How good?\n\n| dataset |")
    assert "| kiln | label | 0.2 | 1.10 | 1.91 |" in shown
    assert len((tmp_path / "results" / "fake.csv").read_text().splitlines()) == 7


def test_seeds_quick_and_out_are_heeded_and_other_rows_left_out(study, tmp_path, capsys):
    study(("genie",))
    assert main(["fake", "--seeds", "5", "--out", "here.csv"]) == 0
    assert len((tmp_path / "here.csv").read_text().splitlines()) == 6
    capsys.readouterr()
    assert main(["fake", "--seeds", "1", "--out", "here.csv"]) == 0
    assert "| 1.00 |" in capsys.readouterr().out
    assert main(["fake", "--quick"]) == 0
    assert len((tmp_path / "results" / "fake-quick.csv").read_text().splitlines()) == 3


def test_failures_are_reported_in_one_sentence(study, capsys):
    study(("genie", "bad"))
    assert main(["fake"]) == 1
    captured = capsys.readouterr()
    assert "| failed |" in captured.out
    assert "3 of 6 cases failed" in captured.err
    assert "RuntimeError: no luck" in captured.err


def test_the_table_is_written_whole_beside_the_rows(study, tmp_path, capsys):
    study(("genie", "mean"))
    main(["fake"])
    assert (tmp_path / "results" / "fake.md").read_text() == capsys.readouterr().out


def test_pictures_are_drawn_from_the_rows_that_did_not_fail(study, tmp_path, capsys, monkeypatch):
    study(("genie", "bad"))
    drawn = []

    def draw(rows, path):
        drawn.extend(row["method"] for row in rows)
        return [path.with_suffix(".png")]

    monkeypatch.setitem(STUDIES, "fake", replace(STUDIES["fake"], draw=draw))
    main(["fake"])
    assert drawn == ["genie"] * 3
    assert "Drawn: results/fake.png" in capsys.readouterr().out


def test_without_matplotlib_the_table_is_there_and_a_hint(study, capsys, monkeypatch):
    study(("genie",))

    def draw(rows, path):
        raise ImportError("pictures need matplotlib")

    monkeypatch.setitem(STUDIES, "fake", replace(STUDIES["fake"], draw=draw))
    assert main(["fake"]) == 0
    captured = capsys.readouterr()
    assert "| kiln |" in captured.out
    assert "need matplotlib" in captured.err


def test_a_trial_run_may_be_run_otherwise(study, tmp_path, monkeypatch):
    study(("genie",))
    quick = replace(STUDIES["fake"], quick_run=lambda case: {"rmse": 7.0})
    monkeypatch.setitem(STUDIES, "fake", quick)
    main(["fake", "--quick"])
    assert (tmp_path / "results" / "fake-quick.csv").read_text().count(",7.0,") == 2


def test_without_a_name_the_studies_are_listed(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(STUDIES)
    assert all(study.question in line for line, study in zip(lines, STUDIES.values(), strict=True))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["unheard-of"], "no study 'unheard-of'"),
        (["speed", "--seeds", "0"], "'--seeds'"),
        (["speed", "--jobs", "two"], "'--jobs'"),
    ],
)
def test_bad_usage_ends_with_code_2_and_one_sentence(arguments, reason, capsys):
    assert main([*arguments]) == 2
    message = capsys.readouterr().err
    assert reason in message
    assert message.count("\n") == 1


def test_a_former_name_of_a_study_is_accepted(study, tmp_path, capsys, monkeypatch):
    study(("genie",))
    monkeypatch.setitem(FORMER_NAMES, "old", "fake")
    assert main(["old", "--out", str(tmp_path / "here.csv")]) == 0
    assert FORMER_NAMES["no-knobs"] in STUDIES


def test_a_second_run_on_the_same_file_is_refused(study, tmp_path, capsys):
    study(("genie",))
    with alone_on(tmp_path / "here.csv"):
        assert main(["fake", "--out", str(tmp_path / "here.csv")]) == 2
    assert "Another run is writing" in capsys.readouterr().err


def test_a_file_of_another_study_is_refused(study, tmp_path, capsys):
    study(("genie",))
    (tmp_path / "here.csv").write_text("dataset,kind,epsilon,method,seed,seconds,error\n")
    assert main(["fake", "--out", str(tmp_path / "here.csv")]) == 2
    assert "has other columns" in capsys.readouterr().err
