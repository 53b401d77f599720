"""How far a trimmed fit may be from the truth: what the papers' bounds need, and where they fail.

First version, Definition 21, Lemma 15, Theorems 16 and 17; second version, Theorem 7, Corollary 8
and the fraction gamma of clean rows that are lost.
"""

import numpy as np
import pytest

from naive.selection import every_choice
from untaint import SubquantileRegressor
from untaint.losses import SquaredLoss
from untaint.optim.projected_gradient import TrimmedProblem, projected_gradient
from untaint.weighting.trimmed import Trimmed


def spoilt_line(rng, n=12, bad=3, d=2, noise=0.3):
    """Rows, targets, the truth and which rows are clean; the bad targets lie anywhere."""
    X, truth = rng.normal(size=(n, d)), rng.normal(size=d)
    y = X @ truth + noise * rng.normal(size=n)
    clean = np.arange(n) >= bad
    y[~clean] = rng.normal(size=bad) * 5
    return X, y, truth, clean


def lemma_15(X, y, truth, clean, w, eta):
    """Its right side, with the sums that its proof uses."""
    kept = np.zeros(len(y), bool)
    kept[np.argsort((X @ w - y) ** 2)[: clean.sum()]] = True
    noise, both = X @ truth - y, kept & clean
    least = np.linalg.eigvalsh(X[both].T @ X[both])[0]
    cross = np.linalg.norm(noise[both] @ X[both])
    return eta**2 * least - 2 * eta * cross - np.sum(noise[clean & ~kept] ** 2)


def trimmed_sum(X, y, w, count):
    return np.sort((X @ w - y) ** 2)[:count].sum()


def global_minimiser(X, y, count):
    """Trimmed least squares by trying every choice of rows."""
    fits = [
        np.linalg.lstsq(X[kept > 0], y[kept > 0], rcond=None)[0]
        for kept in every_choice(len(y), count)
    ]
    return min(fits, key=lambda w: trimmed_sum(X, y, w, count))


@pytest.mark.parametrize("n, bad", [(10, 1), (10, 3), (10, 4), (9, 4)])
def test_worst_fraction_of_clean_rows_lost_is_eps_over_one_less_two_eps(n, bad):
    """After Corollary 8: |P - S| / |P and S| for every S of as many rows as are clean."""
    clean = np.arange(n) >= bad
    lost = [np.sum(clean & (S == 0)) / np.sum(clean & (S > 0)) for S in every_choice(n, n - bad)]
    gamma = (bad / n) / (1 - 2 * bad / n)
    assert max(lost) == pytest.approx(gamma)
    if bad / n > 1 / 3:
        assert max(lost) > np.sqrt(gamma)  # the root that is printed as well is no bound


@pytest.mark.parametrize("bad", [1, 3])
def test_means_of_clean_subsets_move_by_gamma_times_the_radius(bad, rng):
    """Definition 21: with any bounded kernel rows are resilient, tau = gamma times their radius."""
    phi, n = rng.normal(size=(8, 3)), 8 + bad
    mean, radius = phi.mean(axis=0), np.linalg.norm(phi - phi.mean(axis=0), axis=1).max()
    gamma = (bad / n) / (1 - 2 * bad / n)
    for T in every_choice(8, n - 2 * bad):
        assert np.linalg.norm(T @ phi / T.sum() - mean) <= gamma * radius + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_far_functions_cost_what_lemma_15_says(seed):
    """Where eta is the distance itself and Psi a sum over the kept rows, not a mean."""
    rng = np.random.default_rng(seed)
    X, y, truth, clean = spoilt_line(rng)
    for w in truth + rng.normal(size=(20, 2)) * 10 ** rng.uniform(-2, 1, size=(20, 1)):
        rise = trimmed_sum(X, y, w, 9) - trimmed_sum(X, y, truth, 9)
        eta = np.linalg.norm(w - truth)
        assert rise >= lemma_15(X, y, truth, clean, w, eta) - 1e-9


def test_lemma_15_fails_for_an_eta_below_the_distance(rng):
    """In print eta is any lower bound on it. Least squares is lower than the truth: eta = 0."""
    X, y, truth, clean = spoilt_line(rng, bad=0)
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    rise = trimmed_sum(X, y, w, 12) - trimmed_sum(X, y, truth, 12)
    assert rise < lemma_15(X, y, truth, clean, w, eta=0.0) - 1e-3
    assert rise >= lemma_15(X, y, truth, clean, w, eta=np.linalg.norm(w - truth))


def test_root_of_the_quadratic_has_power_one_in_its_second_term():
    """Theorem 16, eqs. (51) and (126): a eta^2 - 2 b eta - c <= 0 gives sqrt(c / a) + 2 b / a."""
    for a, b, c in np.random.default_rng(0).exponential(size=(200, 3)) ** 3:
        root = (b + np.sqrt(b**2 + a * c)) / a
        assert root <= np.sqrt(c / a) + 2 * b / a + 1e-9 * root
    a, b = 0.01, 1.0
    assert 2 * b / a > 2 * b / np.sqrt(a)  # c = 0: the root is 200, print allows 20


