"""The progress line: what it says, where it says it, and when it keeps quiet."""

from __future__ import annotations

import io
import re

import pytest

from untaint import _progress
from untaint._progress import ProgressLine
from untaint.optim.base import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test turns on: ``clock.now = 3.0``."""

    class Clock:
        now = 0.0

    monkeypatch.setattr(_progress, "perf_counter", lambda: Clock.now)
    return Clock


def step(iteration, n_changed, objective=12.3456789, max_iter=100):
    return Progress(iteration, max_iter, objective, n_changed)


def test_says_objective_weights_changed_and_time_left():
    stream = Terminal()
    ProgressLine("Fit", stream)(step(3, n_changed=17))
    text = stream.getvalue()
    assert "Fit [" in text
    assert "iteration 3" in text
    assert "objective 12.3457" in text
    assert "17 weights changed" in text
    assert re.search(r"\d+\.\d s left", text)


def test_a_terminal_line_is_drawn_over():
    stream = Terminal()
    line = ProgressLine("Fit", stream)
    line(step(1, 10))
    line(step(2, 5))
    assert stream.getvalue().count("\r\x1b[K") == 2
    assert "\n" not in stream.getvalue()
    line.close()
    assert stream.getvalue().endswith("\n")
    assert stream.getvalue().count("\n") == 1


def test_elsewhere_only_the_last_state_is_written():
    stream = io.StringIO()
    line = ProgressLine("Fit", stream)
    for iteration in range(1, 6):
        line(step(iteration, n_changed=10 - iteration))
        assert stream.getvalue() == ""
    line.close()
    assert stream.getvalue().count("\n") == 1
    assert "iteration 5" in stream.getvalue()
    assert "\r" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_a_line_that_was_never_begun_closes_in_silence(stream):
    output = stream()
    ProgressLine("Fit", output).close()
    assert output.getvalue() == ""


def test_standard_error_is_the_default(capsys):
    line = ProgressLine("Fit")
    line(step(1, 0))
    line.close()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "iteration 1" in captured.err


def test_no_time_is_left_when_no_weight_changes(clock):
    stream = Terminal()
    line = ProgressLine("Fit", stream)
    clock.now = 5.0
    line(step(4, n_changed=0))
    assert "0 weights changed, 0.0 s left" in stream.getvalue()
    assert "[" + "#" * 24 + "]" in stream.getvalue()


def test_time_left_follows_the_decline_of_the_changes(clock):
    stream = Terminal()
    line = ProgressLine("Fit", stream)
    clock.now = 1.0
    line(step(1, n_changed=64))
    clock.now = 4.0
    line(step(4, n_changed=8))  # halved at every step: 4, 2, 1, a half, then done
    assert "8 weights changed, 5.0 s left" in line.line


def test_without_a_decline_all_iterations_are_expected(clock):
    stream = Terminal()
    line = ProgressLine("Fit", stream)
    clock.now = 2.0
    line(step(2, n_changed=9, max_iter=10))
    assert "8.0 s left" in line.line


@pytest.mark.parametrize("iteration", [1, 2, 50, 100])
@pytest.mark.parametrize("n_changed", [0, 1, 1000])
def test_the_bar_always_has_its_width(iteration, n_changed):
    line = ProgressLine("Fit", io.StringIO())
    line(step(1, n_changed=1001))
    line(step(iteration, n_changed))
    (bar,) = re.findall(r"\[([#.]+)\]", line.line)
    assert len(bar) == 24


@pytest.mark.parametrize("objective", [0.0, -3.0, 1e300, float("inf"), float("nan")])
def test_any_objective_can_be_shown(objective):
    line = ProgressLine("Fit", io.StringIO())
    line(step(1, 3, objective=objective))
    assert f"objective {objective:.6g}" in line.line
