"""Tails and covariances: which of the papers' inequalities hold, and the right form of the others.

Second version, Propositions 12 to 17; first version, Assumptions 25 and 26, Lemmas 27, 31 and 32,
Theorems 33 to 35. Exact distributions where there are any, simulation where there are none.
"""

import numpy as np
import pytest
from scipy.stats import chi2, norm

SPECTRA = {
    "one": np.array([1.0]),
    "equal": np.ones(5),
    "falling": 2.0 ** -np.arange(8),
    "large": 10.0 / np.arange(1, 7) ** 2,
}
each_spectrum = pytest.mark.parametrize("values", SPECTRA.values(), ids=SPECTRA)


def gaussian_rows(rng, values, *shape):
    """Features with a diagonal covariance."""
    return rng.normal(size=(*shape, len(values))) * np.sqrt(values)


def covariance_error(phi, values, order="fro"):
    """Distance of the rows' second moments from the covariance."""
    return np.linalg.norm(phi.T @ phi / len(phi) - np.diag(values), order)


def test_normal_numbers_have_sub_gaussian_tails():
    """Assumptions 25 and 26: with K^2 = 2 sigma^2, one tail and both."""
    t = np.linspace(0, 12, 200)
    assert np.all(norm.sf(t / 1.5) <= np.exp(-(t**2) / (2 * 1.5**2)))
    assert np.all(2 * norm.sf(t / 1.5) <= 2 * np.exp(-(t**2) / (2 * 1.5**2)))


# --- the largest of n numbers ----------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 10, 1000, 10**6])
@pytest.mark.parametrize("s", [1.0, 1.2, 2.0])
def test_largest_of_n_normal_numbers(n, s):
    """Proposition 12 with its root in place: n^(1 - s^2) / (s sqrt(pi log n))."""
    cut = s * np.sqrt(2 * np.log(n))
    chance = -np.expm1(n * np.log1p(-2 * norm.sf(cut)))
    assert chance <= n ** (1 - s**2) / (s * np.sqrt(np.pi * np.log(n)))


@pytest.mark.parametrize("n", [10, 1000, 10**6])
def test_proposition_12_is_too_small_as_printed(n):
    chance = -np.expm1(n * np.log1p(-2 * norm.sf(np.sqrt(2 * np.log(n)))))
    assert chance > np.sqrt(2) / np.log(n) * np.exp(-1)


@each_spectrum
@pytest.mark.parametrize("n", [1, 20, 300])
def test_longest_of_n_gaussian_rows(values, n, rng):
    """Proposition 14, its integral done right: at most 2 Tr (1 + log n), on average."""
    longest = (gaussian_rows(rng, values, 400, n) ** 2).sum(axis=2).max(axis=1)
    assert longest.mean() <= 2 * values.sum() * (1 + np.log(n))


def test_proposition_14_is_negative_as_printed():
    """One row of trace one: the mean is one; the bound multiplies where it should divide."""
    trace, n, s = 1.0, 1, 1.0
    assert 2 * trace * np.log(n * s / (2 * trace)) + 1 / s < 0 < trace


# --- sums of n numbers -----------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 30, 1000])
def test_sums_of_squares(n):
    """Proposition 13: true as stated, though its proof adds where it should square."""
    s = np.linspace(1, 30, 500)
    assert np.all(chi2.sf(n * s, n) <= np.exp(-s / 2))


@each_spectrum
def test_length_of_a_sum_of_gaussian_rows(values, rng):
    """Proposition 15, for u of at least one: the sum is itself Gaussian, n times as wide."""
    lengths = np.sqrt((gaussian_rows(rng, values, 200_000) ** 2).sum(axis=1) / values.sum())
    for u in (1.0, 1.25, 1.5, 2.0, 3.0):
        fraction = np.mean(lengths >= u)
        assert fraction <= np.exp(-(u**2) / 2) + 3 * np.sqrt(fraction / 200_000)


def test_proposition_15_fails_below_one():
    """Its statement leaves out u >= 1: of many dimensions the length is nearly sure."""
    assert chi2.sf(0.9**2 * 500, 500) > 0.99 > np.exp(-(0.9**2) / 2)


def test_rows_chosen_by_their_values_are_not_independent(rng):
    """Eq. (33) applies Proposition 15 to the kept rows: a choice may point all of them one way."""
    phi = rng.normal(size=400)
    chosen = np.sort(phi)[200:]
    u = abs(chosen.sum()) / np.sqrt(200)
    assert u > 8 and np.exp(-(u**2) / 2) < 1e-13


def test_mean_size_of_a_sum_of_normal_numbers(rng):
    """Lemma 31, its constant filled in: sigma sqrt(2 n / pi)."""
    sums = np.abs(0.7 * rng.normal(size=(20_000, 30)).sum(axis=1))
    assert sums.mean() == pytest.approx(0.7 * np.sqrt(2 * 30 / np.pi), rel=0.02)


def test_exponential_moments_exist_near_zero_only():
    """Lemma 32: for E x = 0 and small lambda. An exponential less its mean has none from one on."""
    for lam in np.linspace(-0.5, 0.5, 21):
        assert np.exp(-lam) / (1 - lam) <= np.exp(lam**2) + 1e-12
    x = np.linspace(0, 200, 200_001)
    density = np.exp(1.0 * (x - 1) - x)  # of e^(lambda x) under the law, lambda = 1: constant
    assert density.sum() * 0.001 > 50 * np.exp(1.0**2) / np.e


