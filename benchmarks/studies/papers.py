"""The papers' Tables 1 to 3 and what goes beyond them: every method tuned with the same budget.

What the paper prints stands beside ours (:mod:`.printed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

from ..evaluate import CLASSIFICATION_MEASURES, REGRESSION_MEASURES, Evaluation
from ..frame import Cells, Row, Study, crossed
from ..frame.tables import RMSE, Measure, comparison_table
from ..methods.base import Grid, steps
from ..tuning import Folds
from .printed import printed_in

# Clean rows like an alpha of 0.01, plain ridge on corrupted ones 10 and more.
KERNEL = Grid((-4, -3, -2, -1, 0, 1), steps(-3, 2, 6), (-3, -2, -1, 0), steps(-2, 0, 3))
LINEAR = Grid((), steps(-1, 4.5, 12), (), steps(0, 3, 4))
# Flipped labels ask for far more smoothing than clean ones.
CLASSES = Grid((-5, -4, -3, -2, -1, 0), steps(-2, 0.5, 6), (-4, -3, -2, -1), steps(-1.5, 0.5, 3))
SEVERAL_CLASSES = Grid((-4, -2, 0), steps(-2, 0.5, 4), (-4, -2), steps(-1, 0, 2))
# In a trial run all methods, the oracle included, have the same gammas and alphas.
QUICK = Grid((-2, 0), (1.0, 0.1), (-2, 0), (1.0, 0.1), third=1)
QUICK_LINEAR = Grid((), (100.0, 10.0, 1.0, 0.1), (), (100.0, 10.0, 1.0, 0.1), third=1)

ACCURACY = Measure("accuracy", large_is_good=True)
SMALLEST_RECALL = Measure("smallest_recall", large_is_good=True)
OURS = ("genie", "subquantile", "subquantile-auto")
TABLE1 = (
    *("genie", "subquantile", "subquantile-gradient", "subquantile-auto"),
    *("krr", "sever", "term"),
)
TABLE2 = (*OURS, "krr", "ransac", "crr", "stir", "torrent", "sever", "term")
TABLE3 = (*OURS, "svm", "sever", "term", "kernel-logistic")
CLEANLAB = find_spec("cleanlab") is not None
NO_CLEANLAB = "cleanlab is left out: it is not installed (pip install cleanlab)."


def comparison_study(
    question: str,
    evaluation: Evaluation,
    cells: Cells,
    quick: Cells,
    *,
    compare: Sequence[Measure] = (RMSE,),
    table: str = "",
    note: str = "",
) -> Study:
    """Build a study; ``table`` names the printed one whose figures stand beside ours.

    ``note`` is put below the table.
    """
    few = QUICK_LINEAR if evaluation.methods == "linear" else QUICK
    return Study(
        question,
        crossed([cells], quick=[quick._replace(methods=cells.methods)]),
        evaluation,
        evaluation.measures,
        partial(_page, compare, table, note),
        seeds=5,
        quick_run=replace(evaluation, grid=few, tuning=Folds()),
    )


def _page(compare: Sequence[Measure], table: str, note: str, rows: list[Row]) -> str:
    legend = "Mean (deviation over seeds); "
    legend += (
        "ours also over the oracle's" if compare[0] is RMSE else "ours also minus the oracle's"
    )
    legend += "; the best method except the oracle in bold" + (
        "; in italics the paper's." if table else "."
    )
    parts = [
        f"Clean-test {measure.name.replace('_', ' ')}:\n\n"
        f"{comparison_table(rows, measure, printed_in(table))}"
        for measure in compare
    ]
    return "\n\n".join([legend, *parts, *([note] if note else [])])


KERNELS = Evaluation("regression", REGRESSION_MEASURES, KERNEL)
LINES = Evaluation("linear", REGRESSION_MEASURES, LINEAR)
TWO_CLASSES = Evaluation("classification", CLASSIFICATION_MEASURES, CLASSES)
MORE_CLASSES = replace(TWO_CLASSES, grid=SEVERAL_CLASSES, tuning=Folds(most_rows=600))
PATTERNS = ("cluster", "shift", "mirror", "local", "leverage", "adversarial")

STUDIES = {
    "table1": comparison_study(
        "Table 1: clean-test RMSE of kernel regression, labels of a share "
        "epsilon of the rows random.",
        KERNELS,
        Cells(
            ("boston", "concrete", "wine", "drug", "polynomial-1000"),
            ["label"],
            [0.2, 0.4],
            TABLE1,
        ),
        Cells(["kiln", "polynomial-200"], ["label"], [0.2, 0.4]),
        table="table1",
    ),
    "table2": comparison_study(
        "Table 2: clean-test RMSE of linear regression, bad labels or bad labels and features.",
        LINES,
        Cells(
            ("boston", "wine", "concrete", "drug"), ["label", "label+feature"], [0.2, 0.4], TABLE2
        ),
        Cells(["kiln", "smooth-150"], ["label", "label+feature"], [0.2]),
        table="table2",
    ),
    "table3": comparison_study(
        "Table 3: clean-test accuracy in two classes, labels flipped, or features blown up too.",
        TWO_CLASSES,
        Cells(("heart", "breast"), ["flip", "flip+feature"], [0.2, 0.4], TABLE3),
        Cells(["classes2-150"], ["flip", "flip+feature"], [0.2]),
        compare=[ACCURACY],
        table="table3",
    ),
    # A single threshold for all losses can trim a whole class away; the smallest recall shows it.
    "multiclass": comparison_study(
        "Clean-test accuracy and smallest recall of a class, four to ten classes, labels flipped.",
        MORE_CLASSES,
        Cells(("digits", "vehicle", "segment", "glass"), ["flip"], [0.2, 0.4], TABLE3),
        Cells(["classes5-200"], ["flip"], [0.2]),
        compare=[ACCURACY, SMALLEST_RECALL],
    ),
    "beyond": comparison_study(
        "Beyond table 1: clean-test RMSE under patterned corruption, everyday tools included.",
        KERNELS,
        Cells(
            ("boston", "concrete", "wine"),
            PATTERNS,
            [0.2, 0.4],
            (*TABLE1, "svr", "huber", "random-forest"),
        ),
        Cells(["smooth-150"], ["cluster", "leverage"], [0.2]),
    ),
    "beyond-classes": comparison_study(
        "Beyond table 3: clean-test accuracy under flips and one-sided flips, "
        "everyday tools included.",
        TWO_CLASSES,
        Cells(
            ("heart", "breast"),
            ["flip", "flip-one-sided"],
            [0.2, 0.4],
            (*TABLE3, "random-forest", *(["cleanlab"] if CLEANLAB else [])),
        ),
        Cells(["classes2-150"], ["flip", "flip-one-sided"], [0.2]),
        compare=[ACCURACY],
        note="" if CLEANLAB else NO_CLEANLAB,
    ),
}
