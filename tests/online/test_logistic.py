"""Logistic regression from noisy features, in both interfaces."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.multiclass import OneVsRestClassifier

from estimators.cases import failed_checks
from online.cases import FULL, as_dicts, noisy, quietly
from untaint.exceptions import OverstatedNoiseWarning
from untaint.online import NoisyLinearRegressor, NoisyLogisticRegression
from untaint.online.logistic_data import MAX_ROWS

COEF = np.array([1.5, -1.0, 0.5])


def labelled_rows(n, seed=0, intercept=0.3):
    """Clean rows, correlated within classes, and labels drawn from a logistic model."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) @ np.array([[1.0, 0.4, 0.0], [0.0, 0.9, 0.0], [0.0, 0.3, 1.1]])
    return X, (rng.random(n) < expit(X @ COEF + intercept)).astype(int)


def clean_log_loss(model, n=4000, **options):
    X, y = labelled_rows(n, seed=99)
    return log_loss(y, model.predict_proba(X, **options))


@pytest.mark.parametrize("model", [NoisyLogisticRegression(noise_cov=1e-6)])
def test_passes_the_checks_of_sklearn(model):
    failed, skipped = failed_checks(model)
    assert not failed, failed
    assert skipped.keys() <= {"check_array_api_input"}


def test_without_noise_it_is_the_logistic_regression_of_sklearn():
    X, y = labelled_rows(300)
    ours = NoisyLogisticRegression(noise_cov=0.0, alpha=2.0, share=1.0).fit(X, y)
    theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    weights = np.random.default_rng(0).random(300)
    ours.fit(X, y, sample_weight=weights)
    theirs.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)


@pytest.fixture(scope="module")
def best_log_loss():
    """The clean log loss of a fit to clean rows."""
    return clean_log_loss(NoisyLogisticRegression(noise_cov=0.0).fit(*labelled_rows(3000)))


@pytest.mark.parametrize("cov", [0.4, [0.3, 0.2, 0.4], FULL], ids=["number", "array", "matrix"])
def test_removes_the_noise_that_is_declared(cov, best_log_loss):
    X, y = labelled_rows(3000)
    A = noisy(X, np.diag(np.full(3, cov)) if np.ndim(cov) == 0 else cov, 1)
    naive = NoisyLogisticRegression(noise_cov=0.0).fit(A, y)
    ours = NoisyLogisticRegression(noise_cov=cov).fit(A, y)
    gap = clean_log_loss(naive) - best_log_loss
    assert clean_log_loss(ours) - best_log_loss < 0.3 * gap
    assert np.linalg.norm(ours.coef_ - COEF) < 0.5 * np.linalg.norm(naive.coef_ - COEF)
    assert ours.share_ > 0


def test_slopes_are_right_where_the_classes_are_far_apart():
    """Rows that are normal within classes: calibration by the covariance of all rows is too low."""
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 2
    delta = np.array([3.0, 1.0])  # of the class means; the covariance within is the identity
    A = y[:, None] * delta + rng.normal(size=(4000, 2)) * np.sqrt(1.25)
    model = NoisyLogisticRegression(noise_cov=0.25, share=1.0, alpha=0.1).fit(A, y)
    np.testing.assert_allclose(model.coef_[0], delta, atol=0.3)
    spread = delta @ delta / 4
    too_low = (1 + spread / 1.25) / (1 + spread)  # of the slopes of regression calibration
    assert model.coef_[0] @ delta > 0.5 * (1 + too_low) * delta @ delta


def test_two_copies_tell_the_noise():
    X, y = labelled_rows(3000)
    A, B = noisy(X, FULL, 1), noisy(X, FULL, 2)
    ours = NoisyLogisticRegression().fit(A, y, X_copy=B)
    np.testing.assert_allclose(ours.noise_cov_, FULL, atol=0.05)
    naive = NoisyLogisticRegression(noise_cov=0.0).fit((A + B) / 2, y)
    assert clean_log_loss(ours) < clean_log_loss(naive)


