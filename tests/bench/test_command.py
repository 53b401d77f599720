"""The command runs a study, writes its file, prints its table, and resumes."""

from __future__ import annotations

import bench_fakes as fakes
import pytest

from untaint.bench import ratio_table
from untaint.bench.__main__ import main
from untaint.bench.studies import STUDIES, Study


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


@pytest.mark.parametrize("arguments", [["unheard-of"], ["speed", "--seeds", "0"], []])
def test_bad_usage_ends_with_code_2(arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
