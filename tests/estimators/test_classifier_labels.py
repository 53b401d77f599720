"""Labels of any type come back as they were."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from estimators.cases import blobs
from untaint import SubquantileClassifier

X, CODES = blobs((40, 30), distance=6.0)
X3, CODES3 = blobs((30, 25, 20), distance=6.0)

LABELS = {
    "strings": np.array(["cat", "dog"])[CODES],
    "booleans": CODES == 1,
    "negative integers": np.array([-7, -1])[CODES],
    "small integers": CODES.astype(np.uint8),
    "whole floats": np.array([1.0, 2.0])[CODES],
    "objects": np.array(["a", "bcd"], dtype=object)[CODES],
    "list": [["no", "yes"][code] for code in CODES],
    "series": pd.Series(np.array(["cat", "dog"])[CODES], index=np.arange(70)[::-1]),
    "categorical": pd.Categorical.from_codes(CODES, ["zebra", "ant"]),
    "categorical series": pd.Series(pd.Categorical.from_codes(CODES, ["zebra", "ant"])),
    "polars strings": pl.Series(np.array(["cat", "dog"])[CODES].tolist()),
    "polars integers": pl.Series(CODES.tolist()),
    "polars categories": pl.Series(np.array(["b", "a"])[CODES].tolist(), dtype=pl.Categorical),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("contamination", [0, 0.1])
def test_labels_come_back_as_they_were(labels, contamination):
    model = SubquantileClassifier(contamination=contamination).fit(X, labels)
    given = np.asarray(labels)
    np.testing.assert_array_equal(model.classes_, np.unique(given))
    assert model.predict(X).dtype == model.classes_.dtype == given.dtype
    assert (model.predict(X) == given).mean() > 0.95
    assert model.score(X, given) > 0.95


@pytest.mark.parametrize("names", [["c", "a", "b"], [10, -3, 0], ["b", "bb", "a"]], ids=str)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_names_of_several_classes_are_immaterial(names, kernel):
    model = SubquantileClassifier(contamination=0.1, kernel=kernel)
    expected = model.fit(X3, CODES3).predict_proba(X3)
    named = model.fit(X3, np.array(names)[CODES3])
    np.testing.assert_array_equal(named.classes_, sorted(names))
    np.testing.assert_allclose(named.predict_proba(X3), expected[:, np.argsort(names)], atol=1e-5)


def test_names_of_two_classes_are_immaterial():
    model = SubquantileClassifier(contamination=0.1)
    expected = model.fit(X, CODES).predict_proba(X)
    swapped = model.fit(X, 1 - CODES)
    np.testing.assert_allclose(swapped.predict_proba(X), expected[:, ::-1], atol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("form", [np.asarray, np.float32])
def test_two_classes_are_separated_by_the_log_odds_of_the_second(kernel, form):
    model = SubquantileClassifier(contamination=0, kernel=kernel).fit(form(X), CODES)
    scores, probabilities = model.decision_function(form(X)), model.predict_proba(form(X))
    assert scores.shape == (70,)
    assert probabilities.shape == (70, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(np.log(probabilities[:, 1] / probabilities[:, 0]), scores, rtol=1e-3)
    np.testing.assert_array_equal(model.predict(form(X)), (scores > 0).astype(int))
    assert scores[CODES == 1].mean() > 0 > scores[CODES == 0].mean()


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_several_classes_have_one_score_each(kernel):
    model = SubquantileClassifier(contamination=0.1, kernel=kernel).fit(X3, CODES3)
    scores, probabilities = model.decision_function(X3), model.predict_proba(X3)
    assert scores.shape == probabilities.shape == (75, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(X3))
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(probabilities, odds / odds.sum(axis=1, keepdims=True))


def test_predictions_of_one_row_have_the_same_shapes():
    two = SubquantileClassifier(contamination=0).fit(X, CODES)
    assert two.decision_function(X[:1]).shape == two.predict(X[:1]).shape == (1,)
    assert two.predict_proba(X[:1]).shape == (1, 2)
    three = SubquantileClassifier(contamination=0).fit(X3, CODES3)
    assert three.decision_function(X3[:1]).shape == three.predict_proba(X3[:1]).shape == (1, 3)


def test_far_rows_have_probabilities_too():
    for kernel in ("rbf", "linear"):
        for data, codes in ((X, CODES), (X3, CODES3)):
            model = SubquantileClassifier(contamination=0, kernel=kernel).fit(data, codes)
            assert np.isfinite(model.predict_proba(1e8 * data)).all()


def test_class_weights_are_given_by_label():
    labels = np.array(["cat", "dog"])[CODES]
    settings = {"contamination": 0, "alpha": 10.0, "gamma": 0.1}
    plain = SubquantileClassifier(**settings).fit(X, labels)
    tilted = SubquantileClassifier(class_weight={"dog": 50.0}, **settings).fit(X, labels)
    assert (tilted.predict_proba(X)[:, 1] > plain.predict_proba(X)[:, 1]).all()
    by_row = SubquantileClassifier(**settings).fit(
        X, labels, sample_weight=np.where(CODES == 1, 50.0, 1.0)
    )
    np.testing.assert_allclose(tilted.predict_proba(X), by_row.predict_proba(X), atol=0.05)
