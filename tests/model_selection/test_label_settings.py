"""Selection of kernel and alpha by leave-one-out Brier errors of labels, some of them wrong."""

from __future__ import annotations

import numpy as np
import pytest

from properties.problems import rbf
from untaint.losses import LogisticLoss, SoftmaxLoss
from untaint.model_selection.label_settings import select_label_setting
from untaint.optim.low_rank import nystroem_features

ALPHAS = np.array([0.01, 0.1, 1.0, 10.0])
GAMMAS = (0.02, 0.2, 2.0)

several = pytest.mark.parametrize("classes", [2, 3])


def draw(rng, classes=2, n=120, wrong=0.0):
    """Blobs on a circle; some of the labels are replaced by the next class."""
    codes = classes * np.arange(n) // n
    angles = 2 * np.pi * codes / classes
    X = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(size=(n, 2))
    bad = rng.permutation(n)[: int(wrong * n)]
    codes = codes.copy()
    codes[bad] = (codes[bad] + 1) % classes
    return X, codes


def targets(codes, classes):
    return codes[:, None].astype(float) if classes == 2 else np.eye(classes)[codes]


def loss_of(classes):
    return LogisticLoss() if classes == 2 else SoftmaxLoss()


def kernels(X, landmarks=None):
    """Features of every scale, on landmarks that do not depend on the order of the rows."""
    count = min(len(X), 40)
    marks = np.lexsort(X.T)[:: max(1, len(X) // count)] if landmarks is None else landmarks
    return [lambda g=g: nystroem_features(rbf(X, gamma=g)[marks], marks) for g in GAMMAS]


def choose(X, codes, classes=2, **options):
    weights = options.pop("sample_weight", np.ones(len(X)))
    features = options.pop("features", None) or kernels(X)
    return select_label_setting(
        features, ALPHAS, targets(codes, classes), loss_of(classes), weights, **options
    )


@several
def test_errors_are_those_of_fits_without_the_row(classes, rng):
    X, codes = draw(rng, classes, n=30)
    y, curvature = targets(codes, classes), 0.25 if classes == 2 else 2 / 9
    phi = kernels(X)[1]()
    choice = select_label_setting([lambda: phi], ALPHAS, y, loss_of(classes), np.ones(30))
    for alpha, error in zip(ALPHAS, choice.errors[0], strict=True):
        squares = []
        for i in range(30):
            others = np.arange(30) != i
            mean, base = phi[others].mean(axis=0), y[others].mean(axis=0)
            A = (phi[others] - mean).T @ (phi[others] - mean)
            A += 2 * alpha / curvature * np.eye(A.shape[0])
            coef = np.linalg.solve(A, (phi[others] - mean).T @ (y[others] - base))
            squares.append(np.sum((y[i] - base - (phi[i] - mean) @ coef) ** 2))
        assert error == pytest.approx(np.mean(squares), rel=1e-6)


@several
def test_alpha_is_the_best_of_its_kernel(classes, rng):
    X, codes = draw(rng, classes, wrong=0.2)
    choice = choose(X, codes, classes)
    assert choice.errors[choice.kernel].argmin() == choice.alpha


@several
def test_predictions_leave_the_errors_that_were_scored(classes, rng):
    X, codes = draw(rng, classes, wrong=0.2)
    choice = choose(X, codes, classes)
    squares = np.sum((targets(codes, classes) - choice.predictions) ** 2, axis=1)
    assert squares.mean() == pytest.approx(choice.errors[choice.kernel, choice.alpha])


def test_of_kernels_that_differ_by_chance_the_first_is_favoured():
    firsts, winners = 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        codes, noise = rng.integers(0, 2, size=100), rng.normal(size=(2, 100, 3))
        choice = choose(noise[0], codes, features=[lambda n=n: n[0] for n in (noise, noise[1:])])
        firsts += choice.kernel == 0
        winners += choice.errors.min(axis=1).argmin() == 0
    assert firsts >= winners + 8


def test_a_kernel_that_is_clearly_better_is_taken_wherever_it_stands(rng):
    X, codes = draw(rng, n=200, wrong=0.3)
    good, noise = kernels(X)[1](), rng.normal(size=(200, 5))
    assert choose(X, codes, features=[lambda: noise, lambda: good]).kernel == 1
    assert choose(X, codes, features=[lambda: good, lambda: noise]).kernel == 0


def test_more_wrong_labels_ask_for_a_smoother_fit():
    chosen = {0.0: [], 0.4: []}
    for seed in range(10):
        for wrong, alphas in chosen.items():
            X, codes = draw(np.random.default_rng(seed), n=200, wrong=wrong)
            phi = kernels(X)[1]()
            alphas.append(choose(X, codes, features=[lambda phi=phi: phi]).alpha)
    assert np.mean(chosen[0.4]) > np.mean(chosen[0.0])


@several
def test_the_order_of_rows_does_not_matter(classes, rng):
    X, codes = draw(rng, classes, wrong=0.3)
    order = rng.permutation(len(X))
    plain, shuffled = choose(X, codes, classes), choose(X[order], codes[order], classes)
    assert (plain.kernel, plain.alpha) == (shuffled.kernel, shuffled.alpha)
    np.testing.assert_allclose(plain.errors, shuffled.errors, rtol=1e-6)
    np.testing.assert_allclose(plain.predictions[order], shuffled.predictions, atol=1e-6)


@several
def test_a_weight_is_a_number_of_copies(classes, rng):
    X, codes = draw(rng, classes, n=60, wrong=0.2)
    counts = rng.integers(1, 4, size=60)
    copies = np.repeat(np.arange(60), counts)
    features = [make() for make in kernels(X)]
    weighted = choose(
        X,
        codes,
        classes,
        sample_weight=counts.astype(float),
        features=[lambda f=f: f for f in features],
    )
    copied = choose(
        X[copies], codes[copies], classes, features=[lambda f=f: f[copies] for f in features]
    )
    assert (weighted.kernel, weighted.alpha) == (copied.kernel, copied.alpha)
    np.testing.assert_allclose(weighted.errors, copied.errors, rtol=1e-9)


def test_samples_that_are_not_near_do_not_count(rng):
    X, codes = draw(rng, n=100, wrong=0.2)
    near = np.arange(100) % 5 > 0
    marks = np.flatnonzero(near)[::3]
    moved = np.where(near[:, None], X, 100 * X)
    turned = np.where(near, codes, 1 - codes)
    plain = choose(X, codes, features=kernels(X, marks), near=near)
    other = choose(moved, turned, features=kernels(moved, marks), near=near)
    np.testing.assert_allclose(plain.errors, other.errors, rtol=1e-9)
    assert (plain.kernel, plain.alpha) == (other.kernel, other.alpha)


def test_of_equal_errors_the_largest_alpha_is_taken(rng):
    codes = rng.integers(0, 2, size=30)
    constant = np.zeros((30, 2))  # any alpha fits the intercept alone
    choice = choose(np.zeros((30, 1)), codes, features=[lambda: constant])
    assert ALPHAS[choice.alpha] == ALPHAS.max()
