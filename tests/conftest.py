"""What every test may use."""

import hypothesis
import numpy as np
import pytest

# Every draw is seeded, and a busy machine is no failure.
hypothesis.settings.register_profile("untaint", derandomize=True, deadline=None)
hypothesis.settings.load_profile("untaint")


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator that starts from the same state in every test."""
    return np.random.default_rng(0)
