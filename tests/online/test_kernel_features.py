"""NoisyKernelRegressor without a step: corrected random features, moments kept for every round."""

import pickle

import numpy as np
import pytest
from scipy.stats import gamma as gamma_law
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge

from naive import kernels as naive_kernels
from naive import noisy_views as naive
from online.cases import noisy, quietly, rmse, views, wavy_rows
from untaint.online import NoisyKernelRegressor
from untaint.online.fourier import FourierCorrection, fourier_features
from untaint.online.mixture import make_mixture
from untaint.online.surrogate import SurrogateKernel

KERNELS = ["rbf", "exponential", "rational_quadratic"]
each_kernel = pytest.mark.parametrize("kernel", KERNELS)


def surface(n, seed=0, target_noise=0.1):
    """A wavy surface whose features have room for some noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + target_noise * rng.normal(size=n)


@each_kernel
def test_without_noise_it_comes_near_kernel_ridge(kernel):
    X, y = surface(800)
    queries, targets = surface(300, seed=1, target_noise=0.0)
    model = NoisyKernelRegressor(noise_cov=0.0, kernel=kernel, random_state=0).fit(X, y)
    K = naive_kernels.matrix(naive_kernels.rbf, X[:200], gamma=0.5)
    plain = KernelRidge(alpha=0.1, kernel="precomputed").fit(K, y[:200])
    L = naive_kernels.matrix(naive_kernels.rbf, queries, X[:200], gamma=0.5)
    assert rmse(model, queries, targets) < 0.15
    error = np.sqrt(np.mean((plain.predict(L) - targets) ** 2))
    assert rmse(model, queries, targets) < 3 * error


@each_kernel
@pytest.mark.parametrize("copies", [1, 2])
def test_corrected_fit_is_closer_to_the_surface_than_a_naive_fit(kernel, copies):
    X, y = surface(8000)
    a, b = views(X, 0.15)
    more = {"X_copy": b} if copies == 2 else {}
    queries, targets = surface(500, seed=1, target_noise=0.0)
    options = {"kernel": kernel, "gamma": 0.5, "budget": 60, "random_state": 0}
    model = NoisyKernelRegressor(noise_cov=0.15, **options).fit(a, y, **more)
    taken = a if copies == 1 else (a + b) / 2
    blind = NoisyKernelRegressor(noise_cov=0.0, **options).fit(taken, y)
    # The exponential kernel is mostly high frequencies, which noise destroys: the fit is naive.
    factor = 1.05 if kernel == "exponential" else 0.8
    assert rmse(model, queries, targets) < factor * rmse(blind, queries, targets)


def test_laplace_noise_has_a_correction_of_its_own():
    X, y = surface(12000)
    variance = 0.3
    rng = np.random.default_rng(5)
    seen = X + rng.laplace(scale=np.sqrt(variance / 2), size=X.shape)
    queries, targets = surface(500, seed=1, target_noise=0.0)
    options = {"gamma": 0.5, "budget": 60, "random_state": 0}
    model = NoisyKernelRegressor(noise_cov=variance, noise="laplace", **options).fit(seen, y)
    blind = NoisyKernelRegressor(noise_cov=0.0, **options).fit(seen, y)
    assert rmse(model, queries, targets) < 0.8 * rmse(blind, queries, targets)


def test_laplace_noise_has_no_width_limit_and_independent_coordinates():
    X, y = surface(500)
    rng = np.random.default_rng(5)
    seen = X + rng.laplace(scale=0.5, size=X.shape)
    model = NoisyKernelRegressor(noise_cov=0.5, noise="laplace", gamma=1.5, random_state=0)
    assert np.isfinite(model.fit(seen, y).predict(X)).all()
    with pytest.raises(ValueError, match=r"[Ll]aplace|diagonal"):
        model.set_params(noise_cov=[[0.5, 0.2], [0.2, 0.5]]).fit(seen, y)


def test_more_rows_reduce_the_error_while_the_naive_fit_stays_biased():
    queries, targets = surface(500, seed=1, target_noise=0.0)
    errors, blind = [], []
    for n in (300, 12000):
        X, y = surface(n)
        seen = noisy(X, 0.15, 3)
        options = {"gamma": 0.5, "budget": 60, "random_state": 0}
        fit = NoisyKernelRegressor(noise_cov=0.15, **options).fit(seen, y)
        errors.append(rmse(fit, queries, targets))
        fit = NoisyKernelRegressor(noise_cov=0.0, **options).fit(seen, y)
        blind.append(rmse(fit, queries, targets))
    assert errors[1] < 0.7 * errors[0] or errors[1] < 0.5 * blind[1]
    assert errors[0] < 1.25 * blind[0]


@each_kernel
def test_memory_is_bounded(kernel):
    X, y = surface(700)
    model = NoisyKernelRegressor(noise_cov=0.1, kernel=kernel, gamma=0.5, budget=25, random_state=0)
    model.partial_fit(X[:100], y[:100])
    before = len(pickle.dumps(model))
    for start in range(100, 700, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100])
    assert len(pickle.dumps(model)) <= before + 256


def test_seed_decides_the_frequencies():
    X, y = surface(200)
    options = {"noise_cov": 0.1, "budget": 20}
    one, two, other = (
        NoisyKernelRegressor(random_state=seed, **options).fit(X, y).predict(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert np.abs(one - other).max() > 1e-6


def test_median_width_is_taken_from_the_first_rows():
    X, y = surface(300)
    model = NoisyKernelRegressor(noise_cov=0.05, random_state=0, budget=20).fit(X, y)
    named = clone(model).set_params(gamma=model.gamma_).fit(X, y)
    np.testing.assert_array_equal(named.predict(X), model.predict(X))
    # The median of the clean rows: noise does not widen it.
    a, _ = views(X, 0.05)
    assert model.set_params(noise_cov=0.0).fit(X, y).gamma_ == pytest.approx(
        named.set_params(gamma="median").fit(a, y).gamma_, rel=0.1
    )


def test_units_of_all_features_do_not_matter():
    X, y = surface(600)
    model = NoisyKernelRegressor(noise_cov=0.1, random_state=0, budget=30).fit(X, y)
    other = NoisyKernelRegressor(noise_cov=0.1 * 1e8, random_state=0, budget=30).fit(1e4 * X, y)
    np.testing.assert_allclose(other.predict(1e4 * X), model.predict(X), rtol=1e-6, atol=1e-6)


def test_large_offsets_of_the_rows_do_no_harm():
    X, y = surface(600)
    model = NoisyKernelRegressor(noise_cov=0.1, random_state=0, budget=30, gamma=0.5).fit(X, y)
    away = NoisyKernelRegressor(noise_cov=0.1, random_state=0, budget=30, gamma=0.5)
    away.fit(X + 1e4, y + 1e4)
    scale = np.abs(model.predict(X)).max()
    # Other phases of the same features: another share or alpha may be selected.
    np.testing.assert_allclose(away.predict(X + 1e4) - 1e4, model.predict(X), atol=0.05 * scale)


# --- mixtures: kernels without an exact surrogate -------------------------------------------


def clamped_kernel(kernel, r2, gamma, shape, narrowest):
    """The mixture of exp(-s r^2) with s above ``narrowest`` replaced by it, by quadrature.

    exp(-gamma r): s = gamma^2 / (4 u), u ~ Gamma(1/2);
    (1 + gamma r^2 / shape)^-shape: s = gamma / shape * u, u ~ Gamma(shape).
    """
    p = (np.arange(40000) + 0.5) / 40000
    if kernel == "exponential":
        s = gamma**2 / (4 * gamma_law.ppf(p, 0.5))
    else:
        s = gamma / shape * gamma_law.ppf(p, shape)
    clamped = np.minimum(s, narrowest)
    return np.array([np.exp(-clamped * r).mean() for r in r2])


def narrowest_of(kernel, mass, gamma, shape):
    """The s above which the mixture has this mass."""
    if kernel == "exponential":
        return gamma**2 / (4 * gamma_law.ppf(mass, 0.5))
    return gamma / shape * gamma_law.isf(mass, shape)


def test_mixtures_by_quadrature_are_the_kernels():
    r = np.linspace(0.1, 4, 9)
    values = clamped_kernel("exponential", r**2, 0.7, 1.0, np.inf)
    np.testing.assert_allclose(values, np.exp(-0.7 * r), atol=1e-3)
    values = clamped_kernel("rational_quadratic", r**2, 0.7, 2.0, np.inf)
    np.testing.assert_allclose(values, (1 + 0.7 * r**2 / 2) ** -2, atol=1e-4)


@pytest.mark.parametrize("kernel", KERNELS[1:])
def test_clamped_mass_and_error_are_reported(kernel):
    X, y = surface(200)
    a, b = views(X, 0.1)
    found = []
    for variance in (0.02, 0.1, 0.4):
        model = NoisyKernelRegressor(
            noise_cov=variance,
            kernel=kernel,
            gamma=0.7,
            learning_rate=0.1,
            budget=50,
            random_state=0,
        )
        model = quietly(model.fit, a, y, X_copy=b)
        assert 0 < model.clamped_mass_ < 1
        assert 0 < model.sup_error_ <= model.clamped_mass_ + 1e-6  # rounded by quadrature
        found.append((model.clamped_mass_, model.sup_error_))
    assert found == sorted(found)  # more noise, more that cannot be told


@pytest.mark.parametrize("kernel", KERNELS[1:])
def test_sup_error_is_that_of_the_clamped_kernel(kernel):
    X, y = surface(200)
    a, b = views(X, 0.1)
    model = NoisyKernelRegressor(
        noise_cov=0.2,
        kernel=kernel,
        gamma=0.7,
        shape=1.5,
        learning_rate=0.1,
        budget=50,
        random_state=0,
    )
    quietly(model.fit, a, y, X_copy=b)
    r = np.concatenate([np.linspace(0, 3, 100), np.linspace(3, 30, 30)])
    exact = np.exp(-0.7 * r) if kernel == "exponential" else (1 + 0.7 * r**2 / 1.5) ** -1.5
    # The narrowest member kept is found from the mass, which depends on nothing else.
    narrowest = narrowest_of(kernel, model.clamped_mass_, 0.7, 1.5)
    assert narrowest < 1 / (2 * 0.2)  # strictly: a width above 2 max sigma^2
    values = clamped_kernel(kernel, r**2, 0.7, 1.5, narrowest)
    assert model.sup_error_ == pytest.approx(np.abs(values - exact).max(), rel=0.03, abs=2e-3)


def test_gaussian_kernel_clamps_nothing():
    X, y = surface(200)
    a, b = views(X, 0.1)
    model = NoisyKernelRegressor(noise_cov=0.1, gamma=0.5, learning_rate=0.1).fit(a, y, X_copy=b)
    assert getattr(model, "clamped_mass_", 0.0) == 0.0
    assert getattr(model, "sup_error_", 0.0) == 0.0


@pytest.mark.parametrize("unit", [1e-7, 1e7])
@pytest.mark.parametrize("kernel", KERNELS)
def test_mixtures_do_not_depend_on_units(kernel, unit):
    power = 1 if kernel == "exponential" else 2
    one = make_mixture(kernel, 0.7, 1.5, 0.2 * np.eye(2))
    other = make_mixture(kernel, 0.7 * unit**power, 1.5, 0.2 / unit**2 * np.eye(2))
    assert other.clamped_mass == pytest.approx(one.clamped_mass, rel=1e-6, abs=1e-12)
    assert other.sup_error == pytest.approx(one.sup_error, rel=1e-3, abs=1e-7)


@pytest.mark.parametrize("kernel", KERNELS[1:])
def test_surrogate_of_a_mixture_is_unbiased_and_positive_definite(kernel, rng):
    noise = np.array([[0.2, 0.1], [0.1, 0.3]])
    mixture = make_mixture(kernel, 0.7, 1.5, noise)
    surrogate = SurrogateKernel(mixture, noise)
    X = rng.normal(size=(30, 2))
    assert np.linalg.eigvalsh(surrogate.matrix(X, X)).min() > -1e-8 * surrogate.diagonal
    np.testing.assert_allclose(np.diag(surrogate.matrix(X, X)), surrogate.diagonal)
    # A trapezoidal rule fine enough for the narrowest member, a tenth of the noise's deviation.
    axis = np.arange(-130, 131) / 20
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    mean = np.exp(-0.5 * (grid**2).sum(axis=1)) / (2 * np.pi * 400)
    x, others = X[0], X[1:4]
    values = mean @ surrogate.matrix(x + grid @ np.linalg.cholesky(noise).T, others)
    np.testing.assert_allclose(values, mixture.matrix(x[None], others)[0], atol=1e-8)


@pytest.mark.parametrize("covariance", [0.2 * np.eye(2), np.array([[0.3, -0.1], [-0.1, 0.2]])])
def test_surrogate_of_the_gaussian_kernel_is_its_formula(covariance, rng):
    surrogate = SurrogateKernel(make_mixture("rbf", 0.7, 1.0, covariance), covariance)
    X, Z = rng.normal(size=(2, 8, 2))
    expected = [[naive.surrogate_kernel(x, z, 0.7, covariance) for z in Z] for x in X]
    np.testing.assert_allclose(surrogate.matrix(X, Z), expected, rtol=1e-12)
    assert surrogate.diagonal == pytest.approx(naive.surrogate_square(0.7, covariance), rel=1e-12)


@pytest.mark.parametrize("n_copies", [1, 2])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_corrected_sums_are_those_of_the_reference(noise, n_copies, rng):
    omega = rng.normal(size=(4, 2))
    covariance = np.diag([0.3, 0.2]) if noise == "laplace" else np.array([[0.3, 0.1], [0.1, 0.2]])
    damping = naive.laplace_damping if noise == "laplace" else naive.gaussian_damping

    def of_the_mean(frequency, covariance):  # of so many copies
        return damping(np.asarray(frequency) / n_copies, covariance) ** n_copies

    x, y = rng.normal(size=2), 0.7
    row = np.concatenate([[1.0], fourier_features(x[None], omega)[0], [y]])
    correct = FourierCorrection(omega, covariance, noise, n_copies)
    found = correct(np.outer(row, row), np.empty(0), 1.0)
    first = naive.corrected_features(x, omega, covariance, of_the_mean)
    np.testing.assert_allclose(found[0, 1:-1], first, rtol=1e-12)
    np.testing.assert_allclose(found[-1, 1:-1], y * first, rtol=1e-12)
    products = naive.corrected_products(x, omega, covariance, of_the_mean)
    np.testing.assert_allclose(found[1:-1, 1:-1], products, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found, found.T)
    none = correct(np.outer(row, row), np.empty(0), 0.0)
    np.testing.assert_allclose(none, np.outer(row, row), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", KERNELS[1:])
def test_algorithm_2_learns_with_a_mixture(kernel):
    X, y = wavy_rows(500, target_noise=0.0)
    a, b = views(X, 0.05)
    model = NoisyKernelRegressor(
        noise_cov=0.05, kernel=kernel, gamma=0.5, learning_rate=0.05, norm_bound=20.0
    )
    quietly(model.fit, a, y, X_copy=b)
    assert rmse(model, X, y) < 0.6 * y.std()
    assert model.support_.shape == (500, 2)
