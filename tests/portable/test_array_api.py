"""Other libraries' arrays in, theirs out, computed by them and where they are.

PyTorch is too big to be installed for every run of the tests, and so these may be skipped; the
formulas are tested with NumPy's arrays all the same.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from portable.fitted import FUNCTIONS, classifier, codes, regressor, rows, targets
from untaint import (
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
)
from untaint.baselines import HardThresholdRegressor, SeverClassifier, TiltedRegressor
from untaint.preprocessing import MedianScaler

LIBRARIES = ["torch", "array_api_strict"]


@pytest.fixture(params=LIBRARIES)
def library(request, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # scikit-learn asks for it
    reason = f"{request.param} is not installed"
    return pytest.importorskip(request.param, reason=reason)


@pytest.fixture
def tensor(library):
    """Arrays of the library; of the strict one, on a device that is not the host's."""
    strict = library.__name__ == "array_api_strict"
    device = library.Device("device1") if strict else "cpu"

    def make(array):
        return library.asarray(np.array(array), device=device)

    return make


@pytest.fixture(autouse=True)
def dispatching(library):
    with config_context(array_api_dispatch=True):
        yield


def host(array):
    if hasattr(array, "to_device") and not isinstance(array, np.ndarray):
        xp = array.__array_namespace__()
        array = xp.asarray(array, device=xp.Device("CPU_DEVICE"))
    return np.asarray(array)


def assert_same(found, expected, example, atol):
    assert type(found) is type(example)
    assert found.device == example.device
    assert tuple(found.shape) == expected.shape
    np.testing.assert_allclose(host(found), expected, rtol=0, atol=atol)


@pytest.mark.parametrize(("kernel", "approximation"), FUNCTIONS)
def test_predictions_equal_those_of_numpy(kernel, approximation, tensor):
    model, X = regressor(kernel, approximation), rows(30, seed=1)
    example = tensor(X)
    assert_same(model.predict(example), model.predict(X), example, 1e-11)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
def test_single_precision_stays_single(kernel, tensor, library):
    model, X = regressor(kernel, n_outputs=2), rows(30, seed=1).astype(np.float32)
    found = model.predict(tensor(X))
    assert found.dtype == library.float32
    expected = model.predict(X.astype(float))
    np.testing.assert_allclose(host(found), expected, rtol=0, atol=2e-5)


def test_whole_numbers_become_floats(tensor, library):
    model, X = regressor(), np.arange(8).reshape(2, 4)
    found = model.predict(tensor(X))
    assert found.dtype == library.float64
    np.testing.assert_allclose(host(found), model.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_labels_scores_and_probabilities_equal_those_of_numpy(kernel, n_classes, tensor):
    model, X = classifier(kernel, n_classes), rows(30, seed=1)
    example = tensor(X)
    for method in ("decision_function", "predict_proba", "predict"):
        found = getattr(model, method)(example)
        assert_same(found, getattr(model, method)(X), example, 1e-11)


def test_labels_that_are_text_are_numpys(tensor):
    model, X = classifier(names=("cat", "dog")), rows(30, seed=1)
    found = model.predict(tensor(X))
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, model.predict(X))


def test_scores_equal_those_of_numpy(tensor):
    X, y = rows(), targets()
    score = float(regressor().score(tensor(X), tensor(y)))
    assert score == pytest.approx(regressor().score(X, y), abs=1e-12)
    score = float(classifier().score(tensor(X), tensor(codes())))
    assert score == pytest.approx(classifier().score(X, codes()), abs=1e-6)


