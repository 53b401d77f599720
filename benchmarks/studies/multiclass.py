"""The papers' classifiers with several classes, and whether one of these is trimmed.

A single threshold for all losses can trim a whole class away; the smallest recall shows it.
"""

from ..papers.evaluate import Comparison
from ..papers.grids import QUICK, SEVERAL_CLASSES
from ._cells import Cells
from ._comparison import ACCURACY, SMALLEST_RECALL, comparison_study
from .table3 import METHODS

STUDY = comparison_study(
    "Clean-test accuracy and smallest recall of a class, four to ten classes, labels flipped.",
    Comparison("classes", SEVERAL_CLASSES),
    cells=[Cells(("digits", "vehicle", "segment", "glass"), ["flip"], [0.2, 0.4])],
    quick_cells=[Cells(["classes5-200"], ["flip"], [0.2])],
    methods=METHODS,
    quick_grid=QUICK,
    compare=[ACCURACY, SMALLEST_RECALL],
)
