"""Learning from noisy copies: the inequalities behind the regret bounds.

Learning from Noisy Data, eqs. (1) to (4), Algorithms 1 and 2, Theorems 1 and 2, the angle of a
predictor's two parts, and radial kernels. Means over Gaussian noise are by quadrature.
"""

import numpy as np
import pytest
from scipy import integrate, stats

from naive import noisy_views as naive
from untaint.online.mixture import make_mixture
from untaint.online.projected_gradient import ProjectedGradientDescent
from untaint.online.step_size import ScheduledStepSize, TheoreticalStepSize
from untaint.online.surrogate import SurrogateKernel

# The trapezoid rule, which is exact to rounding for such integrands, narrow ones included.
NODES = np.linspace(-9, 9, 9001)
MASSES = np.exp(-(NODES**2) / 2) / np.sum(np.exp(-(NODES**2) / 2))


def gaussian_kernel(x, z, gamma):
    return np.exp(-gamma * (x - z) ** 2)


def surrogate_of(gamma, variance):
    """In one dimension, from the library."""
    noise = np.array([[variance]])
    surrogate = SurrogateKernel(make_mixture("rbf", gamma, 1.0, noise), noise)
    return lambda x, z: surrogate.matrix(
        np.atleast_1d(x)[:, None].astype(float), np.atleast_1d(z)[:, None].astype(float)
    ), surrogate.diagonal


# --- descent ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["random", "alternating", "outwards"])
@pytest.mark.parametrize("seed", range(3))
def test_projected_steps_keep_up_with_every_point_of_the_ball(kind, seed):
    """Eq. (2): for any vectors the gap is at most B^2 / (2 eta) + eta / 2 sum |v|^2."""
    rng = np.random.default_rng(seed)
    radius, rate, T = 1.5, 0.07, 200
    vectors = rng.normal(size=(T, 3))
    if kind == "alternating":
        vectors *= (-1.0) ** np.arange(T)[:, None]
    if kind == "outwards":
        vectors = np.tile(vectors[:1], (T, 1))
    descent, steps = ProjectedGradientDescent(3, ScheduledStepSize(rate), radius), []
    for vector in vectors:
        steps.append(descent.w)
        descent.update(vector)
    worst = -radius * vectors.sum(axis=0) / np.linalg.norm(vectors.sum(axis=0))
    gap = np.sum(np.array(steps) * vectors) - worst @ vectors.sum(axis=0)
    assert gap <= radius**2 / (2 * rate) + rate / 2 * np.sum(vectors**2)


def test_the_theorems_step_makes_both_parts_equal():
    """B / sqrt(G T) turns B^2 / (2 eta) + eta G T / 2 into B sqrt(G T)."""
    step = TheoreticalStepSize(radius=2.0, horizon=50)
    step.raise_gradient_bound(3.0, 1)
    eta = step(1, np.zeros(1), np.zeros(1))
    assert eta == pytest.approx(2.0 / np.sqrt(9.0 * 50))
    assert step.regret_bound(50) == pytest.approx(2.0**2 / (2 * eta) + eta * 9.0 * 50 / 2)
    assert step.regret_bound(50) == pytest.approx(2.0 * np.sqrt(9.0 * 50))


def test_second_moment_of_the_gradient_needs_the_cross_term():
    """Theorem 1: w against x and y with it; the printed G is passed, (Bw Bx + By)^2 reached."""
    w, x, y = np.array([-2.0]), np.array([3.0]), 4.0
    square = naive.gradient_two_copies(w, x, x, y)[0] ** 2
    assert square > 4 * (2.0**2 * 3.0**2 + 4.0**2) * 3.0**2
    assert square == pytest.approx(4 * (2.0 * 3.0 + 4.0) ** 2 * 3.0**2)


