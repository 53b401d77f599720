"""The theory's constants bound what they say they bound, and vanish where they should."""

from __future__ import annotations

import numpy as np
import pytest

from naive import proximal as naive
from naive import ridge as naive_ridge
from properties.problems import labelled_problem, rbf, refits, smooth_problem, spoilt_problem
from untaint.diagnostics import diagnose
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.c_steps import ExactRefits, c_steps
from untaint.optim.newton import Newton
from untaint.optim.newton_step import KernelSpace
from untaint.optim.norm_ball import solve_in_ball
from untaint.optim.projected_gradient import TrimmedProblem
from untaint.optim.ridge_exact import ExactRidge
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced
from untaint.weighting.softplus import Softplus
from untaint.weighting.trimmed import Trimmed

NAMES = {
    "lipschitz",
    "lipschitz_rowwise",
    "smoothness",
    "smoothness_top",
    "step_size",
    "stationarity",
    "moreau_gradient_norm",
    "worst_case_gamma",
    "effective_dimension",
    "norm",
}


def constants(K, y, coef, *, contamination=0.0, alpha=0.1, intercept=0.0, **options):
    options = {
        "sample_weight": np.ones(len(y)),
        "weighting": Trimmed(contamination),
        "norm_bound": None,
        "fit_intercept": False,
        "loss": SquaredLoss(),
    } | options
    intercept = np.broadcast_to(np.asarray(intercept, dtype=float), y.shape[1:]).copy()
    return diagnose(K=K, y=y, coef=coef, intercept=intercept, alpha=alpha, **options)


def converged(
    K, y, contamination, alpha, *, norm_bound=None, fit_intercept=False, sample_weight=None
):
    """Trimmed fit by concentration with exact refits."""
    sample_weight = np.ones(len(y)) if sample_weight is None else sample_weight
    system = ExactRidge(K, fit_intercept)

    def refit(weights, fit, tol):
        return solve_in_ball(refits(system, y, weights), alpha, norm_bound, fit, 1e-12)

    data = (y, sample_weight, sample_weight, alpha)
    rule = Trimmed(contamination)
    process = ExactRefits(refit, SquaredLoss(), rule, *data, tol=1e-10, loose=0.0)
    return c_steps(process, max_iter=500)


def in_the_ball(rng, K, shape, radius):
    """Random function, on the sphere half of the time and inside of it else."""
    coef = np.linalg.solve(np.linalg.cholesky(K + 1e-10 * np.eye(len(K))).T, rng.normal(size=shape))
    return coef * radius / naive_ridge.norm(K, coef) * min(1.0, 2 * rng.random())


def trimmed_mean(K, y, coef, contamination, sample_weight, alpha=0.0):
    """Psi: objective over kept weight."""
    losses = ((y - K @ coef) ** 2).sum(axis=1)
    rule = Trimmed(contamination)
    total = rule.value(losses, sample_weight) + alpha * naive_ridge.norm(K, coef) ** 2
    return total / rule.kept_total(sample_weight)


def dual_value(t, K, y, coef, contamination, sample_weight):
    """g(t, f) of Lemma 13, with the factor 1 / (n p)."""
    losses = ((y - K @ coef) ** 2).sum(axis=1)
    kept = Trimmed(contamination).kept_total(sample_weight)
    return t - sample_weight @ np.maximum(t - losses, 0.0) / kept


WEIGHTS = {
    "ones": lambda rng, n: np.ones(n),
    "copies": lambda rng, n: rng.integers(1, 4, size=n).astype(float),
    "fractions": lambda rng, n: rng.random(n) + 0.01,
    "tiny": lambda rng, n: np.full(n, 1e-3),
}
weighted = pytest.mark.parametrize("weigh", WEIGHTS.values(), ids=WEIGHTS)


def test_every_constant_has_a_name_and_is_a_number(rng):
    K, y = smooth_problem(rng, n=10)
    found = constants(K, y, rng.normal(size=(10, 1)), contamination=0.2)
    assert set(found) == NAMES
    assert found.norm == found["norm"]
    assert all(isinstance(value, float) and np.isfinite(value) for value in found.values())


# Lemma 13


