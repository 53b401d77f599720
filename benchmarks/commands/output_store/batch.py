"""Configurations of the four batch estimators and of the baselines, in memory."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

import untaint
from benchmarks.commands.output_store.case import Case, Outputs, Rule
from benchmarks.commands.output_store.fitted import noted_warnings, outputs_of
from benchmarks.commands.output_store.tables import Drawn, Rows, draw
from untaint import baselines

COMMON = {"random_state": 0, "n_jobs": 1, "memory_limit": "2GB"}
# The kernel matrix is diagnosed in full, with hundreds of steps: few rows only.
DIAGNOSED_ROWS = 400

Spec = tuple[str, Rows, dict[str, Any]]


def fit_outputs(model: Any, drawn: Drawn, diagnose: bool = False) -> Outputs:
    """Fit and say all there is to say."""
    found: Outputs = {}
    with noted_warnings(found):
        model.fit(drawn.X, drawn.y, sample_weight=drawn.weights)
        found |= outputs_of(model, drawn.X_new, diagnose=diagnose)
    return found


def run_estimator(kind: type, rows: Rows, params: dict[str, Any]) -> Outputs:
    """Draw rows and fit an estimator of untaint to them."""
    drawn = draw(rows)
    if params.get("kernel") == "precomputed":
        K, K_new = (rbf_kernel(X, drawn.X, gamma=0.1) for X in (drawn.X, drawn.X_new))
        drawn = Drawn(K, drawn.y, drawn.weights, K_new)
    exact = params.get("approximation") is None and params.get("kernel") != "linear"
    diagnose = rows.n <= DIAGNOSED_ROWS and exact
    return fit_outputs(kind(**COMMON | params), drawn, diagnose)


def run_baseline(kind: type, rows: Rows, params: dict[str, Any]) -> Outputs:
    """Draw rows and fit a baseline to them."""
    return fit_outputs(kind(**params), draw(rows))


def run_checkpoint(rows: Rows, params: dict[str, Any]) -> Outputs:
    """Return a fit with a checkpoint, whose file must be gone when the fit is done."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fit.npz"
        found = run_estimator(untaint.SubquantileRegressor, rows, params | {"checkpoint": path})
        found["file left"] = np.array(path.exists())
    return found


def slow_rate(iteration: int) -> float:
    """Return a learning rate that falls with the iterations."""
    return float(0.01 / np.sqrt(iteration + 1))


NYSTROEM = {"approximation": "nystroem", "n_components": 80, "alpha": 0.1}
FOURIER = {"approximation": "rff", "n_components": 120, "alpha": 0.1}
MANY = {"approximation": "nystroem", "n_components": 30, "alpha": 0.1}

