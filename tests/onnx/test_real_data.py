"""Exported models predict what the models predict, on real data.

Differences are relative to the standard deviation of the targets for regression, and of
probabilities for classification. ``-s`` shows them.
"""

from functools import cache

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from untaint import SubquantileClassifier, SubquantileRegressor, datasets
from untaint.portable import KernelExpansion, function_of
from untaint.preprocessing import MedianScaler

pytest.importorskip("onnx", reason="the exporter needs onnx")
runtime = pytest.importorskip("onnxruntime", reason="runs what is exported")

ALLOWED = 1e-5
REGRESSION = ("boston", "concrete", "wine_quality")
CLASSIFICATION = ("heart_disease", "breast_cancer", "vehicle")
FUNCTIONS = {
    "kernel": {"approximation": None},
    "nystroem": {"approximation": "nystroem", "n_components": 100},
    "linear": {"kernel": "linear"},
}
FEW_ROWS = 300


@cache
def table(name):
    try:
        X, y = getattr(datasets, f"fetch_{name}")(return_X_y=True, download_if_missing=False)
    except (OSError, ValueError) as error:
        pytest.skip(f"{name} is not at hand: {error}")
    known = np.isfinite(X).all(axis=1)
    return X[known], y[known]


def fitted(name, options, n_rows=None):
    X, y = table(name)
    kind = SubquantileClassifier if name in CLASSIFICATION else SubquantileRegressor
    model = make_pipeline(MedianScaler(), kind(contamination=0.1, alpha=0.1, **options))
    return model.fit(X[:n_rows], y[:n_rows])


def largest_difference(name, model, dtype):
    from untaint.onnx import to_onnx

    X, y = table(name)
    rows = X.astype(dtype)
    session = runtime.InferenceSession(to_onnx(model, dtype=dtype).SerializeToString())
    found = session.run(None, {"X": rows})
    exact = rows.astype(np.float64)  # the same rows: what is lost before the graph is not its fault
    if name in REGRESSION:
        assert found[0].dtype == dtype
        return np.abs(found[0][:, 0] - model.predict(exact)).max() / y.std()
    scores = model.decision_function(exact)
    clear = np.abs(scores) > 1e-4 if scores.ndim == 1 else np.ptp(np.sort(scores)[:, -2:], 1) > 1e-4
    np.testing.assert_array_equal(found[0][clear], model.predict(exact)[clear])
    return np.abs(found[1] - model.predict_proba(exact)).max()


def last_digits(name, model):
    """What double precision itself leaves open: terms as large as these are rounded and cancel."""
    X, y = table(name)
    function = function_of(model[-1])
    if not isinstance(function, KernelExpansion):
        return 0.0
    values = function.kernel.matrix(model[:-1].transform(X), function.rows)
    size = (np.abs(values) @ np.abs(function.coef)).max()
    return np.finfo(float).eps * size / (y.std() if name in REGRESSION else 1.0)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", REGRESSION + CLASSIFICATION)
def test_a_graph_predicts_what_its_model_does(name, function):
    model = fitted(name, FUNCTIONS[function], FEW_ROWS)
    for dtype in (np.float32, np.float64):
        found = largest_difference(name, model, dtype)
        print(f"{name:14} {function:9} {np.dtype(dtype).name} {found:.1e}")
        assert found < (ALLOWED if dtype == np.float32 else 1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["poly", "laplacian", "exponential", "rational_quadratic"])
@pytest.mark.parametrize("approximation", [None, "nystroem", "rff"])
@pytest.mark.parametrize("name", REGRESSION + CLASSIFICATION)
def test_a_graph_of_any_kernel_predicts_what_its_model_does(name, kernel, approximation):
    if approximation == "rff" and kernel == "poly":
        pytest.skip("the polynomial kernel has no Fourier features")
    options = {"kernel": kernel, "approximation": approximation, "random_state": 0}
    model = fitted(name, options)
    for dtype in (np.float32, np.float64):
        found = largest_difference(name, model, dtype)
        print(f"{name:14} {kernel:18} {approximation} {np.dtype(dtype).name} {found:.1e}")
        # Boston's polynomials have terms of 1e10, and NumPy's predictions are known to 4e-7.
        exact = max(1e-10, 4.0 * last_digits(name, model))
        assert found < (ALLOWED if dtype == np.float32 else exact)
