"""Every case has a process of its own; what ends without a fit is a result or an error."""

from __future__ import annotations

import pytest

from benchmarks import Case
from benchmarks.speed import process
from benchmarks.speed.process import MEASURES, one_at_a_time, quick_run, run_child

fcntl = pytest.importorskip("fcntl", reason="needs signals and file locks")


def case(method, dataset="approximate-600"):
    return Case(dataset, "label", 0.2, method, 0)


@pytest.fixture
def fake_child(monkeypatch):
    monkeypatch.setattr(process, "CHILD", "speed_fakes")


@pytest.mark.usefixtures("fake_child")
def test_the_last_line_counts_and_cores_are_not_withheld(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert quick_run(case("fine")) == {"seconds": 1.0, "outcome": "all threads, 50"}
    assert process.run(case("fine"))["outcome"] == "all threads, 1000"


@pytest.mark.usefixtures("fake_child")
def test_a_process_that_the_system_ended_was_out_of_memory():
    found = quick_run(case("killed"))
    assert found["outcome"] == "out of memory"
    assert found["n"] == 600
    assert "core" in found["hardware"]
    assert set(found) < set(MEASURES)


@pytest.mark.usefixtures("fake_child")
def test_a_failure_is_raised_with_its_last_words():
    with pytest.raises(RuntimeError, match=r"^ValueError: no luck$"):
        quick_run(case("fails"))


@pytest.mark.usefixtures("fake_child")
def test_time_runs_out(monkeypatch):
    monkeypatch.setattr(process, "PATIENCE", 0.0)
    found = run_child(case("slow"), components=5, n_test=5, short=0.0, seconds=0.2)
    assert found["outcome"] == "out of time"


def test_cases_wait_for_one_another(tmp_path, monkeypatch):
    monkeypatch.setattr(process.tempfile, "tempdir", str(tmp_path))
    with one_at_a_time():
        (lock,) = tmp_path.iterdir()
        with lock.open() as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_real_process_measures_a_case():
    found = quick_run(case("svc", "classes-exact-300"))
    assert set(found) == set(MEASURES)
    assert found["accuracy"] > 0.6
    assert found["peak_megabytes"] >= 0
