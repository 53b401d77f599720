"""Drawn problems follow their formulas and their seeds."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.datasets import make_classes, make_polynomial, make_smooth, make_used_cars


@pytest.mark.parametrize("make", [make_classes, make_polynomial, make_smooth])
def test_seeds_decide(make):
    one, two, other = (make(30, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one[1], two[1])
    assert (one[1] != other[1]).any()


def test_polynomial_is_a_cubic_up_to_its_noise():
    X, y = make_polynomial(5000, noise=0.1, random_state=0)
    fit = np.polynomial.Polynomial.fit(X[:, 0], y, deg=3)
    assert np.std(y - fit(X[:, 0])) == pytest.approx(0.1, rel=0.05)
    noiseless = make_polynomial(200, degree=2, noise=0.0, random_state=0)
    fit = np.polynomial.Polynomial.fit(noiseless[0][:, 0], noiseless[1], deg=2)
    np.testing.assert_allclose(fit(noiseless[0][:, 0]), noiseless[1], atol=1e-9)


def test_polynomial_is_the_papers_cubic_unless_told_otherwise():
    X, y = make_polynomial(20_000, random_state=3)
    x = X[:, 0]
    assert x.mean() == pytest.approx(0.0, abs=0.03)
    assert x.std() == pytest.approx(1.0, abs=0.03)
    assert np.mean(x**4) == pytest.approx(3.0, abs=0.3)
    cubic = np.polynomial.Polynomial.fit(x, y, deg=3)
    assert np.var(y - cubic(x)) == pytest.approx(0.01, rel=0.05)
    assert abs(cubic.convert().coef[3]) > 0.01


def test_polynomial_coefficients_are_standard_normal():
    problems = [make_polynomial(8, noise=0.0, random_state=seed) for seed in range(800)]
    coefficients = np.array([np.polynomial.polynomial.polyfit(X[:, 0], y, 3) for X, y in problems])
    np.testing.assert_allclose(coefficients.mean(axis=0), 0.0, atol=0.12)
    np.testing.assert_allclose(np.cov(coefficients.T), np.eye(4), atol=0.15)


def test_smooth_surface_has_about_unit_variance_and_is_learnable():
    X, y = make_smooth(1500, n_features=4, noise=0.1, random_state=0)
    assert X.shape == (1500, 4)
    assert 0.3 < np.var(y) < 3.0
    kernel_ridge = pytest.importorskip("sklearn.kernel_ridge")
    model = kernel_ridge.KernelRidge(kernel="rbf", gamma=1 / 8, alpha=0.01)
    error = model.fit(X[:1200], y[:1200]).predict(X[1200:]) - y[1200:]
    assert np.sqrt(np.mean(error**2)) < 0.15


@pytest.mark.parametrize("n_classes", [2, 5])
def test_classes_are_of_about_equal_size_and_numbered_from_zero(n_classes):
    X, y = make_classes(5000, n_classes=n_classes, random_state=0)
    assert X.shape == (5000, 8)
    _, sizes = np.unique(y, return_counts=True)
    assert len(sizes) == n_classes
    assert sizes.min() > 0.5 * 5000 / n_classes


@pytest.mark.parametrize("rare_share", [0.0, 0.03, 0.5, 1.0])
def test_the_last_class_gets_exactly_its_share(rare_share):
    _, y = make_classes(400, n_classes=3, rare_share=rare_share, random_state=0)
    assert np.sum(y == 2) == round(rare_share * 400)


def test_borders_between_classes_are_curved_and_learnable():
    linear, svm = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("sklearn.svm")
    X, y = make_classes(2000, random_state=0)
    straight = linear.LogisticRegression().fit(X[:1500], y[:1500]).score(X[1500:], y[1500:])
    curved = svm.SVC(gamma=1 / 16, C=5.0).fit(X[:1500], y[:1500]).score(X[1500:], y[1500:])
    assert curved > 0.88
    assert curved > straight + 0.05


def test_without_overlap_the_features_decide():
    svm = pytest.importorskip("sklearn.svm")
    errors = []
    for overlap in (0.0, 0.5):
        X, y = make_classes(2000, n_features=2, overlap=overlap, random_state=0)
        model = svm.SVC(gamma=1 / 4, C=1e3).fit(X[:1500], y[:1500])
        errors.append(1 - model.score(X[1500:], y[1500:]))
    assert errors[0] < 0.02
    assert errors[1] > 0.1


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: make_polynomial(noise=np.nan), "noise must be a finite number"),
        (lambda: make_polynomial(degree=-1), "degree must be an integer"),
        (lambda: make_polynomial(n_samples=[1, 2]), "n_samples must be an integer"),
        (lambda: make_classes(n_samples=0), "n_samples must be an integer of at least 1"),
        (lambda: make_classes(rare_share=2.5), "rare_share must be a finite number of at most 1"),
        (lambda: make_classes(overlap=None), "overlap must be a finite number"),
        (lambda: make_used_cars(n_rows=None), "n_rows must be an integer"),
    ],
)
def test_parameters_of_generators_are_named(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