def test_second_moment_bound_holds_under_noise(rng):
    """E |gradient|^2 <= 4 (Bw Bx + By)^2 Bx^2 with Bx^2, By^2 the noisy second moments."""
    x, w, y = np.array([1.0, -0.5]), np.array([-0.8, 0.6]), 0.7
    noise = rng.normal(size=(2, 20_000, 2)) * [0.5, 1.0]
    a, b, targets = x + noise[0], x + noise[1], y + 0.3 * rng.normal(size=20_000)
    gradients = 2 * (a @ w - targets)[:, None] * b
    Bw, Bx2, By2 = np.linalg.norm(w), x @ x + 0.25 + 1.0, y**2 + 0.09
    bound = 4 * (Bw * np.sqrt(Bx2) + np.sqrt(By2)) ** 2 * Bx2
    assert np.mean(np.sum(gradients**2, axis=1)) <= bound


# --- two worlds ------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma, variance", [(0.5, 0.3), (1.0, 0.4), (0.2, 2.0)])
def test_noisy_products_have_clean_means(gamma, variance):
    """Eqs. (3), (4): the mean of the surrogate over the noise in one argument."""
    surrogate, peak = surrogate_of(gamma, variance)
    a, x = 0.4, -0.7
    mean = MASSES @ surrogate(x + np.sqrt(variance) * NODES, a)[:, 0]
    assert mean == pytest.approx(gaussian_kernel(a, x, gamma), rel=1e-6)
    assert peak == pytest.approx((1 - 2 * gamma * variance) ** -0.5)


