"""The sentences of the page, for readers who do not know robust statistics."""

import math
from typing import Any

import numpy as np

from .._hidden_text import escape_html_text
from ..cleaning.findings import Findings, Improvement
from .numerals import count, percent, plain

LONGEST_NAME = 60


def named(text: str) -> str:
    """Return a name from the table, shortened and escaped for a sentence."""
    return escape_html_text(shortened(text, LONGEST_NAME))


def rows_of(number: int) -> str:
    """Return a count of rows in words.

    Examples
    --------
    >>> rows_of(1), rows_of(1030)
    ('1 row', '1,030 rows')
    """
    return f"{count(number)} row{'' if number == 1 else 's'}"


def between(interval: tuple[float, float]) -> str:
    """Return an interval of shares in words."""
    low, high = (percent(share) for share in interval)
    return f"about {low}" if low == high else f"between {low} and {high}"


def headline(findings: Findings) -> str:
    """Return the main finding in one sentence."""
    n, flagged = findings.n_rows, findings.n_flagged
    if n == 0:
        return "There was no row to assess."
    if flagged == 0:
        return f"None of the {rows_of(n)} looks wrong."
    look = "looks" if flagged == 1 else "look"
    found = f"{count(flagged)} of {rows_of(n)} {look} wrong"
    if percent(flagged / n) == percent(findings.contamination):
        return f"{found}: {contamination_words(findings)}."
    return f"{found}."


def lead(findings: Findings) -> str:
    """Return what is known about the contamination beyond the headline, if anything."""
    if findings.n_rows == 0:
        return "Every row was set aside, because none has a target."
    if findings.n_flagged == 0:
        return f"The estimated share of wrong rows is {contamination_words(findings)}."
    if percent(findings.n_flagged / findings.n_rows) == percent(findings.contamination):
        return ""
    if findings.interval is None:
        return f"The given share is {percent(findings.contamination)}."
    return f"The share of wrong rows is estimated at {contamination_words(findings)}."


def contamination_words(findings: Findings) -> str:
    """Return the contamination with its interval, or that it was given."""
    if findings.interval is None:
        return f"{percent(findings.contamination)}, as given"
    share, range_words = percent(findings.contamination), between(findings.interval)
    return range_words if range_words == f"about {share}" else f"{share}, {range_words}"


def task_words(findings: Findings) -> str:
    """Return the task in words."""
    if not findings.target:
        return "every cell is compared with what the other cells of its row lead to expect"
    if findings.task == "regression":
        return "regression: each row's number is compared with what the other rows lead to expect"
    return "classification: each row's label is compared with what the other rows lead to expect"


def improvement_words(improvement: Improvement) -> dict[str, Any]:
    """Return the two errors and a comparison in words; ``bars`` are lengths in percent."""
    before, after = improvement.before, improvement.after
    shares = improvement.measure.startswith("share")
    write = percent if shares else plain
    on = f"on {rows_of(improvement.rows)} that were left out of the fit"
    words: dict[str, Any] = {"before": write(before), "after": write(after), "on": on, "bars": None}
    if not (math.isfinite(before) and math.isfinite(after)):
        return words | {"summary": "could not be measured"}
    longest = max(before, after)
    if longest > 0:
        words["bars"] = [round(100.0 * error / longest, 2) for error in (before, after)]
    if before <= after:
        worse = write(before) != write(after)
        return words | {"summary": "no better after cleaning" if worse else "the same as before"}
    return words | {"summary": f"{percent(1.0 - after / before)} smaller"}


def residual_summary(findings: Findings) -> str:
    """Return a description of the plot of targets for screen readers."""
    target = named(findings.target)
    flagged = f"{count(findings.n_flagged)} flagged at the suggested cut"
    if findings.task == "regression":
        return (
            f"Scatter plot of observed against expected {target}: "
            f"{rows_of(findings.n_rows)}, {flagged}. Flagged rows lie away from the diagonal."
        )
    agree = sum(a == b for a, b in zip(findings.observed, findings.expected, strict=True))
    return (
        f"Table of observed against expected {target}: the labels agree in {count(int(agree))} of "
        f"{rows_of(findings.n_rows)}; {flagged}."
    )


def histogram_summary(findings: Findings) -> str:
    """Return a description of the histogram of scores for screen readers."""
    known = np.asarray(findings.scores, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) == 0:
        return "Histogram of scores: there are none."
    highest = float(known.max())
    top = "infinite" if math.isinf(highest) else plain(highest)
    return (
        f"Histogram of scores: half of the rows score below {plain(float(np.median(known)))}, "
        f"the highest score is {top}, and the suggested cut flags {rows_of(findings.n_flagged)}."
    )


def monitoring_summary(findings: Findings) -> str:
    """Return a description of the monitoring plot for screen readers."""
    if findings.monitored is None:
        return ""
    lines, last = len(findings.monitored.rows), float(findings.monitored.contaminations[-1])
    return (
        f"Scores of {rows_of(lines)} as the trimmed share grows to {percent(last)}. "
        f"The estimated share is {contamination_words(findings)}."
    )


def shortened(text: str, longest: int) -> str:
    """Return the text, cut off with an ellipsis if it is longer than ``longest`` characters.

    Examples
    --------
    >>> shortened("a long story", 7)
    'a long…'
    """
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
