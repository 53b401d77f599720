import numpy as np
import pytest
from scipy.sparse import csr_array

from plotting.pictures import audit_scores, audited, flagged, heights, kept, points
from untaint import SubquantileRegressor
from untaint.plotting import ResidualsDisplay, plot_residuals


def test_residuals_are_those_of_the_audit(regression, axes):
    plot_residuals(regression.model, regression.X, regression.y, axes)
    fitted = audit_scores(regression.model, "expected")
    expected = np.column_stack([fitted, regression.y - fitted])
    assert np.allclose(np.sort(flagged(axes), axis=0), np.sort(expected[:8], axis=0))
    assert np.allclose(np.sort(kept(axes), axis=0), np.sort(expected[8:], axis=0))


def test_good_residuals_are_told_apart_beside_astronomical_ones(huge, axes):
    plot_residuals(huge.model, huge.X, huge.y, axes)
    assert np.ptp(heights(axes, kept(axes)[:, 1])) > 0.3
    assert heights(axes, flagged(axes)[:, 1]).min() > 0
    assert heights(axes, flagged(axes)[:, 1]).max() < 1
    assert "log scale beyond" in axes.get_ylabel()


def test_small_residuals_need_no_logarithm(axes, rng):
    X = rng.normal(size=(50, 1))
    model = SubquantileRegressor(contamination=0).fit(X, X.ravel())
    assert plot_residuals(model, X, X.ravel(), axes).get_yscale() == "linear"
    assert len(kept(axes)) == 50


def test_far_fitted_values_stand_at_the_edge(axes, rng):
    X = rng.normal(size=(60, 1))
    y = X.ravel() + 0.1 * rng.normal(size=60)
    X[:3], y[:3] = 1e6, 0
    model = SubquantileRegressor(kernel="linear", contamination=0.05).fit(X, y)
    fitted, far = model.predict(X), np.arange(60) < 3
    ResidualsDisplay.from_predictions(y, fitted, flagged=far, ax=axes)
    low, high = axes.get_xlim()
    assert high - low < 20
    assert ((points(axes)[:, 0] > low) & (points(axes)[:, 0] < high)).all()
    assert "3 rows beyond, at the edge" in axes.get_xlabel()


def test_targets_suffice_for_a_model_that_keeps_its_rows(regression, axes):
    plot_residuals(regression.model, y=regression.y, ax=axes)
    assert len(points(axes)) == 80


def test_targets_are_taken_from_the_audit(regression, axes):
    model = audited(regression, observed=regression.y)
    plot_residuals(model, ax=axes)
    assert np.allclose(
        np.sort(flagged(axes)[:, 1]), np.sort((regression.y - model.predict(regression.X))[:8])
    )


def test_predictions_are_taken_from_the_audit_of_a_model_that_drops_its_rows(regression, axes):
    expected = regression.model.predict(regression.X)
    model = audited(regression, observed=regression.y, expected=expected)
    del model.X_fit_
    plot_residuals(model, ax=axes)
    assert np.allclose(np.sort(points(axes)[:, 0]), np.sort(expected))


def test_asks_for_targets_that_nobody_has(regression, axes):
    model = audited(regression)
    with pytest.raises(ValueError, match="Audited does not keep its targets: pass X and y"):
        plot_residuals(model, ax=axes)
    with pytest.raises(ValueError, match="y should be passed along with X"):
        plot_residuals(model, regression.X, ax=axes)


def test_asks_for_as_many_targets_as_rows(regression, axes):
    with pytest.raises(ValueError, match="X and y should have as many rows, got 80 and 3"):
        plot_residuals(regression.model, regression.X, [1.0, 2.0, 3.0], axes)
    with pytest.raises(ValueError, match=r"of shape \(80, 1\), got \(80, 2\)"):
        plot_residuals(regression.model, regression.X, np.zeros((80, 2)), axes)


def test_unseen_rows_are_judged_by_the_threshold(regression, axes):
    y = np.sin(regression.X[:20, 0])
    y[4] += 5
    plot_residuals(regression.model, regression.X[:20], y, axes)
    assert len(flagged(axes)) == 1
    assert len(kept(axes)) == 19


def test_sparse_rows(regression, axes):
    X = csr_array(regression.X)
    model = SubquantileRegressor(contamination=0.1, alpha=0.1).fit(X, regression.y)
    plot_residuals(model, X, regression.y, axes)
    assert len(flagged(axes)) == 8


def test_one_of_several_outputs(regression, axes):
    y = np.column_stack([regression.y, np.cos(regression.X[:, 1])])
    model = SubquantileRegressor(contamination=0.1, alpha=0.1).fit(regression.X, y)
    plot_residuals(model, regression.X, y, axes, output=1)
    expected = np.stack(audit_scores(model, "expected"))[:, 1]
    assert np.allclose(np.sort(points(axes)[:, 1]), np.sort(y[:, 1] - expected))
    assert "output 1 of 2" in axes.get_title(loc="left")
    with pytest.raises(ValueError, match=r"output should be an integer in \[0, 2\), got 2"):
        plot_residuals(model, regression.X, y, axes, output=2)


def test_labels_have_odds(labels, axes):
    plot_residuals(labels.model, labels.X, labels.y, axes)
    assert len(flagged(axes)) == 6
    # All six carry the third label, and the model would rather give another.
    assert (np.round(flagged(axes)[:, 0]) == 2).all()
    assert (flagged(axes)[:, 1] < 0).all()
    names = [on_progress.get_text() for on_progress in axes.get_xticklabels()]
    assert names == ["ash\n0 / 24", "oak\n0 / 30", "yew\n6 / 36"]


def test_labels_of_unseen_rows_are_judged_by_the_threshold(labels, axes):
    plot_residuals(labels.model, [[0.0, 0.0], [5.0, 0.0]], ["ash", "ash"], axes)
    assert len(flagged(axes)) == 1


def test_labels_that_the_model_does_not_know_are_refused(labels, axes):
    with pytest.raises(ValueError, match="labels among classes_, got 'elm'"):
        plot_residuals(labels.model, [[0.0, 0.0]], ["elm"], axes)


def test_probabilities_of_zero_stay_in_view(axes):
    class Certain(SubquantileRegressor):
        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    model = Certain(contamination=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    model.classes_ = np.array([0, 1])
    plot_residuals(model, [[0.0], [1.0]], [0, 1], axes)
    inside = heights(axes, points(axes)[:, 1])
    assert ((inside > 0) & (inside < 1)).all()


@pytest.mark.parametrize(("length", "rotation"), [(1, 0), (30, 90)])
def test_many_labels_are_written_without_counts(labels, axes, length, rotation):
    names = np.array([f"{code:0{length}d}" for code in range(18)])
    labels.model.classes_, labels.model.class_thresholds_ = names, np.ones(18)
    labels.model.predict_proba = lambda X: np.full((len(X), 18), 1 / 18)
    plot_residuals(labels.model, labels.X[:36], np.repeat(names, 2), axes)
    found = axes.get_xticklabels()
    assert [on_progress.get_text() for on_progress in found] == names.tolist()
    assert found[0].get_rotation() == rotation
    assert axes.get_xlabel() == "given label"
