"""Problems and comparisons that the tests of the batch estimators share."""

import sys
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from untaint.datasets import contaminate, make_smooth


def smooth(n, n_features=4, seed=0):
    """Rows of a smooth surface with a deviation of about one."""
    return make_smooth(n, n_features=n_features, random_state=seed)


def corrupted(n, *, contamination=0.2, kind="label", n_features=4, seed=0):
    """The same rows, a fraction of them corrupted, and the mask of those."""
    X, y = smooth(n, n_features, seed)
    return contaminate(X, y, epsilon=contamination, kind=kind, random_state=seed)


def grossly_corrupted(n, *, contamination=0.2, n_features=4, seed=0):
    """Rows of which a fraction is so wrong that every sensible fit trims the same ones."""
    X, y = smooth(n, n_features, seed)
    rng = np.random.default_rng(seed)
    bad = np.zeros(n, dtype=bool)
    bad[rng.choice(n, round(contamination * n), replace=False)] = True
    y[bad] += rng.choice([-1.0, 1.0], bad.sum()) * rng.uniform(20.0, 30.0, bad.sum())
    return X, y, bad


def rmse(model, X, y):
    return float(np.sqrt(np.mean(np.square(model.predict(X) - y))))


def assert_close(actual, expected, tol, scale=1.0):
    """Largest difference at most ``tol`` in units of ``scale``."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tol * scale)


def raw(model, X):
    """What a fit says of rows before it is turned into labels."""
    return model.decision_function(X) if is_classifier(model) else model.predict(X)


def assert_same_fit(one, other, X, *, tol=1e-8):
    """Two fits to the same rows keep the same ones and predict alike."""
    np.testing.assert_array_equal(one.inlier_mask_, other.inlier_mask_)
    expected = raw(other, X)
    assert_close(raw(one, X), expected, tol, max(1.0, float(np.abs(expected).max())))


def assert_weights_are_copies(model, X, y, weights):
    """Fit once with weights and once with the rows repeated as often."""
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(X[rows], y[rows])
    assert weighted.contamination_ == pytest.approx(repeated.contamination_)
    np.testing.assert_array_equal(weighted.inlier_mask_[rows], repeated.inlier_mask_)
    expected = raw(repeated, X)
    kept = expected if is_classifier(model) else y[weighted.inlier_mask_]
    # The log-loss has no closed form: Newton's method stops at the accuracy asked for.
    tol = 1e-6 if is_classifier(model) else 1e-7
    assert_close(raw(weighted, X), expected, tol, max(1.0, np.abs(kept).max()))
    assert_close(weighted.outlier_scores_[rows], repeated.outlier_scores_, 1e-6, 100)
    assert weighted.loss_threshold_ == pytest.approx(repeated.loss_threshold_, rel=1e-5)
    np.testing.assert_allclose(
        weighted.objective_path_[-1], repeated.objective_path_[-1], rtol=1e-7
    )


# Parts of a fit, by the number of calls: checking, searching, refitting, storing.
MOMENTS = (0.01, 0.2, 0.5, 0.8, 0.97)
each_moment = pytest.mark.parametrize("moment", MOMENTS)


@contextmanager
def calls_counted(last=None, failure=KeyboardInterrupt):
    """Count the calls of functions of this package, and fail at the given one."""
    calls = []

    def count(frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("untaint."):
            calls.append(frame.f_code.co_name)
            if len(calls) == last:
                raise failure

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def assert_interrupted_fit_leaves_it_as_it_was(model, fit_again, X, moment, failure):
    """Fail within a fit: nothing changes, be the estimator fitted or not."""
    before = dict(vars(model))
    fitted = hasattr(model, "inlier_mask_")
    expected = raw(model, X) if fitted else None
    fit_again(clone(model))  # what is imported and cached by a first fit is not counted
    with calls_counted() as calls:
        fit_again(clone(model))
    last = max(1, int(moment * len(calls)))
    with pytest.raises(failure), calls_counted(last, failure):
        fit_again(model)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[key] is before[key] for key in before)
    if fitted:
        np.testing.assert_array_equal(raw(model, X), expected)


def failed_checks(estimator):
    """scikit-learn's checks that failed, with their exceptions; skipped ones with theirs."""
    with warnings.catch_warnings():
        # The gradient method is given too few steps on purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > 50
    failed = {
        result["check_name"]: result["exception"]
        for result in results
        if result["status"] not in ("passed", "skipped")
    }
    skipped = {
        result["check_name"]: str(result["exception"])
        for result in results
        if result["status"] == "skipped"
    }
    return failed, skipped


# --- labels ----------------------------------------------------------------------------------


def blobs(sizes, *, distance=4.0, n_features=2, seed=0):
    """Round classes of unit deviation whose neighbours' centres lie so far apart."""
    rng = np.random.default_rng(seed)
    k = len(sizes)
    y = np.repeat(np.arange(k), sizes)
    angles = 2 * np.pi * np.arange(k) / k
    centres = np.zeros((k, n_features))
    centres[:, :2] = np.column_stack([np.cos(angles), np.sin(angles)])
    centres *= distance / (2 * np.sin(np.pi / k))
    return centres[y] + rng.normal(size=(len(y), n_features)), y


def flipped(y, contamination, *, of=None, seed=0):
    """Labels of which a fraction of all rows, taken from one class or any, is wrong; their mask."""
    rng = np.random.default_rng(seed + 1000)
    pool = np.arange(len(y)) if of is None else np.flatnonzero(y == of)
    bad = np.zeros(len(y), dtype=bool)
    bad[rng.choice(pool, round(contamination * len(y)), replace=False)] = True
    k = y.max() + 1
    wrong = (y + rng.integers(1, k, len(y))) % k
    return np.where(bad, wrong, y), bad


def flipped_blobs(sizes, contamination=0.15, *, seed=0, **options):
    """Blobs with wrong labels, those labels, the right ones, and the mask of the wrong ones."""
    X, y = blobs(sizes, seed=seed, **options)
    labels, bad = flipped(y, contamination, seed=seed)
    return X, labels, y, bad


def recalls(model, X, y):
    """Part of each class that is predicted right."""
    predicted = model.predict(X)
    return np.array([np.mean(predicted[y == label] == label) for label in np.unique(y)])


def naive_logistic(K, y, alpha, weights=None, fit_intercept=True):
    """Probabilities of kernel logistic regression, by a general minimiser over all scores."""
    n, k = len(y), int(y.max()) + 1
    weights = np.ones(n) if weights is None else weights
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    hot = np.eye(k)[y]

    def scores(theta):
        coef = theta.reshape(n + 1, k)
        return features @ coef[:n] + fit_intercept * coef[n]

    def objective(theta):
        f, coef = scores(theta), theta.reshape(n + 1, k)[:n]
        log_p = f - logsumexp(f, axis=1, keepdims=True)
        slope = weights[:, None] * (np.exp(log_p) - hot)
        # One of two classes' scores serves as well as both, at half of the squared norm.
        penalty = alpha if k > 2 else 2 * alpha
        value = -float(weights @ log_p[np.arange(n), y]) + penalty * float(np.sum(coef**2))
        gradient = features.T @ slope + 2 * penalty * coef
        return value, np.vstack([gradient, fit_intercept * slope.sum(axis=0)]).ravel()

    found = minimize(
        objective,
        np.zeros((n + 1) * k),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 10000, "ftol": 1e-15, "gtol": 1e-9},
    )
    f = scores(found.x)
    return np.exp(f - logsumexp(f, axis=1, keepdims=True))
