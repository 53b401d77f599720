"""All cells of a table: what each is expected to be, and the probability that it is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.misfit import flagged_groups
from ..tables import Column
from .checks import run_checks
from .features import features_of, group_mean, is_sorted, neighbour_median, standardiser_of
from .finding import CellFinding
from .level_cells import LevelCells, assess_levels
from .mistakes import Mistake
from .numeric_cells import PRIOR_LOG_ODDS, NumericCells, assess_numbers
from .prediction import folds_of, usable_features
from .reasons import level_finding, number_finding
from .reconciliation import AssessedCells, ColumnModels, Reconciled, reconcile
from .table_posterior import discovered, learn_mistakes, share_of_wrong
from .variables import CategoricalVariable, NumericVariable, Variable, variables_of

# Rows that columns are predicted from one another with.
FEWEST_ROWS = 40
# Probability from which on a cell is looked at together with the others of its row.
SUSPICIOUS = 0.2
# Probability among all mistakes from which on one is named, or if several cells have it.
CLEAR, LIKELY, SEVERAL = 0.95, 0.5, 3
# Rows that are reconciled at most, the most suspicious ones.
MAX_SUSPICIOUS = 5000

OnStage = Callable[[str], None]


class CellAssessment(NamedTuple):
    """The wrong cells of a table.

    Attributes
    ----------
    findings : list of CellFinding
        Of flagged cells, the most probable first.
    probability : array of shape (n, d)
        That each cell is wrong.
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
        What `untaint.tables.read_columns` returns.
    fdr : float
        False-discovery rate among flagged cells.
    skip : collection of str
        Checks to leave out; "columns" is that of each column by the others.
    seed : int
    on_stage : callable
        Called with a description of each stage.
    """
    # Fits are small: threads would wait for one another.
    quiet = np.errstate(over="ignore", invalid="ignore", divide="ignore")
    with quiet, threadpool_limits(1), catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # about sums of huge numbers
        return _assess(columns, fdr, skip, seed, on_stage)


def _assess(
    columns: Sequence[Column], fdr: float, skip: Collection[str], seed: int, on_stage: OnStage
) -> CellAssessment:
    n = len(columns[0].missing) if columns else 0
    on_stage("checking the cells")
    checked = run_checks(columns, skip=[name for name in skip if name != "columns"])
    probability = np.zeros((n, len(columns)))
    for found in checked:
        probability[found.row, found.column] = max(
            probability[found.row, found.column], found.probability
        )
    findings = list(checked)
    if n >= FEWEST_ROWS and "columns" not in skip:
        variables = _corrected(variables_of(columns), checked)
        known = _places(checked, probability.shape)
        parts = (variables, _incomplete(checked, n), known, probability, seed, on_stage)
        findings += _by_the_others(*parts)
    findings = _best_of_each_cell(findings)
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


def _places(checked: Sequence[CellFinding], shape: tuple[int, int]) -> BoolArray:
    """Return which cells checks have found."""
    found = np.zeros(shape, dtype=bool)
    for cell in checked:
        found[cell.row, cell.column] = True
    return found


def _incomplete(checked: Sequence[CellFinding], n: int) -> BoolArray:
    """Return rows in which a check found a cell of which nobody knows what it should hold.

    What is predicted from such a row says little.
    """
    found = np.zeros(n, dtype=bool)
    found[[cell.row for cell in checked if cell.expected is None]] = True
    return found


def _by_the_others(
    variables: list[Variable],
    incomplete: BoolArray,
    known: BoolArray,
    probability: FloatArray,
    seed: int,
    on_stage: OnStage,
) -> list[CellFinding]:
    """Return findings of columns that the others predict; their probabilities are filled in."""
    n = len(probability)
    features, folds = features_of(variables), folds_of(n, seed)
    trusted = ~incomplete
    cells: dict[int, AssessedCells] = {}
    extra: dict[int, FloatArray] = {}
    predictors: dict[int, IntArray] = {}
    for variable in variables:
        chosen = features.predictors(variable.position)
        if not variable.is_assessed or len(chosen) == 0:
            continue
        on_stage(f"predicting {variable.name!r} from the other columns")
        own = _own_features(variable, variables)
        X = np.column_stack([features.matrix[:, chosen], own])
        if not usable_features(X[trusted & ~variable.missing]).any():
            continue
        predictors[variable.position] = chosen
        extra[variable.position] = own
        found = (
            assess_numbers(variable, X, trusted, folds, seed)
            if isinstance(variable, NumericVariable)
            else assess_levels(variable, X, trusted, folds, seed)
        )
        excused = incomplete | known[:, variable.position]
        cells[variable.position] = _without_misfit(found, X, excused)
    if not cells:
        return []
    numeric = [column for column in cells.values() if isinstance(column, NumericCells)]
    for mistakes in {column.mistakes for column in numeric}:
        same = [column for column in numeric if column.mistakes == mistakes]
        cells |= {column.variable.position: column for column in learn_mistakes(same)}
    prior = _prior_log_odds(cells)
    for position, column in cells.items():
        own_probability = expit(column.log_odds + prior[position])
        probability[:, position] = np.maximum(probability[:, position], own_probability)
    on_stage("comparing the cells of each row")
    encoded = {k: np.flatnonzero(features.sources == k) for k in cells}
    models = ColumnModels(cells, features, predictors, extra, encoded)
    result = reconcile(models, _suspicious(cells, prior))
    return _findings(models, result, prior, probability)


def _without_misfit(column: AssessedCells, X: FloatArray, excused: BoolArray) -> AssessedCells:
    """Return the cells of a column with more excused: those that their features tell from others.

    There the prediction is off, and no cell.
    """
    flagged = column.log_odds + PRIOR_LOG_ODDS > 0
    excused = excused | flagged_groups(np.nan_to_num(X), flagged, np.ones(len(X)))
    if not excused.any():
        return column
    return replace(column, log_odds=np.where(excused, -np.inf, column.log_odds))


def _own_features(variable: Variable, variables: Sequence[Variable]) -> FloatArray:
    """Return features of a column's own: its values in neighbouring rows, and in its groups."""
    n = len(variable.missing)
    if not isinstance(variable, NumericVariable):
        return np.empty((n, 0))
    y = standardiser_of(variable)(variable, variable.values)
    beside = [] if is_sorted(y) else [neighbour_median(y)]
    groups = [group_mean(y, other) for other in variables if isinstance(other, CategoricalVariable)]
    parts = [*beside, *(mean for mean in groups if mean is not None)]
    return np.column_stack(parts) if parts else np.empty((n, 0))


