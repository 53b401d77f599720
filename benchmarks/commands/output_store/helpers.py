"""Configurations of what stands around the estimators: scaling, scoring, corruption, streams."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_score

import untaint
from benchmarks.commands.output_store.case import Case, Outputs
from benchmarks.commands.output_store.tables import Rows, draw
from untaint.datasets import contaminate, make_noisy_views, make_smooth
from untaint.model_selection import trimmed_scorer
from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor
from untaint.preprocessing import MedianScaler

NUMBER_KINDS = ("label", "label+feature", "cluster", "shift", "leverage", "adversarial")
LABEL_KINDS = ("flip", "flip+feature")


def run_scaler(rows: Rows, params: dict[str, Any]) -> Outputs:
    """Return scaled rows, dense, and what they come back as."""
    drawn = draw(rows)
    scaler = MedianScaler(**params).fit(drawn.X, sample_weight=drawn.weights)
    scaled = scaler.transform(drawn.X_new)
    back = scaler.inverse_transform(scaled)
    return {"scaled": _dense(scaled), "back": _dense(back)}


def run_scorer(metric: str, contamination: float | str, rows: Rows) -> Outputs:
    """Return scores of cross-validation on corrupted rows."""
    drawn = draw(rows)
    kind = untaint.SubquantileClassifier if rows.n_classes else untaint.SubquantileRegressor
    model = kind(contamination=0.2, random_state=0, n_jobs=1)
    scorer = trimmed_scorer(metric, contamination)
    return {"scores": cross_val_score(model, drawn.X, drawn.y, scoring=scorer, cv=3)}


def run_corruption() -> Outputs:
    """Return rows of every kind of corruption."""
    found: Outputs = {}
    X, y = make_smooth(80, n_features=3, random_state=0)
    for kind in (*NUMBER_KINDS, *LABEL_KINDS):
        target = y if kind in NUMBER_KINDS else (y > 0).astype(int)
        bad = contaminate(X, target, epsilon=0.2, kind=kind, random_state=0)
        for name, values in zip(("X", "y", "mask"), bad, strict=True):
            found[f"{kind} {name}"] = values
    return found


def run_stream(model: Any, two_copies: bool) -> Outputs:
    """Return a learner of noisy rows, in batches; predictions after each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=400)
    noisy, copy = (X + 0.3 * rng.normal(size=X.shape) for _ in range(2))
    found: Outputs = {}
    for start in range(0, 400, 100):
        rows = slice(start, start + 100)
        more = {"X_copy": copy[rows]} if two_copies else {}
        model.partial_fit(noisy[rows], y[rows], **more)
        found[f"predict {start}"] = model.predict(X[:20])
    return found


def run_noisy_views() -> Outputs:
    """Return two noisy copies of rows."""
    X, _ = make_smooth(50, n_features=3, random_state=0)
    views = make_noisy_views(X, noise_cov=0.1, random_state=0)
    return {f"view {k}": view for k, view in enumerate(views)}


def _dense(X: Any) -> Any:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def scaler_cases() -> list[Case]:
    """Return dense, weighted, outlying and sparse rows."""
    specs: list[tuple[str, Rows, dict[str, Any]]] = [
        ("dense", Rows(300), {}),
        ("wild weights", Rows(300, kind="label+feature", weights="floats"), {}),
        ("sparse", Rows(300, form="sparse"), {"with_centering": False}),
    ]
    return [
        Case(f"scaler: {name}", "1e-9", partial(run_scaler, rows, params))
        for name, rows, params in specs
    ]


def scorer_cases() -> list[Case]:
    """Return metrics of numbers and of labels, the share given and estimated."""
    specs: list[tuple[str, float | str, Rows]] = [
        ("squared_error", 0.2, Rows(200)),
        ("absolute_error", "auto", Rows(200)),
        ("r2", 0.2, Rows(200)),
        ("log_loss", 0.2, Rows(200, n_classes=3)),
        ("balanced_accuracy", 0.2, Rows(200, n_classes=2)),
    ]
    return [
        Case(f"scorer: {metric} {share}", "1e-9", partial(run_scorer, metric, share, rows))
        for metric, share, rows in specs
    ]


def stream_cases() -> list[Case]:
    """Return the learners of noisy streams."""
    cov = 0.09 * np.eye(3)
    models: list[tuple[str, Any, bool]] = [
        ("linear", NoisyLinearRegressor(noise_cov=cov), False),
        ("linear copies", NoisyLinearRegressor(norm_bound=4.0), True),
        ("kernel", NoisyKernelRegressor(noise_cov=cov, gamma=0.1), True),
        ("ridge", CorrectedRidge(noise_cov=cov), False),
    ]
    return [
        Case(f"stream: {name}", "1e-9", partial(run_stream, model, copies))
        for name, model, copies in models
    ]


def helper_cases() -> list[Case]:
    """Return all configurations of helpers: data sets, scalers, scorers and online learners."""
    drawn = [
        Case("datasets: corruption", "1e-9", run_corruption),
        Case("datasets: noisy views", "1e-9", run_noisy_views),
    ]
    return [*scaler_cases(), *scorer_cases(), *stream_cases(), *drawn]
