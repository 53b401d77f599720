"""Configurations of the distributed estimators, on a cluster of threads in this process."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from benchmarks.commands.output_store.case import Case, Outputs
from benchmarks.commands.output_store.fitted import attributes, noted_warnings, predictions
from benchmarks.commands.output_store.tables import Rows, draw

LANDMARKS = {"approximation": "nystroem", "n_components": 30, "alpha": 0.1, "random_state": 0}
LINEAR = {"kernel": "linear", "random_state": 0}

Spec = tuple[str, str, Rows, dict[str, Any], int]

MODELS: list[Spec] = [
    ("1 chunk", "SubquantileRegressor", Rows(30_000), LANDMARKS, 1),
    ("3 chunks", "SubquantileRegressor", Rows(30_000), LANDMARKS | {"contamination": 0.1}, 3),
    ("11 chunks", "SubquantileRegressor", Rows(30_000), LANDMARKS | {"contamination": 0.1}, 11),
    ("7 chunks auto", "SubquantileRegressor", Rows(30_000), LANDMARKS, 7),
    ("weights", "SubquantileRegressor", Rows(30_000, weights="integers"), LANDMARKS, 4),
    ("two outputs", "SubquantileRegressor", Rows(30_000, n_outputs=2), LANDMARKS, 4),
    ("linear", "SubquantileRegressor", Rows(50_000), LINEAR, 5),
    ("linear 0.3", "SubquantileRegressor", Rows(50_000), LINEAR | {"contamination": 0.3}, 9),
    ("few rows", "SubquantileRegressor", Rows(400), {"random_state": 0}, 4),
    (
        "2 classes",
        "SubquantileClassifier",
        Rows(30_000, n_classes=2),
        LANDMARKS | {"contamination": 0.1},
        4,
    ),
    ("2 classes auto", "SubquantileClassifier", Rows(30_000, n_classes=2), LANDMARKS, 7),
    (
        "3 classes linear",
        "SubquantileClassifier",
        Rows(30_000, n_classes=3),
        LINEAR | {"contamination": 0.1},
        5,
    ),
]


@contextmanager
def cluster() -> Iterator[None]:
    """A client of two threads in this process; it is quiet."""
    from dask import distributed

    start: Any = distributed.Client  # without types of its own
    with start(
        processes=False,
        n_workers=1,
        threads_per_worker=2,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ):
        yield


def chunked(values: Any, n_chunks: int) -> Any:
    """Return rows in chunks of about equal size."""
    import dask.array as da

    split: Any = da.from_array  # without types of its own
    size = -(-len(values) // n_chunks)
    return split(values, chunks=(size, *values.shape[1:]))


def run_model(kind: str, rows: Rows, params: dict[str, Any], n_chunks: int) -> Outputs:
    """Fit on chunks; predictions and masks are computed before the cluster closes."""
    from untaint import distributed

    drawn, found = draw(rows), Outputs()
    weights = None if drawn.weights is None else chunked(drawn.weights, n_chunks)
    model = getattr(distributed, kind)(memory_limit="2GB", n_jobs=1, **params)
    with cluster(), noted_warnings(found):
        model.fit(chunked(drawn.X, n_chunks), chunked(drawn.y, n_chunks), sample_weight=weights)
        found |= predictions(model, chunked(drawn.X_new, 2)) | attributes(model)
    return found


def run_features(n_chunks: int, params: dict[str, Any]) -> Outputs:
    """Return Nystroem features of rows in chunks."""
    from untaint.distributed import NystroemFeatures

    drawn = draw(Rows(3000))
    with cluster():
        features = NystroemFeatures(**params)
        values = features.fit_transform(chunked(drawn.X, n_chunks)).compute()
    return {
        "features": values,
        "components_": np.asarray(features.components_),
        "normalization_": np.asarray(features.normalization_),
        "held out": features.transform(drawn.X_new),
    }


def dask_cases() -> list[Case]:
    """Return models and features on chunks, all of which keep their bits."""
    models = [
        Case(f"dask: {name}", "bits", partial(run_model, kind, rows, params, n_chunks))
        for name, kind, rows, params, n_chunks in MODELS
    ]
    features = [
        Case(f"dask features: {n} chunks", "bits", partial(run_features, n, {"n_components": 40}))
        for n in (1, 6)
    ]
    laplacian = partial(run_features, 4, {"n_components": 40, "kernel": "laplacian"})
    return [*models, *features, Case("dask features: laplacian", "bits", laplacian)]