def _prior_log_odds(cells: dict[int, AssessedCells]) -> dict[int, float]:
    """Return the a priori log-odds of wrong cells, one for numbers and one for levels."""
    prior: dict[int, float] = {}
    for kind in (NumericCells, LevelCells):
        own = {k: column for k, column in cells.items() if isinstance(column, kind)}
        if own:
            share = share_of_wrong(np.concatenate([column.log_odds for column in own.values()]))
            prior |= dict.fromkeys(own, float(np.log(share / (1 - share))))
    return prior


def _suspicious(cells: dict[int, AssessedCells], prior: dict[int, float]) -> dict[int, list[int]]:
    """Return positions of the suspicious cells of each row that has any."""
    chances = {k: expit(column.log_odds + prior[k]) for k, column in cells.items()}
    highest = np.max(list(chances.values()), axis=0)
    rows = np.flatnonzero(highest >= SUSPICIOUS)
    rows = rows[np.argsort(-highest[rows], kind="stable")][:MAX_SUSPICIOUS]
    return {
        int(row): [k for k, own in chances.items() if own[row] >= SUSPICIOUS]
        for row in np.sort(rows)
    }


def _findings(
    models: ColumnModels, result: Reconciled, prior: dict[int, float], probability: FloatArray
) -> list[CellFinding]:
    wrong = dict[tuple[int, int], float]()
    for (row, position), odds in result.log_odds.items():
        probability[row, position] = chance = float(expit(odds + prior[position]))
        if chance >= SUSPICIOUS:
            wrong[row, position] = chance
    mistakes = _named_mistakes(models, wrong)
    found = []
    for (row, position), chance in wrong.items():
        column = models.cells[position]
        if isinstance(column, NumericCells):
            other = result.exchanged.get((row, position))
            partner = None if other is None else models.cells[other].variable
            assert partner is None or isinstance(partner, NumericVariable)
            mistake = mistakes.get((row, position))
            found.append(number_finding(column, row, chance, mistake, partner))
        else:
            found.append(level_finding(column, row, chance))
    return found


def _named_mistakes(
    models: ColumnModels, wrong: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Mistake]:
    """Return mistakes that are clear, or likely in several cells of the table."""
    likely = dict[tuple[int, int], tuple[Mistake, float]]()
    for row, position in wrong:
        column = models.cells[position]
        if isinstance(column, NumericCells) and column.mistake[row] >= 0:
            mistake, share = column.mistakes[column.mistake[row]], float(column.share[row])
            if share >= LIKELY:
                likely[row, position] = mistake, share
    count = Counter(mistake.words for mistake, _ in likely.values())
    return {
        place: mistake
        for place, (mistake, share) in likely.items()
        if share >= CLEAR or count[mistake.words] >= SEVERAL
    }


def _best_of_each_cell(findings: Sequence[CellFinding]) -> list[CellFinding]:
    """Return the most probable finding of each cell."""
    best: dict[tuple[int, int], CellFinding] = {}
    for found in findings:
        place = found.row, found.column
        if place not in best or found.probability > best[place].probability:
            best[place] = found
    return list(best.values())