@pytest.mark.parametrize("seed", range(5))
def test_global_minimiser_obeys_theorem_16_without_its_beta(seed):
    """With the right power. A stationary point would need sigma_min - beta > 0: it never is."""
    X, y, truth, clean = spoilt_line(np.random.default_rng(seed))
    w = global_minimiser(X, y, 9)
    kept = np.zeros(12, bool)
    kept[np.argsort((X @ w - y) ** 2)[:9]] = True
    both, noise = kept & clean, X @ truth - y
    least = np.linalg.eigvalsh(X[both].T @ X[both])[0]
    bound = np.sqrt(np.sum(noise[clean & ~kept] ** 2) / least)
    bound += 2 * np.linalg.norm(noise[both] @ X[both]) / least
    assert np.linalg.norm(w - truth) <= bound
    beta = 2 * np.sum(X**2)  # Lemma 14 for the sum: 2 Tr K
    assert least - beta < 0


def test_theorem_17_promises_a_negative_distance():
    """Eq. (52) with few bad rows; and less error the more of them there are."""

    def printed(n, eps, d):
        return np.e * n * (1 - 2 * eps) / (n * eps * (n * eps - d * np.log(2 * d)))

    assert printed(n=1000, eps=0.01, d=10) < 0
    assert printed(n=1000, eps=0.4, d=10) < printed(n=1000, eps=0.1, d=10)


def competing_line(n, steep, rng):
    """Two lines: 60 % of the rows on the truth with noise, 40 % nearer to zero, without."""
    x, clean = rng.normal(size=n), np.arange(n) < 0.6 * n
    y = np.where(clean, steep * x + rng.normal(size=n), -0.5 * steep * x)
    return x[:, None], y


@pytest.mark.parametrize("steep", [10.0, 100.0])
def test_descent_from_zero_follows_bad_rows_that_are_nearer_to_zero(steep, rng):
    """Theorem 7, Corollary 8: gamma is 2, sigma 1, x standard normal; yet no constant will do."""
    X, y = competing_line(200, steep, rng)
    design = TrimmedProblem(
        X @ X.T, SquaredLoss(), Trimmed(0.4), y[:, None], np.ones(200), 0.0, fit_intercept=False
    )
    fit = projected_gradient(design, np.zeros((200, 1)), max_iter=3000, tol=1e-10).fit
    slope = float(X[:, 0] @ fit.coef[:, 0])
    assert abs(slope - steep) > 1.3 * steep
    options = {"kernel": "linear", "fit_intercept": False, "alpha": 1e-6}
    searched = SubquantileRegressor(contamination=0.4, **options).fit(X, y)
    assert abs(searched.coef_.item() - steep) < 0.5  # the search is what makes the promise good


def test_error_does_not_vanish_with_more_rows():
    """Theorem 7, eq. (12), has no eps: bad rows within the noise keep a part of their pull."""
    errors = []
    for n in (1000, 64000):
        rng = np.random.default_rng(n)
        x, bad = rng.normal(size=n), np.arange(n) < 0.3 * n
        y = x + rng.normal(size=n)
        y[bad] = 2.0 * x[bad]
        w = 1.0  # from the truth itself: weigh and refit to the end
        for _ in range(300):
            kept = np.argpartition((w * x - y) ** 2, int(0.7 * n))[: int(0.7 * n)]
            w = x[kept] @ y[kept] / (x[kept] @ x[kept])
        errors.append(abs(w - 1.0))
    assert errors[1] > 0.2 and errors[1] > 0.7 * errors[0]  # the bound falls by a factor of eight


@pytest.mark.parametrize("eps", [0.1, 0.2, 0.3, 0.4])
@pytest.mark.parametrize("attack", ["random", "shift", "tilt"])
def test_searched_fits_stay_within_gamma_sigma_over_the_root_of_the_least_eigenvalue(eps, attack):
    """Corollary 8 for Gaussian rows, with a constant of one."""
    rng = np.random.default_rng(round(100 * eps))
    n, d, sigma = 400, 3, 0.5
    scale, truth = np.array([0.5, 1.0, 2.0]), np.array([1.0, -1.0, 0.5])
    X = rng.normal(size=(n, d)) * scale
    y, bad = X @ truth + sigma * rng.normal(size=n), np.arange(n) < eps * n
    y[bad] = {
        "random": 10 * rng.normal(size=bad.sum()),
        "shift": y[bad] + 20.0,
        "tilt": X[bad] @ (truth + 2 * sigma),
    }[attack]
    options = {"kernel": "linear", "fit_intercept": False, "alpha": 1e-6}
    model = SubquantileRegressor(contamination=eps, **options).fit(X, y)
    error = np.linalg.norm(model.coef_.ravel() - truth)
    assert error <= eps / (1 - 2 * eps) * sigma / scale.min()
