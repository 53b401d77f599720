"""What cannot be right is refused in one sentence: the argument, what it should be, what it is."""

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from estimators.cases import smooth
from untaint import SubquantileClassifier, SubquantileRegressor, SubquantileRegressorCV
from untaint.kernels import RBF

pytestmark = pytest.mark.filterwarnings("error")

X, Y = smooth(30)
NAN, INF = float("nan"), float("inf")
GRID = 'must be "auto" or a sequence of positive finite numbers'

each_grid = pytest.mark.parametrize("name", ["alphas", "gammas"])


def refused(message, error=ValueError, X=X, y=Y, **params):
    """Fit, and expect all parts of the message, in order, in one sentence."""
    model = SubquantileRegressorCV(**params)
    with pytest.raises(error, match=pattern(message)) as caught:
        model.fit(X, y)
    assert_one_sentence(str(caught.value))
    assert not hasattr(model, "alpha_")


def pattern(message):
    return re.compile(".*".join(re.escape(part) for part in message.split(" ... ")), re.DOTALL)


def assert_one_sentence(text):
    """Hints such as a suggestion may follow."""
    assert text.endswith((".", "?")) and "\n" not in text
    assert len(re.findall(r"[.?](?= [A-Z])", text)) <= 1


# --- grids -----------------------------------------------------------------------------------


@each_grid
@pytest.mark.parametrize(
    "values",
    [
        [],
        (),
        np.array([]),
        "median",
        "",
        b"auto",
        3.0,
        0,
        None,
        True,
        [[1]],
        np.ones((1, 2)),
        {1.0},
        {1.0: 2.0},
        object,
    ],
    ids=repr,
)
def test_grid_that_is_no_sequence_of_numbers(name, values):
    refused(f"{name} {GRID}, got {values!r}.", **{name: values})


@each_grid
@pytest.mark.parametrize(
    "value", [0, -1, 0.0, -1e-300, NAN, INF, -INF, True, None, "1", 1j, "auto"], ids=repr
)
@pytest.mark.parametrize("place", ["alone", "last"])
def test_grid_with_a_wrong_value(name, value, place):
    values = [value] if place == "alone" else [1.0, 2.0, value]
    refused(f"{name} {GRID}, got one of {value!r}.", **{name: values})


@each_grid
def test_grid_with_a_wrong_value_in_an_array(name):
    refused(f"{name} {GRID}, got one of ... 0", **{name: np.array([1, 0])})
    refused(f"{name} {GRID}, got one of ... nan", **{name: np.array([1.0, NAN])})
    refused(f"{name} {GRID}, got one of ... inf", **{name: np.array([INF, 1.0])})


@each_grid
@pytest.mark.parametrize("values", [[1.0, [2.0]], [[1.0], [2.0, 3.0]]], ids=str)
def test_ragged_grid(name, values):
    refused(f"{name} {GRID}, got", **{name: values})


@each_grid
def test_generator_is_no_sequence(name):
    refused(f"{name} {GRID}, got <generator", **{name: (value for value in (1.0, 2.0))})


@pytest.mark.parametrize(
    "kernel",
    ["linear", "precomputed", RBF(0.1), lambda A, B: A @ B.T],
    ids=["linear", "precomputed", "object", "function"],
)
def test_scales_for_a_kernel_without_one(kernel):
    rows = X @ X.T if isinstance(kernel, str) and kernel == "precomputed" else X
    refused(
        f"gammas must be 'auto' for kernel={kernel!r}, which has no scale to choose, got [0.1].",
        kernel=kernel,
        gammas=[0.1],
        X=rows,
    )


@pytest.mark.parametrize("name", ["alpha", "gamma"])
def test_one_setting_is_no_parameter(name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        SubquantileRegressorCV(**{name: 1.0})


# --- other parameters ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contamination", [-0.1, 0.5, 1, "lots", True, NAN, INF, None, [0.1]], ids=repr
)
def test_contamination(contamination):
    refused(
        f'contamination must be a number in [0, 0.5) or "auto", got {contamination!r}.',
        contamination=contamination,
    )


def test_too_few_rows_to_trim():
    refused(
        "too few rows to trim: contamination=0.1 of n_samples = 5 ... at least 10 rows",
        X=X[:5],
        y=Y[:5],
        contamination=0.1,
    )


