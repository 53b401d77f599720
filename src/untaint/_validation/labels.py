"""Class labels, their weights and their counts."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from .._typing import AnyArray, FloatArray, IntArray
from .arrays import to_numpy
from .parameters import check_real
from .training import check_rows_and_weights


def check_labelled_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, pairwise: bool
) -> tuple[Any, AnyArray, IntArray, FloatArray]:
    """Return X as :func:`check_training_data` does, the classes, class codes, and weights."""
    y = to_numpy(y)
    check_no_missing_label(y)
    X, y, weights = check_rows_and_weights(estimator, X, y, sample_weight, pairwise)
    return X, *class_codes(y, weights), weights


def class_codes(y: Any, sample_weight: FloatArray) -> tuple[AnyArray, IntArray]:
    """Return the classes, two at least, and the code of each label."""
    _check_label_size(y)
    try:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:  # a mixture of text and numbers
        said = str(error).rstrip(".")
        raise ValueError(f"y must hold labels that can be put in order: {said}.") from None
    except ValueError as error:
        raise ValueError(f"y must hold labels of classes. ({error})") from None
    check_classes(classes, np.bincount(codes, sample_weight))
    return classes, codes


def check_classes(classes: AnyArray, totals: AnyArray) -> None:
    """Raise unless there are two classes at least, each of a positive total weight."""
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes, got only one class: {classes.tolist()[0]!r} in all "
            "rows."
        )
    if not totals.all():
        raise ValueError(
            "sample_weight must be positive for at least one row of each class, got only zeros for "
            f"class {classes[totals == 0].tolist()[0]!r}."
        )


def _check_label_size(y: Any) -> None:
    """Raise for whole numbers of more than 64 bits, which are no kind of label to scikit-learn."""
    for label in y.flat if y.dtype.kind == "O" else ():
        if isinstance(label, int) and not -(2**63) <= label < 2**64:
            raise ValueError(
                "y must hold labels that are text or whole numbers of at most 64 bits, got "
                f"{label}: write such labels as text."
            )


def check_no_missing_label(y: Any) -> None:
    labels = np.asarray(y)
    if labels.dtype.kind != "O" or labels.ndim != 1:
        return
    missing = [row for row, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        raise ValueError(
            f"y must hold a label for every row, got {len(missing)} missing, the first in row "
            f"{missing[0]}. (Input contains NaN or None.)"
        )


def is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA, which equals nothing, not even itself, for certain
        return True


def check_class_weight(
    class_weight: Any, classes: AnyArray, codes: IntArray, sample_weight: FloatArray
) -> FloatArray:
    """Return the sample weights times the weights of their classes."""
    if class_weight is None:
        return sample_weight
    totals = np.bincount(codes, sample_weight).astype(float)
    return sample_weight * class_factors(class_weight, classes, totals)[codes]


def class_factors(class_weight: Any, classes: AnyArray, totals: FloatArray) -> FloatArray:
    """Return the weight factor of each class.

    "balanced" gives all classes equal total weight, so that a weight of k is still k copies.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(totals.sum() / (len(classes) * totals))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}.')
    known = classes.tolist()
    for name, weight in class_weight.items():
        if name not in known:
            raise ValueError(f"class_weight names the class {name!r}, which y does not hold.")
        check_real(f"class_weight[{name!r}]", weight, low=0, inclusive=False)
    return np.array([float(class_weight.get(name, 1.0)) for name in known])


def check_class_sizes(
    contamination: float | None, classes: AnyArray, codes: IntArray, sample_weight: FloatArray
) -> None:
    """Raise unless every class has at least two samples, if samples are to be trimmed."""
    if not contamination:
        return
    counts = np.maximum(np.bincount(codes, sample_weight), np.bincount(codes, sample_weight > 0))
    smallest = int(np.argmin(counts))
    if counts[smallest] < 2:
        raise ValueError(
            f"too few rows to trim: class {classes.tolist()[smallest]!r} has {counts[smallest]:g}, "
            f"and contamination={contamination!r} needs at least 2 in each class; give more rows, "
            "leave the class out, or set contamination=0."
        )
