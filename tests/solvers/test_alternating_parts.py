"""How well refits are solved, when an alternation ends, and what others make of it."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.losses import LogisticLoss, SquaredLoss
from untaint.selection import Balanced, Given, Smallest, Softplus
from untaint.solvers import ExactRidge, Sample, alternate, search_labels, solve_in_ball
from untaint.solvers.agreement import _error, _Table, agree
from untaint.solvers.alternating import _settled
from untaint.solvers.ball import project
from untaint.solvers.base import Fit
from untaint.solvers.gradient import TrimmedProblem, _idle, projected_gradient
from untaint.solvers.iterative_ridge import IterativeRidge
from untaint.solvers.label_loosening import _codes, _folds
from untaint.solvers.label_tuning import _Best, _mean, _smoothest
from untaint.solvers.leverage import _factor, leverages, without_itself
from untaint.solvers.ridge_path import RidgePath
from untaint.solvers.search import LEAST_STIFF, STARTS, coarse_to_fine

# Written out: a test that borrows a number cannot notice that it has changed.
ACCURACY = 1.0
LOOSE = 0.01
SINGLE = 1e-06
TURNS = 8
PATIENCE = 10
N_FOLDS = 10
SAME = 1e-09

N = 20


def constant(values):
    """A refit that finds these predictions, one after the other, whatever it is asked."""
    calls = []

    def refit(weights, start, tol):
        calls.append((weights, start, tol))
        f = np.asarray(values[min(len(calls), len(values)) - 1], dtype=float)[:, None]
        return Fit(f, np.zeros(1), f, 2.0)

    return refit, calls


def run(values, rule=None, y=None, n=4, **options):
    refit, calls = constant(values)
    y = np.zeros((n, 1)) if y is None else y
    rule = rule or Smallest(0.5)
    options = {"tol": 1e-4, "max_iter": 9} | options
    solution = alternate(refit, SquaredLoss(), rule, y, np.ones(n), np.ones(n), 0.5, **options)
    return solution, calls


def test_refits_are_as_good_as_the_rows_on_the_move_deserve():
    n = 400
    first, second = np.arange(n) / n, np.arange(n) / n
    second[[100, 300]] = second[[300, 100]]
    solution, calls = run([first, second, second], n=n)
    moved = 2 / n  # one row leaves, another enters
    assert [tol for _, _, tol in calls] == pytest.approx([LOOSE, LOOSE, ACCURACY * moved, 1e-4])
    assert solution.n_iter == 4 and solution.converged


def test_exact_refits_are_asked_for_no_tolerance_but_the_last():
    _, calls = run([np.arange(4.0), np.arange(4.0)], loose=1e-4)
    assert [tol for _, _, tol in calls] == [1e-4, 1e-4]


def test_each_refit_begins_where_the_last_one_ended():
    start = Fit(np.ones((4, 1)), np.zeros(1), np.ones((4, 1)), 1.0)
    solution, calls = run([np.arange(4.0)], loose=0.0, start=start)
    assert calls[0][1] is start
    assert calls[1][1] is not start
    np.testing.assert_array_equal(calls[0][0], 1.0)
    np.testing.assert_array_equal(calls[1][0], [1.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(solution.weights, [1.0, 1.0, 0.0, 0.0])
    assert solution.objective_path == [2.0, 2.0]  # losses 0 and 1, and half of a norm of two


def test_hopeless_rows_are_given_up_whatever_they_lose():
    hopeless = np.array([True, False, False, False])
    solution, _ = run([np.arange(4.0)], loose=0.0, hopeless=hopeless)
    np.testing.assert_array_equal(solution.weights, [0.0, 1.0, 1.0, 0.0])
    assert solution.objective_path[-1] == 1.0 + 4.0 + 1.0


def test_too_few_iterations_are_said_to_be_too_few():
    solution, calls = run([np.arange(4.0), np.arange(4.0)[::-1]] * 5, max_iter=2)
    assert not solution.converged and solution.remedy and solution.n_iter == 2
    np.testing.assert_array_equal(solution.weights, calls[1][0])


def test_every_iteration_is_reported():
    seen = []
    run([np.arange(4.0)], loose=0.0, report=seen.append)
    assert [(p.iteration, p.max_iter, p.exchanged) for p in seen] == [(1, 9, 2), (2, 9, 0)]
    assert seen[0].objective == 2.0


@pytest.mark.parametrize("length", [2, 3, 5])
@pytest.mark.parametrize(
    ("tol", "soft", "little"),
    [
        (0.001, False, 1e-05),
        (1e-08, False, 1e-10),
        (0.001, True, 0.001),
        (1e-08, True, 1e-12),
        (SINGLE, True, SINGLE),
        (0.9 * SINGLE, True, 9e-05 * SINGLE),
    ],
)
def test_two_steps_that_bring_little_are_enough(length, tol, soft, little):
    def path(fall):
        return [100.0, 90.0, *[5.0] * 9][: length - 3] + [-8.0 + 8.0 * fall, -7.9, -8.0][-length:]

    assert _settled(path(0.9 * little), tol, soft) is (length > 2)
    assert not _settled(path(1.1 * little), tol, soft)


def test_soft_weights_are_refitted_as_well_as_the_objective_asks_for():
    rng = np.random.default_rng(0)
    X, rule = rng.normal(size=(N, N)), Softplus(0.2, 1.0)
    y = rng.normal(size=(N, 1))
    system, tolerances = ExactRidge(X @ X.T), []

    def refit(weights, start, tol):
        tolerances.append(tol)
        return system.solve(y, weights, 3.0)

    alternate(refit, SquaredLoss(), rule, y, np.ones(N), np.ones(N), 3.0, tol=1e-6, max_iter=200)
    assert 1e-6 < tolerances[-1] <= 1e-3


@pytest.mark.parametrize("count", [PATIENCE - 1, PATIENCE, PATIENCE + 1, PATIENCE + 4])
def test_idle_after_ten_iterations_without_change(count):
    for factor, idle in ((0.9, True), (1.1, False), (-0.9, True), (-1.1, False)):
        path = [-100.0] * (count - 1 - PATIENCE) + [-8.0 - 8.0 * factor * 1e-3]
        path += [-8.0] * PATIENCE
        assert _idle(path[-count:], 1e-3) is (idle if count > PATIENCE else False)


def problem(rng, acceleration=None, ridge=0.3, weights=None, bound=None):
    X = rng.normal(size=(N, 3))
    y = X @ rng.normal(size=(3, 1)) + 1.0
    weights = np.ones(N) if weights is None else weights
    return TrimmedProblem(X @ X.T, SquaredLoss(), Smallest(0.2), y, weights, ridge, True, bound)


def test_the_smoothness_is_the_largest_curvature(rng):
    trimmed = problem(rng, weights=rng.uniform(0.5, 2.0, N))
    root = np.sqrt(trimmed.row_weights)
    top = np.linalg.eigvalsh(root[:, None] * trimmed.K * root)[-1]
    assert trimmed.smoothness() == pytest.approx(1.01 * 2.0 * top + 2 * 0.3, rel=1e-4)
    nothing = TrimmedProblem(
        np.zeros((3, 3)), SquaredLoss(), Smallest(0.0), np.ones((3, 1)), np.ones(3), 0.3
    )
    assert nothing.smoothness() == pytest.approx(0.6)


def test_the_intercept_is_improved_by_a_step_of_its_own(rng):
    trimmed = problem(rng)
    coef, intercept = rng.normal(size=(N, 1)), np.array([0.4])
    fit = trimmed.function(coef, intercept)
    before = trimmed.K @ coef + intercept
    weights = trimmed.weights(before)
    # Of the squared loss a step is the mean residual.
    np.testing.assert_allclose(
        fit.intercept, intercept + weights @ (trimmed.y - before) / weights.sum()
    )
    np.testing.assert_allclose(fit.predictions, trimmed.K @ coef + fit.intercept)
    assert fit.squared_norm == pytest.approx(float((coef * (trimmed.K @ coef)).sum()))
    inside = problem(rng, bound=0.5).function(coef, intercept)
    assert inside.squared_norm == pytest.approx(0.25)


@pytest.mark.parametrize("acceleration", [None, "momentum", "nesterov"])
def test_steps_are_those_of_the_method(acceleration, rng):
    trimmed, rate, mu = problem(rng), 1e-3, 0.7
    seen = []
    found = projected_gradient(
        trimmed,
        0.1 * np.ones((N, 1)),
        acceleration=acceleration,
        learning_rate=lambda i: rate / i,
        momentum=mu,
        max_iter=4,
        report=seen.append,
    )
    fit = trimmed.function(0.1 * np.ones((N, 1)), np.zeros(1))
    last, velocity = fit, np.zeros((N, 1))
    path = [trimmed.objective(fit)]
    for i in range(1, 5):
        base = fit
        if acceleration == "nesterov":
            base = trimmed.function(fit.coef + mu * (fit.coef - last.coef), fit.intercept)
            change = trimmed.gradient(base)
        else:
            velocity = (mu if acceleration else 0.0) * velocity + trimmed.gradient(fit)
            change = velocity
        last, fit = fit, trimmed.function(base.coef - rate / i * change, base.intercept)
        path.append(trimmed.objective(fit))
    np.testing.assert_allclose(found.fit.coef, fit.coef)
    np.testing.assert_allclose(found.objective_path, path)
    assert [p.iteration for p in seen] == [1, 2, 3, 4] and not found.converged
    np.testing.assert_array_equal(found.weights, trimmed.weights(fit.predictions))


def test_the_gradient_is_that_of_the_kept_rows_and_the_ridge(rng):
    trimmed = problem(rng)
    fit = trimmed.function(0.3 * rng.normal(size=(N, 1)), np.zeros(1))
    kept = Given(0.2, trimmed.weights(fit.predictions))
    direction, step = rng.normal(size=(N, 1)), 1e-6

    def along(s):
        coef = fit.coef + s * direction
        f = trimmed.K @ coef + fit.intercept
        norm = float((coef * (trimmed.K @ coef)).sum())
        return kept.value(trimmed.loss.value(trimmed.y, f), np.ones(N)) + 0.3 * norm

    expected = (along(step) - along(-step)) / (2 * step)
    found = float((trimmed.gradient(fit) * (trimmed.K @ direction)).sum())
    assert found == pytest.approx(expected, rel=1e-6)


def test_settings_are_scored_next_to_the_best_one_until_the_end(rng):
    asked = []

    def features(kernel):
        def make():
            asked.append(kernel)
            return np.random.default_rng(kernel).normal(size=(N, 2))

        return make

    turn = []

    def judge(residuals, weights):  # never makes up his mind
        turn.append(len(asked))
        return np.where(np.arange(N) == len(turn), 0.0, 1.0)

    y = rng.normal(size=(N, 1))
    agreed = agree([features(k) for k in range(6)], [0.1, 1.0], y, np.ones(N), np.ones(N), judge)
    assert agreed.turns == TURNS == len(turn)
    rounds = [asked[a:b] for a, b in zip([0, *turn], turn, strict=False)]
    assert rounds[0] == [0]
    assert rounds[1] == rounds[-1] == list(range(6))
    for few in rounds[2:-1]:
        assert 2 <= len(few) <= 3 and few == list(range(few[0], few[-1] + 1))


def test_a_table_is_complete_once_every_setting_has_a_score(rng):
    features = [lambda: np.eye(N)[:, :2], lambda: np.eye(N)[:, 2:4]]
    table = _Table(features, [0.1, 1.0], rng.normal(size=(N, 1)), np.ones(N), True)
    assert not table.complete
    table.best([0], np.ones(N))
    assert not table.complete
    table.best([1], np.ones(N))
    assert table.complete
    assert _Table(features[:1], [0.1], table.y, np.ones(N), True).complete


def test_an_error_is_a_mean_over_the_rows_that_have_a_say(rng):
    y, weights = rng.normal(size=(N, 2)), rng.random(N)
    weights[:3], y[:3] = 0.0, 1e6
    path = RidgePath(rng.normal(size=(N, 2)), weights)
    residuals, _ = path.leave_one_out(y, 0.4, np.ones(N))
    expected = np.average((residuals[3:] ** 2).sum(axis=1), weights=weights[3:])
    assert _error(path, y, 0.4, np.ones(N)) == pytest.approx(expected)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_a_ridge_the_limit_of_a_small_one_is_found(fit_intercept, rng):
    X = rng.normal(size=(N, N))
    K, y, weights = X @ X.T, rng.normal(size=(N, 1)), rng.uniform(0.5, 2.0, N)
    system = IterativeRidge(K, np.linalg.cholesky(K), fit_intercept)
    ridge = 1e-8 * weights @ np.diag(K) / N
    expected = ExactRidge(K, fit_intercept).solve(y, weights, ridge)
    found = system.solve(y, weights, 0.0, tol=1e-10)
    np.testing.assert_allclose(found.predictions, expected.predictions, atol=1e-6)


def test_a_start_is_where_the_iterations_begin(rng):
    X = rng.normal(size=(N, 3))
    K, y, weights = X @ X.T + np.eye(N), rng.normal(size=(N, 1)), rng.uniform(0.5, 2.0, N)
    weights[:2] = 0.0
    system = IterativeRidge(K, X)
    end, products = system.solve(y, weights, 0.3, tol=1e-12), []
    times = system.times
    system.times = lambda v: products.append(1) or times(v)
    again = system.solve(y, weights, 0.3, start=end, tol=1e-8)
    assert len(products) == 1
    np.testing.assert_allclose(again.predictions, end.predictions)
    np.testing.assert_allclose(again.coef, end.coef)


@pytest.mark.parametrize("columns", [1, 3])
def test_folds_deal_out_the_rows_of_a_class_in_the_order_of_their_predictions(columns, rng):
    codes, inside = rng.integers(0, 2, 70), rng.random(70) < 0.9
    predictions = rng.normal(size=(70, columns))
    predictions[1] = predictions[0] + 0.5 * SAME  # copies stay together
    codes[:2], inside[:2] = 0, True
    folds = _folds(predictions, codes, inside)
    assert (folds[~inside] == -1).all()
    assert folds[0] == folds[1]
    dealt = 0
    for code in (0, 1):
        rows = np.flatnonzero(inside & (codes == code))
        own = predictions[rows, 0 if columns == 1 else code]
        order = rows[np.argsort(own)]
        expected, place = [], dealt - 1
        for before, row in zip([None, *order[:-1]], order, strict=True):
            new = before is None or {before, row} != {0, 1}
            place += new
            expected.append(place % N_FOLDS)
        dealt = place + 1
        assert folds[order].tolist() == expected


def test_classes_are_read_off_the_targets():
    assert _codes(np.array([[0.0], [1.0]])).tolist() == [0, 1]
    assert _codes(np.eye(3)[[2, 0, 1]]).tolist() == [2, 0, 1]


def test_a_mean_has_its_standard_error(rng):
    values, weights = rng.normal(size=30), rng.integers(1, 4, 30).astype(float)
    mean, deviation = _mean(values, weights)
    assert mean == pytest.approx(np.average(values, weights=weights))
    assert deviation == pytest.approx(np.sqrt(weights @ (values - mean) ** 2) / weights.sum())


@pytest.mark.parametrize(("worse", "chosen"), [(0.05, 0), (0.5, 1)])
def test_a_smoother_kernel_wins_unless_it_is_worse_by_more_than_chance(worse, chosen, rng):
    squares, inside = rng.random(100), np.arange(100) < 90
    rival = squares + worse + rng.normal(size=100)
    rival[90:] = 1e9
    middle = squares + 2.0
    best = [_Best(0, s, squares) for s in (rival, middle, squares)]
    excess, chance = _mean((rival - squares)[inside], np.ones(90))
    assert _smoothest(best, 2, inside, np.ones(100)) == (0 if excess <= chance else 2)
    assert _smoothest(best, 0, inside, np.ones(100)) == 0
    assert chosen in (0, 1)


def test_residuals_without_the_row_itself(rng):
    X, y = rng.normal(size=(N, 2)), rng.normal(size=(N, 1))
    copies = rng.integers(1, 3, N).astype(float)
    A = X.T @ (copies[:, None] * X) + 0.5 * np.eye(2)
    q = np.einsum("ij,ij->i", X @ np.linalg.inv(A), X)
    residuals = y - X @ np.linalg.solve(A, X.T @ (copies[:, None] * y))
    found, variances = without_itself(residuals, copies, copies, q)
    for i in range(N):
        B = A - np.outer(X[i], X[i])
        left = np.linalg.solve(B, X.T @ (copies[:, None] * y) - X[i][:, None] * y[i])
        assert found[i, 0] == pytest.approx(float(y[i, 0] - X[i] @ left[:, 0]))
        assert variances[i] == pytest.approx(float(X[i] @ np.linalg.solve(B, X[i])))


def test_leverages_of_a_sample_and_by_probes(rng):
    from untaint.features import BlockedFeatures, ColumnMap, Plan

    n, d = 600, 140
    X = rng.normal(size=(n, d))
    features = BlockedFeatures(ColumnMap(np.zeros(d)), X, False, Plan(n, 0))
    weights, sample = rng.random(n), np.arange(0, n, 2)
    exact = np.einsum(
        "ij,ij->i", X @ np.linalg.inv(X.T @ (weights[:, None] * X) + 5.0 * np.eye(d)), X
    )
    np.testing.assert_allclose(leverages(features, weights, 5.0, exact=True), exact)
    guess = leverages(features, weights, 5.0)
    assert not np.allclose(guess, exact, rtol=1e-6)
    assert np.abs(guess / exact - 1.0).mean() < 0.15
    S = X[sample]
    A = 2.0 * S.T @ (weights[sample, None] * S) + 5.0 * np.eye(d)
    expected = np.einsum("ij,ij->i", X @ np.linalg.inv(A), X)
    np.testing.assert_allclose(leverages(features, weights, 5.0, sample, exact=True), expected)


def test_a_matrix_that_is_not_definite_is_propped_up():
    A = np.diag([1.0, -1e-9])
    L = _factor(A.copy())
    assert L[0, 0] == pytest.approx(1.0, abs=1e-6)
    assert 0.0 < L[1, 1] ** 2 < 1e-6


def test_a_search_goes_on_from_level_to_level(rng):
    X = rng.normal(size=(90, 2))
    y = X @ np.array([[1.0], [-2.0]]) + 0.1 * rng.normal(size=(90, 1))
    y[:18] += 30.0
    every = Sample(np.arange(90), np.ones(90))
    for levels in ([every], [Sample(np.arange(0, 90, 3), np.full(30, 3.0)), every]):
        found = coarse_to_fine(
            X, y, levels, 0.2, 0.5, plausible=np.ones(90, bool), rng=np.random.default_rng(0)
        )
        np.testing.assert_array_equal(found.weights, np.arange(90) >= 18)
        assert found.costs[:18].min() > found.costs[18:].max()


def test_the_curvature_of_a_loss_is_never_exceeded(rng):
    from untaint.losses import SoftmaxLoss

    f = 3.0 * rng.normal(size=(500, 1))
    f[0] = 0.0
    h = LogisticLoss().hessian(np.zeros((500, 1)), f).entry(0, 0)
    assert h.max() == pytest.approx(LogisticLoss().curvature)
    top = 0.0
    scores = 3.0 * rng.normal(size=(500, 3))
    scores[0] = [0.0, 0.0, -50.0]
    hessian = SoftmaxLoss().hessian(np.eye(3)[np.zeros(500, int)], scores)
    H = np.array([[hessian.entry(i, j) for j in range(3)] for i in range(3)])
    top = max(np.linalg.eigvalsh(H[:, :, i])[-1] for i in range(500))
    assert top == pytest.approx(SoftmaxLoss().curvature)
    assert SquaredLoss().curvature == 2.0


def shrunk(calls, size=6.0):
    """A problem whose minimiser has the norm size / ridge."""

    def solve(ridge, start, tol):
        calls.append((ridge, start, tol))
        x = np.full((1, 1), size / ridge)
        return Fit(x, np.ones(1), x + 1.0, float(x[0, 0] ** 2), x.copy())

    return solve


@pytest.mark.parametrize("bound", [1e-3, 0.5, 2.9, 2.999999])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_the_ridge_of_a_ball_is_found_in_a_few_solves(bound, tol):
    calls, start = [], Fit(np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1)), 0.0)
    fit = solve_in_ball(shrunk(calls), 2.0, bound, start, tol)
    assert calls[0] == (2.0, start, tol)
    assert all(start is not None and used == tol for _, start, used in calls)
    assert calls[-1][0] == pytest.approx(6.0 / bound, rel=max(1.1e-2 * tol, 1e-9))
    assert fit.squared_norm <= bound**2 * (1 + 1e-2 * tol)
    assert len(calls) <= 16
    np.testing.assert_allclose(fit.predictions, fit.coef + 1.0)
    np.testing.assert_allclose(fit.coef, bound, rtol=1.1e-2 * tol)


@pytest.mark.parametrize("bound", [None, 3.0, 9.0])
def test_a_minimiser_within_the_ball_is_left_alone(bound):
    calls = []
    fit = solve_in_ball(shrunk(calls), 2.0, bound)
    assert [ridge for ridge, *_ in calls] == [2.0] and fit.squared_norm == 9.0
    assert calls[0][2] == 1e-8
    assert project(fit, bound) is fit


def test_what_is_outside_of_the_ball_is_scaled_but_for_the_intercept():
    fit = project(shrunk([])(2.0, None, 0.0), 1.5)
    for part, expected in ((fit.coef, 1.5), (fit.dual, 1.5), (fit.predictions, 2.5)):
        np.testing.assert_allclose(part, expected)
    assert fit.squared_norm == 2.25 and fit.intercept == 1.0
    bare = Fit(np.full((1, 1), 3.0), np.zeros(1), np.full((1, 1), 3.0), 9.0)
    assert project(bare, 1.5).dual is None


def planted(rng, n=160):
    X = rng.normal(size=(n, 2))
    X[:, 0] += np.sign(X[:, 0])  # two classes apart
    bad = np.arange(n) % 5 == 0
    levels = [Sample(np.arange(0, n, step), np.full(n // step, float(step))) for step in (8, 4, 2)]
    return X, bad, [*levels, Sample(np.arange(n), np.ones(n))]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_search_by_several_levels_finds_what_was_planted(count, rng):
    X, bad, levels = planted(rng)
    y = X @ np.array([[1.0], [-2.0]]) + 0.1 * rng.normal(size=(160, 1)) + 30.0 * bad[:, None]
    options = {"plausible": np.ones(160, bool), "rng": np.random.default_rng(0)}
    found = coarse_to_fine(X, y, levels[-count:], 0.2, 0.5, **options)
    np.testing.assert_array_equal(found.weights, ~bad)
    codes = (X[:, 0] > 0) ^ bad
    rule = Balanced(0.2, codes.astype(int), 2)
    labels, loss = codes[:, None].astype(float), LogisticLoss()
    settled = search_labels(X, labels, levels[-count:], loss, rule, 0.1, **options)
    assert settled.weights[bad].mean() < 0.1 < 0.9 < settled.weights[~bad].mean()
    sure = np.abs(X[:, 0]) > 0.3
    np.testing.assert_array_equal(settled.predictions[sure, 0] > 0, X[sure, 0] > 0)


def test_starts_are_a_median_then_a_lower_and_an_upper_quantile_each_twice():
    assert STARTS[:3] == ((5.0, 0.5), (5.0, 0.25), (5.0, 0.75))
    assert STARTS[3:] == ((20.0, 0.5), (20.0, 0.25), (20.0, 0.75))
    assert LEAST_STIFF == 20.0
