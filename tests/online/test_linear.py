"""Linear learners: Algorithm 1 as corrected, its gradients, and follow the leader."""

import copy
import itertools

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from naive import noisy_views as naive
from online.cases import FULL, VARIANCES, as_dicts, as_matrix, assert_unbiased, linear_rows, views
from untaint.online import CorrectedRidge, NoisyLinearRegressor

ONE_COPY = [0.3, VARIANCES, FULL]
kinds = pytest.mark.parametrize("covariance", ONE_COPY, ids=["scalar", "diagonal", "full"])
radii = pytest.mark.parametrize("radius", [None, 0.8])


# --- Algorithm 1 ----------------------------------------------------------------------------


@kinds
@radii
def test_a_number_as_rate_is_algorithm_1_with_known_covariance(covariance, radius):
    X, y, _ = linear_rows(60)
    X, _ = views(X, covariance)
    model = NoisyLinearRegressor(noise_cov=covariance, learning_rate=0.05, norm_bound=radius)
    path = naive.algorithm_1_right(X, y, [as_matrix(covariance, 3)] * 60, 0.05, radius)
    np.testing.assert_allclose(model.fit(X, y).coef_, path[-1], atol=1e-12)
    assert model.intercept_ == 0.0
    assert model.n_rounds_ == 60
    np.testing.assert_allclose(model.predict(X), X @ path[-1], atol=1e-12)
    if radius is not None:
        assert np.linalg.norm(path, axis=1).max() == pytest.approx(radius)  # the ball mattered


@radii
def test_a_number_as_rate_is_algorithm_1_with_two_copies(radius):
    X, y, _ = linear_rows(60)
    a, b = views(X, FULL)
    model = NoisyLinearRegressor(learning_rate=0.05, norm_bound=radius).fit(a, y, X_copy=b)
    expected = naive.algorithm_1_symmetric(a, b, y, 0.05, radius)[-1]
    np.testing.assert_allclose(model.coef_, expected, atol=1e-12)


@pytest.mark.parametrize("shape", ["(n, d)", "(n, d, d)"])
def test_rows_may_have_covariances_of_their_own(shape, rng):
    X, y, _ = linear_rows(50)
    roots = rng.normal(size=(50, 3, 3)) / 3
    matrices = roots @ roots.transpose(0, 2, 1)
    given = matrices if shape == "(n, d, d)" else rng.uniform(0, 0.4, (50, 3))
    full = matrices if shape == "(n, d, d)" else np.array([np.diag(row) for row in given])
    model = NoisyLinearRegressor(learning_rate=0.05).fit(X, y, noise_cov=given)
    expected = naive.algorithm_1_right(X, y, full, 0.05)[-1]
    np.testing.assert_allclose(model.coef_, expected, atol=1e-12)


def test_rate_may_be_a_function_of_the_round():
    X, y, _ = linear_rows(40)
    rounds = []

    def rate(t):
        rounds.append(t)
        return 0.1 / (10 + t)

    model = NoisyLinearRegressor(noise_cov=0.3, learning_rate=rate)
    model.partial_fit(X[:15], y[:15]).partial_fit(X[15:], y[15:])
    assert sorted(set(rounds)) == list(range(rounds[0], rounds[0] + 40))
    rates = [0.1 / (10 + t) for t in range(rounds[0], rounds[0] + 40)]
    expected = naive.algorithm_1_right(X, y, [0.3 * np.eye(3)] * 40, rates)[-1]
    np.testing.assert_allclose(model.coef_, expected, atol=1e-12)


def test_average_is_the_mean_of_the_iterates():
    X, y, _ = linear_rows(40)
    path = naive.algorithm_1_right(X, y, [0.3 * np.eye(3)] * 40, 0.05, 1.0)
    options = {"noise_cov": 0.3, "learning_rate": 0.05, "norm_bound": 1.0}
    last = NoisyLinearRegressor(average=False, **options).fit(X, y)
    np.testing.assert_allclose(last.coef_, path[-1], atol=1e-12)
    mean = NoisyLinearRegressor(average=True, **options).fit(X, y)
    with_start = np.vstack([np.zeros(3), path])
    choices = [path.mean(axis=0), with_start.mean(axis=0), with_start[:-1].mean(axis=0)]
    assert min(np.abs(mean.coef_ - choice).max() for choice in choices) < 1e-12


