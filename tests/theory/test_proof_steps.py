"""Steps inside the proofs: inequalities that later lines stand on.

Second version, Propositions 3 and 4, eqs. (17) to (60); first version, eqs. (94) to (101), (128) to
(132) and Theorems 23 and 24.
"""

import numpy as np
import pytest
from scipy.special import expit

from properties.problems import smooth_problem
from untaint.diagnostics import diagnose
from untaint.losses import LogisticLoss, SquaredLoss
from untaint.optim.projected_gradient import TrimmedProblem, projected_gradient
from untaint.weighting.trimmed import Trimmed


def test_young_with_any_weight(rng):
    """Proposition 3, and as eqs. (24) and (44) use it: a b <= c a^2 / 2 + b^2 / (2 c)."""
    for a, b, log in rng.normal(size=(200, 3)) * 3:
        c = np.exp(log)
        assert a * b <= c * a**2 / 2 + b**2 / (2 * c) + 1e-12


def test_jensen(rng):
    """Proposition 4, for the square and the exponential."""
    for x in rng.normal(size=(50, 30)):
        assert x.mean() ** 2 <= np.mean(x**2) and np.exp(x.mean()) <= np.mean(np.exp(x))


# --- the product of a sum is not the sum of products -----------------------------------------


def test_a_weighted_sum_is_not_bounded_by_the_plain_sum():
    """Second version, eqs. (23), (26), (43), (48); first, (94), (100): opposite rows cancel."""
    phi, c = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0])
    assert np.linalg.norm(c @ phi) == 2.0
    assert np.linalg.norm(phi.sum(axis=0)) * np.linalg.norm(c) == 0.0
    assert abs(c.sum()) * np.linalg.norm(phi.sum(axis=0)) == 0.0


def test_a_weighted_sum_is_bounded_by_the_largest_singular_value(rng):
    """What those lines may use instead: the operator norm, or the root of the trace."""
    for _ in range(50):
        phi, c = rng.normal(size=(7, 3)), rng.normal(size=7)
        top = np.linalg.norm(phi, 2)
        assert np.linalg.norm(c @ phi) <= top * np.linalg.norm(c) + 1e-12
        assert top <= np.sqrt(np.sum(phi**2)) + 1e-12


def test_logistic_gradient_is_as_long_as_the_mean_of_the_roots_at_most(rng):
    """Eqs. (99) to (101): each slope is at most one; print ends with n times the bound."""
    A = rng.normal(size=(8, 8))
    K, y = A @ A.T, rng.integers(0, 2, size=(8, 1)).astype(float)
    design = TrimmedProblem(
        K, LogisticLoss(), Trimmed(0.25), y, np.ones(8), 0.0, fit_intercept=False
    )
    bound = np.sqrt(np.diag(K)).sum() / 6
    for _ in range(100):
        slope = design.gradient(design.function(rng.normal(size=(8, 1)), np.zeros(1))) / 6
        assert np.sqrt(np.sum(slope * (K @ slope))) <= bound
    assert bound <= np.sqrt(np.diag(K)).sum() / 0.75  # eq. (101), 1 / p times the sum


# --- one step --------------------------------------------------------------------------------


def test_one_step_as_a_square(rng):
    """Eqs. (19), (20), (39): |f - eta g - f*|^2 has 2 eta in the middle and the squared norm last.

    Eq. (20) prints eta once and the norm without its square.
    """
    f, g, best = rng.normal(size=(3, 4))
    eta, apart = 0.3, f - best
    exact = np.sum((f - eta * g - best) ** 2)
    assert exact == pytest.approx(apart @ apart - 2 * eta * g @ apart + eta**2 * g @ g)
    printed = apart @ apart - eta * g @ apart + eta**2 * np.linalg.norm(g)
    assert abs(exact - printed) > 0.1


@pytest.mark.parametrize("radius", [0.5, 2.0])
def test_projection_brings_two_functions_nearer(radius, rng):
    """Eqs. (19) and (38): towards any function of the ball, the projected step is not farther."""
    for _ in range(100):
        step, inside = rng.normal(size=(2, 3)) * 3
        inside *= radius * rng.random() / np.linalg.norm(inside)
        projected = step * min(1.0, radius / np.linalg.norm(step))
        assert np.linalg.norm(projected - inside) <= np.linalg.norm(step - inside) + 1e-12


def test_kept_rows_lose_no_more_than_the_clean_ones(rng):
    """Eq. (27), (50): as many rows, and the cheapest."""
    losses, clean = rng.exponential(size=20), np.arange(20) >= 6
    assert Trimmed(0.3).value(losses, np.ones(20)) <= losses[clean].sum()


