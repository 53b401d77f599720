"""The frame of every study: cases, their runs, the file of results and the tables drawn from it."""

from .case import Case, Cells, crossed
from .results import ResultsFile, Row
from .runner import run_cases
from .study import Study, run_study

__all__ = ["Case", "Cells", "ResultsFile", "Row", "Study", "crossed", "run_cases", "run_study"]
