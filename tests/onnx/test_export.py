"""What the graph says is what the model says; what cannot be exported is refused in a sentence."""

import json

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler

from portable.fitted import FUNCTIONS, classifier, codes, regressor, rows, targets
from untaint import (
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
    __version__,
)
from untaint.baselines import HardThresholdRegressor, TiltedClassifier
from untaint.online import NoisyLinearRegressor
from untaint.preprocessing import MedianScaler

onnx = pytest.importorskip("onnx", reason="the exporter needs onnx")
runtime = pytest.importorskip("onnxruntime", reason="runs what is exported")

from untaint.onnx import to_onnx  # noqa: E402  (needs onnx)

CLOSE = {np.float32: 1e-5, np.float64: 1e-11}


def run(model, X, **options):
    options.setdefault("dtype", X.dtype)
    session = runtime.InferenceSession(to_onnx(model, **options).SerializeToString())
    return session.run(None, {"X": X})


def precision(model, **options):
    return {prop.key: prop.value for prop in to_onnx(model, **options).metadata_props}["precision"]


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize(("kernel", "approximation"), FUNCTIONS)
def test_a_graph_predicts_what_the_regressor_does(kernel, approximation, dtype):
    model, X = regressor(kernel, approximation, n_outputs=2), rows(30, seed=1).astype(dtype)
    (found,) = run(model, X)
    assert found.dtype == dtype
    expected = model.predict(X.astype(float))
    np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE[dtype] * expected.std())


def test_one_output_is_one_column():
    model, X = regressor(), rows(3, seed=1)
    np.testing.assert_allclose(run(model, X)[0], model.predict(X)[:, None])


@pytest.mark.parametrize("n_rows", [0, 1, 7])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_any_number_of_rows_will_do(kernel, n_rows):
    assert run(regressor(kernel), rows(7, seed=1)[:n_rows])[0].shape == (n_rows, 1)


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_graph_predicts_what_the_classifier_does(n_classes, kernel, dtype):
    model, X = classifier(kernel, n_classes), rows(30, seed=1).astype(dtype)
    labels, chances = run(model, X)
    np.testing.assert_array_equal(labels, model.predict(X.astype(float)))
    expected = model.predict_proba(X.astype(float))
    np.testing.assert_allclose(chances, expected, rtol=0, atol=CLOSE[dtype])


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("cat", "dog", "été"), object),
        (np.array(["cat", "dog", "cow"], dtype=object), object),
        ((False, True, True), bool),
        ((7, -1, 2**40), np.int64),
        ((1.0, 2.0, 5.0), np.float64),
    ],
)
def test_labels_keep_their_type(names, kind):
    model = classifier().__class__(contamination=0.1)
    model.fit(rows(), np.array(names)[codes(3)])
    labels, _ = run(model, rows(30, seed=1))
    assert labels.dtype == kind
    np.testing.assert_array_equal(labels, model.predict(rows(30, seed=1)))


def test_outputs_have_the_names_that_others_use():
    def names(model):
        graph = to_onnx(model).graph
        return [value.name for value in (*graph.input, *graph.output)]

    assert names(regressor()) == ["X", "variable"]
    assert names(classifier()) == ["X", "label", "probabilities"]


