import numpy as np
import pandas as pd
import pytest

from plotting.pictures import audit_scores, points, texts
from untaint import SubquantileRegressor
from untaint.baselines import HardThresholdRegressor
from untaint.plotting import LeverageDisplay
from untaint.plotting.robust_distance import robust_distances


@pytest.fixture
def case(rng):
    """Of 120 rows, five have a wrong target, five are good and five are bad leverage points."""
    X = rng.normal(size=(120, 2))
    X[5:15] = 12 + rng.normal(size=(10, 2))
    y = X @ [1.0, 2.0] + 0.1 * rng.normal(size=120)
    y[:5] += 8
    y[10:15] -= 60
    return SubquantileRegressor(kernel="linear").fit(X, y), X, y


def test_scores_of_the_audit_stand_over_distances(case, axes):
    model, X, y = case
    display = LeverageDisplay.from_estimator(model, X, y, ax=axes)
    expected = np.column_stack([display.distances, audit_scores(model)])
    assert display.ax_ is axes and display.figure_ is axes.figure
    assert np.allclose(np.sort(points(axes), axis=0), np.sort(expected, axis=0))
    assert np.array_equal(display.flagged, audit_scores(model, "flagged", fdr=0.1))


def test_the_quadrants_tell_outliers_from_leverage(case, axes):
    display = LeverageDisplay.from_estimator(case[0], ax=axes)
    far, above = display.distances > display.cutoff, display.scores > display.threshold
    assert above[:5].all() and not far[:5].any()
    assert far[5:10].all() and not above[5:10].any()
    assert far[10:15].all() and above[10:15].all()
    assert {"vertical outliers", "good leverage", "bad leverage"} <= set(texts(axes))


def test_distances_do_not_depend_on_units(case, axes):
    model, X, _y = case
    first = LeverageDisplay.from_estimator(model, X, ax=axes).distances
    other = LeverageDisplay.from_estimator(model, X * [1000, 0.01] + 5, ax=axes).distances
    assert np.allclose(first, other, rtol=1e-6)


def test_numeric_columns_of_a_frame_are_used(case, axes):
    model, X, _y = case
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(name="x")
    frame.loc[50, "a"] = np.nan
    display = LeverageDisplay.from_estimator(model, frame, ax=axes)
    assert (display.distances[5:15] > display.cutoff).all()
    assert np.isfinite(display.distances).all()


def test_missing_cells_count_as_medians_and_empty_columns_as_none():
    x = pd.array([*range(20), None], dtype="Int64")
    frame = pd.DataFrame({"x": x, "empty": np.nan})
    distances, _ = robust_distances(frame)
    np.testing.assert_allclose(distances, robust_distances(np.r_[:20, 9.5][:, None])[0])


def test_a_polars_frame(case, axes):
    polars = pytest.importorskip("polars")
    model, X, _ = case
    frame = polars.DataFrame({"a": X[:, 0], "b": X[:, 1], "name": ["x"] * 120})
    display = LeverageDisplay.from_estimator(model, frame, ax=axes)
    assert np.allclose(display.distances, LeverageDisplay.from_estimator(model, X).distances)


def test_more_features_than_rows(rng, axes):
    X = rng.normal(size=(40, 60))
    X[0] *= 30
    model = SubquantileRegressor(contamination=0.1).fit(X, X[:, 0])
    assert np.argmax(LeverageDisplay.from_estimator(model, ax=axes).distances) == 0


def test_a_baseline_flags_what_it_trimmed(case, axes):
    _, X, y = case
    model = HardThresholdRegressor(contamination=0.1).fit(X, y)
    display = LeverageDisplay.from_estimator(model, X, y, ax=axes)
    assert np.array_equal(display.flagged, ~model.inlier_mask_)
    assert "FDR" not in axes.get_title(loc="left")


def test_says_what_is_wrong_with_the_rows(case, axes):
    model, X, _ = case
    with pytest.raises(ValueError, match="X should be the 120 rows that the model was fitted to"):
        LeverageDisplay.from_estimator(model, X[:7], ax=axes)
    with pytest.raises(ValueError, match="X should be rows with at least one numeric column"):
        LeverageDisplay.from_estimator(model, np.full((120, 1), "x"), ax=axes)
    del model.X_fit_
    with pytest.raises(ValueError, match="SubquantileRegressor does not keep its rows: pass X"):
        LeverageDisplay.from_estimator(model, ax=axes)
