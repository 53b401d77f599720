"""Any classifier, made robust."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from untaint import RobustClassifier
from untaint.contamination.label_calibration import calibrated
from untaint.meta_estimators.classification_members import posterior_rows

FOREST = RandomForestClassifier(100, min_samples_leaf=3, random_state=0)
pytestmark = pytest.mark.filterwarnings("ignore:.*cannot tell which rows.*:UserWarning")


def blobs(rng, n=500, rates=(0.0, 0.3)):
    """Two groups of rows; labels of each are wrong at a rate."""
    true = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 4)) + 1.3 * (2 * true[:, None] - 1) * [1, 1, 0, 0]
    wrong = rng.random(n) < np.asarray(rates)[true]
    return X, np.where(wrong, 1 - true, true), true, wrong


@pytest.mark.parametrize(
    "learner",
    [FOREST, HistGradientBoostingClassifier(max_iter=40, random_state=0), LogisticRegression()],
    ids=lambda learner: type(learner).__name__,
)
def test_one_sided_errors_are_corrected(learner, rng):
    X, y, _, wrong = blobs(rng, rates=(0.0, 0.4))
    X_test, _, truth, _ = blobs(np.random.default_rng(1), 2000, (0.0, 0.0))
    model = RobustClassifier(learner, random_state=0).fit(X, y)
    plain = clone(learner).fit(X, y).score(X_test, truth)
    assert model.score(X_test, truth) > plain + 0.01
    np.testing.assert_allclose(model.noise_matrix_, [[1.0, 0.0], [0.4, 0.6]], atol=0.11)
    assert abs(model.contamination_ - wrong.mean()) < 0.06
    assert (~model.inlier_mask_)[wrong].mean() > 0.6
    assert (~model.inlier_mask_)[~wrong].mean() < 0.05


def test_clean_labels_give_the_plain_learner(rng):
    X, y, _, _ = blobs(rng, rates=(0.0, 0.0))
    model = RobustClassifier(FOREST, random_state=0).fit(X, y)
    assert model.inlier_mask_.all()
    np.testing.assert_array_equal(model.noise_matrix_, np.eye(2))
    np.testing.assert_array_equal(model.predict_proba(X), clone(FOREST).fit(X, y).predict_proba(X))


def test_the_stack_mixes_probabilities(rng):
    X, y, _, _ = blobs(rng, 300)
    model = RobustClassifier(random_state=0).fit(X, y)
    assert sum(model.learners_.values()) == pytest.approx(1.0)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.n_fits_ <= 25


def test_labels_of_any_type_and_their_audit(rng):
    X, y, _, wrong = blobs(rng, rates=(0.3, 0.0))
    names = np.array(["no", "yes"])
    model = RobustClassifier(FOREST, random_state=0).fit(X, names[y])
    table = model.audit(fdr=0.1)
    flagged = table[table["flagged"]]
    assert wrong[flagged["row"]].mean() > 0.8
    assert (flagged["suggested"] == "no").mean() > 0.8
    assert (flagged["observed"] == "yes").mean() > 0.9


@pytest.mark.parametrize(("rate", "contamination"), [(0.0, "auto"), (0.3, "auto"), (0.3, 0.15)])
def test_an_audit_suggests_the_most_probable_label(rate, contamination, rng):
    X, y, _, _ = blobs(rng, 200, (rate, rate))
    model = RobustClassifier(LogisticRegression(), contamination=contamination, random_state=0)
    table = model.fit(X, y).audit().sort_values("row")
    assert (table["suggested_probability"] >= 0.5).all()
    assert (table["expected"] == table["suggested"]).all()
    if model.contamination == "auto" and rate:  # the labels count, at the rate of their mistakes
        differs = (table["suggested"] != table["observed"]).to_numpy()
        np.testing.assert_array_equal(differs, ~model.inlier_mask_)
    else:
        expected = model.oof_prediction_.argmax(axis=1)
        np.testing.assert_array_equal(table["suggested"], expected)
        np.testing.assert_array_equal(
            table["suggested_probability"], model.oof_prediction_.max(axis=1)
        )


def test_a_given_share_is_trimmed_class_by_class(rng):
    X, y, _, wrong = blobs(rng, rates=(0.2, 0.2))
    model = RobustClassifier(FOREST, contamination=0.2, random_state=0).fit(X, y)
    assert (~model.inlier_mask_).mean() == pytest.approx(0.2, abs=0.02)
    assert (~model.inlier_mask_)[wrong].mean() > 0.6


def test_several_classes(rng):
    true = rng.integers(0, 3, 450)
    centres = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 4.0]])
    X = centres[true] + rng.normal(size=(450, 2))
    wrong = rng.random(450) < 0.3
    y = np.where(wrong, (true + rng.integers(1, 3, 450)) % 3, true)
    model = RobustClassifier(FOREST, random_state=0).fit(X, y)
    assert (~model.inlier_mask_)[wrong].mean() > 0.8
    assert (~model.inlier_mask_)[~wrong].mean() < 0.03


def test_learners_need_probabilities(rng):
    X, y, _, _ = blobs(rng, 60)
    with pytest.raises(TypeError, match="expected a classifier with predict_proba"):
        RobustClassifier(LinearSVC()).fit(X, y)


def test_probabilities_that_are_too_certain_are_calibrated(rng):
    scores = 2.0 * rng.normal(size=4000)
    codes = (rng.random(4000) < 1.0 / (1.0 + np.exp(-scores))).astype(int)
    certain = 1.0 / (1.0 + np.exp(-3.0 * scores))
    found = calibrated(np.column_stack([1 - certain, certain]), codes, np.eye(2), np.ones(4000))
    expected = 1.0 / (1.0 + np.exp(-scores))
    np.testing.assert_allclose(found.probabilities[:, 1], expected, atol=0.03)


def test_rows_take_part_with_every_class_they_may_belong_to():
    posterior = np.array([[1.0, 0.0], [0.25, 0.75]])
    rows = posterior_rows(posterior, np.array(["a", "b"]), np.array([1.0, 2.0]))
    assert rows.rows.tolist() == [0, 1, 1]
    assert rows.targets.tolist() == ["a", "a", "b"]
    assert rows.weights.tolist() == [1.0, 0.5, 1.5]


def test_copies_of_rows_and_equal_weights_do_not_hide_wrong_labels(rng):
    X, y, _, _ = blobs(rng, 300, (0.0, 0.4))
    model = RobustClassifier(LogisticRegression(), random_state=0)
    expected = model.fit(X, y).contamination_
    assert expected > 0.1
    assert model.fit(X, y, np.full(300, 2.0)).contamination_ == pytest.approx(expected, abs=0.01)
    again = np.repeat(np.arange(300), 2)
    assert model.fit(X[again], y[again]).contamination_ == pytest.approx(expected, abs=0.01)


def test_labels_of_texts_that_only_the_pipeline_understands(rng):
    words = np.array(["alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta"])
    true = rng.integers(0, 2, 300)
    texts = [" ".join(rng.choice(words[:4] if label else words[4:], 6)) for label in true]
    wrong = np.arange(300) < 60
    model = RobustClassifier(make_pipeline(CountVectorizer(), LogisticRegression()), random_state=0)
    model.fit(texts, np.where(wrong, 1 - true, true))
    assert average_precision_score(wrong, model.outlier_scores_) > 0.9


def test_a_class_of_one_row_is_named(rng):
    message = "at least 2 rows that differ of every class, found 1 of class 'rare'"
    with pytest.raises(ValueError, match=message):
        RobustClassifier().fit(rng.normal(size=(9, 2)), ["rare", *["usual"] * 8])


def test_regressors_are_refused(rng):
    with pytest.raises(TypeError, match="estimator: expected a classifier"):
        RobustClassifier(Ridge()).fit(rng.normal(size=(20, 2)), np.arange(20) % 2)
