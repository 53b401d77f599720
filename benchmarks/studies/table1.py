"""Table 1: kernel regression with random labels, every method tuned with the same budget."""

from ..papers.evaluate import Comparison
from ..papers.grids import KERNEL, QUICK
from ._cells import Cells
from ._comparison import comparison_study

METHODS = (
    "genie",
    "subquantile",
    "subquantile-gradient",
    "subquantile-auto",
    "krr",
    "sever",
    "term",
)

STUDY = comparison_study(
    "Table 1: clean-test RMSE of kernel regression, labels of a share epsilon of the rows random.",
    Comparison("kernel", KERNEL),
    cells=[Cells(("boston", "concrete", "wine", "drug", "polynomial-1000"), ["label"], [0.2, 0.4])],
    quick_cells=[Cells(["kiln", "polynomial-200"], ["label"], [0.2, 0.4])],
    methods=METHODS,
    quick_grid=QUICK,
    table="table1",
)
