"""The search of a regression: planted outliers, copies, permutations, levels, starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from naive import selection as naive
from untaint.design.subsample import Subset
from untaint.initialization.multistart import STARTS, find_inliers, multistart
from untaint.initialization.ridge_refit import RidgeRefit
from untaint.kernels import RBF
from untaint.losses import SquaredLoss
from untaint.optim.low_rank import nystroem_features
from untaint.weighting import Trimmed

N = 150
ALPHA = 0.1


def truth(X):
    return np.sin(2 * X[:, :1]) + X[:, 1:]


def clean(rng, n=N):
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, truth(X) + 0.1 * rng.normal(size=(n, 1))


def label_noise(rng):
    X, y = clean(rng)
    bad = np.arange(N) < 0.3 * N
    y[bad] = rng.normal(5.0, 5.0, size=(bad.sum(), 1))
    return X, y, bad


def one_sided_shift(rng):
    # Further than the targets spread, or few rows could not tell the two truths apart.
    X, y = clean(rng)
    bad = np.arange(N) < 0.4 * N
    y[bad] += 10.0
    return X, y, bad


def cluster(rng):
    X, y = clean(rng)
    bad = np.arange(N) < 0.2 * N
    X[bad] = [1.0, -1.0] + 0.05 * rng.normal(size=(bad.sum(), 2))
    y[bad] = 8.0 + 0.01 * rng.normal(size=(bad.sum(), 1))
    return X, y, bad


def far_off(X, y):
    """Ten standard deviations of the noise from the truth."""
    return np.abs(y - truth(X))[:, 0] > 1.0


PLANTED = [label_noise, one_sided_shift, cluster]


def features_of(X, count=60):
    K = RBF(0.5).matrix(X)
    landmarks = np.linspace(0, len(X) - 1, min(count, len(X))).astype(int)
    return nystroem_features(K[landmarks], landmarks)


@dataclass
class Rows:
    """What a search asks of a design."""

    init_features: np.ndarray
    sample_weight: np.ndarray
    near: np.ndarray
    levels: list[Subset]
    alpha: float = ALPHA


def rows_of(features, sample_weight=None, samples=(), near=None):
    n = len(features)
    near = np.ones(n, dtype=bool) if near is None else near
    weights = np.ones(n) if sample_weight is None else sample_weight
    levels = [Subset(rows, weights[rows]) for rows in (*samples, np.arange(n))]
    return Rows(features, weights, near, levels)


def search(features, y, fraction, *, n_starts=6, seed=0, **options):
    rng = np.random.default_rng(seed)
    return find_inliers(rows_of(features, **options), y, fraction, n_starts, rng)


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_planted_rows_are_found(plant, seed):
    X, y, bad = plant(np.random.default_rng(seed))
    found = search(features_of(X), y, bad.mean())
    wrong = far_off(X, y)  # a random label may be right by chance
    assert wrong.sum() >= 0.8 * bad.sum()
    assert found.weights[wrong].sum() == 0


@pytest.mark.parametrize("seed", range(3))
def test_too_large_a_contamination_still_trims_every_planted_row(seed):
    X, y, _ = label_noise(np.random.default_rng(seed))
    found = search(features_of(X), y, 0.45)
    assert found.weights[far_off(X, y)].sum() == 0


def test_all_but_the_contamination_is_kept(rng):
    X, y, _ = label_noise(rng)
    found = search(features_of(X), y, 0.3)
    assert found.weights.shape == (N,)
    np.testing.assert_allclose(found.weights.sum(), 0.7 * N)
    assert ((found.weights >= 0) & (found.weights <= 1)).all()


def test_a_weight_is_that_many_copies(rng):
    X, y, _ = label_noise(rng)
    copies = rng.integers(1, 4, size=N)
    owner = np.repeat(np.arange(N), copies)
    F = features_of(X)
    one = search(F, y, 0.3, sample_weight=copies.astype(float))
    many = search(F[owner], y[owner], 0.3)
    np.testing.assert_allclose(np.bincount(owner, many.weights), one.weights, atol=1e-9)


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_permuted_rows_permute_the_result(plant, rng):
    X, y, bad = plant(rng)
    F, order = features_of(X), rng.permutation(N)
    straight, permuted = search(F, y, bad.mean()), search(F[order], y[order], bad.mean())
    np.testing.assert_allclose(permuted.weights, straight.weights[order], atol=1e-9)


def test_the_unit_of_the_targets_does_not_matter(rng):
    X, y, _ = label_noise(rng)
    F = features_of(X)
    metres, millimetres = search(F, y, 0.3), search(F, 1e3 * y + 7.0, 0.3)
    np.testing.assert_allclose(millimetres.weights, metres.weights, atol=1e-9)


def test_outputs_are_trimmed_together(rng):
    X, y, bad = label_noise(rng)
    both = np.column_stack([clean(np.random.default_rng(0))[1], y])
    found = search(features_of(X), both, 0.3)
    assert found.weights[bad].sum() <= 0.1 * bad.sum()


@pytest.mark.parametrize("target", [1e6, 1e12, 1e100])
def test_extreme_targets_are_trimmed(target, rng):
    X, y = clean(rng)
    y[:40] = target
    found = search(features_of(X), y, 0.3)
    assert found.weights[:40].sum() == 0


@pytest.mark.parametrize(
    "samples", [[np.arange(0, N, 2)], [np.arange(0, N, 4), np.arange(0, N, 2)]]
)
def test_levels_end_on_all_samples(samples, rng):
    X, y, bad = label_noise(rng)
    found = search(features_of(X), y, 0.3, samples=samples)
    assert found.weights.shape == (N,)
    np.testing.assert_allclose(found.weights.sum(), 0.7 * N)
    assert found.weights[bad].sum() <= 0.1 * bad.sum()


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_levels_agree_with_a_search_on_all_samples(plant, rng):
    X, y, bad = plant(rng)
    F = features_of(X)
    full = search(F, y, bad.mean())
    levels = search(F, y, bad.mean(), samples=[np.arange(0, N, 2)])
    assert np.abs(full.weights - levels.weights).sum() <= 0.05 * N


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_more_starts_never_end_in_a_higher_objective(plant, rng):
    X, y, bad = plant(rng)
    rows = rows_of(features_of(X))
    refit = RidgeRefit(y, rows.sample_weight, rows.near, SquaredLoss(), Trimmed(bad.mean()))
    values = []
    for count in (1, 3, 6, 9):
        starts = (STARTS + 3 * STARTS[:1])[:count]
        path, found = multistart(rows, rows.levels, refit, starts, np.random.default_rng(0))
        columns = np.column_stack([np.ones(N), rows.init_features])
        values.append(path.refit.objective(columns, ALPHA, found))
    assert (np.diff(values) <= 1e-9 * values[0]).all()


def test_samples_that_are_not_near_are_trimmed_first(rng):
    X, y = clean(rng)
    near = np.arange(N) >= 20
    found = search(features_of(X), y, 0.2, near=near)
    assert found.weights[:20].sum() == 0
    np.testing.assert_allclose(found.weights.sum(), 0.8 * N)


@pytest.mark.parametrize("n_starts", [1, 2, 6, 9])
def test_any_number_of_starts_will_do_on_an_easy_problem(n_starts, rng):
    X, y, bad = label_noise(rng)
    found = search(features_of(X), y, 0.3, n_starts=n_starts)
    assert found.weights[bad].sum() <= 0.1 * bad.sum()


def test_a_seed_decides_the_random_starts(rng):
    X, y, _ = label_noise(rng)
    F = features_of(X)
    one, same = (search(F, y, 0.3, n_starts=9, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one.weights, same.weights)


@pytest.mark.parametrize("fraction", [0.0, 0.2])
def test_few_rows_and_targets_without_variation_are_no_failure(fraction):
    for n in (2, 3, 8):
        F = np.linspace(-1, 1, n)[:, None]
        for y in (np.zeros((n, 1)), np.full((n, 1), 3.0)):
            found = search(F, y, fraction)
            np.testing.assert_allclose(found.weights.sum(), naive.kept_total(fraction, np.ones(n)))
