"""Loops that report their steps."""

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
