"""Fixtures of all tests of the studies; ``fakes`` and ``speed_fakes`` can be imported by name."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator that starts from the same state in every test."""
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    """Trial runs read no files and download nothing."""
    monkeypatch.delenv("UNTAINT_DATA", raising=False)
