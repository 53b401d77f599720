"""What cannot be right is refused, saying what was expected and what was found."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from baselines.cases import (
    CLASSIFIERS,
    EVERY,
    KERNEL_REGRESSORS,
    LINEAR,
    REGRESSORS,
    TRIMMERS,
    name,
    problem_of,
    quietly,
)
from estimators.cases import raw
from untaint.baselines import (
    HardThresholdRegressor,
    ReweightedRegressor,
    SeverClassifier,
    SeverRegressor,
    TiltedClassifier,
    TiltedRegressor,
)
from untaint.exceptions import MemoryLimitError

pytestmark = pytest.mark.filterwarnings("error")

each = pytest.mark.parametrize("model", EVERY, ids=name)
each_trimmer = pytest.mark.parametrize("model", TRIMMERS, ids=name)
NAN, INF = float("nan"), float("inf")


def refused(model, message, error=ValueError, *, sample_weight=None, data=None, **params):
    """Fit, and expect all parts of the message, in order, in one sentence."""
    X, y = data if data is not None else problem_of(model)[:2]
    pattern = ".*".join(re.escape(part) for part in message.split(" ... "))
    with pytest.raises(error, match=re.compile(pattern, re.DOTALL)):
        clone(model).set_params(**params).fit(X, y, sample_weight=sample_weight)


# --- parameters ------------------------------------------------------------------------------


@each_trimmer
@pytest.mark.parametrize(
    "contamination", [-0.1, 0.5, 1, "auto", "lots", NAN, INF, True, None, [0.1]]
)
def test_contamination(model, contamination):
    refused(
        model,
        f"contamination must be a number in [0, 0.5), got {contamination!r}.",
        contamination=contamination,
    )


@each_trimmer
@pytest.mark.parametrize("contamination", [np.float32(0.25), np.float64(0.25), 0, np.int64(0)])
def test_contamination_of_any_numeric_type_is_fine(model, contamination):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model).set_params(contamination=contamination), X, y)
    assert fit.contamination_ == pytest.approx(contamination)


@each_trimmer
def test_too_few_rows_to_trim(model):
    X, y, _ = problem_of(model)
    refused(
        model,
        "too few rows to trim: contamination=0.1 of n_samples = 5 is less than one row; "
        "give at least 10 rows, or contamination=0.",
        data=(X[:5], y[:5]),
    )
    weights = np.zeros(80)
    weights[:5] = 1.0
    refused(
        model, "too few rows to trim: contamination=0.1 of n_samples = 5", sample_weight=weights
    )


@pytest.mark.parametrize("model", [TiltedRegressor(), TiltedClassifier()], ids=name)
@pytest.mark.parametrize("tilt", [1.0, 1e-9, NAN, INF, -INF, "strong", None, True, [-1.0]])
def test_tilt(model, tilt):
    refused(model, f"tilt must be a finite number of at most 0, got {tilt!r}.", tilt=tilt)


@pytest.mark.parametrize("model", [SeverRegressor(), SeverClassifier()], ids=name)
@pytest.mark.parametrize("n_rounds", [0, -1, 2.5, 2.0, "two", True, None])
def test_n_rounds(model, n_rounds):
    refused(
        model, f"n_rounds must be an integer of at least 1, got {n_rounds!r}.", n_rounds=n_rounds
    )


@pytest.mark.parametrize(
    ("step", "hint"),
    [
        ("fast", ""),
        ("gradients", " Did you mean 'gradient'?"),
        ("correctiv", " Did you mean 'corrective'?"),
        ("Hybrid", " Did you mean 'hybrid'?"),
        (None, ""),
        (1, ""),
    ],
)
def test_step(step, hint):
    refused(
        HardThresholdRegressor(),
        f"step must be one of 'corrective', 'gradient', 'hybrid', got {step!r}.{hint}",
        step=step,
    )


@pytest.mark.parametrize("growth", [1.0, 0.5, -2, NAN, INF, "quick", None, True])
def test_growth(growth):
    refused(
        ReweightedRegressor(),
        f"growth must be a finite number greater than 1, got {growth!r}.",
        growth=growth,
    )


@each
@pytest.mark.parametrize("alpha", [-1, -1e-9, NAN, INF, "1", None, True])
def test_alpha(model, alpha):
    refused(model, f"alpha must be a finite number of at least 0, got {alpha!r}.", alpha=alpha)


@each
@pytest.mark.parametrize("tol", [0, -1e-3, NAN, None, "small"])
def test_tol(model, tol):
    refused(model, f"tol must be a finite number greater than 0, got {tol!r}.", tol=tol)


@pytest.mark.parametrize("model", [m for m in EVERY if "max_iter" in m.get_params()], ids=name)
@pytest.mark.parametrize("max_iter", [0, -1, 2.0, "ten", True, None])
def test_max_iter(model, max_iter):
    refused(
        model, f"max_iter must be an integer of at least 1, got {max_iter!r}.", max_iter=max_iter
    )


@each
def test_fit_intercept_is_a_flag(model):
    refused(model, "fit_intercept must be True or False, got 'no'.", fit_intercept="no")


@pytest.mark.parametrize("model", [*KERNEL_REGRESSORS, *CLASSIFIERS], ids=name)
def test_kernel_and_its_parameters(model):
    refused(
        model,
        "kernel must be one of 'linear' ... got 'rfb' ... Did you mean 'rbf'?",
        kernel="rfb",
    )
    refused(model, "kernel must be a name, a function or a Kernel, got 3", kernel=3)
    for gamma in (0, -1.0, NAN, "medain"):
        refused(model, f"gamma must be ... got {gamma!r}", gamma=gamma)
    refused(model, "degree must be ... got 2.5", kernel="poly", degree=2.5)
    refused(model, "shape must be ... got 0", kernel="rational_quadratic", shape=0)


@pytest.mark.parametrize("model", [*KERNEL_REGRESSORS, *CLASSIFIERS], ids=name)
def test_memory_limit(model):
    refused(
        model,
        'memory_limit must be a number of bytes, a string such as "4GB" or "auto", got \'plenty\'.',
        memory_limit="plenty",
    )
    refused(
        model,
        "the kernel matrix of 80 rows takes 51.2 kB, more than memory_limit='1KB' allows (1 kB)"
        ' ... kernel="linear"',
        error=MemoryLimitError,
        memory_limit="1KB",
    )
    X, y, _ = problem_of(model)
    clone(model).set_params(memory_limit="1KB", kernel="linear").fit(X, y)


# --- data ------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_numbers(model, value):
    found = "NaN" if np.isnan(value) else "infinity"
    X, y, _ = problem_of(model)
    X_bad, weights = X.copy(), np.ones(80)
    X_bad[3, 1] = weights[5] = value
    refused(model, f"Input X contains {found}", data=(X_bad, y))
    refused(model, f"Input X contains {found}", data=(sp.csr_matrix(X_bad), y))
    refused(model, f"Input sample_weight contains {found}", sample_weight=weights)
    if not is_classifier(model):
        y_bad = y.copy()
        y_bad[4] = value
        refused(model, f"Input y contains {found}", data=(X, y_bad))
    fit = quietly(clone(model), X, y)
    with pytest.raises(ValueError, match=f"Input X contains {found}"):
        fit.predict(X_bad)


@each
def test_wrong_kinds_and_shapes(model):
    X, y, _ = problem_of(model)
    refused(model, "could not convert string to float", data=(np.full((80, 2), "a"), y))
    refused(model, "Expected 2D array, got 1D array instead", data=(X[:, 0], y))
    refused(model, "dim 3", data=(X[:, :, None], y))
    refused(model, "Expected 2D array, got scalar array", data=(3.0, y))
    refused(model, "Complex data not supported", data=(X + 1j, y))
    refused(model, "inconsistent numbers of samples: [80, 79]", data=(X, y[:79]))
    refused(model, "0 sample(s) (shape=(0, 3))", data=(X[:0], y[:0]))
    refused(model, "0 feature(s) (shape=(80, 0))", data=(X[:, :0], y))
    refused(model, "requires y to be passed, but the target y is None", data=(X, None))


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
def test_targets_of_text(model):
    X, _, _ = problem_of(model)
    targets = np.array(["high"] * 80, dtype=object)
    refused(model, "y must hold numbers, got 'high' in row 0", data=(X, targets))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name)
def test_labels_that_cannot_be(model):
    X, y, _ = problem_of(model)
    refused(
        model,
        "y must hold at least two classes, got only one class: 1 in all rows.",
        data=(X, np.ones(80, dtype=int)),
    )
    refused(model, "Unknown label type: continuous", data=(X, X[:, 0]))
    labels = y.astype(object)
    labels[7] = None
    refused(
        model,
        "y must hold a label for every row, got 1 missing, the first in row 7",
        data=(
            X,
            labels,
        ),
    )
    refused(
        model,
        "sample_weight must be positive for at least one row of each class, got only zeros for "
        "class 1.",
        sample_weight=(y == 0).astype(float),
    )


@each
def test_weights_that_cannot_be(model):
    weights = np.ones(80)
    weights[7] = -2.5
    refused(
        model,
        "sample_weight must not be negative, got a smallest weight of -2.5.",
        sample_weight=weights,
    )
    refused(model, "sample_weight.shape == (79,), expected (80,)", sample_weight=np.ones(79))
    refused(
        model,
        "sample_weight must be positive for at least one row",
        sample_weight=np.zeros(80),
    )


@pytest.mark.parametrize("model", [*KERNEL_REGRESSORS, *CLASSIFIERS], ids=name)
def test_precomputed_kernel_that_is_not_square(model):
    refused(
        model,
        "X must be the square kernel matrix of the training rows when kernel='precomputed', "
        "got shape (80, 3)",
        kernel="precomputed",
    )


# --- order of calls --------------------------------------------------------------------------


@each
def test_before_fit(model):
    X, y, _ = problem_of(model)
    model = clone(model)
    with pytest.raises(NotFittedError, match="instance is not fitted yet"):
        model.predict(X)
    with pytest.raises(NotFittedError, match="instance is not fitted yet"):
        model.score(X, y)


@each
def test_other_number_of_columns_at_predict(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    for other in (X[:, :2], np.hstack([X, X])):
        with pytest.raises(ValueError, match=rf"X has {other.shape[1]} features.*expecting 3"):
            fit.predict(other)


@each
def test_refused_fit_leaves_the_estimator_as_it_was(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    expected, before = raw(fit, X), set(vars(fit))
    with pytest.raises(ValueError, match="inconsistent"):
        fit.fit(X[:, :2], y[:9])
    with pytest.raises(ValueError, match="negative"):
        fit.fit(X[:, :2], y, sample_weight=-np.ones(80))
    with pytest.raises(ValueError, match="alpha"):
        fit.set_params(alpha=-1).fit(X, y)
    np.testing.assert_array_equal(raw(fit, X), expected)
    assert set(vars(fit)) == before


def test_every_linear_model_is_among_the_regressors():
    assert all(model in REGRESSORS for model in LINEAR)