@weighted
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("contamination", [0.0, 0.3])
def test_lipschitz_constants_bound_every_rise_over_the_ball(weigh, outputs, contamination, rng):
    K, y = spoilt_problem(rng, n=8, bad=2, outputs=outputs)
    sample_weight, radius = weigh(rng, 8), 2.0
    zero = np.zeros(y.shape)
    found = constants(
        K, y, zero, contamination=contamination, sample_weight=sample_weight, norm_bound=radius
    )
    steepest = 0.0
    for _ in range(100):
        f = in_the_ball(rng, K, y.shape, radius)
        other = f + 10 ** rng.uniform(-4, 0) * (in_the_ball(rng, K, y.shape, radius) - f)
        run = naive_ridge.norm(K, f - other)
        t = rng.uniform(0, 200)
        for rise in (
            dual_value(t, K, y, f, contamination, sample_weight)
            - dual_value(t, K, y, other, contamination, sample_weight),
            trimmed_mean(K, y, f, contamination, sample_weight)
            - trimmed_mean(K, y, other, contamination, sample_weight),
        ):
            steepest = max(steepest, abs(rise) / run)
    assert steepest <= found.lipschitz_rowwise * (1 + 1e-6)
    assert found.lipschitz_rowwise <= found.lipschitz * (1 + 1e-12)


def test_the_rowwise_constant_is_reached():
    # One row, target and function pulling the same way: the bound is the slope itself.
    K, y = np.array([[4.0]]), np.array([[-3.0]])
    radius = 1.5
    found = constants(K, y, np.zeros((1, 1)), norm_bound=radius)
    edge, step = np.array([[radius / 2.0]]), 1e-6
    slope = (
        trimmed_mean(K, y, edge, 0.0, np.ones(1))
        - trimmed_mean(K, y, (1 - step) * edge, 0.0, np.ones(1))
    ) / (step * radius)
    assert slope == pytest.approx(found.lipschitz_rowwise, rel=1e-5)


def test_printed_constants_by_hand():
    K, y = np.diag([4.0, 9.0]), np.array([[1.0], [-2.0]])
    found = constants(K, y, np.zeros((2, 1)), alpha=0.0, norm_bound=10.0)
    # (2 R (2 + 3)^2 + 2 (1 + 2) (2 + 3)) / 2 and 2 (R (4 + 9) + 1 * 2 + 2 * 3) / 2
    assert found.lipschitz == pytest.approx(265.0)
    assert found.lipschitz_rowwise == pytest.approx(138.0)
    assert found.smoothness == pytest.approx(13.0)


def test_the_norm_of_the_fit_stands_in_for_a_missing_bound(rng):
    K, y = smooth_problem(rng, n=8)
    coef = rng.normal(size=(8, 1))
    norm = naive_ridge.norm(K, coef)
    free, bound = constants(K, y, coef), constants(K, y, coef, norm_bound=norm)
    assert free.norm == pytest.approx(norm)
    assert free.lipschitz == pytest.approx(bound.lipschitz)
    assert free.lipschitz_rowwise == pytest.approx(bound.lipschitz_rowwise)


def test_the_intercept_moves_the_targets_of_the_lipschitz_constants(rng):
    K, y = smooth_problem(rng, n=8)
    coef = rng.normal(size=(8, 1))
    shifted = constants(K, y + 5.0, coef, intercept=5.0)
    assert shifted.lipschitz == pytest.approx(constants(K, y, coef).lipschitz)


# Lemmas 8 and 14

KERNELS = {
    "smooth": lambda rng: rbf(rng.normal(size=(8, 2))),
    "rank one": lambda rng: np.outer(*[rng.normal(size=8)] * 2),
    "independent": lambda rng: np.eye(8),
}