REGRESSORS: list[Spec] = [
    ("30 rows", Rows(30), {"contamination": 0.1}),
    ("30 rows auto", Rows(30), {}),
    ("120 rows clean 0", Rows(120, epsilon=0.0), {"contamination": 0}),
    ("120 rows clean auto", Rows(120, epsilon=0.0), {}),
    ("120 rows 0.3", Rows(120, epsilon=0.3), {"contamination": 0.3, "alpha": 0.1}),
    ("400 rows 0.1", Rows(400, epsilon=0.1), {"contamination": 0.1}),
    ("400 rows auto", Rows(400), {"alpha": 0.1}),
    ("400 rows wild 0.1", Rows(400, epsilon=0.1, kind="label+feature"), {"contamination": 0.1}),
    ("400 rows wild auto", Rows(400, epsilon=0.1, kind="label+feature"), {}),
    ("400 rows cluster", Rows(400, kind="cluster"), {"contamination": 0.3}),
    ("400 rows leverage", Rows(400, epsilon=0.1, kind="leverage"), {}),
    ("1500 rows 0.3", Rows(1500, epsilon=0.3), {"contamination": 0.3}),
    ("1500 rows auto", Rows(1500), {}),
    ("3500 rows 0.1", Rows(3500, epsilon=0.1), {"contamination": 0.1, "approximation": None}),
    ("3500 rows auto", Rows(3500, epsilon=0.1), {"approximation": None}),
    ("integer weights", Rows(300, weights="integers"), {"contamination": 0.3}),
    ("integer weights auto", Rows(300, weights="integers"), {}),
    ("float weights", Rows(300, weights="floats"), {"contamination": 0.1}),
    ("float weights auto", Rows(300, weights="floats"), {}),
    ("zero weights", Rows(300, weights="zeros"), {"contamination": 0.3}),
    ("zero weights auto", Rows(300, weights="zeros"), {}),
    ("sparse", Rows(300, d=12, form="sparse"), {"contamination": 0.3}),
    ("sparse linear auto", Rows(500, d=12, form="sparse"), {"kernel": "linear"}),
    ("float32", Rows(300, form="float32"), {"contamination": 0.1}),
    ("three outputs", Rows(300, n_outputs=3), {"contamination": 0.1}),
    ("three outputs auto", Rows(300, n_outputs=3), {}),
    ("linear", Rows(300), {"kernel": "linear", "contamination": 0.3}),
    ("poly", Rows(300), {"kernel": "poly", "degree": 2, "contamination": 0.3}),
    ("laplacian", Rows(300), {"kernel": "laplacian", "contamination": 0.3}),
    ("exponential auto", Rows(300), {"kernel": "exponential"}),
    ("rational quadratic", Rows(300), {"kernel": "rational_quadratic", "contamination": 0.3}),
    ("precomputed", Rows(300), {"kernel": "precomputed", "contamination": 0.3}),
    ("callable", Rows(300), {"kernel": partial(rbf_kernel, gamma=0.1), "contamination": 0.3}),
    ("gamma scale", Rows(300), {"gamma": "scale", "contamination": 0.1}),
    ("exact solver", Rows(300), {"solver": "exact", "contamination": 0.3}),
    ("iterative solver", Rows(1000), {"solver": "iterative", "contamination": 0.1}),
    ("iterative solver auto", Rows(1000), {"solver": "iterative"}),
    ("newton solver", Rows(300), {"solver": "newton", "contamination": 0.1}),
    ("gradient", Rows(200), {"solver": "gradient", "contamination": 0.3}),
    (
        "gradient momentum",
        Rows(200),
        {"solver": "gradient", "acceleration": "momentum", "contamination": 0.1},
    ),
    (
        "gradient nesterov ball",
        Rows(200),
        {
            "solver": "gradient",
            "acceleration": "nesterov",
            "contamination": 0.3,
            "norm_bound": 2.0,
        },
    ),
    (
        "gradient rate random",
        Rows(200),
        {
            "solver": "gradient",
            "learning_rate": slow_rate,
            "init": "random",
            "contamination": 0.1,
            "max_iter": 200,
        },
    ),
    ("smoothing", Rows(300), {"smoothing": 2.0, "contamination": 0.3}),
    ("smoothing auto", Rows(300), {"smoothing": 2.0}),
    ("norm bound", Rows(300), {"norm_bound": 1.5, "contamination": 0.3}),
    ("no intercept", Rows(300), {"fit_intercept": False, "contamination": 0.3}),
    ("no intercept auto", Rows(300), {"fit_intercept": False}),
    ("start zeros", Rows(300), {"init": "zeros", "contamination": 0.3}),
    ("start random", Rows(300), {"init": "random", "contamination": 0.3, "n_starts": 9}),
]

FEATURE_REGRESSORS: list[Spec] = [
    ("nystroem 5000", Rows(5000), NYSTROEM | {"contamination": 0.3}),
    ("nystroem 5000 auto", Rows(5000), NYSTROEM),
    ("nystroem 5000 clean 0", Rows(5000, epsilon=0.0), NYSTROEM | {"contamination": 0}),
    (
        "nystroem 5000 wild auto",
        Rows(5000, epsilon=0.1, kind="label+feature"),
        NYSTROEM,
    ),
    ("nystroem landmarks auto", Rows(3000), {"approximation": "nystroem", "contamination": 0.1}),
    ("nystroem weights", Rows(3000, weights="integers"), NYSTROEM | {"contamination": 0.3}),
    ("nystroem zero weights auto", Rows(3000, weights="zeros"), NYSTROEM),
    ("nystroem outputs auto", Rows(3000, n_outputs=2), NYSTROEM),
    ("nystroem sparse", Rows(3000, d=12, form="sparse"), NYSTROEM | {"contamination": 0.1}),
    ("nystroem float32 auto", Rows(3000, form="float32"), NYSTROEM),
    (
        "nystroem laplacian",
        Rows(3000),
        NYSTROEM | {"kernel": "laplacian", "contamination": 0.1},
    ),
    ("nystroem smoothing", Rows(3000), NYSTROEM | {"smoothing": 2.0, "contamination": 0.3}),
    ("nystroem ball", Rows(3000), NYSTROEM | {"norm_bound": 2.0, "contamination": 0.1}),
    ("rff 5000", Rows(5000), FOURIER | {"contamination": 0.1}),
    ("rff 5000 auto", Rows(5000), FOURIER | {"fit_intercept": False}),
    (
        "rff rational quadratic",
        Rows(3000),
        FOURIER | {"kernel": "rational_quadratic", "contamination": 0.3},
    ),
    ("nystroem 60000", Rows(60_000), MANY | {"contamination": 0.1}),
    ("nystroem 60000 auto", Rows(60_000), MANY),
    (
        "nystroem 60000 wild auto",
        Rows(60_000, epsilon=0.1, kind="label+feature"),
        MANY,
    ),
    ("nystroem 60000 weights auto", Rows(60_000, weights="floats"), MANY),
    ("nystroem little memory", Rows(20_000), MANY | {"memory_limit": "60MB"}),
    ("linear 100000", Rows(100_000, d=8), {"kernel": "linear", "contamination": 0.3}),
    ("linear 100000 auto", Rows(100_000, d=8), {"kernel": "linear"}),
]

