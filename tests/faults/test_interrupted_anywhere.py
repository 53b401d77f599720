"""Ctrl-C at any moment, not only at those that we have thought of."""

import signal
import sys
import threading
import time
from contextlib import contextmanager
from random import Random

import numpy as np
import pytest

from estimators.cases import blobs, corrupted
from untaint import SubquantileClassifier, SubquantileRegressor


@contextmanager
def interrupted_after(seconds):
    """Raise KeyboardInterrupt in the main thread, wherever it is by then."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def state_of(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def assert_interruptions_do_no_harm(model, first, second, moments):
    model.fit(*first)
    before = state_of(model)
    start = time.perf_counter()
    expected = type(model)(**model.get_params()).fit(*second).predict(second[0])
    length = time.perf_counter() - start
    threads = threading.active_count()
    rng, stopped = Random(0), 0
    for _ in range(moments):
        try:
            with interrupted_after(rng.uniform(0.02, 0.95) * length):
                model.fit(*second)
        except KeyboardInterrupt:
            stopped += 1
            after = state_of(model)
            assert after.keys() == before.keys()
            if after["intercept_"] is before["intercept_"]:
                assert all(after[name] is before[name] for name in before)
            else:  # the fit had come to its end, so that it must be whole
                np.testing.assert_array_equal(model.predict(second[0]), expected)
                before = after
        else:
            before = state_of(model)
        assert threading.active_count() <= threads
    assert stopped
    np.testing.assert_array_equal(model.fit(*second).predict(second[0]), expected)


def regressions():
    X, y, _ = corrupted(300)
    return (X[:80], y[:80]), (X, y)


def classes():
    X, labels = blobs([90, 90], n_features=3)
    return (X[::3], labels[::3]), (X, labels)


CASES = {
    "shares": (SubquantileRegressor(contamination=0.2, random_state=0), regressions),
    "auto": (SubquantileRegressor(random_state=0), regressions),
    "features": (
        SubquantileRegressor(approximation="nystroem", n_components=30, random_state=0),
        regressions,
    ),
    "classes": (SubquantileClassifier(contamination=0.1, random_state=0), classes),
}
each = pytest.mark.parametrize("case", CASES)
# An interrupt within the lock of coverage.py leaves it locked, and the next line waits for ever.
pytestmark = pytest.mark.skipif(
    "coverage" in sys.modules and sys.modules["coverage"].Coverage.current() is not None,
    reason="coverage.py cannot be interrupted at any moment",
)


@each
def test_a_fit_may_be_interrupted_at_any_moment(case):
    model, data = CASES[case]
    assert_interruptions_do_no_harm(model, *data(), moments=6)


@pytest.mark.slow
@each
def test_a_fit_may_be_interrupted_at_very_many_moments(case):
    model, data = CASES[case]
    assert_interruptions_do_no_harm(model, *data(), moments=150)