def test_average_is_taken_by_default_for_the_adaptive_step_only():
    X, y, _ = linear_rows(40)
    for rate, usual in [("adaptive", True), (0.05, False)]:
        options = {"noise_cov": 0.3, "learning_rate": rate}
        by_default = NoisyLinearRegressor(**options).fit(X, y)
        chosen = NoisyLinearRegressor(average=usual, **options).fit(X, y)
        other = NoisyLinearRegressor(average=not usual, **options).fit(X, y)
        np.testing.assert_array_equal(by_default.coef_, chosen.coef_)
        assert np.abs(by_default.coef_ - other.coef_).max() > 1e-6


# --- gradients without bias -----------------------------------------------------------------


def primed(**options):
    """A learner at some w, reached from a row without noise; and that w."""
    model = NoisyLinearRegressor(learning_rate=0.1, **options)
    model.partial_fit([[1.0, -2.0, 0.5]], [2.0], noise_cov=np.zeros((1, 3)))
    return model, model.coef_.copy()


def gradient_of(model, w, x, y, **options):
    """What one more round subtracts, over the step."""
    after = copy.deepcopy(model).partial_fit([x], [y], **options)
    return (w - after.coef_) / 0.1


def gaussian_points(covariance):
    """Points and weights that integrate cubic polynomials over Gaussian noise exactly."""
    values, vectors = np.linalg.eigh(covariance)
    nodes, weights = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3), np.array([1, 4, 1]) / 6
    for index in itertools.product(range(3), repeat=len(values)):
        i = list(index)
        yield vectors @ (np.sqrt(values) * nodes[i]), float(np.prod(weights[i]))


GIVEN = [
    ({"noise_cov": 0.3}, {}, 0.3 * np.eye(3)),
    ({"noise_cov": VARIANCES}, {}, np.diag(VARIANCES)),
    ({"noise_cov": FULL}, {}, FULL),
    ({}, {"noise_cov": VARIANCES[None]}, np.diag(VARIANCES)),
    ({}, {"noise_cov": FULL[None]}, FULL),
    ({"noise_cov": 5.0}, {"noise_cov": FULL[None]}, FULL),  # the row's own has the last word
]
GIVEN_NAMES = ["scalar", "diagonal", "full", "row's diagonal", "row's full", "row's over all's"]
CLEAN, TARGET = np.array([0.4, 1.0, -0.7]), 0.6


@pytest.mark.parametrize(("given", "of_row", "covariance"), GIVEN, ids=GIVEN_NAMES)
def test_gradient_of_one_copy_is_unbiased(given, of_row, covariance, rng):
    model, w = primed(**given)
    assert np.abs(w).min() > 0.05
    clean = 2 * (w @ CLEAN - TARGET) * CLEAN
    exact = sum(
        weight * gradient_of(model, w, CLEAN + n, TARGET, **of_row)
        for n, weight in gaussian_points(covariance)
    )
    np.testing.assert_allclose(exact, clean, atol=1e-10)
    noise = rng.multivariate_normal(np.zeros(3), covariance, size=200)
    assert_unbiased([gradient_of(model, w, CLEAN + n, TARGET, **of_row) for n in noise], clean)


