"""The two labels of a stream, and their codes 0 and 1.

Codes follow the order of arrival, which is all that a stream of single rows knows; ``classes`` are
sorted, as everywhere in scikit-learn.
"""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .._typing import AnyArray, FloatArray
from .._validation import check_no_missing_label, is_missing


@final
class LabelCodes:
    """LabelCodes maps labels to codes."""

    def __init__(self, labels: Sequence[Any] = ()) -> None:
        self.labels: list[Any] = []
        for label in labels:
            self.code(label)

    @property
    def classes(self) -> AnyArray:
        """The labels that have occurred, sorted."""
        return np.unique(np.array(self.labels))

    @property
    def sign(self) -> float:
        """1 if the code 1 is that of the second class, and -1 if it is that of the first."""
        return 1.0 if len(self.labels) < 2 or self.classes[0] == self.labels[0] else -1.0

    def known_code(self, label: Any) -> int | None:
        """Return the code of a label, None if it has not occurred."""
        try:
            return self.labels.index(label)
        except (TypeError, ValueError):  # arrays and pandas.NA cannot be compared
            return None

    def code(self, label: Any) -> int:
        """Return the code of a label, which may be new."""
        code = self.known_code(label)
        if code is None:
            if label.__hash__ is None or np.ndim(label) or is_missing(label):
                raise ValueError(f"y must be a label, such as text or a number, got {label!r}.")
            if len(self.labels) == 2:
                raise too_many_classes([*self.labels, label])
            self.labels.append(label)
            code = len(self.labels) - 1
        return code

    def codes(self, y: AnyArray) -> FloatArray:
        """Return the codes of an array of labels."""
        check_no_missing_label(y)
        values, which = np.unique(y, return_inverse=True)
        codes = np.array([float(self.code(value)) for value in values.tolist()])
        return codes[which.reshape(y.shape)]


def check_labels(y: Any) -> AnyArray:
    """Return labels as an array of shape (n,)."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    check_no_missing_label(y)
    y = column_or_1d(y, warn=True)
    if not len(y):
        raise ValueError("Found array with 0 sample(s) in y while a minimum of 1 is required.")
    check_classification_targets(y)
    return y


def check_two_classes(labels: AnyArray) -> None:
    """Raise unless there are two labels, given each once."""
    if len(labels) > 2:
        raise too_many_classes(labels.tolist())
    if len(labels) < 2:
        raise ValueError(
            f"y must have two classes, got one class only: {labels[0]!r}. (partial_fit takes "
            "the labels as classes.)"
        )


def too_many_classes(labels: Sequence[Any]) -> ValueError:
    """Return the error for more than two classes."""
    return ValueError(
        "Only binary classification is supported. y must have two classes, got "
        f"{len(labels)}: {labels[:5]}. For several, use OneVsRestClassifier of scikit-learn "
        "around this model."
    )
