"""R's fits find the line, and R's failures say what they are."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from benchmarks.speed.robustbase import fit, missing
from benchmarks.speed.rows import draw_rows, line

from benchmarks.speed import robustbase

ARGUMENTS = {"runs": (0.0, 1, 1), "warm_up": 200}


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
@pytest.mark.parametrize("method", ["ltsreg", "lmrob"])
def test_the_line_is_found(method, tmp_path):
    rows = draw_rows(line, 1000, 0, kind="label", n_test=200)
    model = fit(method, rows.X, rows.y, tmp_path, **ARGUMENTS)
    assert np.linalg.norm(model.coef_ - rows.coef) < 0.2
    assert model.runs == 1
    assert model.seconds >= 0
    assert np.std(model.predict(rows.X_test) - rows.y_test) == pytest.approx(0.5, abs=0.1)
    assert robustbase.about().startswith("R ")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("Error: cannot allocate vector of size 9.9 Gb", MemoryError),
        ("Error in fit : no luck", RuntimeError),
    ],
)
def test_failures_of_r_say_what_they_are(words, error, tmp_path, monkeypatch):
    ended = subprocess.CompletedProcess([], 1, stdout="", stderr=words)
    monkeypatch.setattr(robustbase.subprocess, "run", lambda *_, **__: ended)
    with pytest.raises(error, match=words[-7:]):
        fit("lmrob", np.ones((3, 2)), np.ones(3), tmp_path, **ARGUMENTS)


def test_without_r_there_is_a_reason(monkeypatch):
    monkeypatch.setattr(robustbase.shutil, "which", lambda _: None)
    assert missing.__wrapped__() == "Rscript is not installed"