def test_regret_in_the_surrogate_world_is_that_of_the_clean_world(rng):
    """Section 3.2: E <w^ - u^, g^> = <w - u, g>, g the clean gradient at w."""
    gamma, variance, y = 0.5, 0.3, 0.8
    surrogate, _ = surrogate_of(gamma, variance)
    support, alpha = rng.normal(size=5), rng.normal(size=5)
    points, beta = rng.normal(size=4), rng.normal(size=4)
    x, noise = 0.35, np.sqrt(variance) * NODES
    # Two copies are independent: the length's mean and the direction's mean multiply.
    length = MASSES @ (2 * (surrogate(x + noise, support) @ alpha - y))
    direction = MASSES @ (
        surrogate(x + noise, support) @ alpha - surrogate(x + noise, points) @ beta
    )
    f = gaussian_kernel(x, support, gamma) @ alpha
    u = gaussian_kernel(x, points, gamma) @ beta
    assert length * direction == pytest.approx(2 * (f - y) * (f - u), rel=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_norm_in_the_surrogate_world_is_bounded_by_the_angle(seed):
    """Theorem 2: W >= sqrt(5) R B / sin(beta) is enough; R B / sqrt(1 - cos(beta)) is, too."""
    rng = np.random.default_rng(seed)
    gamma, variance = 0.5, 0.4
    surrogate, peak = surrogate_of(gamma, variance)
    x, a = 2 * rng.normal(size=8), rng.normal(size=8)
    K = gaussian_kernel(x[:, None], x, gamma)
    hat = surrogate(x, x)
    up, down = np.maximum(a, 0.0), np.maximum(-a, 0.0)
    cosine = up @ K @ down / np.sqrt((up @ K @ up) * (down @ K @ down))
    assert 0.0 <= cosine <= 1.0
    length, R = np.sqrt(a @ hat @ a), np.sqrt(peak)
    small = R * np.sqrt(a @ K @ a) / np.sqrt(1 - cosine)
    assert length <= small * (1 + 1e-9)
    assert small <= np.sqrt(2) * R * np.sqrt(a @ K @ a) / np.sqrt(1 - cosine**2) * (1 + 1e-9)
    assert np.all(hat <= peak * K + 1e-12)  # where the bound comes from


def test_a_predictor_of_one_sign_would_be_a_small_class():
    """Before Theorem 2: coefficients a >= 0 cannot be meant, the best predictor has both signs."""
    x, y = np.array([-1.0, 1.0]), np.array([1.0, -1.0])
    coef = np.linalg.solve(gaussian_kernel(x[:, None], x, 1.0) + 0.1 * np.eye(2), y)
    assert coef.min() < 0 < coef.max()


@pytest.mark.parametrize("d", [1, 10, 200])
def test_amplification_is_bounded_where_the_width_grows_with_the_dimension(d):
    """After eq. (4): R^2 tends to e^(sigma^2 d / s^2), here e^(1/4) with s^2 = 4 d, sigma = 1."""
    noise, gamma = np.eye(d), 1 / (4 * d)
    R2 = SurrogateKernel(make_mixture("rbf", gamma, 1.0, noise), noise).diagonal
    assert np.exp(0.25) <= R2 <= np.sqrt(2.0) + 1e-9


def test_width_must_exceed_twice_the_variance():
    """Theorem 2 allows equality, at which the surrogate is infinite."""
    peaks = [surrogate_of(gamma, 1.0)[1] for gamma in (0.49, 0.4999, 0.499999)]
    assert peaks[2] > 9 * peaks[1] > 80 * peaks[0]
    with pytest.raises(ValueError, match=r"gamma must be less than 0\.5"):
        surrogate_of(0.5, 1.0)


def test_clean_gradient_lengths_of_theorem_2_need_the_cross_term():
    """|g| <= 2 (W R + By): (W^2 R^2 + By^2) leaves out what the two have in common."""
    W, R, By = 2.0, 1.3, 1.5
    worst = (2 * (-W * R - By)) ** 2 * R**2
    assert worst > 4 * (W**2 * R**2 + By**2) * R**2
    assert worst == pytest.approx(4 * (W * R + By) ** 2 * R**2)


# --- radial kernels --------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["exponential", "rational_quadratic"])
def test_no_exact_surrogate_of_a_kernel_with_narrow_members(kernel):
    """Its spectrum would be the kernel's times e^(sigma^2 w^2 / 2), whose mass is infinite."""
    spectrum = {  # in one dimension, gamma = shape = 1
        "exponential": lambda w: 1 / (np.pi * (1 + w**2)),
        "rational_quadratic": lambda w: np.exp(-np.abs(w)) / 2,
    }[kernel]
    masses = []
    for end in (10.0, 20.0, 40.0):
        w = np.linspace(-end, end, 20_001)
        masses.append(np.sum(spectrum(w) * np.exp(0.3 * w**2 / 2)) * (w[1] - w[0]))
    assert masses[1] > 1e10 * masses[0] and masses[2] > 1e10 * masses[1]


@pytest.mark.parametrize("kernel", ["exponential", "rational_quadratic"])
def test_clamped_kernel_has_an_exact_surrogate(kernel):
    """Right form: narrow members are widened, and the mean is the kernel that is left."""
    noise = np.array([[0.3]])
    mixture = make_mixture(kernel, 1.0, 1.0, noise)
    surrogate = SurrogateKernel(mixture, noise)
    x, a = -0.7, np.array([[0.4]])
    noisy = (x + np.sqrt(0.3) * NODES)[:, None]
    mean = MASSES @ surrogate.matrix(noisy, a)[:, 0]
    assert mean == pytest.approx(mixture.matrix(np.array([[x]]), a).item(), rel=1e-6)
    assert 0 < mixture.clamped_mass < 1 and mixture.sup_error > 1e-3


@pytest.mark.parametrize("kernel", ["exponential", "rational_quadratic"])
@pytest.mark.parametrize("variance", [0.0, 0.3])
def test_members_of_radial_kernels_have_gamma_distributed_rates(kernel, variance):
    """Schoenberg's mixture, by scipy's densities: rates above the largest admissible one are it."""
    gamma, shape = 0.7, 1.5
    mixture = make_mixture(kernel, gamma, shape, np.array([[variance]]))
    if kernel == "exponential":  # e^(-gamma r)
        distribution, rate = stats.gamma(0.5), lambda v: gamma**2 / (4 * v)
    else:  # (1 + gamma r^2 / shape)^-shape
        distribution, rate = stats.gamma(shape, scale=1 / shape), lambda u: gamma * u
    # The amplification (1 - 2 rate variance)^(-1/2) of a member is ten at most.
    largest = (1 - 1 / 100) / (2 * variance) if variance else np.inf
    for r in (0.2, 1.0, 3.0):
        expected, _ = integrate.quad(
            lambda q, r=r: np.exp(-min(rate(distribution.ppf(q)), largest) * r**2), 0, 1, limit=200
        )
        found = mixture.of_squared_distances(np.array([r**2])).item()
        assert found == pytest.approx(expected, abs=2e-5 if variance else 2e-4)
