"""The harness: a case is dataset x corruption x share x method x seed, a result is a flat row.

The pieces meet through plain rows only, so that running, reading and drawing can be redone apart::

    python -m benchmarks NAME [--seeds 10] [--jobs 1] [--out results/NAME.csv] [--quick]
"""

from .case import Case
from .protocol import Split, prepare
from .results import ResultsFile
from .runner import run_cases
from .table import difference_table, markdown, ratio_table

__all__ = [
    "Case",
    "ResultsFile",
    "Split",
    "difference_table",
    "markdown",
    "prepare",
    "ratio_table",
    "run_cases",
]
