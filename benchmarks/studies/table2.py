"""Table 2: linear regression with random labels, or with labels and features blown up."""

from ..papers.evaluate import Comparison
from ..papers.grids import LINEAR, QUICK_LINEAR
from ._cells import Cells
from ._comparison import comparison_study

METHODS = (
    "genie",
    "subquantile",
    "subquantile-auto",
    "krr",
    "ransac",
    "crr",
    "stir",
    "torrent",
    "sever",
    "term",
)
KINDS = ("label", "label+feature")

STUDY = comparison_study(
    "Table 2: clean-test RMSE of linear regression, bad labels or bad labels and features.",
    Comparison("linear", LINEAR),
    cells=[Cells(("boston", "wine", "concrete", "drug"), KINDS, [0.2, 0.4])],
    quick_cells=[Cells(["kiln", "smooth-150"], KINDS, [0.2])],
    methods=METHODS,
    quick_grid=QUICK_LINEAR,
    table="table2",
)
