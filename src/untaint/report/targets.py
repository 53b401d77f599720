"""A target as the page's script reads it: a number, or the text of a label."""

import math
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
