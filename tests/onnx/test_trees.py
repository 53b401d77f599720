"""Boosted trees of a robust learner predict the same in a graph."""

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.pipeline import make_pipeline

from untaint import RobustClassifier, RobustRegressor
from untaint.preprocessing import MedianScaler

onnx = pytest.importorskip("onnx", reason="the exporter needs onnx")
runtime = pytest.importorskip("onnxruntime", reason="runs what is exported")

from untaint.onnx import to_onnx  # noqa: E402  (needs onnx)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3)).astype(np.float32)
Y = np.sin(2 * X[:, 0]) + X[:, 1]


def run(model, X):
    graph = to_onnx(model, dtype=X.dtype)
    return runtime.InferenceSession(graph.SerializeToString()).run(None, {"X": X})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_graph_predicts_what_the_trees_do(dtype):
    model = RobustRegressor(HistGradientBoostingRegressor(max_iter=20), random_state=0).fit(X, Y)
    rows = X.astype(dtype)  # on the thresholds of single precision, too
    rows[0, 1] = np.nan
    np.testing.assert_allclose(run(model, rows)[0][:, 0], model.estimator_.predict(rows), atol=1e-5)


@pytest.mark.parametrize("cuts", [[0.0], [-1.0, 1.0]])
def test_a_graph_has_the_labels_of_the_trees(cuts):
    labels = np.array(["a", "b", "c"])[np.digitize(Y, cuts)]
    boosting = HistGradientBoostingClassifier(max_iter=20)
    model = make_pipeline(MedianScaler(), RobustClassifier(boosting, random_state=0))
    model.fit(X.astype(float), labels)
    label, probabilities = run(model, X.astype(float))
    np.testing.assert_array_equal(label, model.predict(X.astype(float)))
    np.testing.assert_allclose(probabilities, model.predict_proba(X.astype(float)), atol=1e-5)


def test_other_robust_learners_are_refused():
    model = RobustRegressor(ExtraTreesRegressor(50), random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="got RobustRegressor with ExtraTreesRegressor"):
        to_onnx(model)