@pytest.mark.parametrize("gammas", ["auto", [1.0]], ids=str)
def test_unknown_kernel(gammas):
    refused(
        "kernel must be one of 'linear' ... got 'rfb'. Did you mean 'rbf'?",
        kernel="rfb",
        gammas=gammas,
    )


@pytest.mark.parametrize("kernel", [3, None, ["rbf"]], ids=str)
def test_kernel_of_a_wrong_type(kernel):
    refused(f"kernel must be a name, a function or a Kernel, got {kernel!r}.", kernel=kernel)


@pytest.mark.parametrize("kernel", [3, None], ids=str)
def test_kernel_of_a_wrong_type_is_reported_before_its_scales(kernel):
    refused(
        f"kernel must be a name, a function or a Kernel, got {kernel!r}.",
        kernel=kernel,
        gammas=[1.0],
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"solver": "exakt"}, "solver must be one of ... got 'exakt'"),
        ({"n_starts": 0}, "n_starts must be an integer of at least 1, got 0."),
        ({"tol": 0}, "tol must be a finite number greater than 0, got 0."),
        ({"fit_intercept": 1}, "fit_intercept must be True or False, got 1."),
        (
            {"norm_bound": -1},
            "norm_bound must be a finite number of at least 1e-140 ... got -1.",
        ),
        ({"memory_limit": "lots"}, "memory_limit must be ... got 'lots'."),
        ({"n_jobs": 0}, "n_jobs must be an integer of at least 1 or None, got 0."),
        ({"kernel": "poly", "degree": -1}, "degree must be ... got -1"),
    ],
    ids=str,
)
def test_other_parameters_are_checked_as_by_the_plain_regressor(params, message):
    refused(message, **params)


# --- data ------------------------------------------------------------------------------------


def test_missing_and_infinite_values():
    for value, word in ((NAN, "NaN"), (INF, "infinity")):
        rows = X.copy()
        rows[3, 1] = value
        with pytest.raises(ValueError, match=f"Input X contains {word}"):
            SubquantileRegressorCV().fit(rows, Y)
        with pytest.raises(ValueError, match=f"Input y contains {word}"):
            SubquantileRegressorCV().fit(X, np.where(np.arange(30) == 2, value, Y))


def test_weights():
    for weights, message in (
        (np.zeros(30), "sample_weight must be positive for at least one row, got only zeros."),
        (-np.ones(30), "sample_weight must not be negative, got a smallest weight of -1."),
    ):
        with pytest.raises(ValueError, match=pattern(message)):
            SubquantileRegressorCV().fit(X, Y, sample_weight=weights)


def test_matrix_that_is_not_square():
    refused("X must be the square kernel matrix ... got shape (30, 4).", kernel="precomputed")


def test_kernel_function_that_returns_nonsense():
    refused("kernel function must map two matrices", kernel=lambda A, B: np.ones(5))


@pytest.mark.parametrize("model", [SubquantileRegressorCV(), SubquantileRegressor()], ids=str)
def test_kernel_function_that_returns_nan(model):
    model.set_params(kernel=lambda A, B: np.full((len(A), len(B)), NAN))
    with pytest.raises(ValueError, match=r"kernel.*(NaN|finite)"):
        model.fit(X, Y)


# --- audit -----------------------------------------------------------------------------------

MODELS = [
    SubquantileRegressorCV(gammas=[0.1]),
    SubquantileRegressor(),
    SubquantileClassifier(),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


@each_model
@pytest.mark.parametrize("fdr", [0, 1, -1, "x", NAN, INF, True, 2.0, [0.1], "0.1"], ids=repr)
def test_rate_of_an_audit(model, fdr):
    if not hasattr(model, "intercept_"):
        model.fit(X, np.median(Y) < Y)
    expected = "fdr must be a finite number greater than 0 and less than 1 or None"
    with pytest.raises(ValueError, match=pattern(f"{expected}, got {fdr!r}.")) as caught:
        model.audit(fdr=fdr)
    assert_one_sentence(str(caught.value))


@each_model
def test_audit_before_a_fit(model):
    unfitted = type(model)()
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        unfitted.audit()
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        unfitted.audit(fdr=0.1)
