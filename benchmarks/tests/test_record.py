"""The record beside a file of results."""

import pytest

from benchmarks.frame import Case
from benchmarks.frame.record import counts, read_record, recorded

CASES = [Case("kiln", "label", 0.2, method, seed) for seed in (0, 1) for method in ("a", "b")]


def row(case, error=""):
    return {name: getattr(case, name) for name in Case.__dataclass_fields__} | {"error": error}


def test_a_seed_counts_when_all_of_its_cases_were_run():
    found = counts([row(CASES[0]), row(CASES[1]), row(CASES[2], "ValueError")], CASES)
    assert found == {"seeds": 1, "cases": 3, "cases_asked_for": 4, "failed": 1}


def test_an_interrupted_run_is_recorded_and_seconds_add_up(tmp_path, monkeypatch):
    path, clock = tmp_path / "demo.csv", iter([0.0, 7.0, 0.0, 5.0])
    monkeypatch.setattr("benchmarks.frame.record.time.monotonic", lambda: next(clock))
    with (
        pytest.raises(KeyboardInterrupt),
        recorded(path, seeds=2, quick=False) as record,
    ):
        record["cases"] = 3
        raise KeyboardInterrupt
    with recorded(path, seeds=2, quick=False) as record:
        record["cases"] = 4
    found = read_record(path)
    assert found["seconds"] == 12
    assert found["command"] == 'make bench ARGS="demo --seeds 2"'
    assert found["first_day"] <= found["last_day"]


def test_methods_that_are_measured_again_have_their_own_code(tmp_path):
    path = tmp_path / "demo.csv"
    path.with_suffix(".toml").write_text('last_day = "2020-01-02"\ncode = ["abc"]\ncases = 4\n')
    with recorded(path, seeds=None, quick=False, again=["b", "a"]) as record:
        record["cases"] = 4
    found = read_record(path)
    assert (found["code"], found["again"]) == (["abc"], ["a", "b"])
    assert found["again_code"] != ["abc"] and found["last_day"] > "2020-01-02"
    with recorded(path, seeds=None, quick=False) as record:
        record["cases"] = 4
    assert read_record(path)["again"] == ["a", "b"]


def test_a_run_without_new_cases_keeps_the_day(tmp_path):
    path = tmp_path / "demo.csv"
    days = 'first_day = "2020-01-01"\nlast_day = "2020-01-02"\n'
    path.with_suffix(".toml").write_text(f'{days}code = ["abc"]\nseconds = 3\ncases = 4\n')
    with recorded(path, seeds=None, quick=True) as record:
        record["cases"] = 4
    found = read_record(path)
    assert (found["last_day"], found["code"]) == ("2020-01-02", ["abc"])
    assert found["command"] == 'make bench ARGS="demo --quick"'
