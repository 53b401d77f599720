"""Table 3: kernel classification in two classes with flipped labels, or features blown up too."""

from ..papers.evaluate import Comparison
from ..papers.grids import CLASSES, QUICK
from ._cells import Cells
from ._comparison import ACCURACY, comparison_study

METHODS = (
    "genie",
    "subquantile",
    "subquantile-auto",
    "svm",
    "sever",
    "term",
    "kernel-logistic",
)
KINDS = ("flip", "flip+feature")

STUDY = comparison_study(
    "Table 3: clean-test accuracy in two classes, labels flipped, or features blown up too.",
    Comparison("classes", CLASSES),
    cells=[Cells(("heart", "breast"), KINDS, [0.2, 0.4])],
    quick_cells=[Cells(["classes2-150"], KINDS, [0.2])],
    methods=METHODS,
    quick_grid=QUICK,
    compare=[ACCURACY],
    table="table3",
)