def test_contraction_depends_on_the_condition_number():
    """Eq. (35) claims 3 / 4 a step with eta = 1 / (2 lambda_max); clean rows, no noise."""
    values = np.array([1.0, 0.01])
    eta, error = 1 / (2 * values[0]), np.ones(2)
    for _ in range(50):
        error = error - eta * 2 * values * error
    assert np.abs(error).max() > 0.6 > 0.75**50
    assert np.abs(error).max() == pytest.approx((1 - 2 * eta * values.min()) ** 50)


def test_logistic_slopes_are_monotone_at_least_as_the_ball_allows(rng):
    """Eqs. (45), (46): C is the least sigma (1 - sigma) there, about e^(-R sqrt(k)); it decays.

    The print's gradient of h is its Hessian, and without 1 - sigma.
    """
    phi, radius = rng.normal(size=(12, 3)), 2.0
    reach = radius * np.linalg.norm(phi, axis=1).max()
    C = expit(reach) * expit(-reach)
    least = np.linalg.eigvalsh(phi.T @ phi)[0]
    for _ in range(100):
        f, g = rng.normal(size=(2, 3))
        f, g = (v * radius * rng.random() / np.linalg.norm(v) for v in (f, g))
        change = (expit(phi @ f) - expit(phi @ g)) @ phi
        assert (f - g) @ change >= C * least * np.sum((f - g) ** 2) - 1e-12
    assert expit(20.0) * expit(-20.0) < 1e-8  # R sqrt(k) = 20 makes Theorem 9's step as small


def test_labels_that_are_certain_leave_nothing_to_explain():
    """Theorem 9: E_OPT compares y with the chance of a one, as (54) does, not of y itself."""
    y = np.array([0.0, 1.0, 0.0])
    of_one, of_itself = y, np.ones(3)
    assert np.sum((of_one - y) ** 2) == 0.0
    assert np.sum((of_itself - y) ** 2) == 2.0


# --- accelerations ---------------------------------------------------------------------------


def test_printed_nesterov_steps_are_momentum_steps(rng):
    """Eqs. (62), (63) take the gradient at f, not ahead of it: the iterates are (59), (60)'s."""
    A, b = np.diag([1.0, 5.0]), rng.normal(size=2)
    rate, mu = 0.1, 0.8
    velocity, f = np.zeros(2), np.zeros(2)
    before, g = np.zeros(2), np.zeros(2)
    for _ in range(20):
        velocity = mu * velocity + (A @ f - b)
        f = f - rate * velocity
        before, g = g, (1 + mu) * g - mu * before - rate * (A @ g - b)
        np.testing.assert_allclose(g, f, rtol=1e-12, atol=1e-14)


def test_velocity_is_the_sum_of_powers_without_one_less_mu(rng):
    """Eq. (131) prints mu^k (1 - mu), which the recursion (59) does not have."""
    gradients, mu, velocity = rng.normal(size=30), 0.9, 0.0
    for gradient in gradients:
        velocity = mu * velocity + gradient
    assert velocity == pytest.approx(np.sum(mu ** np.arange(30) * gradients[::-1]))


@pytest.mark.parametrize("acceleration", [None, "momentum", "nesterov"])
def test_descents_reach_a_nearly_stationary_point(acceleration, rng):
    """Theorems 23 and 24, whose right sides are blank: the envelope's gradient goes to zero."""
    K, y = smooth_problem(rng, n=20)
    y[:4] += 6.0
    design = TrimmedProblem(
        K, SquaredLoss(), Trimmed(0.2), y, np.ones(20), 0.5, fit_intercept=False
    )
    norms = []
    for steps in (1, 30, 1000):
        fit = projected_gradient(
            design, np.zeros((20, 1)), acceleration=acceleration, max_iter=steps, tol=1e-15
        ).fit
        found = diagnose(
            K=K,
            y=y,
            coef=fit.coef,
            intercept=fit.intercept,
            sample_weight=np.ones(20),
            weighting=Trimmed(0.2),
            loss=SquaredLoss(),
            alpha=0.5,
            norm_bound=None,
            fit_intercept=False,
        )
        norms.append(found.moreau_gradient_norm)
    assert norms[0] > norms[1] > norms[2]
    assert norms[2] < 1e-4 * norms[0]


# --- constants, steps and iterations that change between two lines ----------------------------


def test_lipschitz_constant_holds_with_either_norm_of_the_targets(rng):
    """First version, eq. (46) prints |y|, its proof (98) the sum |y|_1; the former is enough.

    The sum of |y_i| sqrt(k_ii) is at most |y|_2 times the sum of the roots.
    """
    A, y = rng.normal(size=(6, 6)), rng.normal(size=(6, 1))
    K, R = A @ A.T, 1.5
    found = diagnose(
        K=K,
        y=y,
        coef=np.zeros((6, 1)),
        intercept=np.zeros(1),
        sample_weight=np.ones(6),
        weighting=Trimmed(0.0),
        loss=SquaredLoss(),
        alpha=0.0,
        norm_bound=R,
        fit_intercept=False,
    )
    roots = np.sqrt(np.diag(K)).sum()
    by_sum, by_root = (
        2 * (R * roots**2 + np.linalg.norm(y.ravel(), order) * roots) / 6 for order in (1, 2)
    )
    assert found.lipschitz == pytest.approx(by_sum)
    assert found.lipschitz_rowwise < by_root < by_sum


