"""Numbers, dates, texts and counts as they stand in a reason."""

import numpy as np

_LONGEST = 60


def number_text(value: float) -> str:
    """Return a number with six digits, or to the unit from a million on.

    Examples
    --------
    >>> from untaint.cells.checks.wording import number_text
    >>> number_text(1234567.0), number_text(-12.5), number_text(2021)
    ('1,234,567', '-12.5', '2021')
    """
    if 1e6 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.6g}" if abs(value) >= 1e4 else f"{value:.6g}"


def day_text(days: float) -> str:
    """Return a date, given as days since 1970.

    Examples
    --------
    >>> from untaint.cells.checks.wording import day_text
    >>> day_text(1.5)
    '1970-01-02'
    """
    return str(np.datetime64("1970-01-01") + int(np.floor(days)))


def quoted(text: str) -> str:
    """Return a text in quotes, shortened if it is long.

    Examples
    --------
    >>> from untaint.cells.checks.wording import quoted
    >>> quoted("London")
    "'London'"
    """
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def count_text(count: int, what: str, several: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> from untaint.cells.checks.wording import count_text
    >>> count_text(1, "row has", "rows have"), count_text(1200, "row has", "rows have")
    ('1 row has', '1,200 rows have')
    """
    return f"{count:,} {what if count == 1 else several}"
