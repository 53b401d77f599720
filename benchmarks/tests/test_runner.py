"""Runs skip what is done, survive failures and kills, and do not depend on the number of jobs."""

from __future__ import annotations

import io
import subprocess
import sys
import time

import fakes
import pytest

from benchmarks.frame import ResultsFile, run_cases
from benchmarks.frame.children import child_environment

PROGRAM = """
import sys
import fakes
from benchmarks.frame import ResultsFile, run_cases
results, jobs = ResultsFile(sys.argv[1], ["rmse"]), int(sys.argv[2])
run_cases(fakes.cases(10), fakes.run_slowly, results, jobs=jobs)
"""


def finish(path, cases, run=fakes.run, **options):
    stream = io.StringIO()
    results = ResultsFile(path, ["rmse"])
    failed = run_cases(cases, run, results, progress=stream, **options)
    return failed, results.read(), stream.getvalue()


def test_every_case_becomes_a_row_and_progress_is_shown(tmp_path):
    failed, rows, shown = finish(tmp_path / "a.csv", fakes.cases(3))
    assert failed == 0
    assert [(row["method"], row["seed"], row["rmse"]) for row in rows][:3] == [
        ("genie", 0, 1.0),
        ("mean", 0, 2.0),
        ("genie", 1, 1.1),
    ]
    assert "[6/6]" in shown
    assert "kiln label 0.2 mean #2" in shown


def test_done_cases_are_not_run_again(tmp_path):
    seen = []

    def run(case):
        seen.append(case)
        return fakes.run(case)

    finish(tmp_path / "a.csv", fakes.cases(2), run)
    _, rows, shown = finish(tmp_path / "a.csv", fakes.cases(3), run)
    assert len(seen) == len(set(seen)) == len(rows) == 6
    assert "4 of 6 cases are done already" in shown


def test_a_failing_case_is_a_row_and_the_others_go_on(tmp_path):
    cases = fakes.cases(2, methods=("bad", "genie"))
    failed, rows, _ = finish(tmp_path / "a.csv", cases)
    assert failed == 2
    assert rows[0]["error"] == "RuntimeError: no luck, with a comma"
    assert rows[1]["rmse"] == 1.0


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_resumes_to_the_same_file(tmp_path, jobs):
    whole, killed = tmp_path / "whole.csv", tmp_path / "killed.csv"
    finish(whole, fakes.cases(10))
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(killed), str(jobs)],
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while len(ResultsFile(killed, ["rmse"]).read()) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    # The workers hold the other end as well: reading ends when the last of them has.
    process.communicate(timeout=20)
    assert 3 <= len(ResultsFile(killed, ["rmse"]).read()) < 20
    with killed.open("a") as file:
        file.write("kiln,label,0.2,me")  # what a kill in the midst of a write would leave
    finish(killed, fakes.cases(10), jobs=jobs)
    assert killed.read_bytes() == whole.read_bytes()


def test_processes_give_the_same_rows_and_failures(tmp_path):
    cases = fakes.cases(3, methods=("genie", "bad"))
    serial = finish(tmp_path / "serial.csv", cases)
    parallel = finish(tmp_path / "parallel.csv", cases, jobs=2)
    assert serial[0] == parallel[0] == 3
    assert serial[1] == parallel[1]


def test_a_worker_that_dies_leaves_error_rows(tmp_path):
    failed, rows, _ = finish(tmp_path / "a.csv", fakes.cases(1), fakes.run_and_die, jobs=2)
    assert failed == 2
    assert all(row["error"].startswith("BrokenProcessPool") for row in rows)