# --- covariances -----------------------------------------------------------------------------


@each_spectrum
def test_squared_lengths_have_the_stated_second_moment(values, rng):
    """Inside Proposition 16: E k(x, x)^2 = 2 Tr(Sigma^2) + Tr(Sigma)^2, at most 3 Tr(Sigma)^2."""
    squares = (gaussian_rows(rng, values, 400_000) ** 2).sum(axis=1)
    exact = 2 * np.sum(values**2) + values.sum() ** 2
    assert np.mean(squares**2) == pytest.approx(exact, rel=0.03)
    assert exact <= 3 * values.sum() ** 2 + 1e-9


@each_spectrum
@pytest.mark.parametrize("m", [10, 160])
def test_covariance_of_rows_that_are_not_chosen(values, m, rng):
    """Lemma 27, Proposition 16, right: the root mean square is sqrt((Tr^2 + Tr Sigma^2) / m)."""
    errors = [covariance_error(gaussian_rows(rng, values, m), values) for _ in range(600)]
    exact = np.sqrt((values.sum() ** 2 + np.sum(values**2)) / m)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(exact, rel=0.15)
    assert exact <= np.sqrt(3 / m) * values.sum()


def test_sixteen_times_the_rows_have_a_quarter_of_the_error(rng):
    """Lemma 27 prints n^(-3/2), which would be a sixty-fourth."""
    values = SPECTRA["falling"]
    few, many = (
        np.mean([covariance_error(gaussian_rows(rng, values, n), values) for _ in range(300)])
        for n in (50, 800)
    )
    assert few / many == pytest.approx(4.0, rel=0.15)


def test_some_subset_is_always_far_off(rng):
    """Proposition 16 over all subsets: without the longest fifth the moments are too small."""
    n, eps = 2000, 0.2
    squares = np.sort(rng.normal(size=n) ** 2)[: int((1 - eps) * n)]
    bound = np.sqrt(3) / np.sqrt(n * (1 - eps))  # u = 1, Tr = 1: exceeded in 61 % at most
    assert abs(squares.mean() - 1) > 10 * bound
    assert abs(squares.sum() / n - 1) > 10 * bound  # divided by n, as its statement does


def test_chances_that_depend_on_the_unit_of_measurement():
    """Propositions 16 and 17: both sides of the event scale alike, the stated chance does not."""
    rng = np.random.default_rng(0)
    phi, values = gaussian_rows(rng, np.ones(2), 50), np.ones(2)
    for unit in (1.0, 100.0):
        error = covariance_error(unit * phi, unit**2 * values)
        assert error / (unit**2 * 2) == pytest.approx(covariance_error(phi, values) / 2)
    assert np.exp(-0.5 * 2 * 100.0**2) == 0.0 < np.exp(-0.5 * 2)


def test_largest_deviation_grows_with_the_dimension(rng):
    """Proposition 17 has no dimension: right is sqrt(r / n) + r / n, r = Tr / ||Sigma||."""
    n = d = 60
    errors = [covariance_error(rng.normal(size=(n, d)), np.ones(d), 2) for _ in range(20)]
    assert min(errors) > 10 / np.sqrt(n)
    assert max(errors) < 3 * (np.sqrt(d / n) + d / n)


def test_least_eigenvalue_is_seldom_small(rng):
    """Theorem 33 the right way round, for sums of x x' with x uniform on signs: R = d."""
    d, n, delta = 3, 60, 0.6
    least = np.array(
        [np.linalg.eigvalsh(X.T @ X)[0] for X in rng.choice([-1.0, 1.0], size=(2000, n, d))]
    )
    bound = d * (np.exp(-delta) / (1 - delta) ** (1 - delta)) ** (n / d)
    assert np.mean(least <= (1 - delta) * n) <= bound
    # In print the sign is turned: that the eigenvalue is large would be as unlikely.
    assert np.mean(least >= (1 - delta) * n) > 0.99 > bound


def test_top_eigenvalue_of_a_centred_sum_is_seldom_large(rng):
    """Theorem 34, its conclusion filled in: d exp(-t^2 / 2 / (v + R t / 3)), signs times x x'."""
    d, n = 3, 40
    X = rng.choice([-1.0, 1.0], size=(n, d))
    signs = rng.choice([-1.0, 1.0], size=(4000, n))
    tops = np.linalg.eigvalsh(np.einsum("sn,ni,nj->sij", signs, X, X))[:, -1]
    v, R = np.linalg.norm(d * X.T @ X, 2), d  # the squares sum to d X'X
    for t in (20.0, 35.0, 50.0):
        assert np.mean(tops >= t) <= d * np.exp(-(t**2) / 2 / (v + R * t / 3))


def test_length_of_a_centred_sum_is_seldom_large(rng):
    """Theorem 35, its conclusion filled in: beyond sqrt(V) + t with chance e^(-t^2 / (4 V))."""
    X = rng.uniform(-1, 1, size=(40, 3))
    signs = rng.choice([-1.0, 1.0], size=(20_000, 40))
    lengths, V = np.linalg.norm(signs @ X, axis=1), np.sum(X**2)
    for part in (0.5, 1.0, 1.5):
        t = part * np.sqrt(V)
        assert t <= V / np.linalg.norm(X, axis=1).max()
        assert np.mean(lengths >= np.sqrt(V) + t) <= np.exp(-(t**2) / (4 * V))
