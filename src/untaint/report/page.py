"""The report: one HTML page that shows the findings."""

from functools import cache
from typing import Any

from .._hidden_text import escape_html_text
from ..cleaning.findings import LEGEND, Findings
from . import assets, wording
from .embedding import content_policy, embed
from .figures import contamination_bar, drivers, kinds_of_flagged, listed_columns
from .numerals import count, percent
from .payload import payload
from .wording import shortened

LONGEST_NAME = 120


def render(findings: Findings) -> str:
    """Return the findings as one HTML page that needs no other file.

    The page contains its style, its script and its data; its content security policy forbids any
    other source. Save it with the encoding UTF-8.

    Parameters
    ----------
    findings : Findings

    Returns
    -------
    str
        The page. A few hundred kilobytes as a rule, and under five megabytes however many rows
        were assessed.

    Raises
    ------
    ImportError
        Without Jinja2, which comes with ``untaint[cli]``.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.findings import Findings, Suspect
    >>> findings = Findings(
    ...     source="cars.csv",
    ...     target="price",
    ...     task="regression",
    ...     contamination=0.25,
    ...     interval=None,
    ...     numbers=np.arange(1, 5),
    ...     scores=np.array([0.3, 0.1, 9.0, 0.2]),
    ...     cut=3.0,
    ...     flagged=np.array([False, False, True, False]),
    ...     observed=np.array([10.0, 11.0, 99.0, 12.0]),
    ...     expected=np.array([10.2, 11.1, 11.5, 12.1]),
    ...     suspects=[Suspect(2, "target", "Price too high.", ["red", "99"])],
    ...     set_aside=0,
    ...     columns=[],
    ...     improvement=None,
    ...     monitored=None,
    ...     notes=[],
    ...     command="untaint clean cars.csv --target price",
    ... )
    >>> page = render(findings)
    >>> "1 of 4 rows looks wrong" in page
    True
    """
    style, script, data = assets.style(), assets.script(), payload(findings)
    return _template().render(
        findings=findings,
        style=style,
        script=script,
        data=embed(data),
        policy=content_policy(style, script),
        # What is on the page before its script runs.
        words=wording,
        legend=LEGEND,
        drivers=drivers(findings),
        columns=listed_columns(findings),
        columns_left_out=data["columnsLeftOut"],
        contamination_bar=contamination_bar(findings),
        kinds=kinds_of_flagged(findings, data["listed"]),
        n_listed=len(data["listed"]),
        monitored=data["monitored"] is not None,
        notes=sorted(findings.notes, key=lambda note: note.level != "warning"),
    )


def _template() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("The report needs Jinja2: pip install 'untaint[cli]'") from error
    return _compiled(jinja2.Environment, jinja2.StrictUndefined)


@cache  # compiling takes longer than drawing the page of a small table
def _compiled(Environment: Any, StrictUndefined: Any) -> Any:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        escaped=escape_html_text, named=_named, opening=_opening, count=count, percent=percent
    )
    return environment.from_string(assets.template())


def _named(text: str) -> str:
    return escape_html_text(shortened(str(text), LONGEST_NAME))


def _opening(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
