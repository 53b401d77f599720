"""The search of a classification: planted flips, copies, permutations, levels, starts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from properties.problems import rbf
from untaint.design.subsample import Subset
from untaint.initialization.logistic_refit import LogisticRefit
from untaint.initialization.multistart import LABEL_STARTS, find_label_inliers, multistart
from untaint.losses import LogisticLoss, SoftmaxLoss
from untaint.optim.low_rank import nystroem_features
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced

N = 160
ALPHA = 0.1


def truth(classes=2, n=N):
    return classes * np.arange(n) // n


def blobs(rng, classes=2, n=N):
    """Well separated blobs, and the class of each row."""
    codes = truth(classes, n)
    angles = 2 * np.pi * codes / classes
    centres = 4.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    return centres + rng.normal(size=(n, 2)), codes


def one_sided(rng, classes=2, fraction=0.3):
    """Some of the first class are labelled as the next."""
    X, codes = blobs(rng, classes)
    members = np.flatnonzero(codes == 0)
    bad = np.zeros(N, dtype=bool)
    bad[rng.permutation(members)[: int(fraction * len(members))]] = True
    return X, np.where(bad, 1, codes), bad


def any_label(rng, classes=2, fraction=0.3):
    """Some of all classes are labelled as the next class."""
    X, codes = blobs(rng, classes)
    bad = np.zeros(N, dtype=bool)
    bad[rng.permutation(N)[: int(fraction * N)]] = True
    return X, np.where(bad, (codes + 1) % classes, codes), bad


PLANTED = [one_sided, any_label]
plants = pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
several = pytest.mark.parametrize("classes", [2, 3])
RULES = {
    "balanced": ClassBalanced,
    "soft": lambda fraction, codes, classes: SoftClassBalanced(
        fraction, codes, classes, smoothing=2.0
    ),
}
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def features_of(X, count=30):
    landmarks = np.linspace(0, len(X) - 1, count).astype(int)
    return nystroem_features(rbf(X, gamma=0.1)[landmarks], landmarks)


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


def targets(codes, classes):
    return codes[:, None].astype(float) if classes == 2 else np.eye(classes)[codes]


def loss_of(classes):
    return LogisticLoss() if classes == 2 else SoftmaxLoss()


def search(
    features, codes, fraction, classes=2, *, rule=ClassBalanced, n_starts=6, seed=0, **options
):
    return find_label_inliers(
        rows_of(features, **options),
        targets(codes, classes),
        loss_of(classes),
        rule(fraction, codes, classes),
        n_starts,
        np.random.default_rng(seed),
    )


def assert_trims(weights, bad, rule=ClassBalanced):
    """Nearly all bad rows; where edges are soft, their larger part."""
    assert weights[bad].mean() <= (0.1 if rule is ClassBalanced else 0.5)
    assert weights[~bad].mean() >= (0.9 if rule is ClassBalanced else 0.85)


@plants
@several
@rules
@pytest.mark.parametrize("seed", range(2))
def test_planted_flips_are_found(plant, classes, rule, seed):
    X, codes, bad = plant(np.random.default_rng(seed), classes)
    found = search(features_of(X), codes, bad.mean(), classes, rule=rule)
    assert_trims(found.weights, bad, rule)
    np.testing.assert_allclose(found.weights.sum(), N - bad.sum(), rtol=1e-6)


@plants
@several
def test_predictions_are_those_of_the_clean_labels(plant, classes, rng):
    X, codes, bad = plant(rng, classes)
    found = search(features_of(X), codes, bad.mean(), classes)
    raw = found.predictions
    assert raw.shape == (N, 1 if classes == 2 else classes)
    predicted = (raw[:, 0] > 0) if classes == 2 else raw.argmax(axis=1)
    assert (predicted == truth(classes)).mean() > 0.97


@rules
def test_too_large_a_contamination_still_trims_every_planted_row(rule, rng):
    X, codes, bad = one_sided(rng)
    found = search(features_of(X), codes, 0.4, rule=rule)
    assert found.weights[bad].sum() <= 0.1 * bad.sum()


@several
@rules
def test_the_same_search_finds_the_same(classes, rule, rng):
    X, codes, bad = any_label(rng, classes)
    F = features_of(X)
    one, two = (search(F, codes, bad.mean(), classes, rule=rule) for _ in range(2))
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.predictions, two.predictions)


def test_a_seed_decides_the_random_starts(rng):
    X, codes, _ = any_label(rng)
    F = features_of(X)
    one, same = (search(F, codes, 0.3, n_starts=9, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one.weights, same.weights)
    np.testing.assert_array_equal(one.predictions, same.predictions)


@plants
@several
@rules
def test_permuted_rows_permute_the_result(plant, classes, rule, rng):
    X, codes, bad = plant(rng, classes)
    F, order = features_of(X), rng.permutation(N)
    straight = search(F, codes, bad.mean(), classes, rule=rule)
    permuted = search(F[order], codes[order], bad.mean(), classes, rule=rule)
    np.testing.assert_allclose(permuted.weights, straight.weights[order], atol=1e-5)
    np.testing.assert_allclose(
        permuted.predictions, straight.predictions[order], rtol=1e-4, atol=1e-4
    )


@several
@rules
def test_a_weight_is_that_many_copies(classes, rule, rng):
    X, codes, _ = any_label(rng, classes)
    copies = rng.integers(1, 4, size=N)
    owner = np.repeat(np.arange(N), copies)
    F = features_of(X)
    one = search(F, codes, 0.3, classes, rule=rule, sample_weight=copies.astype(float))
    many = search(F[owner], codes[owner], 0.3, classes, rule=rule)
    np.testing.assert_allclose(np.bincount(owner, many.weights), one.weights, atol=1e-5)
    np.testing.assert_allclose(many.predictions, one.predictions[owner], rtol=1e-4, atol=1e-4)


@several
@rules
@pytest.mark.parametrize(
    "samples", [[np.arange(0, N, 2)], [np.arange(0, N, 4), np.arange(0, N, 2)]]
)
def test_levels_end_on_all_samples(classes, rule, samples, rng):
    X, codes, bad = any_label(rng, classes)
    found = search(features_of(X), codes, bad.mean(), classes, rule=rule, samples=samples)
    assert found.weights.shape == (N,)
    assert len(found.predictions) == N
    np.testing.assert_allclose(found.weights.sum(), N - bad.sum(), rtol=1e-6)
    assert_trims(found.weights, bad, rule)


@several
def test_levels_agree_with_a_search_on_all_samples(classes, rng):
    X, codes, bad = any_label(rng, classes)
    F = features_of(X)
    full = search(F, codes, bad.mean(), classes)
    levels = search(F, codes, bad.mean(), classes, samples=[np.arange(0, N, 2)])
    assert np.abs(full.weights - levels.weights).sum() <= 0.05 * N


@plants
@several
def test_more_starts_never_end_in_a_higher_objective(plant, classes, rng):
    X, codes, bad = plant(rng, classes)
    rows, rule = rows_of(features_of(X)), ClassBalanced(bad.mean(), codes, classes)
    y, loss = targets(codes, classes), loss_of(classes)
    refit = LogisticRefit(y, rows.sample_weight, rows.near, loss, rule)
    values = []
    for count in (1, 3, 6, 9):
        starts = (2 * LABEL_STARTS)[:count]
        path, found = multistart(rows, rows.levels, refit, starts, np.random.default_rng(0))
        values.append(path.refit.objective(rows.init_features, ALPHA, found))
    assert (np.diff(values) <= 0).all()


@rules
def test_samples_that_are_not_near_are_trimmed(rule, rng):
    X, codes = blobs(rng)
    near = np.arange(N) % 8 > 0
    found = search(features_of(X), codes, 0.2, rule=rule, near=near)
    assert found.weights[~near].sum() == 0
    np.testing.assert_allclose(found.weights.sum(), 0.8 * N)


@pytest.mark.parametrize("factor", [1e3, 1e6])
def test_samples_that_are_not_near_do_not_influence_the_fit(factor, rng):
    X, codes = blobs(rng)
    near, F = np.arange(N) >= 10, features_of(X)
    calm = search(F, codes, 0.2, near=near)
    F = F.copy()
    F[:10] *= factor
    far = search(F, codes, 0.2, near=near)
    np.testing.assert_allclose(far.weights, calm.weights, atol=1e-9)
    np.testing.assert_allclose(far.predictions[10:], calm.predictions[10:], atol=1e-4)


@pytest.mark.parametrize("n_starts", [1, 2, 6, 9])
def test_any_number_of_starts_will_do_on_an_easy_problem(n_starts, rng):
    X, codes, bad = one_sided(rng)
    found = search(features_of(X), codes, bad.mean(), n_starts=n_starts)
    assert found.weights[bad].sum() <= 0.1 * bad.sum()


def test_no_class_is_lost(rng):
    # A class of six rows amid the others, which explains nothing: it stays, if only in part.
    X, codes = blobs(rng)
    codes = np.where(np.arange(N) % 30 == 0, 2, codes)
    found = search(features_of(X), codes, 0.3, 3)
    assert (np.bincount(codes, found.weights) > 0).all()


@pytest.mark.parametrize("fraction", [0.0, 0.2])
def test_few_rows_and_features_without_variation_are_no_failure(fraction):
    for n in (4, 6, 10):
        codes = np.arange(n) % 2
        for F in (np.zeros((n, 1)), np.linspace(-1, 1, n)[:, None]):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = search(F, codes, fraction)
            assert np.isfinite(found.predictions).all()
            kept = ClassBalanced(fraction, codes, 2).kept_total(np.ones(n))
            np.testing.assert_allclose(found.weights.sum(), kept)
