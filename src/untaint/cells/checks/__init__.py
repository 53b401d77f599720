"""Rules that find wrong cells without a prediction, each with a reason in words.

Each rule is a function of the columns of a table, in a module that states the rule. Ordinary tables
should have no finding.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ..._progress import tracked
from ...io.columns.column import Column
from ..finding import CellFinding, best_of_each_cell
from .century import find_centuries
from .copies import find_copies
from .day_month import find_exchanged_days
from .digits import find_digits
from .ranges import find_out_of_range
from .sentinel import find_sentinels
from .shifted import find_shifted
from .sign import find_signs
from .stuck import find_stuck
from .swap import find_swaps
from .texts import find_unreadable
from .total import find_totals, without_rows
from .typo import find_typos
from .unit import find_units

__all__ = ["CHECKS", "Check", "run_checks"]

Check = Callable[[Sequence[Column]], list[CellFinding]]

# In the order in which they are run. If two are equally certain about a cell, the first one counts.
CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "total": find_totals,
        "shifted": find_shifted,
        "daymonth": find_exchanged_days,
        "text": find_unreadable,
        "sentinel": find_sentinels,
        "century": find_centuries,
        "sign": find_signs,
        "unit": find_units,
        "digits": find_digits,
        "swap": find_swaps,
        "range": find_out_of_range,
        "typo": find_typos,
        "stuck": find_stuck,
        "copy": find_copies,
    }
)


def run_checks(columns: Sequence[Column], skip: Sequence[str] = ()) -> list[CellFinding]:
    """Run all checks; of several findings on one cell, the most probable is returned.

    Parameters
    ----------
    columns : sequence of Column
        Columns of one table, in its order.
    skip : sequence of str, optional
        Names of checks that are not run.

    Returns
    -------
    findings : list of CellFinding
        In the order of rows, then of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks import run_checks
    >>> from untaint.io.columns.column import Column
    >>> x = np.append(np.linspace(10, 20, 100), -999)
    >>> columns = [Column("x", "number", np.isnan(x), x)]
    >>> [finding.kind for finding in run_checks(columns)]
    ['sentinel']
    >>> run_checks(columns, skip=["sentinel"])
    []
    """
    unknown = [name for name in skip if name not in CHECKS]
    if unknown:
        raise ValueError(f"skip should name checks ({', '.join(CHECKS)}), got {unknown[0]!r}.")
    found = list[CellFinding]()
    for name, check in tracked(CHECKS.items(), len(CHECKS)):
        if name not in skip:
            found += check(columns)
        if check is find_totals:  # which come first: rows of them are like no other
            totals = {one.row for one in found}
            columns = without_rows(columns, totals)
    found = [one for one in found if one.row not in totals or one.kind == "total"]
    return sorted(best_of_each_cell(found), key=lambda finding: (finding.row, finding.column))
