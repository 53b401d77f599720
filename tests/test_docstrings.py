"""The reference describes what is there: each parameter and each fitted attribute, one an entry."""

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

API = Path(__file__).resolve().parents[1] / "docs" / "api"
ENDINGS = "(Regressor|Classifier|CV|Ridge|LogisticRegression|Scaler|Features)$"
SECTIONS = ("Parameters", "Other Parameters", "Attributes")
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 2)), columns=["a", "b"])
Y = X.to_numpy() @ [1.0, -2.0] + 0.1 * RNG.normal(size=40)
BOUNDED = {"norm_bound": 5.0, "horizon": 40, "target_bound": 9.0}

# Settings that together have every fitted attribute.
KERNELS = [{"kernel": "linear"}, {"approximation": "rff", "n_components": 8}]
SETTINGS = {
    "SubquantileRegressor": KERNELS,
    "SubquantileClassifier": KERNELS,
    "SubquantileRegressorCV": KERNELS,
    "SubquantileClassifierCV": KERNELS,
    "RobustRegressor": [{"estimator": LinearRegression()}],
    "RobustClassifier": [{"estimator": LogisticRegression()}],
    "SeverRegressor": KERNELS[:1],
    "SeverClassifier": KERNELS[:1],
    "TiltedRegressor": KERNELS[:1],
    "TiltedClassifier": KERNELS[:1],
    "CorrectedRidge": [{"noise_cov": 0.01}],
    "NoisyLinearRegressor": [{"noise_cov": 0.01, "learning_rate": "theory", **BOUNDED}],
    "NoisyKernelRegressor": [
        {"noise_cov": 0.01},
        {"noise_cov": 0.01, "learning_rate": "theory", **BOUNDED},
    ],
    "NoisyLogisticRegression": [{"noise_cov": 0.01}],
    "NoiseAwareScaler": [{"noise_cov": 0.01}],
}


def sections(docstring):
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(docstring or ""), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(docstring, *names):
    """The names that sections of a docstring describe."""
    text = "\n".join(sections(docstring).get(name, "") for name in names)
    return [line.partition(" : ")[0] for line in text.split("\n") if re.match(r"\S", line)]


def public_names():
    """Every object that a page of the reference lists."""
    for page in sorted(API.glob("*.rst")):
        module = None
        for line in page.read_text("utf-8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            elif module and (found := re.fullmatch(r"   (\w+)", line)):
                yield module, found[1]


PUBLIC = list(public_names())
ESTIMATORS = [pair for pair in PUBLIC if re.search(ENDINGS, pair[1])]
on_each_estimator = pytest.mark.parametrize(("module", "name"), ESTIMATORS)
on_each_name = pytest.mark.parametrize(("module", "name"), PUBLIC)


def imported(module, name):
    """A public object; the test is skipped if the object needs a package that is absent."""
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as missing:
        pytest.skip(str(missing))


def fitted(estimator):
    """An estimator that is fitted to rows with names, and to two copies of them if it is online."""
    labelled = "Classifier" in type(estimator).__name__ or "Logistic" in type(estimator).__name__
    y = (Y > 0).astype(int) if labelled else Y
    rows = X
    if type(estimator).__module__.startswith("untaint.distributed"):
        import dask.array as da
        import dask.dataframe as dd

        rows = dd.from_pandas(X, npartitions=2)
        y = da.from_array(y, chunks=20)
    if getattr(estimator, "learning_rate", None) == "theory":
        return estimator.fit(X, y, X_copy=X + 0.01)
    return estimator.fit(rows, y)


def names_of(estimator):
    names = {*vars(estimator), *(name for name in dir(type(estimator)) if name.endswith("_"))}
    public = {name for name in names if re.fullmatch(r"[A-Za-z]\w*_", name)}
    return {name for name in public if hasattr(estimator, name)}


@pytest.mark.filterwarnings("ignore")
@on_each_estimator
def test_fitted_attributes_are_described(module, name):
    member = imported(module, name)
    described = entries(member.__doc__, "Attributes")
    settings = SETTINGS.get(member.__name__, [{}])
    there = set().union(*(names_of(fitted(member(**setting))) for setting in settings))
    assert sorted(described) == sorted(there)


@on_each_estimator
def test_parameters_are_described(module, name):
    member = imported(module, name)
    described = next(
        names
        for base in member.__mro__
        if (names := entries(base.__doc__, "Parameters", "Other Parameters"))
    )
    assert sorted(described) == sorted(inspect.signature(member).parameters)


@on_each_name
def test_an_entry_describes_one_thing(module, name):
    member = imported(module, name)
    methods = [m for _, m in inspect.getmembers(member, inspect.isfunction)]
    for one in (member, *methods):
        for entry in entries(one.__doc__, *SECTIONS):
            assert re.fullmatch(r"\*{0,2}\w+", entry), f"{one.__qualname__}: {entry}"


@on_each_name
def test_examples_fit_the_page(module, name):
    text = inspect.cleandoc(imported(module, name).__doc__)
    lines = [line for line in text.splitlines() if re.match(r"\s*(>>>|\.\.\.) ", line)]
    assert all(len(line) <= 79 for line in lines), [line for line in lines if len(line) > 79]
