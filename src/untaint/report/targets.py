"""Targets as the page reads them, and a table of counts of observed against expected labels.

With many classes the page shows those that are mistaken most, and gathers the others into one.
"""

import math
import re
from collections import Counter
from typing import Any

from ..cleaning.findings import Findings
from .numerals import numeral
from .wording import shortened

LONGEST_LABEL = 80


def label(value: Any) -> str:
    """Return the text of a label; a missing one is empty.

    Examples
    --------
    >>> label("diesel"), label(float("nan")), label(None)
    ('diesel', '', '')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return shortened(str(value), LONGEST_LABEL)


def as_number(value: Any) -> float:
    """Return the number, or NaN where there is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def target_of(findings: Findings, value: Any) -> float | str:
    """Return a number for regression, a label for classification."""
    return numeral(as_number(value)) if findings.task == "regression" else label(value)


MOST_LABELS = 12
_NUMBERS = re.compile(r"([0-9]+(?:\.[0-9]+)?)")


def label_counts(findings: Findings) -> dict[str, Any]:
    """Count the pairs of observed and expected labels in all assessed rows.

    Returns
    -------
    dict
        ``labels`` that have a line of their own, in their order; ``others``, how many labels share
        the last line; ``counts[observed][expected]``.
    """
    found = Counter(zip(findings.observed.tolist(), findings.expected.tolist(), strict=True))
    pairs = Counter[tuple[str, str]]()
    for (observed, expected), times in found.items():
        pairs[label(observed), label(expected)] += times
    labels = _shown(pairs)
    place = {name: k for k, name in enumerate(labels)}
    others = len({name for pair in pairs for name in pair} - place.keys())
    size = len(labels) + bool(others)
    counts = [[0] * size for _ in range(size)]
    for (observed, expected), times in pairs.items():
        counts[place.get(observed, size - 1)][place.get(expected, size - 1)] += times
    return {"labels": labels, "others": others, "counts": counts}


def _shown(pairs: Counter[tuple[str, str]]) -> list[str]:
    """Return all labels if they are few, else those that take part in most disagreements."""
    mistaken: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for (observed, expected), times in pairs.items():
        rows[observed] += times
        rows[expected] += 0
        if observed != expected:
            mistaken[observed] += times
            mistaken[expected] += times
    names = sorted(rows, key=_natural)
    if len(names) <= MOST_LABELS:
        return names
    first = sorted(names, key=lambda name: (-mistaken[name], -rows[name]))[: MOST_LABELS - 1]
    return sorted(first, key=_natural)


def _natural(name: str) -> list[tuple[int, float, str]]:
    """Return a sort key that orders numbers within text by size: class 9 before class 10."""
    pieces = [piece for piece in _NUMBERS.split(name) if piece]
    return [
        (0, float(piece), "") if _NUMBERS.fullmatch(piece) else (1, 0.0, piece) for piece in pieces
    ]
