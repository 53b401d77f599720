"""``make bench`` runs a study, writes its file, prints its table, and resumes."""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace

import fakes
import pytest

from benchmarks.__main__ import COMMANDS, main
from benchmarks.frame import Study
from benchmarks.frame.children import child_environment
from benchmarks.frame.study import alone_on
from benchmarks.frame.tables import against_table
from benchmarks.studies import FORMER_NAMES, STUDIES


@pytest.fixture
def study(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def declare(methods, **options):
        study = Study(
            "How good?",
            lambda seeds, quick: fakes.cases(len(seeds), methods),
            fakes.run,
            ("rmse",),
            against_table,
            seeds=3,
        )
        monkeypatch.setitem(STUDIES, "fake", replace(study, **options))

    return declare


def test_table_and_file_are_written(study, tmp_path, capsys):
    study(("genie", "mean"))
    assert main(["fake"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("How good?\n\n| dataset |")
    assert "| kiln | label | 0.2 | 1.10 | 1.91 |" in shown
    assert len((tmp_path / "results" / "fake.csv").read_text().splitlines()) == 7
    assert (tmp_path / "results" / "fake.md").read_text() == shown


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


def test_pictures_are_drawn_and_without_matplotlib_there_is_a_hint(study, capsys, monkeypatch):
    from benchmarks.figures import noise

    drawn = []

    def draw(rows, path):
        drawn.extend(row["method"] for row in rows)
        yield path.with_suffix(".png")
        raise ImportError("pictures need matplotlib")

    monkeypatch.setattr(noise, "draw_ratios", draw)
    study(("genie", "bad"), draw="noise:draw_ratios")
    main(["fake"])
    assert drawn == ["genie"] * 3
    captured = capsys.readouterr()
    assert "Drawn: results/fake.png" in captured.out
    assert "need matplotlib" in captured.err


def test_a_trial_run_may_be_run_otherwise(study, tmp_path):
    study(("genie",), quick_run=lambda case: {"rmse": 7.0})
    main(["fake", "--quick"])
    assert (tmp_path / "results" / "fake-quick.csv").read_text().count(",7.0,") == 2


def test_without_a_name_all_are_listed_with_what_they_answer(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*STUDIES, *COMMANDS]
    assert all(len(line.split()) > 3 for line in lines)


def test_a_reader_that_stops_early_is_no_error():
    words = f"{sys.executable} -m benchmarks | head -n 1"
    found = subprocess.run(
        words, shell=True, env=child_environment(), capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith(next(iter(STUDIES)))
    assert found.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["tabel1"], "did you mean 'table1'?"),
        (["unheard-of"], "no study 'unheard-of'"),
        (["speed", "--seeds", "0"], "--seeds"),
        (["speed", "--jobs", "two"], "--jobs"),
        (["speed", "--fast"], "--fast"),
        (["fuzz-files", "--target", "nothing"], "--target"),
    ],
)
def test_bad_usage_ends_with_code_2_and_one_sentence(arguments, reason, capsys, monkeypatch):
    monkeypatch.setattr(argparse.ArgumentParser, "error", argparse.ArgumentParser.error)
    monkeypatch.setattr(sys, "argv", sys.argv)
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = ended.code
    message = capsys.readouterr().err
    assert code == 2
    assert reason in message
    assert message.count("\n") == 1


def test_a_former_name_of_a_study_is_accepted(study, tmp_path, monkeypatch):
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
