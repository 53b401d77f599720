"""Loops that report their steps."""

import numpy as np

from untaint import SubquantileRegressorCV
from untaint._progress import shown_by, tracked


def test_inner_loops_stay_silent():
    seen = []
    with shown_by(lambda done, total: seen.append((done, total))):
        for _ in tracked(range(2), 2):
            list(tracked(range(5), 5))
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_a_loop_that_is_left_early_does_not_silence_the_next():
    seen = []
    with shown_by(lambda done, total: seen.append((done, total))):
        steps = tracked(range(3), 3)
        next(steps)
        steps.close()
        list(tracked("a", 1))
    assert seen[-1] == (1, 1)


def test_the_search_for_hyperparameters_reports_its_steps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    seen = []
    with shown_by(lambda done, total: seen.append(done / total)):
        SubquantileRegressorCV(gammas=[0.1, 1.0], alphas=[0.01, 0.1]).fit(X, np.sin(X[:, 0]))
    assert seen
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1
