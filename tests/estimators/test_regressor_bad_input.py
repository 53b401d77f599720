"""What cannot be right is refused, saying what was expected and what was found."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from estimators.cases import smooth
from untaint import SubquantileRegressor
from untaint.exceptions import MemoryLimitError

pytestmark = pytest.mark.filterwarnings("error")

X, Y = smooth(30)


def refused(message, X=X, y=Y, sample_weight=None, error=ValueError, **params):
    """Fit, and expect all parts of the message, in order."""
    pattern = ".*".join(re.escape(part) for part in message.split(" ... "))
    with pytest.raises(error, match=re.compile(pattern, re.DOTALL)):
        SubquantileRegressor(**params).fit(X, y, sample_weight=sample_weight)


# --- parameters ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contamination",
    [-0.1, 0.5, 1, 1.5, "lots", True, False, float("nan"), float("inf"), None, [0.1]],
)
def test_contamination(contamination):
    refused(
        f'contamination must be a number in [0, 0.5) or "auto", got {contamination!r}',
        contamination=contamination,
    )


@pytest.mark.parametrize(
    "contamination", [np.float32(0.25), np.float64(0.25), 0.25, 0, np.int64(0)]
)
def test_contamination_of_any_numeric_type_is_fine(contamination):
    assert (
        SubquantileRegressor(contamination=contamination).fit(X, Y).contamination_ == contamination
    )


def test_too_few_rows_to_trim():
    refused(
        "too few rows to trim: contamination=0.1 of n_samples = 5 ... at least 10 rows",
        X=X[:5],
        y=Y[:5],
        contamination=0.1,
    )
    refused(
        "too few rows to trim: contamination=0.1 of n_samples = 5",
        sample_weight=np.r_[np.ones(5), np.zeros(25)],
        contamination=0.1,
    )


@pytest.mark.parametrize(
    ("kernel", "suggestion"),
    [("rfb", "rbf"), ("RBF", "rbf"), ("laplace", "laplacian")],
)
def test_unknown_kernel_with_a_suggestion(kernel, suggestion):
    refused(
        f"kernel must be one of 'linear' ... got {kernel!r} ... Did you mean {suggestion!r}?",
        kernel=kernel,
    )


@pytest.mark.parametrize("kernel", [3, None, ["rbf"]])
def test_kernel_of_a_wrong_type(kernel):
    refused(f"kernel must be a name, a function or a Kernel, got {kernel!r}", kernel=kernel)


def test_kernel_function_of_a_wrong_shape():
    refused("kernel function must map two matrices", kernel=lambda a, b: np.ones(5))


@pytest.mark.parametrize(
    ("solver", "hint"), [("exakt", "Did you mean 'exact'?"), ("svd", ""), (None, ""), (3, "")]
)
def test_unknown_solver(solver, hint):
    refused(
        f"solver must be one of 'auto', 'exact', 'iterative', 'newton', 'gradient', got {solver!r}."
        f" ... {hint}",
        solver=solver,
    )


@pytest.mark.parametrize("gamma", [0, -1.0, float("nan"), float("inf"), True, None])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_gamma_of_a_wrong_value(gamma, kernel):
    refused(f"gamma must be ... got {gamma!r}", gamma=gamma, kernel=kernel)


def test_misspelt_gamma():
    refused(
        "gamma must be a positive finite number, 'scale' or 'median', got 'medain'", gamma="medain"
    )


@pytest.mark.parametrize("degree", [-1, 2.5, "three"])
def test_degree(degree):
    refused(f"degree must be ... got {degree!r}", kernel="poly", degree=degree)


@pytest.mark.parametrize("shape", [0, -1.0, float("nan")])
def test_shape(shape):
    refused(f"shape must be ... got {shape!r}", kernel="rational_quadratic", shape=shape)


@pytest.mark.parametrize("alpha", [-1, -1e-9, float("nan"), float("inf"), "1", None, True])
def test_alpha(alpha):
    refused(f"alpha must be a finite number of at least 0, got {alpha!r}", alpha=alpha)


@pytest.mark.parametrize("bound", [0, -1.0, float("nan"), float("inf"), "big"])
def test_norm_bound(bound):
    refused(
        f"norm_bound must be a finite number of at least 1e-140 ... got {bound!r}",
        norm_bound=bound,
    )


@pytest.mark.parametrize("smoothing", [0, -1.0, float("nan"), "much"])
def test_smoothing(smoothing):
    refused(
        f"smoothing must be a finite number greater than 0 or None, got {smoothing!r}",
        smoothing=smoothing,
    )


@pytest.mark.parametrize("momentum", [1, 1.5, -0.1, None])
def test_momentum(momentum):
    refused(
        f"momentum must be a finite number of at least 0 and less than 1, got {momentum!r}",
        momentum=momentum,
    )


@pytest.mark.parametrize("rate", ["fast", 0, -1.0, float("nan"), float("inf"), None, True])
def test_learning_rate(rate):
    refused(
        'learning_rate must be a positive number, a function of the iteration or "auto", '
        f"got {rate!r}",
        learning_rate=rate,
    )


@pytest.mark.parametrize("name", ["n_starts", "max_iter"])
@pytest.mark.parametrize("value", [0, -1, 2.0, "ten", True])
def test_counts(name, value):
    refused(f"{name} must be an integer of at least 1 ... got {value!r}", **{name: value})


@pytest.mark.parametrize("tol", [0, -1e-3, float("nan"), None])
def test_tol(tol):
    refused(f"tol must be a finite number greater than 0, got {tol!r}", tol=tol)


def test_acceleration_and_init():
    refused(
        "acceleration must be one of None, 'momentum', 'nesterov', got 'nestrov'."
        " Did you mean 'nesterov'?",
        acceleration="nestrov",
    )
    refused("init must be one of 'auto', 'zeros', 'random', got 'ones'", init="ones")


@pytest.mark.parametrize("limit", ["plenty", "4 apples", "", "-4GB", "1.2.3GB", 0, -5, None, [1]])
def test_memory_limit_that_means_nothing(limit):
    refused(
        f'memory_limit must be a number of bytes, a string such as "4GB" or "auto", got {limit!r}',
        memory_limit=limit,
    )


@pytest.mark.parametrize("limit", ["1MB", "1000KB", "1 mb", 10**6, 1e6])
def test_matrix_beyond_the_memory_limit(limit):
    X, y = smooth(2000)
    refused(
        f"2,000 rows takes 32 MB, more than memory_limit={limit!r} allows (1 MB)"
        ' ... raise memory_limit ... fewer rows ... approximation="nystroem"',
        X=X,
        y=y,
        error=MemoryLimitError,
        memory_limit=limit,
        approximation=None,
        solver="exact",
    )


def test_memory_limit_error_is_both_kinds_of_error():
    assert issubclass(MemoryLimitError, MemoryError)
    assert issubclass(MemoryLimitError, ValueError)


def test_remedies_for_the_memory_limit_work():
    X, y = smooth(2000)
    params = {"contamination": 0, "solver": "exact", "memory_limit": "1MB"}
    SubquantileRegressor(kernel="linear", **params).fit(X, y)
    SubquantileRegressor(**params).fit(X[:300], y[:300])


# --- data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_numbers(value):
    found = "NaN" if np.isnan(value) else "infinity"
    X_bad, y_bad, weights = X.copy(), Y.copy(), np.ones(30)
    X_bad[3, 1] = y_bad[4] = weights[5] = value
    refused(f"Input X contains {found}", X=X_bad)
    refused(f"Input X contains {found}", X=sp.csr_matrix(X_bad))
    refused(f"Input y contains {found}", y=y_bad)
    refused(f"Input y contains {found}", y=np.column_stack([Y, y_bad]))
    refused(f"Input sample_weight contains {found}", sample_weight=weights)
    model = SubquantileRegressor(contamination=0).fit(X, Y)
    with pytest.raises(ValueError, match=f"Input X contains {found}"):
        model.predict(X_bad)


def test_weights_that_cannot_be():
    weights = np.ones(30)
    weights[7] = -2.5
    refused(
        "sample_weight must not be negative, got a smallest weight of -2.5", sample_weight=weights
    )
    refused("sample_weight.shape == (29,), expected (30,)", sample_weight=np.ones(29))
    refused("Sample weights must be 1D", sample_weight=np.ones((30, 2)))


def test_weights_that_are_all_zero():
    with pytest.raises(ValueError, match=r"(?i)sample.weights? must .*at least one"):
        SubquantileRegressor().fit(X, Y, sample_weight=np.zeros(30))


def test_precomputed_kernel_that_is_not_square():
    refused(
        "X must be the square kernel matrix of the training rows when kernel='precomputed', "
        "got shape (30, 4)",
        kernel="precomputed",
    )


@pytest.mark.filterwarnings("ignore")
def test_precomputed_kernel_of_a_wrong_width_at_predict():
    model = SubquantileRegressor(contamination=0, kernel="precomputed").fit(X @ X.T, Y)
    with pytest.raises(ValueError, match=r"X has 29 features.*30"):
        model.predict(np.ones((5, 29)))


def test_sparse_precomputed_kernel():
    refused("Sparse", X=sp.csr_matrix(X @ X.T), kernel="precomputed", error=TypeError)


def test_lengths_that_differ():
    refused("inconsistent numbers of samples: [30, 29]", y=Y[:29])


def test_text():
    refused("could not convert string to float", X=np.array([["a", "b"]] * 30))
    refused("could not convert string to float", X=np.array([["a", 1.0]] * 30, dtype=object))
    refused("y must hold numbers, got 'high' in row 0", y=np.array(["high"] * 30, dtype=object))


def test_dimensions():
    refused("Expected 2D array, got 1D array instead", X=X[:, 0])
    refused("dim 3", X=X[:, :, None])
    refused("dim 3", y=np.ones((30, 2, 2)))
    refused("Expected 2D array, got scalar array", X=3.0)


def test_nothing_at_all():
    refused("0 sample(s) (shape=(0, 4))", X=X[:0], y=Y[:0])
    refused("0 feature(s) (shape=(30, 0))", X=X[:, :0])
    refused("requires y to be passed, but the target y is None", y=None)


def test_complex_numbers():
    refused("Complex data not supported", X=X + 1j)


# --- order of calls --------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["predict", "diagnostics", "leave_one_out_residuals", "score"])
def test_before_fit(method):
    arguments = {"predict": (X,), "score": (X, Y)}.get(method, ())
    with pytest.raises(NotFittedError, match="SubquantileRegressor instance is not fitted yet"):
        getattr(SubquantileRegressor(), method)(*arguments)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_other_number_of_columns_at_predict(kernel):
    model = SubquantileRegressor(contamination=0, kernel=kernel).fit(X, Y)
    for other in (X[:, :3], np.hstack([X, X]), sp.csr_matrix(X[:, :3])):
        with pytest.raises(ValueError, match=rf"X has {other.shape[1]} features.*expecting 4"):
            model.predict(other)
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.predict(X[0])


def test_refused_fit_leaves_the_estimator_as_it_was():
    model = SubquantileRegressor(contamination=0).fit(X, Y)
    expected = model.predict(X)
    for bad in ({"X": X[:, :2], "y": Y[:9]}, {"X": X, "y": Y, "sample_weight": -np.ones(30)}):
        with pytest.raises(ValueError, match=r"inconsistent|negative"):
            model.fit(**bad)
    model.set_params(alpha=-1)
    with pytest.raises(ValueError, match="alpha"):
        model.fit(X, Y)
    np.testing.assert_array_equal(model.set_params(alpha=1.0).predict(X), expected)


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "a"])
def test_n_jobs_is_a_count_or_all(n_jobs):
    refused("n_jobs must be an integer of at least 1 or None, got", n_jobs=n_jobs)


def test_fit_intercept_is_a_flag():
    refused("fit_intercept must be True or False, got 'no'", fit_intercept="no")


@pytest.mark.parametrize("bound", [1e-151, 1e-310, 1e300])
def test_norm_bounds_whose_squares_are_no_numbers(bound):
    test_norm_bound(bound)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("contamination", "contamination must be a number in [0, 0.5) ... got array"),
        ("n_jobs", "n_jobs must be an integer of at least 1 or None, got array"),
        ("verbose", "verbose must be an integer of at least 0 or None, got array"),
    ],
)
def test_arrays_in_the_place_of_scalars(name, message):
    refused(message, **{name: np.ones(2)})


@pytest.mark.parametrize("verbose", ["foo", float("nan"), -1])
def test_verbose(verbose):
    refused(f"verbose must be an integer of at least 0 or None, got {verbose!r}", verbose=verbose)


def test_steps_that_no_schedule_may_take():
    refused(
        "learning_rate must give a finite number of at least 0, got None in round 1.",
        solver="gradient",
        learning_rate=lambda t: None,
    )


def test_a_share_of_no_row_at_all():
    refused("too few rows to trim: contamination=1e-310", contamination=1e-310)
