"""Beyond Table 1: six patterned corruptions, and the regressors of everyday use."""

from ..papers.evaluate import Comparison
from ..papers.grids import KERNEL, QUICK
from ._cells import Cells
from ._comparison import comparison_study
from .table1 import METHODS

KINDS = ("cluster", "shift", "mirror", "local", "leverage", "adversarial")

STUDY = comparison_study(
    "Beyond table 1: clean-test RMSE under patterned corruption, everyday tools included.",
    Comparison("kernel", KERNEL),
    cells=[Cells(("boston", "concrete", "wine"), KINDS, [0.2, 0.4])],
    quick_cells=[Cells(["smooth-150"], ["cluster", "leverage"], [0.2])],
    methods=(*METHODS, "svr", "huber", "random-forest"),
    quick_grid=QUICK,
)