@pytest.mark.parametrize(
    ("estimator", "y"),
    [
        (SubquantileRegressorCV(contamination=0.1), targets()),
        (SubquantileClassifierCV(contamination=0.1), codes(3)),
        (HardThresholdRegressor(), targets()),
        (TiltedClassifier(kernel="rbf"), codes()),
    ],
    ids=lambda case: type(case).__name__,
)
def test_learners_of_every_kind_can_be_exported(estimator, y):
    X = rows(30, seed=1)
    model = estimator.fit(rows(), y)
    found = run(model, X)[-1]
    expected = getattr(model, "predict_proba", model.predict)(X).reshape(30, -1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize(
    "scaler",
    [
        MedianScaler(),
        MedianScaler(with_centering=False),
        StandardScaler(),
        StandardScaler(with_std=False),
        StandardScaler(with_mean=False),
        RobustScaler(),
        "passthrough",
    ],
)
def test_a_pipeline_of_scalers_can_be_exported(scaler, dtype):
    far = np.array([2000.0, 0.0, 1e6, 0.0])  # centres that would cost single precision its digits
    X = rows() + far
    model = make_pipeline(scaler, StandardScaler(), SubquantileRegressor(contamination=0.1))
    model.fit(X, targets())
    queries = (rows(30, seed=1) + far).astype(dtype)
    expected = model.predict(queries.astype(float))
    atol = CLOSE[dtype] * targets().std()
    np.testing.assert_allclose(run(model, queries)[0][:, 0], expected, rtol=0, atol=atol)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential"])
def test_far_rows_that_were_fitted_are_distinguished(kernel):
    X = rows().copy()
    X[:5] += 1e6
    model = SubquantileRegressor(contamination=0, kernel=kernel, gamma=0.5, alpha=0.01)
    model.fit(X, targets())
    for dtype in CLOSE:
        queries = X.astype(dtype)
        expected = model.predict(queries.astype(float))
        found = run(model, queries)[0][:, 0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * targets().std())


def test_coefficients_that_cancel_are_multiplied_in_double_precision():
    strong_alpha = SubquantileRegressor(contamination=0.1, gamma=1e-3, alpha=1e-9)
    strong_alpha.fit(rows(), targets())
    assert np.abs(strong_alpha.dual_coef_).max() > 1e5
    assert precision(strong_alpha) == "double"
    assert precision(regressor()) == "single"
    assert precision(regressor(), dtype="float64") == "double"
    X = rows(30, seed=1).astype(np.float32)
    expected = strong_alpha.predict(X.astype(float))
    np.testing.assert_allclose(run(strong_alpha, X)[0][:, 0], expected, atol=1e-5)


def test_a_precision_that_is_asked_for_is_used():
    assert precision(regressor("linear"), precision="single") == "single"
    graph = to_onnx(regressor(), precision="double").graph
    assert graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    wide = next(tensor for tensor in graph.initializer if len(tensor.dims) == 2)
    assert wide.data_type == onnx.TensorProto.DOUBLE


def test_a_graph_of_differences_does_not_grow_with_the_columns():
    def size(n_columns):
        X = np.random.default_rng(0).normal(size=(40, n_columns))
        model = SubquantileRegressor(contamination=0.1, kernel="laplacian").fit(X, X[:, 0])
        return len(to_onnx(model).graph.node)

    assert size(3) == size(30)


@pytest.mark.parametrize(("kernel", "approximation"), FUNCTIONS)
def test_nothing_in_a_graph_is_there_for_nothing(kernel, approximation):
    graph = to_onnx(regressor(kernel, approximation)).graph
    bodies = [a.g for node in graph.node for a in node.attribute if a.g.node]
    nodes = [node for part in (graph, *bodies) for node in part.node]
    used = {name for node in nodes for name in node.input} | {"variable"}
    used |= {value.name for body in bodies for value in body.output}
    assert {name for node in nodes for name in node.output} <= used
    assert {tensor.name for tensor in graph.initializer} <= used


def test_a_graph_says_where_it_comes_from():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows(), columns=["a", "b", "c", "d"])
    model = make_pipeline(MedianScaler(), SubquantileRegressor(contamination=0.1))
    exported = to_onnx(model.fit(frame, targets()))
    assert exported.producer_name == "untaint"
    assert exported.producer_version == __version__
    summary = SubquantileRegressor.__doc__.partition("\n")[0]
    assert exported.doc_string == f"SubquantileRegressor: {summary}"
    assert [opset.version for opset in exported.opset_import] == [18]
    properties = {prop.key: prop.value for prop in exported.metadata_props}
    assert json.loads(properties["steps"]) == ["MedianScaler", "SubquantileRegressor"]
    assert json.loads(properties["feature_names"]) == ["a", "b", "c", "d"]
    assert properties["kernel"].startswith("RBF(gamma=")


def test_the_same_model_gives_the_same_bytes():
    first, second = (to_onnx(model) for model in (regressor(), regressor().predictor()))
    assert first.SerializeToString() == second.SerializeToString()


def test_targets_and_trimmed_rows_are_not_in_the_file():
    model = regressor()
    held = to_onnx(model, dtype="float64").graph.initializer
    largest = max(tensor.dims[0] for tensor in held if len(tensor.dims) == 2)
    assert largest == model.inlier_mask_.sum() < len(rows())


def with_function():
    return SubquantileRegressor(kernel=lambda A, B: A @ B.T).fit(rows(), targets())


def precomputed():
    return SubquantileRegressor(kernel="precomputed").fit(rows() @ rows().T, targets())


def dates():
    days = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    model = classifier().predictor()
    model.classes_ = days
    return model


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ridge().fit(rows(), targets()), "end in, one of untaint's .* got Ridge"),
        (lambda: NoisyLinearRegressor(noise_cov=0.1), "got NoisyLinearRegressor"),
        (lambda: make_pipeline(PCA(), SubquantileRegressor()), "no other steps .* got PCA"),
        (lambda: make_pipeline(MedianScaler()), "got MedianScaler"),
        (lambda: 3, "got int"),
        (with_function, "kernel must have a formula"),
        (precomputed, 'kernel="precomputed" cannot be exported'),
        (dates, "classes_ must be text, numbers or booleans"),
    ],
)
def test_what_cannot_be_exported_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        to_onnx(make())


def test_a_model_must_be_fitted():
    with pytest.raises(NotFittedError, match="SubquantileRegressor"):
        to_onnx(SubquantileRegressor())


@pytest.mark.parametrize("dtype", ["float16", int, "fast", None])
def test_other_types_are_refused(dtype):
    with pytest.raises(ValueError, match='dtype must be "float32" or "float64"'):
        to_onnx(regressor(), dtype=dtype)


def test_other_precisions_are_refused():
    with pytest.raises(ValueError, match="precision must be one of 'auto', 'single', 'double'"):
        to_onnx(regressor(), precision="half")


def test_what_is_too_large_for_a_file_is_refused(monkeypatch):
    monkeypatch.setattr("untaint.onnx.export.LARGEST", 1000)
    with pytest.raises(ValueError, match="must fit in an ONNX file of 2 GB"):
        to_onnx(regressor())


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("transform", ["log", "power"])
@pytest.mark.parametrize("dtype", CLOSE)
def test_a_graph_returns_predictions_in_the_targets_own_units(dtype, transform, statistic):
    X, scale = rows(), {"target_transform": transform, "target_statistic": statistic}
    model = SubquantileRegressorCV(contamination=0.1, **scale).fit(X, np.exp(targets()))
    new = rows(30, seed=1).astype(dtype)
    (found,) = run(model, new)
    expected = model.predict(new.astype(float))[:, None]
    np.testing.assert_allclose(found, expected, rtol=10 * CLOSE[dtype], atol=CLOSE[dtype])
