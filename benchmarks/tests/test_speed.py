"""Every case has a process of its own; what ends without a fit is a result or an error."""

from __future__ import annotations

import json
import math
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from benchmarks.data.large import draw_rows, line
from benchmarks.frame import Case
from benchmarks.r import robustbase
from benchmarks.speed import child, process
from benchmarks.speed.child import main, measure, timed
from benchmarks.speed.process import MEASURES, quick_run, run_child
from untaint.exceptions import MemoryLimitError

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


def test_the_real_process_measures_a_case():
    found = quick_run(case("svc", "classes-exact-300"))
    assert set(found) == set(MEASURES)
    assert found["accuracy"] > 0.6
    assert found["peak_megabytes"] >= 0


@pytest.fixture
def no_limit(monkeypatch):
    # It would hold for the process of the tests, and for good.
    monkeypatch.setattr(child, "limit_memory", lambda: None)
    monkeypatch.setattr(child, "end_with_parent", lambda: None)


def arguments(tmp_path, **more):
    return {"n_test": 500, "components": None, "folder": str(tmp_path), "short": 0.0, **more}


@pytest.mark.usefixtures("no_limit")
@pytest.mark.parametrize("method", ["untaint", "genie", "linear-regression", "ransac"])
def test_a_linear_case_fills_every_column(method, tmp_path):
    found = measure("linear-500", method, 0, **arguments(tmp_path))
    assert set(found) == set(MEASURES)
    assert found["n"] == 500
    assert found["seconds"] > 0
    assert found["runs"] == 1
    assert math.isnan(found["accuracy"])
    if method in ("untaint", "genie"):
        assert found["rmse"] == pytest.approx(0.5, abs=0.05)
        assert found["coef_error"] < 0.2
        assert found["share"] == (0.2 if method == "untaint" else 0.0)


def test_memory_is_what_the_fit_adds():
    ballast = np.ones(2**22)
    kept = []
    cost = timed(lambda: kept.append(np.ones(30 * 2**17)), short=0.0)
    assert cost.megabytes == pytest.approx(30.0, abs=5.0)
    assert ballast.size


def test_a_fit_that_was_broken_off_says_so():
    def fit():
        warnings.warn("too few", ConvergenceWarning, stacklevel=2)

    assert timed(fit, short=0.0).outcome == "not converged"


@pytest.mark.usefixtures("no_limit")
@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (MemoryError(), "out of memory"),
        (MemoryLimitError(), "would exceed its memory_limit"),
    ],
)
def test_too_little_memory_is_an_outcome(error, outcome, monkeypatch, capsys):
    def no_luck(**arguments):
        raise error

    monkeypatch.setattr(child, "measure", no_luck)
    main("{}")
    assert json.loads(capsys.readouterr().out) == {"outcome": outcome}


ARGUMENTS = {"runs": (0.0, 1, 1), "warm_up": 200}


@pytest.mark.skipif(robustbase.missing() is not None, reason=str(robustbase.missing()))
@pytest.mark.parametrize("method", ["ltsreg", "lmrob"])
def test_the_line_is_found(method):
    rows = draw_rows(line, 1000, 0, kind="label", n_test=200)
    (model,) = robustbase.fit_all(method, [(rows.X, rows.y)], **ARGUMENTS)
    assert np.linalg.norm(model.coef_ - rows.coef) < 0.2
    assert model.runs == 1
    assert model.seconds >= 0
    assert np.std(model.predict(rows.X_test) - rows.y_test) == pytest.approx(0.5, abs=0.1)
    assert robustbase.about().startswith("R ")


def test_samples_go_to_r_and_coefficients_come_back(monkeypatch, rng):
    def fit_in_python(arguments, method, seconds):
        count, n, d = map(int, arguments[1:4])
        answers = []
        for sample in np.fromfile(arguments[4]).reshape(count, d + 1, n):
            design = np.column_stack([np.ones(n), *sample[:-1]])
            answers += [0.5, 1.0, 7.0, *np.linalg.lstsq(design, sample[-1], rcond=None)[0]]
        np.array(answers).tofile(arguments[5])

    monkeypatch.setattr(robustbase, "_run", fit_in_python)
    W = rng.normal(size=(3, 2))
    samples = [(X, X @ w + 4.0) for X, w in zip(rng.normal(size=(3, 30, 2)), W, strict=True)]
    fits = robustbase.fit_all("lmrob", samples)
    np.testing.assert_allclose([fit.coef_ for fit in fits], W)
    np.testing.assert_allclose([fit.intercept_ for fit in fits], 4.0)
    np.testing.assert_allclose(fits[1].predict(samples[1][0]), samples[1][1])


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("Error: cannot allocate vector of size 9.9 Gb", MemoryError),
        ("Error in fit : no luck", RuntimeError),
    ],
)
def test_failures_of_r_say_what_they_are(words, error, monkeypatch):
    ended = subprocess.CompletedProcess([], 1, stdout="", stderr=words)
    monkeypatch.setattr(robustbase.subprocess, "run", lambda *_, **__: ended)
    with pytest.raises(error, match=words[-7:]):
        robustbase.fit_all("lmrob", [(np.ones((3, 2)), np.ones(3))], **ARGUMENTS)
