"""Attacks on a model hurt its refit more than corruption that does not know the model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from untaint.datasets import contaminate, load_kiln, make_classes, make_smooth


def smooth_rows(seed):
    X, y = make_smooth(600, n_features=4, random_state=seed)
    return X, y, KernelRidge(kernel="rbf", gamma=1 / 8, alpha=0.1)


def kiln_rows(seed):
    X, y = load_kiln(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(y))
    X, y = StandardScaler().fit_transform(X)[order], y[order] / y.std()
    return X, y, KernelRidge(kernel="rbf", gamma=0.5, alpha=0.1)


def error_after(kind, X, y, learner, *, seed, epsilon, clip=False, attack=False):
    """Clean test error of a refit to two thirds of the rows, corrupted."""
    n = 2 * len(y) // 3
    model = clone(learner).fit(X[:n], y[:n]) if attack else None
    X_bad, y_bad, _ = contaminate(
        X[:n], y[:n], epsilon=epsilon, kind=kind, model=model, random_state=seed
    )
    if clip:
        y_bad = np.clip(y_bad, y[:n].min(), y[:n].max())
    predicted = clone(learner).fit(X_bad, y_bad).predict(X[n:])
    if isinstance(learner, SVC):
        return np.mean(predicted != y[n:])
    return np.sqrt(np.mean((predicted - y[n:]) ** 2))


@pytest.mark.parametrize("epsilon", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("problem", [smooth_rows, kiln_rows])
@pytest.mark.parametrize("seed", [0, 1])
def test_nothing_within_the_clean_range_hurts_a_refit_as_much(problem, epsilon, seed):
    X, y, learner = problem(seed)
    share = {"seed": seed, "epsilon": epsilon}
    attacked = error_after("adversarial", X, y, learner, attack=True, **share)
    for kind in ("label", "cluster", "shift", "mirror", "local", "local-solid", "adversarial"):
        assert attacked > 1.3 * error_after(kind, X, y, learner, clip=True, **share), kind
    # These leave the range, and still do less.
    for kind in ("shift", "mirror"):
        assert attacked > 1.1 * error_after(kind, X, y, learner, **share), kind


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("epsilon", [0.1, 0.2, 0.3])
def test_a_refitted_classifier_suffers_more_than_from_random_flips(n_classes, epsilon):
    learner = SVC(gamma=1 / 16, C=5.0)
    rises = []
    for seed in range(4):
        X, y = make_classes(1500, n_classes=n_classes, random_state=seed)
        share = {"seed": seed, "epsilon": epsilon}
        attacked = error_after("flip-adversarial", X, y, learner, attack=True, **share)
        rises.append(attacked - error_after("flip", X, y, learner, **share))
    assert np.mean(rises) > 0.02, rises


@pytest.mark.parametrize("epsilon", [0.0, 0.07, 0.5, 0.99])
def test_exactly_the_chosen_targets_change_and_stay_in_range(epsilon):
    X, y = make_smooth(101, n_features=2, random_state=0)
    model = LinearRegression().fit(X, y)
    X_bad, y_bad, bad = contaminate(X, y, epsilon=epsilon, kind="adversarial", model=model)
    np.testing.assert_array_equal(X_bad, X)
    np.testing.assert_array_equal(y_bad != y, bad)
    assert bad.sum() == round(epsilon * 101)
    assert np.isin(y_bad[bad], [y.min(), y.max()]).all()


def test_rows_with_the_longest_way_to_go_are_taken():
    X, y = np.arange(10.0)[:, np.newaxis], np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 20])
    model = LinearRegression().fit(X, X[:, 0])
    _, y_bad, bad = contaminate(X, y, epsilon=0.3, kind="adversarial", model=model)
    assert np.flatnonzero(bad).tolist() == [0, 1, 2]
    assert y_bad[bad].tolist() == [20.0] * 3


def test_rows_that_are_at_the_far_end_already_are_left():
    X, y = np.arange(10.0)[:, np.newaxis], np.arange(10.0)
    y[0] = 9.0
    model = LinearRegression().fit(X, np.arange(10.0))
    _, _, bad = contaminate(X, y, epsilon=0.2, kind="adversarial", model=model, random_state=0)
    assert not bad[0]
    assert bad.sum() == 2


def test_outputs_count_alike_whatever_their_units():
    X, y = make_smooth(60, n_features=2, random_state=0)
    Y = np.column_stack([y, -y])
    one, other = (
        contaminate(X, Z, epsilon=0.2, kind="adversarial", model=LinearRegression().fit(X, Z))
        for Z in (Y, Y * [1.0, 1000.0])
    )
    np.testing.assert_array_equal(one[2], other[2])
    np.testing.assert_allclose(one[1] * [1.0, 1000.0], other[1])


class Signs:
    """A model with nothing but predict: the sign of the first feature."""

    def predict(self, X):
        return np.where(X[:, 0] > 0, "up", "down")


class Scores(Signs):
    def decision_function(self, X):
        return X[:, 0]

    classes_ = np.array(["down", "up"])


class Chances(Scores):
    classes_ = np.array(["up", "other", "down"])  # in no order, and one that y does not have

    def predict_proba(self, X):
        up = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([0.9 * up, np.full(len(X), 0.1), 0.9 * (1 - up)])


X_LINE = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])[:, np.newaxis]
Y_LINE = np.array(["down"] * 3 + ["up"] * 4)


@pytest.mark.parametrize("model", [None, Scores(), Chances()])
def test_the_surest_rows_of_the_largest_class_are_flipped_first(model):
    _, y_bad, bad = contaminate(
        X_LINE, Y_LINE, epsilon=0.3, kind="flip-adversarial", model=model, random_state=0
    )
    assert np.flatnonzero(bad).tolist() == [5, 6]
    assert y_bad[bad].tolist() == ["down"] * 2
    _, y_bad, bad = contaminate(
        X_LINE, Y_LINE, epsilon=0.7, kind="flip-adversarial", model=model, random_state=0
    )
    assert np.flatnonzero(bad).tolist() == [0, 3, 4, 5, 6]
    assert y_bad[0] == "up"


def test_chance_decides_between_rows_that_the_model_finds_equal():
    def mask(seed):
        return contaminate(
            X_LINE, Y_LINE, epsilon=0.3, kind="flip-adversarial", model=Signs(), random_state=seed
        )[2].tolist()

    masks = [mask(seed) for seed in range(20)]
    assert masks == [mask(seed) for seed in range(20)]
    assert len(set(map(tuple, masks))) > 3
    assert not np.any(np.array(masks)[:, :3])


def test_a_model_that_knows_frames_is_asked_with_the_frame(recwarn):
    pandas = pytest.importorskip("pandas")
    X, y = make_smooth(30, n_features=2, random_state=0)
    frame = pandas.DataFrame(X, columns=["a", "b"])
    model = LinearRegression().fit(frame, y)
    X_bad, _, _ = contaminate(frame, y, epsilon=0.2, kind="adversarial", model=model)
    assert isinstance(X_bad, np.ndarray)
    assert not recwarn.list


def test_models_that_cannot_be_attacked_are_refused():
    X, y = make_smooth(20, n_features=2, random_state=0)
    with pytest.raises(TypeError, match=r"model must have a method predict, got 3\."):
        contaminate(X, y, epsilon=0.1, kind="adversarial", model=3)
    model = LinearRegression().fit(X, y)
    with pytest.raises(
        ValueError, match=r"kind='shift' uses no model; .* one of 'adversarial', 'flip-adversarial'"
    ):
        contaminate(X, y, epsilon=0.1, kind="shift", model=model)
    with pytest.raises(ValueError, match=r"of y's shape \(20, 2\), got shape \(20,\)"):
        contaminate(X, np.column_stack([y, y]), epsilon=0.1, kind="adversarial", model=model)
    labels = np.where(y > 0, "up", "sideways")
    with pytest.raises(ValueError, match=r"every class of y, but does not know \['sideways'\]"):
        contaminate(X, labels, epsilon=0.1, kind="flip-adversarial", model=Scores())
    three = Scores()
    three.classes_ = np.array(["down", "sideways", "up"])
    with pytest.raises(ValueError, match=r"finite scores of shape \(20, 3\), got shape \(20, 2\)"):
        contaminate(X, labels, epsilon=0.1, kind="flip-adversarial", model=three)