def test_predictions_for_noisy_rows_are_those_of_the_rows_that_were_fitted():
    X, y = labelled_rows(3000)
    A = noisy(X, FULL, 1)
    queries, labels = labelled_rows(4000, seed=98)
    queries = noisy(queries, FULL, 3)
    ours = NoisyLogisticRegression(noise_cov=FULL, share=1.0).fit(A, y)
    naive = NoisyLogisticRegression(noise_cov=0.0).fit(A, y)
    losses = [
        log_loss(labels, ours.predict_proba(queries, noisy=True)),
        log_loss(labels, naive.predict_proba(queries)),
        log_loss(labels, ours.predict_proba(queries)),
    ]
    assert losses[0] == pytest.approx(losses[1], abs=0.003)
    assert losses[2] > losses[0] + 0.01


def test_corrected_score_estimates_the_loss_on_clean_rows():
    X, y = labelled_rows(4000)
    model = NoisyLogisticRegression(noise_cov=FULL).fit(noisy(X, FULL, 1), y)
    held_out, labels = labelled_rows(20_000, seed=98)
    estimate = model.corrected_score(noisy(held_out, FULL, 5), labels)
    exact = log_loss(labels, model.predict_proba(held_out))
    uncorrected = log_loss(labels, model.predict_proba(noisy(held_out, FULL, 5)))
    assert abs(estimate - exact) < 0.15 * (uncorrected - exact)


def test_classes_may_have_any_names_and_come_in_any_order():
    X, y = labelled_rows(200)
    names = np.array(["sick", "healthy"])[y]  # sorted the other way round
    model = NoisyLogisticRegression(noise_cov=0.1).fit(X, names)
    numbered = NoisyLogisticRegression(noise_cov=0.1).fit(X, y)
    assert model.classes_.tolist() == ["healthy", "sick"]
    np.testing.assert_allclose(model.coef_, -numbered.coef_, rtol=1e-6)
    assert set(model.predict(X)) == {"healthy", "sick"}
    stream = NoisyLogisticRegression(noise_cov=0.1)
    for row, name in zip(as_dicts(X), names.tolist(), strict=True):
        stream.learn_one(row, name)
    assert stream.classes_.tolist() == ["healthy", "sick"]
    chances = stream.predict_proba_one(as_dicts(X)[0])
    assert chances.keys() == {"healthy", "sick"} and sum(chances.values()) == pytest.approx(1.0)
    assert is_classifier(model)


def test_batches_of_an_array_give_the_fit_of_the_whole():
    X, y = labelled_rows(300)
    whole = NoisyLogisticRegression(noise_cov=0.2).fit(X, y)
    parts = NoisyLogisticRegression(noise_cov=0.2)
    for start in range(0, 300, 50):
        parts.partial_fit(X[start : start + 50], y[start : start + 50], classes=[0, 1])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-4)


