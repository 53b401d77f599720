"""The bar fits its line and is drawn only where it can be redrawn."""

from __future__ import annotations

import io

from benchmarks.progress import StudyProgress, bar, clock


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_a_bar_on_one_line(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    progress = StudyProgress(4, stream)
    for _ in range(2):
        progress.step("a label much too long for a line of sixty characters, and longer")
    progress.close()
    first, last = stream.getvalue().rstrip("\n").split("\r")[1:]
    assert len(first) == len(last) == 59
    assert last.startswith(bar(0.5))
    assert stream.getvalue().endswith("\n")


def test_other_streams_get_a_line_for_each_case():
    stream = io.StringIO()
    progress = StudyProgress(2, stream)
    progress.step("one")
    progress.step("two")
    progress.close()
    assert [line.rpartition(": ")[2] for line in stream.getvalue().splitlines()] == ["one", "two"]
    assert "\r" not in stream.getvalue()


def test_clock_has_hours_only_if_there_are_any():
    assert clock(59.9) == "0:59"
    assert clock(3600) == "1:00:00"
