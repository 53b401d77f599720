"""The decision between regression and classification.

Text is a class label, and so is a number that takes three values or fewer. Many different numbers
are a numeric target. A few whole numbers may be either, grades or codes. Codes have no order: among
rows that look alike, code 1 meets code 7 as easily as code 2. So the pairs of values are ranked by
how often neighbouring rows mix them up, over how often chance would, and by how far they lie apart;
if the
two ranks agree, the target is numeric. The decision may be wrong, so a note says what was assumed
and how to override it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray, IntArray
from .findings import Task

# A target with more values than this is numeric, whatever they look like.
FEW_VALUES = 10
# Rows that each value must have on average, lest few rows make labels of numeric values.
ROWS_PER_VALUE = 10
# Fewer values have too few pairs to be ranked.
RANKED_VALUES = 4
# Least rank correlation of being mixed up with being close. Grades of wine have 0.75; codes of
# glass 0.39, of image segments 0.29.
ORDERED = 0.6
NEIGHBOURS = 6
# Rows that are compared with one another, at most.
COMPARED = 1500


def decide_task(name: str, values: NDArray[Any], X: FloatArray, requested: str) -> tuple[Task, str]:
    """Return the task, and a note on it for the user (empty if the task is certain).

    Parameters
    ----------
    name : str
        Name of the target column.
    values : array of shape (n,)
        Floats, or labels as objects.
    X : array of shape (n, d)
        Features on a common scale.
    requested : {"auto", "regression", "classification"}

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.task import decide_task
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> decide_task("grade", np.floor(6 * X[:, 0]).clip(0, 5), X, "auto")
    ('regression', "'grade' has 6 values and is treated as a numeric target; if the values are \
class labels, use --task classification.")
    """
    if requested == "classification":
        return "classification", ""
    if values.dtype == object:
        if requested == "regression":
            raise ValueError(f"regression needs numbers in the target, and {name!r} holds text.")
        return "classification", ""
    if requested == "regression":
        return "regression", ""
    distinct = np.unique(values)
    labels = len(distinct) < RANKED_VALUES
    if not labels:
        whole = bool(np.all(distinct == np.round(distinct)))
        enough = len(values) >= ROWS_PER_VALUE * len(distinct)
        if not whole or len(distinct) > FEW_VALUES or not enough:
            return "regression", ""
        labels = not _are_ordered(np.searchsorted(distinct, values), len(distinct), X)
    note = f"{name!r} has {len(distinct)} values and is treated as"
    if labels:
        note += " class labels; if it is a numeric target, use --task regression."
        return "classification", note
    note += " a numeric target; if the values are class labels, use --task classification."
    return "regression", note


def _are_ordered(codes: IntArray, m: int, X: FloatArray) -> bool:
    from scipy.stats import spearmanr
    from sklearn.neighbors import NearestNeighbors

    rows = np.linspace(0, len(codes) - 1, min(len(codes), COMPARED)).astype(int)
    codes = codes[rows]
    search = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(rows) - 1)).fit(X[rows])
    neighbours = search.kneighbors(return_distance=False)
    met = np.zeros((m, m))
    np.add.at(met, (codes[:, np.newaxis], codes[neighbours]), 1.0)
    met += met.T
    by_chance = np.maximum(np.outer(met.sum(axis=0), met.sum(axis=0)), 1.0)
    one, other = np.triu_indices(m, 1)
    mixed_up = (met / by_chance)[one, other]
    if np.ptp(mixed_up) == 0:
        return False
    return bool(spearmanr(mixed_up, one - other).statistic > ORDERED)
