"""The paper's figures are where the paper has them."""

from __future__ import annotations

import pytest
from benchmarks.papers.printed import PRINTED, Cell


@pytest.mark.parametrize(
    ("cell", "figure"),
    [
        (Cell("table1", "concrete", "label", 0.2, "subquantile"), (0.519, 0.0134)),
        (Cell("table1", "boston", "label", 0.4, "sever"), (0.720, 0.1147)),
        (Cell("table1", "drug", "label", 0.4, "krr"), (2.381, 0.0203)),
        (Cell("table1", "drug", "label", 0.2, "term"), None),
        (Cell("table1", "wine", "label", 0.2, "genie"), None),
        (Cell("table2", "concrete", "label+feature", 0.2, "subquantile"), (0.630, 0.0269)),
        (Cell("table2", "drug", "label", 0.2, "genie"), (0.988, 0.0823)),
        (Cell("table3", "heart", "flip+feature", 0.2, "sever"), (0.807, 0.0557)),
        (Cell("table3", "breast", "flip", 0.4, "term"), (0.793, 0.0691)),
    ],
)
def test_figures_are_in_their_cells(cell, figure):
    assert PRINTED[cell] == figure


def test_every_table_is_whole():
    sizes = {name: sum(cell.table == name for cell in PRINTED) for name in ("table1", "table2")}
    assert sizes == {"table1": 5 * 8, "table2": 8 * 8}
    assert sum(figure is None for figure in PRINTED.values()) == 8 + 2 + 8
