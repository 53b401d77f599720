"""Rows that lie here answer what a plain computation over all of them says."""

from __future__ import annotations

import numpy as np
import pytest

from features.cases import maps, rows
from naive import features as naive
from untaint.features import Plan
from untaint.kernels import Linear
from untaint.learners import FeatureProblem, LocalCrowd, draw_rows
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.screening import Outskirts, Reach, centre
from untaint.selection import Balanced, Cut, Lens
from untaint.solvers.poll import Question

N, M = 400, 90
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}
LENS = Lens(np.tile([0.2, 0.5, 1.0, 100.0], (2, 1)), np.tile([0.2, 100.0], (2, 1)))
each_loss = pytest.mark.parametrize("name", LOSSES)
each_map = pytest.mark.parametrize("kind", ["columns", "landmarks", "waves"])
GATE = Reach(np.full(4, 0.5), 3.0)


def crowd_of(kind="landmarks", name="squared", weights=None, intercept=True, **how):
    """Rows of two classes, of which some stand for all."""
    rng = np.random.default_rng(0)
    X = rows(rng, N)
    weights = np.ones(N) if weights is None else weights
    codes = rng.integers(0, 3, N)
    y = {
        "squared": rng.normal(size=(N, 2)),
        "logistic": (codes > 0)[:, None].astype(float),
        "softmax": np.eye(3)[codes],
    }[name]
    how = {"block_rows": 64, "kept_rows": 0, "n_threads": 1, "dtype": np.float64} | how
    problem = FeatureProblem(
        Linear(), X, weights, 3.0, intercept, maps(X, how["dtype"])[kind],
        Plan(how["block_rows"], how["kept_rows"]), draw_rows(weights, M),
        n_threads=how["n_threads"],
    )  # fmt: skip
    return LocalCrowd(problem, y, (codes > 0).astype(int)), y, (codes > 0).astype(int)


def question(crowd, y, curved=False):
    coef = np.random.default_rng(1).normal(size=(crowd.pilot.features.width, y.shape[1]))
    return Question(0.3 * coef, Cut(np.array([0.9, 1.1])), LENS, curved)


@each_loss
@each_map
@pytest.mark.parametrize("intercept", [True, False], ids=["shifted", "centred"])
@pytest.mark.parametrize("gate", [None, GATE], ids=["open", "gate"])
def test_a_poll_is_a_plain_computation_over_all_rows(name, kind, intercept, gate, rng):
    copies = rng.integers(1, 4, N).astype(float)
    crowd, y, groups = crowd_of(kind, name, copies, intercept)
    poll, asked = crowd.poll(LOSSES[name], gate), question(crowd, y, curved=name != "softmax")
    answer = poll.ask(asked)
    X = crowd.problem.X
    phi = naive.with_ones(np.asarray(crowd.problem.map(X)), intercept)
    values = phi @ asked.coef
    far = np.linalg.norm(X - 0.5, axis=1) > 3.0 if gate else np.zeros(N, dtype=bool)
    losses = np.where(far, np.inf, LOSSES[name].value(y, values))
    weights = np.where(losses <= np.array([0.9, 1.1])[groups], copies, 0.0)
    slopes = weights[:, None] * LOSSES[name].gradient(y, values)
    np.testing.assert_allclose(poll.predictions, values, atol=1e-10)
    np.testing.assert_allclose(answer.slopes, phi.T @ slopes, atol=1e-8)
    np.testing.assert_allclose(answer.tally.kept, [weights[groups == k].sum() for k in (0, 1)])
    assert answer.tally.loss == pytest.approx(weights[weights > 0] @ losses[weights > 0])
    assert answer.tally.shunned == copies[far].sum()
    assert (far.sum() > 0) == (gate is not None)
    rule = Balanced(0.4, groups, 2)
    found, expected = answer.tally.profile.thresholds(rule), rule.class_thresholds(losses, copies)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    if asked.curved:
        second = weights * LOSSES[name].hessian(y, values).entry(0, 0)
        np.testing.assert_allclose(answer.curvature, naive.gram(phi, second), atol=1e-7)


def said(answer):
    tally = answer.tally
    return [
        answer.slopes, tally.kept, tally.loss, tally.profile.weights, tally.profile.sums,
        np.sort(tally.profile.losses),
    ]  # fmt: skip


@each_loss
@each_map
@pytest.mark.parametrize("block_rows", [37, 128, N])
@pytest.mark.parametrize("kept_rows", [0, 150, N])
def test_blocks_and_what_is_kept_change_nothing_beyond_rounding(name, kind, block_rows, kept_rows):
    crowd, y, _ = crowd_of(kind, name)
    expected = crowd.poll(LOSSES[name], GATE).ask(question(crowd, y))
    other, _, _ = crowd_of(kind, name, block_rows=block_rows, kept_rows=kept_rows)
    poll = other.poll(LOSSES[name], GATE)
    for _ in range(2):  # the second time from what was kept
        for one, two in zip(said(poll.ask(question(other, y))), said(expected), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)


@each_loss
@pytest.mark.parametrize("n_threads", [2, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threads_change_nothing_at_all(name, n_threads, dtype):
    asked = []
    for threads in (1, n_threads):
        crowd, y, _ = crowd_of("landmarks", name, n_threads=threads, dtype=dtype, kept_rows=150)
        poll = crowd.poll(LOSSES[name], GATE)
        answer = poll.ask(question(crowd, y, curved=name != "softmax"))
        asked.append([*said(answer), poll.predictions, answer.curvature])
    for one, other in zip(*asked, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("unit", [1.0, 0.5, None])
def test_a_sample_stands_for_all_rows(unit, rng):
    weights = rng.random(N) if unit is None else np.full(N, unit)
    crowd, y, groups = crowd_of(weights=weights)
    assert (crowd.n_rows, crowd.total, crowd.unit) == (N, pytest.approx(weights.sum()), unit)
    np.testing.assert_array_equal(crowd.y, y[crowd.sample])
    np.testing.assert_array_equal(crowd.groups, groups[crowd.sample])
    np.testing.assert_array_equal(crowd.pilot.X, crowd.problem.X[crowd.sample])
    assert crowd.part == pytest.approx(M / weights.sum())
    assert crowd.pilot.ridge == pytest.approx(crowd.part * 3.0)


def test_the_sample_is_shut_out_as_all_rows_are():
    crowd, _, _ = crowd_of()
    poll = crowd.poll(LOSSES["squared"], GATE)
    assert 0 < poll.shunned.sum() < N
    np.testing.assert_array_equal(crowd.shut_out(GATE), poll.shunned[crowd.sample])
    assert not crowd.shut_out(None).any()
    assert not crowd.poll(LOSSES["squared"], None).shunned.any()


def test_the_outermost_rows_are_those_of_all():
    crowd, _, _ = crowd_of()
    X = crowd.problem.X
    numbers, outer = crowd.outer(Outskirts(crowd.pilot.X)).distinct()
    far = np.linalg.norm(X - centre(crowd.pilot.X, np.ones(M)), axis=1)
    assert np.argmax(far) in numbers
    np.testing.assert_array_equal(outer, X[numbers])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_less_is_enough_of_more_rows_and_exact_steps_go_on_to_rounding(dtype):
    crowd, _, _ = crowd_of(dtype=dtype)
    loose, exact = crowd.enough(exact=False), crowd.enough(exact=True)
    assert exact == (1e-8 if dtype == np.float32 else 1e-12)
    crowd.n_rows = 10**6
    assert 1e-9 < crowd.enough(exact=False) < loose <= 1e-5
    assert crowd.enough(exact=True) == exact