@pytest.mark.parametrize("noise", ["gaussian", "uniform", "other for each copy"])
def test_gradient_of_two_copies_is_unbiased_whatever_the_noise(noise, rng):
    model, w = primed()
    clean = 2 * (w @ CLEAN - TARGET) * CLEAN
    draws = {
        "gaussian": rng.multivariate_normal(np.zeros(3), FULL, size=(300, 2)),
        "uniform": rng.uniform(-1, 1, (300, 2, 3)),
        "other for each copy": rng.normal(size=(300, 2, 3)) * [[[0.1], [1.0]]],
    }[noise]
    gradients = [gradient_of(model, w, CLEAN + a, TARGET, X_copy=[CLEAN + b]) for a, b in draws]
    assert_unbiased(gradients, clean)
    a, b = CLEAN + draws[0]
    expected = naive.gradient_symmetric(w, a, b, TARGET)
    np.testing.assert_allclose(gradients[0], expected, atol=1e-12)


def test_noise_in_the_target_leaves_the_gradient_unbiased(rng):
    model, w = primed(noise_cov=0.3)
    noise, shift = rng.normal(size=(300, 3)) * np.sqrt(0.3), rng.standard_t(5, 300)
    clean = 2 * (w @ CLEAN - TARGET) * CLEAN
    rows = zip(noise, shift, strict=True)
    assert_unbiased([gradient_of(model, w, CLEAN + n, TARGET + e) for n, e in rows], clean)


# --- rates that choose themselves -----------------------------------------------------------


@pytest.mark.parametrize("copies", [1, 2])
def test_auto_finds_the_slopes_and_the_intercept(copies):
    X, y, coef = linear_rows(6000, intercept=4.0)
    a, b = views(X, FULL)
    model = NoisyLinearRegressor(noise_cov=None if copies == 2 else FULL)
    model.fit(a, y, X_copy=b if copies == 2 else None)
    np.testing.assert_allclose(model.coef_, coef, atol=0.12)
    assert model.intercept_ == pytest.approx(4.0, abs=0.12)
    naive_coef = LinearRegression().fit(a, y).coef_
    assert np.abs(model.coef_ - coef).max() < 0.5 * np.abs(naive_coef - coef).max()


@pytest.mark.parametrize("copies", [1, 2])
def test_adaptive_step_comes_near_the_slopes_in_one_pass(copies):
    X, y, coef = linear_rows(5000)
    a, b = views(X, 0.25)
    model = NoisyLinearRegressor(
        noise_cov=0.25 if copies == 1 else None, learning_rate="adaptive"
    ).fit(a, y, X_copy=b if copies == 2 else None)
    uncorrected = LinearRegression(fit_intercept=False).fit(a, y).coef_
    assert np.linalg.norm(model.coef_ - coef) < 0.5 * np.linalg.norm(uncorrected - coef)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("how", ["all at once", "one by one"])
def test_adaptive_step_starts_from_whatever_comes_first(how, fit_intercept):
    X, y, coef = linear_rows(3000)
    for first_x, first_y in [(X[0], 0.0), (np.zeros(3), 1.0), (np.zeros(3), 0.0)]:
        X[0], y[0] = first_x, first_y
        model = NoisyLinearRegressor(
            noise_cov=0.0, learning_rate="adaptive", fit_intercept=fit_intercept
        )
        if how == "all at once":
            model.fit(X, y)
        else:
            for start in range(0, 3000, 100):  # the first row alone, then many
                model.partial_fit(X[start : start + 1], y[start : start + 1])
                model.partial_fit(X[start + 1 : start + 100], y[start + 1 : start + 100])
        assert np.linalg.norm(model.coef_ - coef) < 0.3 * np.linalg.norm(coef)


def test_many_features_are_learned_by_the_adaptive_step():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 501)) / 20
    y = X @ rng.normal(size=501)
    auto = NoisyLinearRegressor(noise_cov=1e-4).fit(X, y)
    adaptive = NoisyLinearRegressor(
        noise_cov=1e-4, learning_rate="adaptive", fit_intercept=True
    ).fit(X, y)
    np.testing.assert_allclose(auto.coef_, adaptive.coef_, rtol=1e-10, atol=1e-12)


