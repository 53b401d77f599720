"""Figures that nobody looks at need few pixels."""

import pytest

from benchmarks.figures import style


@pytest.fixture(autouse=True)
def few_pixels(monkeypatch):
    monkeypatch.setattr(style, "DPI", 40)
