"""All cells of a table: what each is expected to be, and the probability that it is wrong."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from threadpoolctl import threadpool_limits

from .._typing import FloatArray
from ..io import Column
from .checks import run_checks
from .checks.total import without_rows
from .column_assessment import ExemptCells, OnStage, assess_columns
from .concurrent_columns import thread_count
from .finding import CellFinding, best_of_each_cell
from .table_posterior import discovered
from .variables import NumericVariable, Variable, variables_of

# Rows that columns are predicted from one another with.
FEWEST_ROWS = 40
# Probability from which on what a check found is settled; of other cells the other columns decide.
SURE = 0.9


class CellAssessment(NamedTuple):
    """The wrong cells of a table.

    Attributes
    ----------
    findings : list of CellFinding
        Flagged cells, the most probable first.
    probability : array of shape (n, d)
        Probability that each cell is wrong.
    """

    findings: list[CellFinding]
    probability: FloatArray


def assess_cells(
    columns: Sequence[Column],
    *,
    fdr: float = 0.1,
    skip: Collection[str] = (),
    seed: int = 0,
    on_stage: OnStage = lambda _: None,
) -> CellAssessment:
    """Find the wrong cells of a table.

    Parameters
    ----------
    columns : sequence of Column
        What `untaint.io.read_columns` returns.
    fdr : float
        False-discovery rate among flagged cells.
    skip : collection of str
        Checks to leave out; "columns" is that of each column by the others.
    seed : int
    on_stage : callable
        Called with a description of each stage.
    """
    # Fits are small: threads would wait for one another.
    threads = thread_count()
    quiet = np.errstate(over="ignore", invalid="ignore", divide="ignore")
    with quiet, threadpool_limits(1), catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # about sums of huge numbers
        return _assess(columns, fdr, skip, seed, threads, on_stage)


def _assess(
    columns: Sequence[Column],
    fdr: float,
    skip: Collection[str],
    seed: int,
    threads: int,
    on_stage: OnStage,
) -> CellAssessment:
    n = len(columns[0].missing) if columns else 0
    on_stage("checking the cells")
    checked = run_checks(columns, skip=[name for name in skip if name != "columns"])
    probability = np.zeros((n, len(columns)))
    for found in checked:  # one of each cell
        probability[found.row, found.column] = found.probability
    findings = list(checked)
    if n >= FEWEST_ROWS and "columns" not in skip:
        columns = without_rows(columns, {each.row for each in checked if each.kind == "total"})
        copies = [found for found in checked if found.partner is not None]
        sure = [found for found in checked if found.probability >= SURE]
        doubtful = [found._replace(expected=None) for found in copies]
        variables = _corrected(variables_of(columns), [*sure, *doubtful])
        exempt = _exempt(sure, probability.shape)
        findings = [found for found in checked if found.partner is None]
        findings += assess_columns(variables, exempt, copies, probability, seed, threads, on_stage)
    findings = best_of_each_cell(findings)
    chances = np.array([found.probability for found in findings])
    flagged = discovered(chances, fdr)
    kept = [found for found, flag in zip(findings, flagged, strict=True) if flag]
    kept.sort(key=lambda found: (-found.probability, found.row, found.column))
    return CellAssessment([_with_name(found, columns) for found in kept], probability)


def _with_name(found: CellFinding, columns: Sequence[Column]) -> CellFinding:
    """Return a finding whose reason begins with the name of its column."""
    name = columns[found.column].name
    known = found.reason.startswith(name)
    return found if known else found._replace(reason=f"{name}: {found.reason}")


def _corrected(variables: list[Variable], checked: Sequence[CellFinding]) -> list[Variable]:
    """Return variables with expected values in cells that checks found, or none if unknown."""
    found: list[Variable] = []
    for variable in variables:
        own = [cell for cell in checked if cell.column == variable.position]
        if isinstance(variable, NumericVariable):
            values = variable.values.copy()
            for cell in own:
                values[cell.row] = cell.expected if isinstance(cell.expected, float) else np.nan
            found.append(replace(variable, values=values))
        else:
            codes, place = variable.codes.copy(), {x: k for k, x in enumerate(variable.levels)}
            for cell in own:
                codes[cell.row] = place.get(str(cell.expected), -1)
            found.append(replace(variable, codes=codes))
    return found


def _exempt(checked: Sequence[CellFinding], shape: tuple[int, int]) -> ExemptCells:
    """Return the cells that checks found, and the rows with a found cell of unknown true value.

    Predictions from such rows are uninformative.
    """
    found = ExemptCells(np.zeros(shape, dtype=bool), np.zeros(shape[0], dtype=bool))
    for cell in checked:
        found.cells[cell.row, cell.column] = True
        found.rows[cell.row] |= cell.expected is None
    return found
