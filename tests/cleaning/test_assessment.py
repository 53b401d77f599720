"""The assessment of the rows: what is flagged, what is not, and what masks what."""

import numpy as np
import pytest

from untaint.cells import CellFinding
from untaint.cleaning import assessment
from untaint.cleaning.assessment import assess_rows, cut_after
from untaint.cleaning.wrong_cells import cells_by_row


def wrong_cells(n, *rows):
    found = [CellFinding(row, 0, 0.99, "unit", 1.0, "It is wrong.") for row in rows]
    return cells_by_row(found, np.arange(n), n)


def curve(n=400, seed=0, noise=0.05):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + noise * rng.standard_normal(n)


def assessed(X, y, **changed):
    settings = {"task": "regression", "contamination": "auto", "seed": 0} | changed
    settings.setdefault("wrong", wrong_cells(len(y)))
    return assess_rows(X, y, **settings)


def test_flags_are_a_cut_through_the_scores():
    X, y = curve()
    y[::20] += 3
    found = assessed(X, y)
    np.testing.assert_array_equal(found.flagged, found.scores >= found.cut)


def test_clean_rows_are_not_flagged():
    found = assessed(*curve())
    assert not found.flagged.any()
    assert found.contamination == 0
    assert found.interval[0] == 0


def test_gross_errors_are_flagged_and_the_contamination_is_estimated():
    X, y = curve()
    wrong = np.arange(400) % 10 == 0
    y[wrong] += np.where(np.arange(40) % 2, 3, -3)
    found = assessed(X, y)
    np.testing.assert_array_equal(found.flagged, wrong)
    assert found.contamination == pytest.approx(0.1, abs=0.02)
    assert found.interval[0] <= 0.1 <= found.interval[1]
    assert set(found.kinds[wrong]) == {"target"}
    np.testing.assert_allclose(found.expected[wrong], curve(noise=0)[1][wrong], atol=0.3)


def test_small_errors_masked_by_large_ones_are_found():
    X, y = curve(noise=0.02)
    large, small = np.arange(400) % 20 == 0, np.arange(400) % 20 == 10
    y[large] += 500
    y[small] += 0.8
    found = assessed(X, y)
    assert found.flagged[large].all()
    assert found.flagged[small].mean() > 0.8
    assert (found.flagged & ~large & ~small).mean() < 0.01


def test_a_single_gross_error_is_flagged_where_no_contamination_can_be_estimated():
    X, y = curve()
    y[7] += 4
    assert np.flatnonzero(assessed(X, y).flagged).tolist() == [7]


def test_a_given_contamination_is_flagged():
    found = assessed(*curve(), contamination=0.05)
    assert found.flagged.sum() == 20
    assert found.interval is None


@pytest.mark.slow
def test_factors_are_seen_on_the_scale_of_factors():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(400, 2))
    y = np.exp(2 * X[:, 0] + X[:, 1] + 0.05 * rng.standard_normal(400))
    wrong = np.arange(400) % 10 == 0
    y[wrong] *= np.where(np.arange(40) % 2, 10, 0.1)
    found = assessed(X, y)
    assert found.transform.name == "log"
    np.testing.assert_array_equal(found.flagged, wrong)
    assert np.median(np.abs(np.log(found.expected / y))[~wrong]) < 0.1


def test_rows_with_wrong_cells_are_flagged_and_excluded_from_the_fit():
    X, y = curve()
    feature_outlier = np.zeros(400, dtype=bool)
    feature_outlier[[3, 70]] = True
    y[feature_outlier] = 1e6
    found = assessed(X, y, wrong=wrong_cells(400, 3, 70))
    np.testing.assert_array_equal(found.flagged, feature_outlier)
    assert found.kinds[3] == "features"
    assert np.isnan(found.expected[3])
    assert len(found.fitted) == 398
    assert found.contamination == pytest.approx(2 / 400)
    np.testing.assert_array_equal(found.flagged, found.scores >= found.cut)


def test_targets_that_other_columns_contradict_are_flagged_too():
    X, y = curve()
    cell = CellFinding(7, 2, 0.97, "sign", 1.0, "It is wrong.")
    found = assessed(X, y, wrong=cells_by_row([cell], np.arange(400), 400, target=2))
    assert np.flatnonzero(found.flagged).tolist() == [7]
    assert found.kinds[7] == "target"
    np.testing.assert_array_equal(found.flagged, found.scores >= found.cut)


def test_wrong_labels_are_flagged():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-2, 1, (150, 2)), rng.normal(2, 1, (150, 2))])
    truth = np.repeat(["left", "right"], 150)
    wrong = rng.random(300) < 0.1
    y = np.where(wrong, np.where(truth == "left", "right", "left"), truth)
    found = assessed(X, y, task="classification")
    assert (found.flagged & wrong).sum() > 0.8 * wrong.sum()
    assert (found.flagged & ~wrong).sum() < 0.1 * found.flagged.sum() + 1
    assert (found.expected[found.flagged] == truth[found.flagged]).mean() > 0.9