def clean_descent(iterations):
    """Errors of the descent on four clean rows of a well conditioned design, without noise."""
    K, truth = np.diag([1.0, 0.9, 0.8, 0.7]), np.ones((4, 1))
    problem = TrimmedProblem(
        K, SquaredLoss(), Trimmed(0.0), K @ truth, np.ones(4), 0.0, fit_intercept=False
    )
    errors = []
    for n in iterations:
        solution = projected_gradient(
            problem, np.zeros((4, 1)), learning_rate=0.25, max_iter=n, tol=0.0
        )
        errors.append(np.abs(solution.fit.coef - truth).max())
    return np.array(errors)


def test_a_contraction_takes_the_logarithm_of_one_over_the_error():
    """Second version, Theorem 7: T has a logarithm in the statement and none in its proof."""
    errors = clean_descent(range(1, 60))
    needed = [int(np.argmax(errors < target)) + 1 for target in (1e-2, 1e-4, 1e-8)]
    assert needed[1] == pytest.approx(2 * needed[0], abs=2)
    assert needed[2] == pytest.approx(4 * needed[0], abs=4)


def test_noise_in_the_product_has_the_factor_of_the_product():
    """Second version, (21) to (22): 2 eta becomes 4 eta, but not for the noise.

    One feature, all rows one, f - f* = a: the product in |f - eta g - f*|^2 is 4 eta a (a - noise).
    """
    eta, a, noise = 0.1, 1.0, 0.9
    rows, errors = np.ones(5), np.full(5, a - noise)
    gradient = 2 / 5 * errors @ rows
    product = 2 * eta * gradient * a  # twice (21), as the square has it
    assert product == pytest.approx(4 * eta * a * (a - noise))
    assert product < 4 * eta * a**2 - 2 * eta * noise  # (22) as printed is no lower bound
    assert product >= 4 * eta * a**2 - 4 * eta * noise * abs(a) - 1e-12


def test_the_step_of_the_classifier_is_counted_once(rng):
    """Second version, (36), (37) and (47): eta / (n (1 - eps)) is in the step or the gradient."""
    A, y = rng.normal(size=(6, 6)), np.array([[0.0], [1.0]] * 3)
    K, kept, eta = A @ A.T, 6, 0.3
    problem = TrimmedProblem(
        K, LogisticLoss(), Trimmed(0.0), y, np.ones(6), 0.0, fit_intercept=False
    )
    start = rng.normal(size=(6, 1))
    solution = projected_gradient(problem, start, learning_rate=eta / kept, max_iter=1)
    residuals = expit(K @ start) - y
    np.testing.assert_allclose(solution.fit.coef, start - eta / kept * residuals)  # (36)
    by_47 = eta / kept * residuals  # what (47) calls the gradient
    assert np.abs(solution.fit.coef - (start - eta / kept * by_47)).max() > 0.01


def test_without_its_square_the_step_of_eq_51_does_not_matter():
    """Second version, (44) has eta^2 where (51) has eta: whether steps contract is then fixed."""
    slope, width = 0.2, 1.0  # 2 C lambda_min / (n (1 - eps)), and the squared sum over its power
    steps = np.array([0.3, 0.1, 0.01])
    right = 1 - slope * steps + width * steps**2
    printed = 1 - slope * steps + width * steps
    assert right[0] > 1 > right[1] and right[2] < 1
    assert np.all(printed > 1)


def test_steps_of_theorem_9_and_of_its_algorithm_are_in_other_units(rng):
    """Second version: Theorem 9 steps by 1 / L, Algorithm 2 and (59) by lambda_min / trace.

    In other units of the features the first is divided by their square and the second stays.
    """
    X, y = rng.normal(size=(40, 2)), (rng.random((40, 1)) < 0.5).astype(float)
    rises = {}
    for unit in (1.0, 30.0):
        values = np.linalg.eigvalsh(unit**2 * X.T @ X / 40)
        problem = TrimmedProblem(
            unit**2 * X @ X.T, LogisticLoss(), Trimmed(0.0), y, np.ones(40), 0.0, False
        )
        start = np.zeros((40, 1))
        by_L = projected_gradient(problem, start, max_iter=50)
        by_ratio = projected_gradient(
            problem, start, learning_rate=values[0] / values.sum() / 40, max_iter=50
        )
        assert np.diff(by_L.objective_path).max() <= 1e-9
        rises[unit] = np.diff(by_ratio.objective_path).max()
    assert rises[1.0] <= 1e-9 and rises[30.0] > 1.0
