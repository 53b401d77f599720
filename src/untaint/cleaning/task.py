"""Whether a target is an amount or a label.

Text is a label, and so is a number that takes three values or fewer. Many different numbers are an
amount. A few whole numbers may be either, grades or codes. Codes know no order: among rows that
look alike, code 1 meets code 7 as easily as code 2. So the pairs of values are ranked by how often
neighbouring rows mix them up, over how often chance would, and by how far they lie apart; if the
two ranks agree, the values are amounts. Nobody can be sure, so the user is told what was assumed
and how to say otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray, IntArray
from .findings import Task

# More values than this are an amount, whatever they look like.
FEW_VALUES = 10
# Rows that each value must have on average, lest a handful of rows make labels of amounts.
ROWS_PER_VALUE = 10
# Fewer values have too few pairs to tell.
RANKED_VALUES = 4
# Rank correlation of what is mixed up with what lies close. Grades of wine have 0.75; codes of
# glass 0.39, of image segments 0.29.
ORDERED = 0.6
NEIGHBOURS = 6
# Rows that are compared with one another.
COMPARED = 1500


def decide_task(name: str, values: NDArray[Any], X: FloatArray, asked: str) -> tuple[Task, str]:
    """The task, and what the user should be told about it (nothing, as a rule).

    Parameters
    ----------
    name : str
        Of the target.
    values : array of shape (n,)
        Floats, or labels as objects.
    X : array of shape (n, d)
        Features on a common scale.
    asked : {"auto", "regression", "classification"}

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.task import decide_task
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> decide_task("grade", np.floor(6 * X[:, 0]).clip(0, 5), X, "auto")
    ('regression', "'grade' has 6 values and is taken for an amount; if they are labels, say \
--task classification.")
    """
    if asked == "classification":
        return "classification", ""
    if values.dtype == object:
        if asked == "regression":
            raise ValueError(f"--task regression needs numbers, and {name!r} holds text.")
        return "classification", ""
    if asked == "regression":
        return "regression", ""
    distinct = np.unique(values)
    labels = len(distinct) < RANKED_VALUES
    if not labels:
        whole = bool(np.all(distinct == np.round(distinct)))
        enough = len(values) >= ROWS_PER_VALUE * len(distinct)
        if not whole or len(distinct) > FEW_VALUES or not enough:
            return "regression", ""
        labels = not _are_ordered(np.searchsorted(distinct, values), len(distinct), X)
    said = f"{name!r} has {len(distinct)} values and is taken for"
    if labels:
        return "classification", f"{said} a label; if they are amounts, say --task regression."
    return "regression", f"{said} an amount; if they are labels, say --task classification."


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
