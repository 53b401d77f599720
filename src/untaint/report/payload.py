"""The data of the page's script: numbers and text, ready for JSON.

Counts are exact for all rows; of the rows themselves the page carries the most suspicious, and a
sample of the others for the pictures.
"""

from typing import Any

import numpy as np

from .._hidden_text import HIDDEN
from ..cleaning.findings import Findings
from .background import background, monitored_lines, monitored_rows
from .histogram import score_histogram
from .listing import LONGEST_CELL, MOST_COLUMNS, cells_cut, list_suspects
from .stops import slider_stops
from .targets import label_counts
from .wording import shortened

Payload = dict[str, Any]


def payload(findings: Findings) -> Payload:
    """Return all that the script needs to know of the findings.

    Returns
    -------
    dict
        Lists, numbers and text by name.
    """
    listed = list_suspects(findings)
    listed_rows = np.array([row["row"] for row in listed], dtype=np.intp)
    return {
        "task": findings.task,
        "target": shortened(findings.target, LONGEST_CELL),
        "identifier": shortened(findings.identifier, LONGEST_CELL),
        "rows": findings.n_rows,
        "share": float(findings.contamination),
        "interval": None if findings.interval is None else list(map(float, findings.interval)),
        "columns": [shortened(c.name, LONGEST_CELL) for c in findings.columns[:MOST_COLUMNS]],
        "stops": slider_stops(findings.scores, float(findings.cut)),
        "histogram": score_histogram(findings.scores, float(findings.cut)),
        "listed": listed,
        "background": background(findings, listed_rows, monitored_rows(findings)),
        "labels": label_counts(findings) if findings.task == "classification" else None,
        "monitored": monitored_lines(findings),
        "cellsCut": cells_cut(findings, len(listed)),
        "columnsLeftOut": max(0, len(findings.columns) - MOST_COLUMNS),
        "hidden": HIDDEN,
    }