@pytest.mark.parametrize(
    "estimator",
    [
        SubquantileRegressor(contamination=0.1),
        SubquantileRegressorCV(contamination=0.1),
        SubquantileClassifier(contamination=0.1),
        SubquantileClassifierCV(contamination=0.1),
        HardThresholdRegressor(),
        TiltedRegressor(),
        SeverClassifier(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_fit_to_tensors_is_the_fit_to_numpys_rows(estimator, tensor):
    X, weights = rows(), np.arange(len(rows())) % 3 + 1.0
    y = codes() if hasattr(estimator, "predict_proba") else targets()
    there = clone(estimator).fit(tensor(X), tensor(y), sample_weight=tensor(weights))
    here = clone(estimator).fit(X, y, sample_weight=weights)
    assert isinstance(there.inlier_mask_, np.ndarray)
    np.testing.assert_array_equal(there.inlier_mask_, here.inlier_mask_)
    np.testing.assert_array_equal(there.predict(X), here.predict(X))


def test_a_pipeline_takes_tensors(tensor):
    X, y = rows(), targets()
    model = make_pipeline(MedianScaler(), SubquantileRegressor(contamination=0.1))
    there, here = clone(model).fit(tensor(X), tensor(y)), clone(model).fit(X, y)
    example = tensor(X)
    assert_same(there.predict(example), here.predict(X), example, 1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_scaler_takes_tensors_and_gives_them_back(tensor, dtype):
    X = rows().astype(dtype)
    X[0] = [np.nan, np.finfo(dtype).max, 0.0, 1.0]
    scaler, example = MedianScaler().fit(rows()), tensor(X)
    scaled = scaler.transform(example)
    atol = 1e-6 if dtype == np.float32 else 1e-12
    assert_same(scaled[1:, :], scaler.transform(X)[1:], example, atol)
    np.testing.assert_allclose(host(scaled)[0], scaler.transform(X)[0], rtol=1e-6)
    assert_same(scaler.inverse_transform(scaled[1:, :]), X[1:], example, 10 * atol)


def test_a_precomputed_kernel_takes_tensors(tensor):
    K = rows() @ rows().T
    model = SubquantileRegressor(contamination=0.1, kernel="precomputed").fit(K, targets())
    assert_same(model.predict(tensor(K)), model.predict(K), tensor(K), 1e-9)


def test_a_function_of_pythons_is_computed_on_the_host(tensor):
    model = SubquantileRegressor(contamination=0.1, kernel=lambda A, B: A @ B.T)
    model.fit(rows(), targets())
    example = tensor(rows())
    assert_same(model.predict(example), model.predict(rows()), example, 1e-11)


def test_many_rows_are_predicted_in_blocks(tensor, set_sizes):
    set_sizes(predicted_values=500)
    model, X = regressor(), rows(30, seed=1)
    np.testing.assert_allclose(host(model.predict(tensor(X))), model.predict(X), atol=1e-11)


def test_bad_tensors_get_the_usual_sentences(tensor):
    X = rows(3).copy()
    with pytest.raises(ValueError, match="is expecting 4 features"):
        regressor().predict(tensor(X[:, :3]))
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        regressor().predict(tensor(X))


def test_without_dispatch_a_tensor_is_converted():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with config_context(array_api_dispatch=False):
        model = SubquantileRegressor(contamination=0.1)
        model.fit(torch.asarray(np.array(rows())), torch.asarray(targets()))
        found = model.predict(torch.asarray(np.array(rows())))
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, regressor().predict(rows()))


def test_with_dispatch_numpys_rows_frames_and_sparse_rows_stay_what_they_are():
    pd = pytest.importorskip("pandas")
    X, expected = rows(), regressor().predict(rows())
    frame = pd.DataFrame(X, columns=["device", "b", "c", "d"])  # a name that arrays know too
    for table in (X, frame, sparse.csr_array(X), X.tolist()):
        model = SubquantileRegressor(contamination=0.1).fit(table, targets())
        found = model.predict(table)
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("kernel", "approximation"), FUNCTIONS)
@pytest.mark.parametrize("library", ["array_api_strict"], indirect=True)
def test_a_device_without_double_precision_does_what_it_can(kernel, approximation, library):
    model, X = regressor(kernel, approximation), rows(30, seed=1).astype(np.float32)
    example = library.asarray(X, device=library.Device("no_float64"))
    found = model.predict(example)
    assert found.dtype == library.float32
    expected = model.predict(X.astype(float))
    assert_same(found, expected, example, 1e-3 * expected.std())
    labels = classifier(n_classes=3).predict(example)
    np.testing.assert_array_equal(host(labels), classifier(n_classes=3).predict(X))


@pytest.mark.parametrize("transform", ["log", "power"])
def test_tensors_are_predicted_in_the_targets_own_units(tensor, transform):
    X, y = rows(), np.exp(targets())
    model = SubquantileRegressorCV(contamination=0.1, target_transform=transform).fit(X, y)
    found = model.predict(tensor(X))
    assert_same(found, model.predict(X), tensor(X), 1e-9)
