"""Stiff starts, rungs and candidates of both ladders, next to slower words for the same."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.losses import LogisticLoss, SoftmaxLoss
from untaint.selection import Balanced, Smallest
from untaint.solvers.label_search import (
    LabelLadder,
    _best,
    _starts,
    _State,
)
from untaint.solvers.ladder import (
    Ladder,
    _inverse,
    principal_rotation,
    ridge_of_dimension,
    weighted_quantile,
)
from untaint.solvers.search import STARTS
from untaint.solvers.search import _starts as search_starts

# Written out: a test that borrows a number cannot notice that it has changed.
REWEIGHTINGS = 5
TRIMS_PER_RUNG = 3
FREEDOMS = (3.0, 12.0, 6.0, 24.0, 48.0, np.inf)
MOST_UNKNOWNS = 500

N = 60


def ladder(rng, share=0.2, ridge=0.1, weights=None, plausible=None, k=1, d=3):
    features = rng.normal(size=(N, d)) * np.array([3.0, 1.0, 0.3])[:d]
    y = features @ rng.normal(size=(d, k)) + 0.3 * rng.normal(size=(N, k)) + 2.0
    y[::7] += 9.0
    weights = np.ones(N) if weights is None else weights
    plausible = np.ones(N, dtype=bool) if plausible is None else plausible
    return features, y, Ladder(features, y, weights, plausible, share, ridge)


def test_a_rotation_puts_the_columns_that_vary_most_first(rng):
    features, weights = rng.normal(size=(N, 4)) * [1.0, 5.0, 0.1, 2.0] + 7.0, rng.uniform(size=N)
    weights[:5] = 0.0
    values, rotate = principal_rotation(features, weights)
    mean = np.average(features, axis=0, weights=weights)
    covariance = (features - mean).T @ (weights[:, None] * (features - mean))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(covariance)[::-1])
    turned = rotate(features)
    np.testing.assert_allclose(turned.T @ (weights[:, None] * turned), np.diag(values), atol=1e-9)
    apart = np.linalg.norm(features[0] - features[1])
    assert np.linalg.norm(turned[0] - turned[1]) == pytest.approx(apart)


def test_implausible_rows_have_no_say_in_the_frame(rng):
    plausible = np.arange(N) >= 10
    features, _y, steps = ladder(rng, plausible=plausible)
    expected, _ = principal_rotation(features[10:], np.ones(N - 10))
    np.testing.assert_allclose(steps.values, expected)
    assert steps.size == N


@pytest.mark.parametrize("dimension", [0.5, 1.0, 2.9, 3.0, 3.1])
def test_a_ridge_of_so_many_degrees_of_freedom(dimension):
    values = np.array([9.0, 4.0, 0.5, 0.0])
    ridge = ridge_of_dimension(values, dimension)
    if dimension >= 3.0:
        assert ridge == 0.0
    else:
        assert np.sum(values / (values + ridge)) == pytest.approx(dimension)


@pytest.mark.parametrize("weight", [1.0, 0.1, 3.0])
def test_a_fit_is_no_freer_than_a_tenth_of_its_rows(weight, rng):
    _, _, steps = ladder(rng, weights=np.full(N, weight), ridge=0.0)
    most = max(N * weight, N) / 10.0
    assert steps.stiff_ridge(2.0) == ridge_of_dimension(steps.values, min(2.0, most))
    few = Ladder(np.eye(5), np.ones((5, 1)), np.ones(5), np.ones(5, bool), 0.2, 0.0)
    assert few.stiff_ridge(2.0) == ridge_of_dimension(few.values, 1.0) > 0


def dense(features, y, weights, ridge):
    """Ridge with an intercept, its design and inverse."""
    design = np.column_stack([np.ones(len(y)), features])
    A = design.T @ (weights[:, None] * design)
    A += np.diag(np.r_[1e-10 * A[0, 0], np.full(features.shape[1], ridge)])
    inverse = np.linalg.inv(A)
    return design, inverse @ (design.T @ (weights[:, None] * y)), inverse


@pytest.mark.parametrize("k", [1, 2])
def test_an_objective_is_of_the_cheapest_rows_and_the_ridge(k, rng):
    features, y, steps = ladder(rng, k=k)
    weights = rng.uniform(size=N)
    design, beta, _ = dense(features - features.mean(axis=0), y, weights, 0.1)
    losses = ((y - design @ beta) ** 2).sum(axis=1)
    expected = np.sort(losses)[: int(0.8 * N)].sum() + 0.1 * np.sum(beta[1:] ** 2)
    assert steps.objective(weights, 0.1) == pytest.approx(expected)


def test_columns_that_a_ridge_shrinks_away_are_left_out(rng):
    _features, _y, steps = ladder(rng)
    for width in (1, 2, 3):
        between = steps.values[width - 1] * 5.0, (steps.values[width] * 20 if width < 3 else 0.0)
        ridge = max(between[1], 1e-6)
        assert steps.values[width - 1] > 0.1 * ridge
        assert steps._solve(np.ones(N), ridge)[0].shape[1] == width + 1
    assert steps._solve(np.ones(N), 1e9)[0].shape[1] == 2


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.5])
def test_of_several_copies_one_is_left_out(weight, rng):
    features, y, steps = ladder(rng, weights=np.full(N, weight))
    weights = np.where(np.arange(N) < 50, weight, 0.0)
    design, beta, inverse = dense(features - features.mean(axis=0), y, weights, 0.1)
    q = np.einsum("ij,jk,ik->i", design, inverse, design)
    others = 1.0 - weights / max(weight, 1.0) * q
    errors = ((y - design @ beta) / others[:, None])[:, 0]
    expected = errors**2 / (1.0 + np.minimum(q / others, 1.0))
    np.testing.assert_allclose(steps.costs(weights, 0.1), expected, rtol=1e-6)


@pytest.mark.parametrize("quantile", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("k", [1, 2])
def test_a_stiff_start_is_a_quantile_fit_by_reweighting(quantile, k, rng):
    _, y, steps = ladder(rng, share=0.4, k=k)
    members = np.arange(N) % 5 > 0
    ridge, own = steps.stiff_ridge(2.0), members.astype(float)
    centre = np.array(
        [np.sort(c)[int(np.ceil(quantile * members.sum())) - 1] for c in y[members].T]
    )
    residuals = y - centre
    for _ in range(REWEIGHTINGS):
        size = np.linalg.norm(residuals, axis=1)
        side = 2.0 * np.where(residuals.sum(axis=1) > 0, quantile, 1.0 - quantile)
        middle = np.sort(size[members])[int(np.ceil(0.3 * members.sum())) - 1]
        weights = own * side * 0.05 / np.maximum(size / (1.4826 * middle), 0.1)
        design, beta, _ = steps._solve(weights, ridge)
        residuals = y - design @ beta
    size = np.linalg.norm(residuals, axis=1)
    side = 2.0 * np.where(residuals.sum(axis=1) > 0, quantile, 1.0 - quantile)
    cost = np.where(members, size * side, np.inf)
    np.testing.assert_array_equal(
        steps.coarse_start(2.0, quantile, members), Smallest(0.4).weights(cost, np.ones(N))
    )


def test_a_descent_settles_at_every_rung(rng, monkeypatch):
    _, _, steps = ladder(rng)
    asked = []
    monkeypatch.setattr(
        Ladder, "settle", lambda self, weights, ridge: asked.append(ridge) or weights + 1
    )
    assert steps.climb_down(np.zeros(N), 5.0, 0.02)[0] == 4.0
    assert asked == pytest.approx([5.0, 0.5, 0.05, 0.02])
    asked.clear()
    steps.climb_down(np.zeros(N), 0.02, 0.02)
    assert asked == [0.02]


def test_settling_fits_and_trims_until_nothing_changes(rng, monkeypatch):
    _, _, steps = ladder(rng)
    weights = np.where(np.arange(N) < 40, 1.0, 0.0)
    by_hand = weights
    for _ in range(TRIMS_PER_RUNG):
        by_hand = steps.trim(steps.costs(by_hand, 0.3))
    np.testing.assert_array_equal(steps.settle(weights, 0.3), by_hand)
    calls = []
    monkeypatch.setattr(Ladder, "costs", lambda self, w, ridge: calls.append(1) or np.arange(N))
    steps.settle(steps.trim(np.arange(N)), 0.3)
    assert len(calls) == 1


def test_implausible_rows_are_trimmed_first(rng):
    plausible = np.arange(N) % 10 > 0
    _, _, steps = ladder(rng, plausible=plausible)
    kept = steps.trim(np.where(plausible, 5.0 + np.arange(N), 0.0))
    np.testing.assert_array_equal(kept > 0, plausible & (np.arange(N) < 54))


def test_weights_of_some_rows_are_extended_by_what_all_rows_cost(rng):
    _, _, steps = ladder(rng)
    inside = np.arange(0, N, 2)
    spread = np.zeros(N)
    spread[inside] = 0.5
    expected = steps.trim(steps.costs(spread, 0.3))
    np.testing.assert_array_equal(steps.extend(inside, np.full(30, 0.5), 0.3), expected)


def test_the_best_candidates_are_different_ones_of_the_lowest_objectives(rng):
    _, _, steps = ladder(rng)
    one, two, three = (rng.permutation(np.arange(N) < 48).astype(float) for _ in range(3))
    order = sorted([one, two, three], key=lambda w: steps.objective(w, 0.3))
    found = steps.best([one, two, one.copy(), three], 0.3, 2)
    assert len(found) == 2
    assert found[0] is order[0] and found[1] is order[1]
    assert len(steps.best([one, one.copy()], 0.3, 2)) == 1


def test_a_wild_matrix_has_an_inverse_of_sorts(rng):
    A = rng.normal(size=(4, 4))
    A = A @ A.T
    np.testing.assert_allclose(_inverse(A), np.linalg.inv(A))
    singular = np.diag([2.0, 0.0, -1.0])
    np.testing.assert_allclose(_inverse(singular), np.diag([0.5, 0.0, -1.0]))


@pytest.mark.parametrize("level", [0.01, 0.25, 0.5, 0.99])
def test_a_quantile_is_of_each_column(level, rng):
    values, weights = rng.normal(size=(9, 2)), rng.integers(1, 4, 9)
    copies = np.sort(np.repeat(values, weights, axis=0), axis=0)
    place = int(np.ceil(level * len(copies))) - 1
    np.testing.assert_array_equal(
        weighted_quantile(values, weights.astype(float), level), copies[place]
    )


def test_starts_come_in_their_order_and_then_on_random_halves():
    plausible = np.arange(400) > 0
    starts = list(search_starts(plausible, 8, np.random.default_rng(0)))
    assert [start[:2] for start in starts] == [*STARTS, STARTS[0], STARTS[0]]
    assert all(start[2] is plausible for start in starts[:6])
    assert not starts[7][2][0] and 150 < starts[7][2].sum() < 250
    labels = _starts(400, 8, np.random.default_rng(0))
    assert [freedom for freedom, _ in labels] == [*FREEDOMS, *FREEDOMS[:2]]
    assert all(members.all() for _, members in labels[:6])
    np.testing.assert_array_equal(labels[6][1], np.random.default_rng(0).random(400) < 0.5)


def states(rng, objectives):
    return [_State(None, rng.random(5), objective) for objective in objectives]


def test_the_best_states_are_different_ones_of_the_lowest_objectives(rng):
    three, one, two = states(rng, [3.0, 1.0, 2.0])
    copy = _State(None, one.weights.copy(), 1.5)
    assert _best([three, copy, one, two], 2) == [one, two]
    assert _best([three, copy, one, two], 9) == [one, two, three]


def label_ladder(rng, k=1, ridge=0.1, d=3, plausible=None):
    features = rng.normal(size=(N, d))
    codes = (features[:, 0] > 0).astype(int)
    y = codes[:, None].astype(float) if k == 1 else np.eye(k)[codes]
    loss = LogisticLoss() if k == 1 else SoftmaxLoss()
    plausible = np.ones(N, dtype=bool) if plausible is None else plausible
    rule = Balanced(0.2, codes, max(k, 2))
    return features, LabelLadder(features, y, np.ones(N), plausible, loss, rule, ridge)


@pytest.mark.parametrize("k", [1, 3, 4])
def test_the_middle_of_the_curvature_is_where_all_classes_are_as_likely(k, rng):
    _, steps = label_ladder(rng, k)
    f = np.zeros((1, k))
    expected = steps.loss.hessian(steps.y[:1], f).entry(0, 0)[0]
    assert steps.middle_curvature == pytest.approx(expected)


@pytest.mark.parametrize("k", [1, 3])
def test_a_stiff_label_fit_has_so_many_degrees_of_freedom(k, rng):
    _, steps = label_ladder(rng, k, ridge=1e-9)
    bent = 0.5 * steps.middle_curvature * steps.values
    assert np.sum(bent / (bent + steps.stiff_ridge(1.5))) == pytest.approx(1.5)
    assert steps.stiff_ridge(np.inf) == 1e-9
    assert label_ladder(rng, k, ridge=1e9)[1].stiff_ridge(1.5) == 1e9


def test_a_label_descent_settles_at_every_rung(rng, monkeypatch):
    _, steps = label_ladder(rng, ridge=0.02)
    asked = []

    def settle(self, weights, ridge, around=None):
        asked.append((ridge, around))
        fit = type("Fit", (), {"predictions": len(asked)})
        return _State(fit, weights, 0.0)

    monkeypatch.setattr(LabelLadder, "settle", settle)
    steps.climb_down(np.ones(N), 5.0)
    assert [ridge for ridge, _ in asked] == pytest.approx([5.0, 0.5, 0.05, 0.02])
    assert [around for _, around in asked] == [None, 1, 2, 3]


def test_members_start_with_their_weights_and_others_with_none(rng):
    plausible = np.arange(N) % 2 > 0
    _, steps = label_ladder(rng, plausible=plausible)
    members = np.arange(N) < 20
    np.testing.assert_array_equal(steps.start(members), (plausible & members).astype(float))
    np.testing.assert_array_equal(
        steps.extend(np.array([1, 3]), np.array([0.5, 2.0])), np.r_[0, 0.5, 0, 2.0, np.zeros(56)]
    )


def test_a_settled_state_has_the_weights_of_its_own_predictions(rng):
    plausible = np.arange(N) > 2
    features, steps = label_ladder(rng, plausible=plausible)
    state = steps.settle(steps.start(np.ones(N, bool)), 0.1)
    losses = steps.loss.value(steps.y, state.fit.predictions)
    losses[:3] = np.inf
    np.testing.assert_array_equal(state.weights, steps.selection.weights(losses, np.ones(N)))
    np.testing.assert_allclose(steps.predict(state.fit, features), state.fit.predictions, atol=1e-9)
    again = steps.settle(state.weights, 0.1, state.fit.predictions)
    assert again.objective <= state.objective * (1 + 1e-6)


@pytest.mark.parametrize("k", [1, 3])
def test_a_rough_fit_has_few_unknowns(k, rng):
    _, steps = label_ladder(rng, k, d=N - 1)
    steps.columns = np.zeros((N, 2 * MOST_UNKNOWNS))
    steps.values = np.ones(2 * MOST_UNKNOWNS)
    steps._refit(1e-9, None)
    assert list(steps._newtons) == [MOST_UNKNOWNS // k]
    edge = 0.5 * steps.middle_curvature / 0.1
    steps.values = np.r_[np.full(4, 1.01), np.full(9, 0.99)] * 1.0
    steps._refit(edge, None)
    assert 4 in steps._newtons
    steps._refit(1e9, None)
    assert 1 in steps._newtons