def test_a_few_wrong_labels_are_flagged_where_no_contamination_can_be_estimated():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(-2.5, 1, (150, 2)), rng.normal(2.5, 1, (150, 2))])
    y = np.repeat(["left", "right"], 150)
    y[[20, 250]] = ["right", "left"]
    assert np.flatnonzero(assessed(X, y, task="classification").flagged).tolist() == [20, 250]


def test_clean_labels_are_not_flagged():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-2.5, 1, (150, 2)), rng.normal(2.5, 1, (150, 2))])
    assert not assessed(X, np.repeat(["a", "b"], 150), task="classification").flagged.any()


@pytest.mark.parametrize("n", [3000, 7000])
def test_many_rows_are_assessed_like_few(n):
    X, y = curve(n)
    wrong = np.arange(n) % 12 == 0
    y[wrong] += 4
    found = assessed(X, y)
    assert found.flagged[wrong].mean() > 0.99
    assert found.flagged[~wrong].mean() < 0.002
    assert found.contamination == pytest.approx(1 / 12, abs=0.02)
    assert np.isfinite(found.expected).all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_assessment():
    X, y = curve(3000)
    y[::30] -= 2
    one, other = assessed(X, y, seed=3), assessed(X, y, seed=3)
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.cut == other.cut


def test_ties_are_not_torn_apart():
    cut, flagged = cut_after(np.array([3.0, 3.0, 3.0, 5.0]), 2)
    assert flagged.tolist() == [False, False, False, True]
    assert 3 < cut <= 5


def test_nothing_to_flag():
    cut, flagged = cut_after(np.array([3.0, 1.0]), 0)
    assert cut > 3
    assert not flagged.any()


def test_constants_are_in_order():
    for task in ("regression", "classification"):
        assert assessment.SAMPLE_ROWS[task] <= assessment.ALL_ROWS[task] <= assessment.KERNEL_ROWS


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_scores_of_wrong_cells_differ_as_their_probabilities_do(task):
    X, y = curve()
    if task == "classification":
        y = np.where(X[:, 0] > 0, "right", "left").astype(object)
    chances = {3: 0.6, 70: 0.9, 155: 0.99, 290: 0.9999}
    cells = [CellFinding(row, 0, p, "unit", 1.0, "It is wrong.") for row, p in chances.items()]
    found = assessed(X, y, task=task, wrong=cells_by_row(cells, np.arange(400), 400))
    scores = found.scores[list(chances)]
    assert (np.diff(scores) > 0.5).all()
    np.testing.assert_array_equal(found.flagged, found.scores >= found.cut)


def test_trees_that_begin_with_some_of_many_rows_find_the_wrong_ones(monkeypatch):
    monkeypatch.setattr(assessment, "FIRST_ROWS", 300)
    X, y = curve(900)
    y += 2 * (X[:, 0] > 0.3)
    wrong = np.arange(900) % 15 == 0
    y[wrong] += 4
    found = assessed(X, y, learner="trees")
    assert found.learner == "trees"
    assert found.flagged[wrong].mean() > 0.9
    assert found.flagged[~wrong].mean() < 0.02


@pytest.mark.parametrize("contamination", ["auto", 0.1])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_trees_of_a_part_of_the_rows_find_wrong_ones_in_all(monkeypatch, task, contamination):
    for name, rows in (("FIRST_ROWS", 300), ("MANY_ROWS", 600)):
        monkeypatch.setattr(assessment, name, rows)
    X, y = curve(1500)
    y += 2 * (X[:, 0] > 0.3)
    wrong = np.arange(1500) % 10 == 0
    if task == "regression":
        y[wrong] += 4
    else:
        y = np.where((y > 0) ^ wrong, "high", "low").astype(object)
        y[:4] = "rare" if contamination == 0.1 else y[:4]  # all of its rows are fitted to
    settings = {"learner": "trees", "task": task, "contamination": contamination}
    found = assessed(X, y, **settings)
    assert found.model.n_features_in_ == 2
    assert len(found.model.inlier_probability_) == 1500
    # Near the border of the two classes some labels are uncertain.
    assert found.flagged[wrong].mean() > (0.9 if task == "regression" else 0.6)
    assert found.flagged[~wrong].mean() < 0.03
    again = assessed(X, y, **settings)
    np.testing.assert_array_equal(found.scores, again.scores)


def test_a_kernel_is_fitted_to_all_of_many_rows(monkeypatch):
    monkeypatch.setattr(assessment, "FIRST_ROWS", 300)
    X, y = curve(900)
    wrong = np.arange(900) % 15 == 0
    y[wrong] += 4
    found = assessed(X, y)
    assert found.learner == "kernel"
    assert len(found.scores) == 900
    assert found.flagged[wrong].mean() > 0.9
