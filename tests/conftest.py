"""What every test may use."""

import urllib.request
from collections import defaultdict
from contextlib import ExitStack
from itertools import combinations

import hypothesis
import numpy as np
import pytest

from untaint._policy import set_policy

# Every draw is seeded, and a busy machine is no failure.
hypothesis.settings.register_profile("untaint", derandomize=True, deadline=None)
hypothesis.settings.load_profile("untaint")

# A test with more configurations than this runs so many of them; the others are slow.
LARGEST_GRID = 3
IN_FULL = {"faults", "fuzzing", "theory"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark most configurations of large grids as slow; those that stay hold every value."""
    grids = defaultdict(list)
    for item in items:
        quick = item.get_closest_marker("slow") is None and not IN_FULL & set(item.path.parts)
        if quick and hasattr(item, "callspec"):
            grids[item.nodeid.partition("[")[0]].append(item)
    for grid in grids.values():
        if len(grid) > LARGEST_GRID:
            for item in set(grid).difference(representatives(grid)):
                item.add_marker(pytest.mark.slow)


def representatives(grid):
    """Choose configurations greedily, by how many new values and pairs of values they hold."""
    held = {item: [(k, id(value)) for k, value in item.callspec.params.items()] for item in grid}
    values = {item: set(held[item]) for item in grid}
    pairs = {item: set(combinations(held[item], 2)) for item in grid}
    chosen, seen, seen_pairs = [], set(), set()
    while len(chosen) < LARGEST_GRID or seen != set().union(*values.values()):
        best = max(grid, key=lambda item: (len(values[item] - seen), len(pairs[item] - seen_pairs)))
        seen, seen_pairs = seen | values[best], seen_pairs | pairs[best]
        chosen.append(best)
        grid = [item for item in grid if item is not best]
    return chosen


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