def test_intercept_goes_with_the_settings_that_learn_one():
    X, y, _ = linear_rows(400, intercept=4.0)
    assert NoisyLinearRegressor(noise_cov=0.1).fit(X, y).intercept_ == pytest.approx(4.0, abs=0.2)
    for rate in (0.01, lambda t: 0.01):  # Algorithm 1 as printed
        assert NoisyLinearRegressor(noise_cov=0.1, learning_rate=rate).fit(X, y).intercept_ == 0.0
    for rate in ("auto", "adaptive"):
        model = NoisyLinearRegressor(noise_cov=0.1, learning_rate=rate)
        assert model.fit(X, y).intercept_ > 2.0
        assert model.set_params(fit_intercept=False).fit(X, y).intercept_ == 0.0
    with_one = NoisyLinearRegressor(noise_cov=0.1, learning_rate=0.02, fit_intercept=True)
    assert with_one.fit(X, y).intercept_ > 2.0


def test_norm_bound_holds_for_every_rate():
    X, y, _ = linear_rows(300)
    for rate in ("auto", "adaptive", 0.05):
        model = NoisyLinearRegressor(noise_cov=0.1, learning_rate=rate, norm_bound=0.7).fit(X, y)
        assert np.linalg.norm(model.coef_) <= 0.7 * (1 + 1e-9)
        assert np.linalg.norm(model.coef_) > (0.4 if rate == "adaptive" else 0.6)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_norm_bound_holds_however_small_the_ball_or_the_units(unit):
    X, y, _ = linear_rows(300)
    bound = 1e-7 / unit
    model = NoisyLinearRegressor(noise_cov=0.1 * unit**2, norm_bound=bound).fit(X * unit, y)
    assert np.linalg.norm(model.coef_) <= bound * (1 + 1e-9)
    assert np.linalg.norm(model.coef_) > 0.5 * bound


def test_copies_of_known_noise_are_averaged():
    X, y, _ = linear_rows(60)
    a, b = views(X, FULL)
    model = NoisyLinearRegressor(noise_cov=FULL, learning_rate=0.05).fit(a, y, X_copy=b)
    expected = naive.algorithm_1_right((a + b) / 2, y, [FULL / 2] * 60, 0.05)[-1]
    np.testing.assert_allclose(model.coef_, expected, atol=1e-12)


def test_auto_stays_as_good_in_other_units():
    X, y, _ = linear_rows(800, intercept=1.0)
    X, _ = views(X, FULL)
    units = np.array([1e-3, 1.0, 1e4])
    model = NoisyLinearRegressor(noise_cov=FULL).fit(X, y)
    other = NoisyLinearRegressor(noise_cov=FULL * np.outer(units, units)).fit(X * units, y)
    np.testing.assert_allclose(other.coef_ * units, model.coef_, rtol=1e-6)
    np.testing.assert_allclose(other.predict(X * units), model.predict(X), rtol=1e-6, atol=1e-8)
    far = NoisyLinearRegressor(noise_cov=FULL).fit(X + 1e5, y - 1e6)
    np.testing.assert_allclose(far.coef_, model.coef_, rtol=1e-6, atol=1e-8)


def test_auto_learns_from_a_stream_what_the_batch_form_learns():
    X, y, coef = linear_rows(3000, intercept=1.0)
    X, _ = views(X, FULL)
    stream = NoisyLinearRegressor(noise_cov=FULL).fit(X, y)
    batch = CorrectedRidge(noise_cov=FULL).fit(X, y)
    assert np.linalg.norm(stream.coef_ - batch.coef_) < 0.1 * np.linalg.norm(coef)


def test_learn_one_takes_a_second_copy():
    X, y, _ = linear_rows(30)
    a, b = views(X, FULL)
    whole = NoisyLinearRegressor(learning_rate=0.05).fit(a, y, X_copy=b)
    model = NoisyLinearRegressor(learning_rate=0.05)
    for x, x_copy, target in zip(as_dicts(a), as_dicts(b), y, strict=True):
        model.learn_one(x, float(target), x_copy=x_copy)
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-12)
