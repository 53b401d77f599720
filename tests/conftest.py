"""What every test may use."""

import urllib.request
from contextlib import ExitStack

import hypothesis
import numpy as np
import pytest

from untaint._policy import set_policy

# Every draw is seeded, and a busy machine is no failure.
hypothesis.settings.register_profile("untaint", derandomize=True, deadline=None)
hypothesis.settings.load_profile("untaint")


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator that starts from the same state in every test."""
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Nothing is downloaded here; a test that tries fails, whatever it catches."""

    def refuse(request, *args, **kwargs):
        pytest.fail(f"a test tried to open {getattr(request, 'full_url', request)}")

    monkeypatch.setattr(urllib.request, "urlopen", refuse)


@pytest.fixture
def set_sizes():
    """Change sizes of the policy until the end of the test: ``set_sizes(subsample_rows=2000)``."""
    with ExitStack() as stack:
        yield lambda **sizes: stack.enter_context(set_policy(**sizes))
