"""Studies of the papers' tables: made from a comparison, its cells and its measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..case import Case
from ..papers.comparison import RMSE, Measure, comparison
from ..papers.evaluate import CLASSIFICATION_MEASURES, REGRESSION_MEASURES, Comparison
from ..papers.grids import Grid
from ..results import Row
from ._cells import Cells, cases_of
from .base import Study

ACCURACY = Measure("accuracy", large_is_good=True)
SMALLEST_RECALL = Measure("smallest_recall", large_is_good=True)


def comparison_study(
    question: str,
    setup: Comparison,
    *,
    cells: Sequence[Cells],
    quick_cells: Sequence[Cells],
    methods: Sequence[str],
    quick_grid: Grid,
    compare: Sequence[Measure] = (RMSE,),
    table: str = "",
    note: str = "",
    seeds: int = 5,
) -> Study:
    """Build a study; ``table`` names the printed one whose figures stand beside ours.

    ``note`` is put below the table.
    """

    def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
        return cases_of(quick_cells if quick else cells, methods, seeds)

    def draw_table(rows: list[Row]) -> str:
        legend = "Mean (deviation over seeds); "
        legend += "ours also over Genie's" if compare[0] is RMSE else "ours also minus Genie's"
        legend += "; in bold the best but Genie" + ("; in italics the paper's." if table else ".")
        parts = [
            f"Clean-test {measure.name.replace('_', ' ')}:\n\n{comparison(rows, measure, table)}"
            for measure in compare
        ]
        return "\n\n".join([legend, *parts, *([note] if note else [])])

    return Study(
        question,
        cases,
        setup.evaluate,
        CLASSIFICATION_MEASURES if setup.task == "classes" else REGRESSION_MEASURES,
        draw_table,
        seeds,
        quick_run=Comparison(setup.task, quick_grid).evaluate,
    )
