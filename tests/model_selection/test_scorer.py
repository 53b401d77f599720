"""trimmed_scorer: what is left out, what is counted, and what a search chooses by it."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import HuberRegressor, LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, SVR

from untaint import SubquantileRegressor
from untaint.model_selection import TrimmedScorer, trimmed_scorer
from untaint.model_selection.scorer import METRICS, OF_LABELS

pytestmark = pytest.mark.filterwarnings("error")

NUMBERS = [name for name, meaning in METRICS.items() if meaning not in OF_LABELS]
LABELS = [name for name, meaning in METRICS.items() if meaning in OF_LABELS]
# Under the names of scikit-learn.
OURS = {
    "squared_error": "neg_mean_squared_error",
    "absolute_error": "neg_mean_absolute_error",
    "log_loss": "neg_log_loss",
}


class Echo(BaseEstimator):
    """Predicts what the rows say: numbers, or the chances of the classes."""

    def __init__(self, classes=None):
        self.classes = classes

    @property
    def classes_(self):
        return self.classes

    def predict(self, X):
        return np.asarray(X) if self.classes is None else self.classes[np.argmax(X, axis=1)]

    def predict_proba(self, X):
        return np.asarray(X)


def score(metric, contamination, y, predictions, sample_weight=None, classes=None):
    scorer = trimmed_scorer(metric, contamination)
    return scorer(Echo(classes), predictions, y, sample_weight=sample_weight)


def absolute_losses(y_true, y_pred):
    return np.abs(y_true - y_pred)


@pytest.fixture
def numbers(rng):
    """Two outputs of different units, some gross errors."""
    y = rng.normal(size=(60, 2)) * [1.0, 30.0]
    predictions = y + 0.3 * rng.normal(size=y.shape) * [1.0, 30.0]
    predictions[:9] += rng.normal(size=(9, 2)) * 1e4
    return y, predictions


@pytest.fixture
def labels(rng):
    """Three classes of different sizes, and chances that mostly agree."""
    y = np.repeat(["a", "b", "c"], [40, 20, 6])
    chances = rng.dirichlet(np.ones(3), len(y)) + 1.2 * (y[:, None] == np.array(["a", "b", "c"]))
    return y, chances / chances.sum(axis=1, keepdims=True), np.array(["a", "b", "c"])


# --- without trimming ------------------------------------------------------------------------


@pytest.mark.parametrize("metric", NUMBERS)
@pytest.mark.parametrize("outputs", [1, 2])
def test_nothing_left_out_equals_sklearn_for_numbers(metric, outputs, numbers, rng):
    y, predictions = (part[:, 0] if outputs == 1 else part for part in numbers)
    plain = get_scorer(OURS.get(metric, metric))
    expected = plain(Echo(), predictions, y)
    assert score(metric, 0, y, predictions) == pytest.approx(expected, rel=1e-12)
    if "median" not in metric:  # scikit-learn's weighted median is another
        w = rng.uniform(0, 2, len(y))
        expected = plain(Echo(), predictions, y, sample_weight=w)
        assert score(metric, 0, y, predictions, w) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", LABELS)
def test_nothing_left_out_equals_sklearn_for_labels(metric, rng):
    X = rng.normal(size=(90, 2))
    y = np.where(X[:, 0] + rng.normal(size=90) > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    w = rng.uniform(0.1, 2, 90)
    for weights in (None, w):
        expected = get_scorer(OURS.get(metric, metric))(model, X, y, sample_weight=weights)
        found = trimmed_scorer(metric, 0)(model, X, y, sample_weight=weights)
        assert found == pytest.approx(expected, rel=1e-12)


# --- numbers ---------------------------------------------------------------------------------


def test_the_worst_fraction_is_left_out():
    y = np.zeros(10)
    predictions = np.array([1, -1, 2, -2, 3, -3, 4, -4, 1e9, -1e9])
    assert score("squared_error", 0.2, y, predictions) == -7.5
    assert score("absolute_error", 0.2, y, predictions) == -2.5
    assert score("neg_root_mean_squared_error", 0.2, y, predictions) == -np.sqrt(7.5)
    assert score("neg_median_absolute_error", 0.2, y, predictions) == -2.5
    assert score(absolute_losses, 0.2, y, predictions) == -2.5


def test_the_trimmed_count_is_rounded_up_to_whole_rows():
    predictions = np.array([1.0, 1, 1, 1, 1, 1, 1, 1, 1, 1e9])
    assert score("absolute_error", 0.01, np.zeros(10), predictions) == -1.0


def test_a_row_of_several_outputs_is_left_out_as_a_whole():
    y = np.zeros((4, 2))
    predictions = np.array([[1.0, 1], [1, 1], [1, 1], [0, 1e9]])
    assert score("squared_error", 0.25, y, predictions) == -1.0


@pytest.mark.parametrize("metric", NUMBERS)
@pytest.mark.parametrize("contamination", [0.45, "auto"])
def test_how_wrong_the_rows_are_does_not_matter(metric, contamination, rng):
    y = rng.normal(size=100)
    predictions = y + 0.1 * rng.normal(size=100)
    scores = set()
    for size in (1e3, 1e9, 1e300):
        spoilt = y.copy()
        spoilt[:40] = size * rng.choice([-1, 1], 40)
        scores.add(score(metric, contamination, spoilt, predictions))
    assert len(scores) == 1
    assert scores.pop() > -0.1


def test_r2_compares_with_the_best_constant_that_trims_too(rng):
    y = np.r_[rng.normal(size=80), np.full(20, 1e6)]
    predictions = np.r_[0.5 * y[:80], np.zeros(20)]
    assert score("r2", 0.2, y, predictions) == pytest.approx(
        1 - 0.25 * np.mean(y[:80] ** 2) / np.var(y[:80])
    )
    assert score("r2", 0.2, y, np.full(100, y[:80].mean())) == pytest.approx(0, abs=1e-12)


def test_r2_orders_candidates_as_the_squared_error_does(numbers, rng):
    y = numbers[0][:, 0]
    candidates = [y + size * rng.standard_t(1, len(y)) for size in (0.1, 0.3, 1.0, 3.0)]
    r2 = [score("r2", 0.3, y, predictions) for predictions in candidates]
    squared = [score("squared_error", 0.3, y, predictions) for predictions in candidates]
    np.testing.assert_array_equal(np.argsort(r2), np.argsort(squared))


def test_r2_of_constant_targets_is_one_if_perfect_and_zero_if_not():
    assert score("r2", 0.2, np.ones(10), np.ones(10)) == 1.0
    assert score("r2", 0.2, np.ones(10), np.zeros(10)) == pytest.approx(0.0, abs=1e-12)


def test_r2_does_not_depend_on_the_units_of_the_outputs(numbers):
    y, predictions = numbers
    units = np.array([1e-3, 70.0])
    expected = score("r2", 0.2, y, predictions)
    assert score("r2", 0.2, y * units, predictions * units) == pytest.approx(expected)


def test_auto_leaves_out_what_is_out_of_line(rng):
    y = rng.normal(size=200)
    predictions = y + 0.1 * rng.normal(size=200)
    clean = score("squared_error", "auto", y, predictions)
    assert clean == pytest.approx(score("squared_error", 0, y, predictions), rel=0.1)
    predictions[:70] += 50.0
    spoilt = score("squared_error", "auto", y, predictions)
    assert spoilt == pytest.approx(score("squared_error", 0.35, y, predictions), rel=0.05)
    assert spoilt == pytest.approx(clean, rel=0.3)


def test_auto_of_few_rows_leaves_out_nothing():
    predictions = np.r_[np.full(8, 1.0), 1e3]
    assert score("absolute_error", "auto", np.zeros(9), predictions) == -predictions.mean()


def test_an_infinite_prediction_is_left_out_like_any_bad_one():
    predictions = np.r_[np.ones(9), np.inf]
    assert score("squared_error", 0.1, np.zeros(10), predictions) == -1.0
    assert score("squared_error", 0, np.zeros(10), predictions) == -np.inf


# --- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize("contamination", [0.1, 0.25, 0.45])
def test_log_loss_is_trimmed_within_each_class(contamination, labels):
    y, chances, classes = labels
    total = 0.0
    for k, name in enumerate(classes):
        losses = np.sort(-np.log(chances[y == name, k]))
        kept = (1 - contamination) * len(losses)
        parts = np.clip(kept - np.arange(len(losses)), 0, 1)  # the last row in part
        total += len(losses) * (parts @ losses) / kept
    found = score("log_loss", contamination, y, chances, classes=classes)
    assert found == pytest.approx(-total / len(y))


def test_a_rare_class_that_is_always_missed_is_not_trimmed_away():
    y, classes = np.r_[np.zeros(90, int), np.ones(10, int)], np.arange(2)
    never = np.tile([0.99, 0.01], (100, 1))
    chances = np.where(y[:, None] == classes, 0.9, 0.1)
    for metric in LABELS:
        blind = score(metric, 0.2, y, never, classes=classes)
        assert blind < score(metric, 0.2, y, chances, classes=classes) - 0.05


def test_flipped_labels_within_the_contamination_cost_nothing():
    y = np.repeat([0, 1], 50)
    chances = np.where(y[:, None] == [0, 1], 0.9, 0.1)
    spoilt = y.copy()
    spoilt[:10], spoilt[50:60] = 1, 0
    classes = np.arange(2)
    assert score("log_loss", 0.2, spoilt, chances, classes=classes) == pytest.approx(np.log(0.9))
    for metric in ("accuracy", "balanced_accuracy"):
        found = score(metric, 0.2, spoilt, chances, classes=classes)
        assert found == pytest.approx(1.0, abs=1e-6)


def test_accuracy_is_that_of_the_kept_rows():
    y = np.zeros(100, int)
    chances = np.where(np.arange(100)[:, None] < 60, [1.0, 0.0], [0.0, 1.0])
    for metric in ("accuracy", "balanced_accuracy"):
        found = score(metric, 0.2, y, chances, classes=np.arange(2))
        assert found == pytest.approx(0.6 / 0.8, abs=1e-6)


def test_accuracies_that_would_tie_at_one_stay_in_order():
    y = np.repeat([0, 1], 50)
    scores = []
    for errors in (10, 5, 1, 0):
        predicted = np.where(np.arange(100) % 50 < errors, 1 - y, y)
        chances = np.eye(2)[predicted]
        scores.append(score("accuracy", 0.3, y, chances, classes=np.arange(2)))
    assert (np.diff(scores) > 0).all()
    assert scores[-1] == 1.0
    assert min(scores) > 1 - 1e-6


def test_a_label_that_the_estimator_has_not_seen_has_no_chance():
    y = np.array(["a", "b", "new"])
    chances = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])
    found = score("log_loss", 0, y, chances, classes=np.array(["a", "b"]))
    assert found == pytest.approx((2 * np.log(0.5) + np.log(np.finfo(float).eps)) / 3)


def test_a_fold_may_lack_a_class(labels):
    y, chances, classes = labels
    rows = y != "c"
    for metric in LABELS:
        assert np.isfinite(score(metric, 0.1, y[rows], chances[rows], classes=classes))


# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [*NUMBERS, absolute_losses])
@pytest.mark.parametrize("contamination", [0, 0.13, 0.4, "auto"])
@pytest.mark.parametrize("outputs", [1, 2])
def test_weights_are_copies_for_numbers(metric, contamination, outputs, numbers, rng):
    if callable(metric) and (outputs == 2 or contamination == "auto"):
        return  # one loss for each row, of unknown scale
    y, predictions = (part[:, 0] if outputs == 1 else part for part in numbers)
    predictions[-4:] = predictions[-5]  # ties
    copies = rng.integers(0, 4, len(y))
    weighted = score(metric, contamination, y, predictions, copies)
    repeated = score(
        metric, contamination, *(np.repeat(part, copies, 0) for part in (y, predictions))
    )
    assert weighted == pytest.approx(repeated, rel=1e-12)


@pytest.mark.parametrize("metric", LABELS)
@pytest.mark.parametrize("contamination", [0, 0.13, 0.4])
def test_weights_are_copies_for_labels(metric, contamination, labels, rng):
    y, chances, classes = labels
    copies = rng.integers(0, 4, len(y))
    weighted = score(metric, contamination, y, chances, copies, classes=classes)
    rows = np.repeat(np.arange(len(y)), copies)
    repeated = score(metric, contamination, y[rows], chances[rows], classes=classes)
    assert weighted == pytest.approx(repeated, rel=1e-12)


@pytest.mark.parametrize("metric", [*NUMBERS, *LABELS])
def test_order_of_rows_and_unit_of_weight_do_not_matter(metric, numbers, labels, rng):
    y, predictions, classes = labels if metric in LABELS else (*numbers, None)
    order = rng.permutation(len(y))
    expected = score(metric, 0.2, y, predictions, classes=classes)
    w = np.full(len(y), 0.25)
    found = score(metric, 0.2, y[order], predictions[order], w, classes=classes)
    assert found == pytest.approx(expected, rel=1e-12)


# --- what a search chooses -------------------------------------------------------------------


def spoilt_curve(seed=0, n=150, contamination=0.2):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 1))
    clean = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)
    y = clean.copy()
    y[rng.permutation(n)[: round(contamination * n)]] += 20.0
    return X, y, clean


class OnClean(BaseEstimator):
    """A scorer that knows the truth of every row."""

    def __call__(self, estimator, X, y):
        return -np.mean((np.sin(2 * X[:, 0]) - estimator.predict(X)) ** 2)


def chosen(model, grid, scoring, X, y):
    folds = KFold(5, shuffle=True, random_state=0)
    return GridSearchCV(model, grid, scoring=scoring, cv=folds).fit(X, y).best_params_


@pytest.mark.parametrize("contamination", ["auto", 0.35])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (SubquantileRegressor(alpha=0.1, n_starts=1), {"contamination": [0, 0.3]}),
        (SVR(C=1.0), {"gamma": [0.001, 1.0, 1000.0], "epsilon": [0.05, 10.0]}),
    ],
    ids=["subquantile", "svr"],
)
def test_grid_search_chooses_what_clean_rows_would(model, grid, seed, contamination):
    X, y, _ = spoilt_curve(seed)
    best = chosen(model, grid, OnClean(), X, y)
    assert chosen(model, grid, trimmed_scorer("squared_error", contamination), X, y) == best
    assert chosen(model, grid, "neg_mean_squared_error", X, y) != best


def test_grid_search_of_a_classifier_with_flipped_labels(rng):
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    bad = rng.permutation(300)[:60]
    y[bad] = 1 - y[bad]
    grid = {"n_neighbors": [1, 25]}
    for metric in ("accuracy", "balanced_accuracy", "log_loss"):
        best = chosen(KNeighborsClassifier(), grid, trimmed_scorer(metric, 0.2), X, y)
        assert best == {"n_neighbors": 25}


def test_scores_on_spoilt_rows_are_those_of_the_clean_rows():
    X, y, clean = spoilt_curve()
    model = SVR().fit(X, clean)
    expected = trimmed_scorer("squared_error", 0)(model, X, clean)
    found = trimmed_scorer("squared_error", 0.2)(model, X, y)
    assert found == pytest.approx(expected, rel=0.05)


# --- company ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_cross_val_score_in_two_processes():
    X, y, _ = spoilt_curve()
    for scorer in (trimmed_scorer("r2", 0.3), trimmed_scorer("absolute_error")):
        one = cross_val_score(HuberRegressor(), X, y, scoring=scorer)
        two = cross_val_score(HuberRegressor(), X, y, scoring=scorer, n_jobs=2)
        np.testing.assert_allclose(one, two, rtol=1e-9)


def test_scorer_pickles_clones_and_shows_itself():
    for metric in ("r2", absolute_losses):
        scorer = trimmed_scorer(metric, 0.1)
        for copy in (clone(scorer), pickle.loads(pickle.dumps(scorer))):
            assert isinstance(copy, TrimmedScorer)
            assert copy.get_params() == {"metric": metric, "contamination": 0.1}
    search = GridSearchCV(LinearRegression(), {}, scoring=trimmed_scorer("r2", 0.1))
    assert clone(search).scoring.contamination == 0.1
    shown = "TrimmedScorer(contamination=0.1, metric='r2')"
    assert repr(search.scoring) == shown
    assert shown in repr(search)


def test_weights_reach_the_scorer_in_a_search():
    X, y, _ = spoilt_curve(n=60)
    copies = np.arange(60) % 3
    for scoring in (
        trimmed_scorer("r2", 0.3),
        {"a": trimmed_scorer("r2", 0.3), "b": trimmed_scorer("absolute_error", 0.3)},
    ):
        search = GridSearchCV(HuberRegressor(), {}, scoring=scoring, refit=False, cv=3)
        search.fit(X, y, sample_weight=copies)
        assert np.isfinite(next(v for k, v in search.cv_results_.items() if "mean_test" in k)).all()


def test_weights_reach_the_scorer_by_metadata_routing():
    X, y, _ = spoilt_curve(n=60)
    w = np.arange(60) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = trimmed_scorer("absolute_error", 0.3).set_score_request(sample_weight=True)
        model = LinearRegression().set_fit_request(sample_weight=True)
        found = cross_val_score(model, X, y, scoring=scorer, cv=3, params={"sample_weight": w})
    for (train, test), value in zip(KFold(3).split(X), found, strict=True):
        model = LinearRegression().fit(X[train], y[train], sample_weight=w[train])
        assert value == pytest.approx(
            trimmed_scorer("absolute_error", 0.3)(model, X[test], y[test], w[test])
        )


def test_frames_and_series():
    X, y, _ = spoilt_curve(n=60)
    frame = pd.DataFrame({"x": X[:, 0]})
    for target in (pd.Series(y), pd.DataFrame({"y": y})):
        model = LinearRegression().fit(frame, target)
        found = trimmed_scorer("r2", 0.2)(model, frame, target)
        assert found == pytest.approx(trimmed_scorer("r2", 0.2)(model, frame, y))


# --- what cannot be right --------------------------------------------------------------------


def refused(message, *args, error=ValueError, **kwargs):
    with pytest.raises(error, match=re.escape(message)):
        score(*args, **kwargs)


@pytest.mark.parametrize("contamination", [-0.1, 0.5, True, "lots", None, np.nan])
def test_contamination_is_checked_at_once(contamination):
    with pytest.raises(
        ValueError,
        match=re.escape(
            f'contamination must be a number in [0, 0.5) or "auto", got {contamination!r}.'
        ),
    ):
        trimmed_scorer("r2", contamination)


@pytest.mark.parametrize("metric", ["neg_mean_square_error", None, 3, ["r2"]])
def test_metric_is_checked_at_once(metric):
    with pytest.raises(ValueError, match=r"metric must be one of 'squared_error', .*, got "):
        trimmed_scorer(metric, 0.1)


@pytest.mark.parametrize("metric", [*LABELS, absolute_losses])
def test_auto_needs_the_errors_of_numbers(metric):
    with pytest.raises(ValueError, match=r"contamination must be a number in \[0, 0.5\) when"):
        trimmed_scorer(metric)


def test_parameters_are_checked_again_when_they_have_changed():
    scorer = trimmed_scorer("r2", 0.1).set_params(contamination=2)
    with pytest.raises(ValueError, match="contamination must be"):
        scorer(DummyRegressor().fit([[0]], [0]), [[0]], [0])


def test_targets_and_predictions_that_cannot_be_scored():
    y = np.zeros(4)
    refused("y must hold the targets", "r2", 0, None, y)
    refused(
        "y must have the shape of the predictions, (4, 2), got (4, 1)", "r2", 0, y, np.ones((4, 2))
    )
    refused("estimator must predict numbers for all rows, got NaN", "r2", 0, y, np.full(4, np.nan))
    refused("Input y contains NaN", "r2", 0, np.full(4, np.nan), y)
    refused("sample_weight must not be negative", "r2", 0, y, y, [1, 1, 1, -1])
    refused("sample_weight must be positive for at least one row", "r2", 0, y, y, np.zeros(4))
    refused("Unknown label type: continuous", "accuracy", 0, y + 0.5, y)
    refused(
        "contamination=0.2 needs at least 2 validation rows", "squared_error", 0.2, y[:1], y[:1]
    )
    refused('metric "r2" needs at least 2 validation rows, got 1', "r2", 0, y[:1], y[:1])


def test_losses_that_are_not_one_for_each_row():
    y = np.zeros(4)
    refused("metric must return one loss for each of the 4 rows, got shape ()", mean_loss, 0, y, y)
    refused("metric must return numbers, got NaN", nan_losses, 0, y, y)


def mean_loss(y_true, y_pred):
    return np.mean(np.abs(y_true - y_pred))


def nan_losses(y_true, y_pred):
    return np.full(len(y_true), np.nan)


def test_log_loss_needs_probabilities(rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    model = SVC().fit(X, y)
    with pytest.raises(
        AttributeError, match=re.escape('metric "log_loss" needs an estimator with predict_proba')
    ):
        trimmed_scorer("log_loss", 0.1)(model, X, y)


def test_leaving_one_row_out_says_why_it_cannot_be_trimmed():
    X, y, _ = spoilt_curve(n=8)
    with pytest.raises(ValueError, match="needs at least 2 validation rows"):
        cross_val_score(
            LinearRegression(),
            X,
            y,
            scoring=trimmed_scorer("squared_error", 0.2),
            cv=LeaveOneOut(),
            error_score="raise",
        )


def test_what_cannot_predict_is_refused():
    with pytest.raises(ValueError, match="estimator must have a method predict, got None"):
        trimmed_scorer("squared_error", 0.1)(None, np.eye(3), np.arange(3.0))
