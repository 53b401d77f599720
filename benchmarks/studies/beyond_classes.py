"""Beyond Table 3: one-sided flips, a random forest, and cleanlab where it is installed."""

from __future__ import annotations

from importlib.util import find_spec

from ..papers.evaluate import Comparison
from ..papers.grids import CLASSES, QUICK
from ._cells import Cells
from ._comparison import ACCURACY, comparison_study
from .table3 import METHODS

KINDS = ("flip", "flip-one-sided")
CLEANLAB = find_spec("cleanlab") is not None

STUDY = comparison_study(
    "Beyond table 3: clean-test accuracy under flips and one-sided flips, everyday tools included.",
    Comparison("classes", CLASSES),
    cells=[Cells(("heart", "breast"), KINDS, [0.2, 0.4])],
    quick_cells=[Cells(["classes2-150"], KINDS, [0.2])],
    methods=(*METHODS, "random-forest", *(["cleanlab"] if CLEANLAB else [])),
    quick_grid=QUICK,
    compare=[ACCURACY],
    note="" if CLEANLAB else "cleanlab is left out: it is not installed (pip install cleanlab).",
)