@weighted
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("alpha", [0.0, 5.0])
@pytest.mark.parametrize("name", ["smoothness", "smoothness_top"])
def test_smoothness_bounds_the_objective_from_above(weigh, kernel, alpha, name, rng):
    K, y, sample_weight = kernel(rng), 3 * rng.normal(size=(8, 1)), weigh(rng, 8)
    design = TrimmedProblem(
        K, SquaredLoss(), Trimmed(0.25), y, sample_weight, alpha, fit_intercept=False
    )
    kept = Trimmed(0.25).kept_total(sample_weight)
    options = {"contamination": 0.25, "alpha": alpha, "sample_weight": sample_weight}
    beta = constants(K, y, np.zeros((8, 1)), **options)[name]
    for _ in range(40):
        coef, move = rng.normal(size=(2, 8, 1))
        move *= 10 ** rng.uniform(-2, 1)
        fit = design.function(coef, np.zeros(1))
        slope = np.sum(move * (K @ design.gradient(fit))) / kept
        bound = design.objective(fit) / kept + slope + 0.5 * beta * naive_ridge.norm(K, move) ** 2
        reached = design.objective(design.function(coef + move, np.zeros(1))) / kept
        assert reached <= bound + 1e-9 * (1 + abs(bound))


@weighted
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_the_gradient_changes_no_faster_between_functions_that_keep_the_same_rows(
    weigh, kernel, alpha, rng
):
    K, y, sample_weight = kernel(rng), 3 * rng.normal(size=(8, 1)), weigh(rng, 8)
    design = TrimmedProblem(
        K, SquaredLoss(), Trimmed(0.25), y, sample_weight, alpha, fit_intercept=False
    )
    kept = Trimmed(0.25).kept_total(sample_weight)
    options = {"contamination": 0.25, "alpha": alpha, "sample_weight": sample_weight}
    found = constants(K, y, np.zeros((8, 1)), **options)
    compared = 0
    for _ in range(80):
        coef, move = rng.normal(size=(2, 8, 1))
        move *= 10 ** rng.uniform(-3, -1)
        one, two = (design.function(c, np.zeros(1)) for c in (coef, coef + move))
        if not np.array_equal(design.weights(one.predictions), design.weights(two.predictions)):
            continue
        compared += 1
        change = naive_ridge.norm(K, design.gradient(one) - design.gradient(two)) / kept
        run = naive_ridge.norm(K, move)
        assert change <= found.smoothness_top * run * (1 + 1e-9) + 1e-12
        assert change <= found.smoothness * run * (1 + 1e-9) + 1e-12
    assert compared > 20


@pytest.mark.parametrize("alpha", [0.0, 0.1, 5.0])
def test_the_top_eigenvalue_gives_the_smaller_constant(alpha, rng):
    K, y = smooth_problem(rng, n=20)
    found = constants(K, y, np.zeros((20, 1)), contamination=0.2, alpha=alpha)
    # The power iteration adds a hundredth.
    assert found.smoothness_top <= 1.01 * found.smoothness
    assert found.step_size == pytest.approx(1 / found.smoothness_top)


# Definitions 9 to 11, Lemma 22: stationarity