def test_more_rows_than_are_kept_are_summarised_and_still_count():
    n = 3 * MAX_ROWS
    X, y = labelled_rows(n)
    A = noisy(X, FULL, 1)
    options = {"noise_cov": FULL, "share": 1.0, "alpha": 1.0}
    ours = NoisyLogisticRegression(**options).fit(A, y)
    assert len(ours._leader.data.codes) < MAX_ROWS  # memory is bounded
    order = np.argsort(y, kind="stable")  # sorted labels do not matter to fit
    again = NoisyLogisticRegression(**options).fit(A[order], y[order])
    np.testing.assert_allclose(again.coef_, ours.coef_, atol=0.02)
    # Without noise the summaries must lead to the fit of all rows.
    plain = NoisyLogisticRegression(noise_cov=0.0, alpha=1.0).fit(X, y)
    theirs = LogisticRegression(C=1.0).fit(X, y)
    np.testing.assert_allclose(plain.coef_, theirs.coef_, atol=0.01)
    half = LogisticRegression(C=1.0).fit(X[: n // 3], y[: n // 3])
    assert np.abs(half.coef_ - theirs.coef_).max() > 0.02


def test_predicting_does_not_change_the_stream():
    X, y = labelled_rows(150)
    quiet, asked = (NoisyLogisticRegression(noise_cov=0.2) for _ in range(2))
    for row, label in zip(as_dicts(X), y.tolist(), strict=True):
        asked.predict_proba_one(row)
        quiet.learn_one(row, label)
        asked.learn_one(row, label)
    row = as_dicts(X)[0]
    chances = quiet.predict_proba_one(row), asked.predict_proba_one(row)
    assert chances[0] == pytest.approx(chances[1], rel=1e-6)


def test_features_that_come_later_are_added():
    X, y = labelled_rows(200)
    model = NoisyLogisticRegression(noise_cov={"x0": 0.1, "x1": 0.1, "x2": 0.1})
    for t, (row, label) in enumerate(zip(as_dicts(X), y.tolist(), strict=True)):
        model.learn_one(row if t > 50 else {"x0": row["x0"]}, label)
    assert np.isfinite(model.coef_).all() and model.coef_.shape == (1, 3)
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2"]


def test_frames_and_pickles():
    X, y = labelled_rows(120)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = clone(NoisyLogisticRegression(noise_cov=0.1))
    assert model.predict_proba_many(frame).to_numpy().tolist() == [[0.5, 0.5]] * 120
    model.learn_many(frame, pd.Series(y == 1))
    chances = model.predict_proba_many(frame)
    assert chances.columns.tolist() == [False, True]
    assert model.predict_many(frame).tolist() == (chances[True] > 0.5).tolist()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_what_it_cannot_do_is_said():
    X, y = labelled_rows(60)
    model = NoisyLogisticRegression(noise_cov=0.1)
    with pytest.raises(ValueError, match=r"two classes, got 3.*OneVsRestClassifier"):
        model.fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="noise_cov or X_copy must be given"):
        NoisyLogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="share must be"):
        NoisyLogisticRegression(noise_cov=0.1, share=1.5).fit(X, y)
    with pytest.raises(ValueError, match="noise_cov must be smaller than the variance"):
        NoisyLogisticRegression(noise_cov=50.0).fit(X, y)
    assert not hasattr(model, "n_rounds_")
    several = quietly(OneVsRestClassifier(model).fit, X, np.arange(60) % 3)
    assert several.predict_proba(X).shape == (60, 3)


def test_passes_the_checks_of_river():
    pytest.importorskip("river")
    from river import base, checks

    model = NoisyLogisticRegression(noise_cov=0.0, alpha=1.0, share=1.0)  # selection is slow
    assert isinstance(model, base.Classifier) and not isinstance(model, base.Regressor)
    names = []
    for check in checks.yield_checks(model):
        if check.__name__ not in model._unit_test_skips():
            quietly(check, model.clone())
            names.append(check.__name__)
    assert len(names) > 20


@pytest.mark.parametrize("more", ["copies", "truth"])
def test_what_only_linear_learners_use_is_refused(more, rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    given = {"X_copy": [X + 1.0, X + 2.0]} if more == "copies" else {"X_true": X}
    with pytest.raises(ValueError, match="are for the linear learners"):
        NoisyLogisticRegression(noise_cov=0.1).fit(X, y, **given)


@pytest.mark.parametrize("kind", [NoisyLogisticRegression, NoisyLinearRegressor])
def test_a_warning_of_overstated_noise_shows_the_line_of_the_caller(kind):
    X = 0.51 * np.random.default_rng(0).normal(size=(2000, 2))
    with pytest.warns(OverstatedNoiseWarning) as shown:
        kind(noise_cov=0.25).fit(X, (X[:, 0] > 0).astype(float))
    assert {warning.filename for warning in shown} == {__file__}