CLASSIFIERS: list[Spec] = [
    ("2 classes 30 rows", Rows(30, n_classes=2), {"contamination": 0.1}),
    ("2 classes 120 rows auto", Rows(120, n_classes=2), {}),
    ("2 classes clean 0", Rows(120, n_classes=2, epsilon=0.0), {"contamination": 0}),
    ("2 classes 400 rows 0.3", Rows(400, n_classes=2, epsilon=0.3), {"contamination": 0.3}),
    ("2 classes 1500 rows auto", Rows(1500, n_classes=2), {}),
    ("3 classes 400 rows 0.1", Rows(400, n_classes=3, epsilon=0.1), {"contamination": 0.1}),
    ("3 classes 400 rows auto", Rows(400, n_classes=3), {}),
    ("5 classes 400 rows 0.1", Rows(400, n_classes=5, epsilon=0.1), {"contamination": 0.1}),
    ("5 classes 400 rows auto", Rows(400, n_classes=5), {}),
    (
        "2 classes wild",
        Rows(400, n_classes=2, epsilon=0.1, kind="flip+feature"),
        {"contamination": 0.1},
    ),
    ("3 classes wild auto", Rows(400, n_classes=3, epsilon=0.1, kind="flip+feature"), {}),
    (
        "2 classes integer weights",
        Rows(250, n_classes=2, weights="integers"),
        {"contamination": 0.3},
    ),
    ("3 classes float weights auto", Rows(250, n_classes=3, weights="floats"), {}),
    ("2 classes zero weights", Rows(250, n_classes=2, weights="zeros"), {"contamination": 0.1}),
    ("2 classes sparse", Rows(250, d=12, n_classes=2, form="sparse"), {"contamination": 0.1}),
    ("2 classes float32 auto", Rows(250, n_classes=2, form="float32"), {}),
    ("2 classes linear", Rows(400, n_classes=2), {"kernel": "linear", "contamination": 0.3}),
    ("3 classes poly", Rows(250, n_classes=3), {"kernel": "poly", "contamination": 0.1}),
    ("2 classes precomputed", Rows(250, n_classes=2), {"kernel": "precomputed"}),
    (
        "2 classes exponential newton",
        Rows(250, n_classes=2),
        {"kernel": "exponential", "solver": "newton", "contamination": 0.1},
    ),
    (
        "3 classes gradient nesterov",
        Rows(150, n_classes=3),
        {"solver": "gradient", "acceleration": "nesterov", "contamination": 0.1, "max_iter": 300},
    ),
    (
        "2 classes gradient momentum ball",
        Rows(150, n_classes=2),
        {
            "solver": "gradient",
            "acceleration": "momentum",
            "norm_bound": 3.0,
            "contamination": 0.1,
            "max_iter": 300,
        },
    ),
    ("2 classes hard", Rows(250, n_classes=2), {"smoothing": None, "contamination": 0.3}),
    ("2 classes smoothing", Rows(250, n_classes=2), {"smoothing": 3.0, "contamination": 0.1}),
    ("2 classes norm bound", Rows(250, n_classes=2), {"norm_bound": 3.0, "contamination": 0.1}),
    ("2 classes no intercept", Rows(250, n_classes=2), {"fit_intercept": False}),
    (
        "3 classes balanced",
        Rows(250, n_classes=3),
        {"class_weight": "balanced", "contamination": 0.1},
    ),
]