@pytest.mark.parametrize("norm_bound", [None, 1.0], ids=["free", "on the sphere"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("copies", [False, True])
def test_both_measures_vanish_at_a_converged_fit_and_only_there(
    norm_bound, fit_intercept, copies, rng
):
    K, y = spoilt_problem(rng, n=15, bad=3)
    sample_weight = rng.integers(1, 3, size=15).astype(float) if copies else np.ones(15)
    options = {
        "norm_bound": norm_bound,
        "fit_intercept": fit_intercept,
        "sample_weight": sample_weight,
    }
    solution = converged(K, y, 0.2, 0.1, **options)
    fit = solution.fit
    if norm_bound is not None:
        assert fit.squared_norm == pytest.approx(norm_bound**2)
    at_rest = constants(K, y, fit.coef, contamination=0.2, intercept=fit.intercept, **options)
    moved = constants(K, y, 0.8 * fit.coef, contamination=0.2, intercept=fit.intercept, **options)
    assert at_rest.stationarity < 1e-6
    assert at_rest.moreau_gradient_norm < 1e-6
    assert moved.stationarity > 1e-2
    assert moved.moreau_gradient_norm > 1e-2


def test_stationarity_is_the_norm_of_the_gradient_inside_the_ball(rng):
    K, y = smooth_problem(rng, n=8)
    coef = rng.normal(size=(8, 1))
    gradient = (2 * (K @ coef - y) + 2 * 0.1 * coef) / 8
    expected = naive_ridge.norm(K, gradient)
    assert constants(K, y, coef).stationarity == pytest.approx(expected)
    assert constants(K, y, coef, norm_bound=1e6).stationarity == pytest.approx(expected)


def test_on_the_sphere_only_what_points_along_it_counts(rng):
    # The free minimum lies straight outwards: its pull does not count against a constrained fit.
    K, y = np.eye(3), np.array([[1.0], [2.0], [2.0]])
    coef = y / 3.0 * 0.5
    assert constants(K, y, coef, alpha=0.0, norm_bound=0.5).stationarity < 1e-9
    assert constants(K, y, coef, alpha=0.0).stationarity > 0.5


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("contamination", [0.0, 1 / 3])
@pytest.mark.parametrize("seed", range(6))
def test_moreau_gradient_is_the_way_to_the_proximal_point(outputs, contamination, seed):
    # Lemma 22: ||f - prox|| = lambda * norm; the point is found by trying every choice of rows.
    rng = np.random.default_rng(seed)
    K, y = spoilt_problem(rng, n=6, bad=2, outputs=outputs)
    coef = rng.normal(size=y.shape)
    found = constants(K, y, coef, contamination=contamination)
    inverse = 2 * found.smoothness_top
    prox = naive.proximal_point(K, y, round((1 - contamination) * 6), 0.1, coef, inverse)
    distance = naive_ridge.norm(K, coef - prox)
    assert distance == pytest.approx(found.moreau_gradient_norm / inverse, rel=1e-6)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("contamination", [0.0, 1 / 3])
@pytest.mark.parametrize("seed", range(6))
def test_moreau_gradient_leads_to_a_point_that_keeps_its_own_rows(
    outputs, fit_intercept, contamination, seed
):
    # A trimmed objective is not weakly convex: it may have several proximal points, and an
    # intercept without a penalty brings more. Whichever is found must be one.
    rng = np.random.default_rng(100 + seed)
    K, y = spoilt_problem(rng, n=6, bad=2, outputs=outputs)
    coef = 3 * rng.normal(size=y.shape)
    intercept = y.mean(axis=0) if fit_intercept else np.zeros(outputs)
    found = constants(
        K, y, coef, contamination=contamination, intercept=intercept, fit_intercept=fit_intercept
    )
    inverse = 2 * found.smoothness_top
    points = naive.local_proximal_points(
        K, y, round((1 - contamination) * 6), 0.1, coef, inverse, fit_intercept
    )
    distances = [naive_ridge.norm(K, coef - point) for point in points]
    assert np.isclose(distances, found.moreau_gradient_norm / inverse, rtol=1e-6).any()


@pytest.mark.parametrize("contamination", [0.0, 1 / 3])
@pytest.mark.parametrize("seed", range(4))
def test_moreau_gradient_in_the_ball(contamination, seed):
    rng = np.random.default_rng(seed)
    K, y = spoilt_problem(rng, n=6, bad=2)
    radius = 1.0
    coef = in_the_ball(rng, K, (6, 1), radius)
    found = constants(K, y, coef, contamination=contamination, norm_bound=radius)
    inverse = 2 * found.smoothness_top
    count = round((1 - contamination) * 6)
    prox = naive.proximal_point_in_ball(K, y, count, 0.1, coef, inverse, radius)
    distance = naive_ridge.norm(K, coef - prox)
    assert distance == pytest.approx(found.moreau_gradient_norm / inverse, rel=1e-4, abs=1e-6)


def test_the_two_measures_agree_up_to_a_constant(rng):
    K, y = spoilt_problem(rng, n=15, bad=3)
    for _ in range(10):
        found = constants(K, y, 0.3 * rng.normal(size=(15, 1)), contamination=0.2)
        assert 0.3 < found.moreau_gradient_norm / found.stationarity < 3.0


def test_soft_selections_are_measured_by_their_own_weights(rng):
    K, y = spoilt_problem(rng, n=10, bad=2)
    coef, rule = 0.1 * rng.normal(size=(10, 1)), Softplus(0.2, smoothing=1.0)
    found = constants(K, y, coef, contamination=0.2, weighting=rule)
    weights = rule.weights(((y - K @ coef) ** 2)[:, 0], np.ones(10))
    gradient = (2 * weights[:, None] * (K @ coef - y) + 0.2 * coef) / 8
    assert found.stationarity == pytest.approx(naive_ridge.norm(K, gradient))


# What remains


@pytest.mark.parametrize(
    ("contamination", "gamma"), [(0.0, 0.0), (0.1, 0.125), (0.25, 0.5), (0.4, 2.0)]
)
def test_worst_case_gamma(contamination, gamma, rng):
    K, y = smooth_problem(rng, n=20)
    found = constants(K, y, np.zeros((20, 1)), contamination=contamination)
    assert found.worst_case_gamma == pytest.approx(gamma)


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
def test_effective_dimension_is_the_trace_of_the_hat_matrix_of_the_kept_rows(alpha, rng):
    K, y = spoilt_problem(rng, n=20, bad=4)
    solution = converged(K, y, 0.2, alpha)
    found = constants(K, y, solution.fit.coef, contamination=0.2, alpha=alpha)
    kept = K[np.ix_(solution.weights > 0, solution.weights > 0)]
    hat = kept @ np.linalg.inv(kept + alpha * np.eye(16))
    assert found.effective_dimension == pytest.approx(np.trace(hat))


def test_effective_dimension_counts_a_weight_as_copies(rng):
    X, copies = rng.normal(size=(8, 2)), rng.integers(1, 4, size=8)
    owner = np.repeat(np.arange(8), copies)
    y, coef = rng.normal(size=(8, 1)), np.zeros((8, 1))
    one = constants(rbf(X), y, coef, sample_weight=copies.astype(float))
    many = constants(rbf(X[owner]), y[owner], np.zeros((len(owner), 1)))
    assert one.effective_dimension == pytest.approx(many.effective_dimension)


def test_constants_count_a_weight_as_copies(rng):
    X, copies = rng.normal(size=(8, 2)), rng.integers(1, 4, size=8)
    owner = np.repeat(np.arange(8), copies)
    y, coef = rng.normal(size=(8, 1)), rng.normal(size=(8, 1))
    one = constants(rbf(X), y, coef, contamination=0.3, sample_weight=copies.astype(float))
    # The same function: each copy carries its part of the coefficient.
    many = constants(rbf(X[owner]), y[owner], (coef / copies[:, None])[owner], contamination=0.3)
    for name in NAMES:
        assert one[name] == pytest.approx(many[name], rel=1e-4), name


def test_effective_dimension_without_a_ridge_is_the_rank(rng):
    X = rng.normal(size=(12, 3))
    found = constants(X @ X.T, rng.normal(size=(12, 1)), np.zeros((12, 1)), alpha=0.0)
    assert found.effective_dimension == 3.0


# Labels: the same constants for the logistic and the softmax loss

RULES = {
    "smallest": lambda contamination, codes, classes: Trimmed(contamination),
    "balanced": ClassBalanced,
    "soft": lambda contamination, codes, classes: SoftClassBalanced(
        contamination, codes, classes, smoothing=2.0
    ),
}
PROBLEMS = [(LogisticLoss(), 2), (SoftmaxLoss(), 3)]
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
losses = pytest.mark.parametrize(("loss", "classes"), PROBLEMS, ids=["logistic", "softmax"])


def labelled(
    rng, loss, classes, rule, weigh=WEIGHTS["ones"], contamination=0.3, alpha=0.1, **options
):
    """A problem of labels and the options under which its constants are asked for."""
    K, y = labelled_problem(rng, 12, classes)
    codes = y[:, 0].astype(int) if classes == 2 else y.argmax(axis=1)
    weighting, sample_weight = rule(contamination, codes, classes), weigh(rng, 12)
    design = TrimmedProblem(
        K, loss, weighting, y, sample_weight, alpha, fit_intercept=False, **options
    )
    return design, {
        "contamination": contamination,
        "alpha": alpha,
        "sample_weight": sample_weight,
        "weighting": weighting,
        "loss": loss,
    } | options


@rules
@losses
def test_every_constant_of_a_fit_to_labels_is_a_number(loss, classes, rule, rng):
    design, options = labelled(rng, loss, classes, rule)
    for size in (0.0, 1.0, 1e3):
        coef = size * rng.normal(size=design.y.shape)
        found = constants(design.K, design.y, coef, **options)
        assert set(found) == NAMES
        assert all(isinstance(value, float) and np.isfinite(value) for value in found.values())


@weighted
@rules
@losses
def test_lipschitz_constants_bound_every_rise_of_a_fit_to_labels(loss, classes, rule, weigh, rng):
    radius = 3.0
    design, options = labelled(rng, loss, classes, rule, weigh, alpha=0.0, norm_bound=radius)
    K, kept = design.K, design.weighting.kept_total(design.sample_weight)
    found = constants(K, design.y, np.zeros(design.y.shape), **options)
    for _ in range(40):
        f, g = (in_the_ball(rng, K, design.y.shape, radius) for _ in range(2))
        other = f + 10 ** rng.uniform(-3, 0) * (g - f)
        values = [
            design.objective(design.function(coef, np.zeros(design.y.shape[1]))) / kept
            for coef in (f, other)
        ]
        run = naive_ridge.norm(K, f - other)
        # Whole rows are kept to the nearest set but for Stirling's remainder.
        slack = (
            0.04 * classes * design.sample_weight.max() / kept if rule is ClassBalanced else 1e-9
        )
        assert abs(values[0] - values[1]) <= found.lipschitz_rowwise * run * (1 + 1e-6) + slack
    assert found.lipschitz_rowwise <= found.lipschitz * (1 + 1e-12)


def test_the_logistic_constant_is_reached():
    # One row, sure of the wrong class: a probability of one too much.
    K, y, radius = np.array([[4.0]]), np.array([[0.0]]), 50.0
    found = constants(K, y, np.zeros((1, 1)), norm_bound=radius, loss=LogisticLoss())
    assert found.lipschitz_rowwise == pytest.approx(2.0)
    values = LogisticLoss().value(
        np.zeros((2, 1)), np.array([[2.0 * radius], [2.0 * radius - 2e-3]])
    )
    assert (values[0] - values[1]) / 1e-3 == pytest.approx(found.lipschitz_rowwise)


@weighted
@pytest.mark.parametrize("rule", [RULES["smallest"], RULES["soft"]], ids=["smallest", "soft"])
@losses
@pytest.mark.parametrize("name", ["smoothness", "smoothness_top"])
def test_smoothness_bounds_the_curvature_of_a_fit_to_labels(loss, classes, rule, weigh, name, rng):
    design, options = labelled(rng, loss, classes, rule, weigh)
    K, zero = design.K, np.zeros(design.y.shape[1])
    kept = design.weighting.kept_total(design.sample_weight)
    beta = constants(K, design.y, np.zeros(design.y.shape), **options)[name]
    for _ in range(20):
        coef, move = rng.normal(size=(2, *design.y.shape))
        move *= 10 ** rng.uniform(-2, 1)
        fit = design.function(coef, zero)
        slope = np.sum(move * (K @ design.gradient(fit))) / kept
        bound = design.objective(fit) / kept + slope + 0.5 * beta * naive_ridge.norm(K, move) ** 2
        reached = design.objective(design.function(coef + move, zero)) / kept
        assert reached <= bound + 1e-9 * (1 + abs(bound))


@pytest.mark.parametrize("rule", [RULES["balanced"], RULES["soft"]], ids=["balanced", "soft"])
@losses
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_both_measures_vanish_at_a_converged_fit_to_labels(loss, classes, rule, fit_intercept, rng):
    design, options = labelled(rng, loss, classes, rule)
    newton = Newton(KernelSpace(ExactRidge(design.K, fit_intercept)), loss, design.y)
    process = ExactRefits(
        lambda weights, start, tol: newton.solve(weights, 0.1, start, 1e-10),
        loss,
        design.weighting,
        design.y,
        design.sample_weight,
        design.sample_weight,
        0.1,
        tol=1e-12,
        loose=0.0,
    )
    fit = c_steps(process, max_iter=300).fit
    options |= {"intercept": fit.intercept, "fit_intercept": fit_intercept}
    at_rest = constants(design.K, design.y, fit.coef, **options)
    moved = constants(design.K, design.y, 0.5 * fit.coef, **options)
    assert at_rest.stationarity < 1e-3
    assert at_rest.moreau_gradient_norm < 1e-3
    assert moved.stationarity > 10 * at_rest.stationarity
    assert moved.moreau_gradient_norm > 10 * at_rest.moreau_gradient_norm