FEATURE_CLASSIFIERS: list[Spec] = [
    ("2 classes nystroem", Rows(5000, n_classes=2), NYSTROEM | {"contamination": 0.1}),
    ("2 classes nystroem auto", Rows(5000, n_classes=2), NYSTROEM),
    ("5 classes nystroem", Rows(3000, n_classes=5), NYSTROEM | {"contamination": 0.1}),
    ("3 classes rff auto", Rows(3000, n_classes=3), FOURIER),
    ("2 classes nystroem 60000", Rows(60_000, n_classes=2), MANY | {"contamination": 0.1}),
    ("3 classes linear 30000 auto", Rows(30_000, n_classes=3), {"kernel": "linear"}),
]

REGRESSORS_CV: list[Spec] = [
    ("120 rows", Rows(120), {}),
    ("400 rows 0.3", Rows(400, epsilon=0.3), {"contamination": 0.3}),
    ("400 rows clean 0", Rows(400, epsilon=0.0), {"contamination": 0}),
    ("400 rows wild", Rows(400, epsilon=0.1, kind="label+feature"), {}),
    ("1500 rows", Rows(1500), {}),
    ("weights", Rows(250, weights="integers"), {}),
    ("two outputs", Rows(250, n_outputs=2), {}),
    ("linear", Rows(400), {"kernel": "linear"}),
    (
        "laplacian grid",
        Rows(250),
        {"kernel": "laplacian", "alphas": [0.1, 1], "gammas": [0.05, 0.2]},
    ),
]

CLASSIFIERS_CV: list[Spec] = [
    ("2 classes 120 rows", Rows(120, n_classes=2), {}),
    ("2 classes 400 rows 0.1", Rows(400, n_classes=2, epsilon=0.1), {"contamination": 0.1}),
    ("3 classes weights", Rows(200, n_classes=3, weights="integers"), {}),
    (
        "5 classes grid",
        Rows(250, n_classes=5),
        {"alphas": [0.1, 1.0], "gammas": [0.05, 0.2]},
    ),
]

FEATURE_CV: list[Spec] = [
    ("nystroem 4000", Rows(4000), {"approximation": "nystroem", "n_components": 60}),
]

BASELINES: list[tuple[type, Rows, dict[str, Any]]] = [
    (baselines.SeverRegressor, Rows(200), {"contamination": 0.2}),
    (baselines.SeverClassifier, Rows(200, n_classes=3), {"contamination": 0.2}),
    (baselines.TiltedRegressor, Rows(200), {"tilt": -1.0}),
    (baselines.TiltedClassifier, Rows(200, n_classes=2), {"tilt": -1.0}),
    (baselines.ConsistentRegressor, Rows(200), {"contamination": 0.2}),
    (baselines.ReweightedRegressor, Rows(200, weights="integers"), {}),
    (baselines.HardThresholdRegressor, Rows(200), {"contamination": 0.2}),
]


def estimator_cases() -> list[Case]:
    """Every estimator in memory; features are summed in a fixed order and so keep their bits."""
    tables: list[tuple[str, type, list[Spec], Rule]] = [
        ("regressor", untaint.SubquantileRegressor, REGRESSORS, "1e-9"),
        ("regressor", untaint.SubquantileRegressor, FEATURE_REGRESSORS, "bits"),
        ("classifier", untaint.SubquantileClassifier, CLASSIFIERS, "1e-9"),
        ("classifier", untaint.SubquantileClassifier, FEATURE_CLASSIFIERS, "bits"),
        ("regressor cv", untaint.SubquantileRegressorCV, REGRESSORS_CV, "1e-9"),
        ("regressor cv", untaint.SubquantileRegressorCV, FEATURE_CV, "bits"),
        ("classifier cv", untaint.SubquantileClassifierCV, CLASSIFIERS_CV, "1e-9"),
    ]
    cases = [
        Case(f"{prefix}: {name}", rule, partial(run_estimator, kind, rows, params))
        for prefix, kind, specs, rule in tables
        for name, rows, params in specs
    ]
    checkpoint = partial(run_checkpoint, Rows(5000), NYSTROEM | {"contamination": 0.1})
    return [*cases, Case("regressor: nystroem checkpoint", "bits", checkpoint)]


def baseline_cases() -> list[Case]:
    """Return every baseline."""
    return [
        Case(f"baseline: {kind.__name__}", "1e-9", partial(run_baseline, kind, rows, params))
        for kind, rows, params in BASELINES
    ]
