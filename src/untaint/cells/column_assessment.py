"""Columns that are predicted from one another: findings in the cells that do not fit."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from .._progress import tracked
from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.misfit import MIN_FRACTION, flagged_groups
from .checks.inputs import names_code
from .concurrent_columns import concurrently
from .copied_rows import decide_copies
from .features import (
    ColumnFeatures,
    features_of,
    group_mean,
    is_sorted,
    neighbours,
)
from .finding import CellFinding
from .level_cells import LevelCells, assess_levels
from .mistakes import Mistake
from .numeric_cells import PRIOR_LOG_ODDS, NumericCells, assess_numbers
from .prediction import folds_of, learning_rows, usable_features
from .reasons import level_finding, number_finding
from .reconciliation import AssessedCells, ColumnModels, Reconciled, reconcile
from .table_posterior import column_share, learn_mistakes, share_of_wrong
from .variables import CategoricalVariable, NumericVariable, Variable

# Probability from which on a cell is looked at together with the others of its row.
SUSPICIOUS = 0.2
# Probability among all mistakes from which on one is named, or if several cells have it.
CLEAR, LIKELY, SEVERAL = 0.95, 0.5, 3
# Share of missing features from which a prediction is uninformative.
LACKING = 1 / 3
# Rows that are reconciled at most, the most suspicious ones.
MAX_SUSPICIOUS = 5000

OnStage = Callable[[str], None]


class ExemptCells(NamedTuple):
    """Prior findings: cells (n, d) that checks found, and rows that are uninformative."""

    cells: BoolArray
    rows: BoolArray


def assess_columns(
    variables: Sequence[Variable],
    exempt: ExemptCells,
    copies: Sequence[CellFinding],
    probability: FloatArray,
    seed: int,
    threads: int,
    on_stage: OnStage,
) -> list[CellFinding]:
    """Return findings in columns that the others predict.

    Parameters
    ----------
    variables : sequence of Variable
    exempt : ExemptCells
    copies : sequence of CellFinding
        Cells of which one in two is wrong, missing in the variables.
    probability : array of shape (n, d)
        Probability that each cell is wrong; those of predicted columns are filled in.
    seed : int
    threads : int
        Columns that are predicted at a time.
    on_stage : callable
        Called with a description of each stage.
    """
    models = _predict(variables, exempt, seed, threads, on_stage)
    if not models.cells:
        return list(copies)
    models = replace(models, cells=_learnt(models.cells))
    prior = _prior_log_odds(models.cells)
    for position, column in models.cells.items():
        own = expit(column.log_odds + prior[position])
        probability[:, position] = np.maximum(probability[:, position], own)
    on_stage("comparing the cells of each row")
    result = reconcile(models, _suspicious(models.cells, prior))
    return [*_findings(models, result, prior, probability), *decide_copies(models, copies)]


def _predict(
    variables: Sequence[Variable], exempt: ExemptCells, seed: int, threads: int, on_stage: OnStage
) -> ColumnModels:
    """Return the assessment of each column that varies enough, by the other columns."""
    features = features_of(variables)
    folds = folds_of(len(exempt.rows), seed)

    def assess(variable: Variable) -> tuple[AssessedCells, IntArray, FloatArray] | None:
        chosen, own = features.predictors(variable.position), _own_features(variable, variables)
        X = ColumnFeatures(features, chosen, own)
        found = _assess(variable, X, ~exempt.rows, folds, seed)
        if found is None:
            return None
        excepted = exempt.rows | exempt.cells[:, variable.position] | X.lack(LACKING)
        return _without_misfit(found, X, excepted), chosen, own

    on_stage("predicting each column from the others")
    named = [each for each in variables if not _is_code(each)]
    varying = [each.varying() if isinstance(each, NumericVariable) else each for each in named]
    asked = [each for each in varying if each.is_assessed]
    cells: dict[int, AssessedCells] = {}
    predictors: dict[int, IntArray] = {}
    extra: dict[int, FloatArray] = {}
    assessed = tracked(concurrently(assess, asked, threads), len(asked))
    for variable, found in zip(asked, assessed, strict=True):
        if found is not None:
            cells[variable.position], predictors[variable.position] = found[:2]
            extra[variable.position] = found[2]
    encoded = {k: np.flatnonzero(features.sources == k) for k in cells}
    encoders = {
        variable.position: variable.standardised
        for variable in variables
        if isinstance(variable, NumericVariable)
    }
    return ColumnModels(cells, encoders, features, predictors, extra, encoded)


def _is_code(variable: Variable) -> bool:
    """Return whether a column holds numbers that are names."""
    return isinstance(variable, NumericVariable) and names_code(variable.name)


def _assess(
    variable: Variable, X: ColumnFeatures, trusted: BoolArray, folds: IntArray, seed: int
) -> AssessedCells | None:
    """Return the assessment of a column by features, fitted to a sample of many rows, or None."""
    rows = learning_rows(trusted & ~variable.missing, folds, seed)
    part, own = variable.at(rows), X.at(rows)
    if not part.is_assessed or not usable_features(own[~part.missing & trusted[rows]]).any():
        return None
    learnt_from, is_whole = (own, trusted[rows], folds[rows], seed), len(rows) == len(folds)
    found: AssessedCells
    if isinstance(variable, NumericVariable):
        assert isinstance(part, NumericVariable)
        found = assess_numbers(part, *learnt_from, variable.standardiser)
        return found if is_whole else found.extended(variable, X, folds, rows)
    assert isinstance(part, CategoricalVariable)
    found = assess_levels(part, *learnt_from)
    return found if is_whole else found.extended(variable, X, folds)


def _learnt(cells: Mapping[int, AssessedCells]) -> dict[int, AssessedCells]:
    """Return columns whose mistakes have the weights that they have in the table."""
    numeric = [column for column in cells.values() if isinstance(column, NumericCells)]
    learnt = dict(cells)
    for mistakes in {column.variable.mistakes for column in numeric}:
        same = [column for column in numeric if column.variable.mistakes == mistakes]
        learnt |= {column.variable.position: column for column in learn_mistakes(same)}
    return learnt


def _without_misfit(column: AssessedCells, X: ColumnFeatures, exempt: BoolArray) -> AssessedCells:
    """Return the cells of a column, without flagged ones that are predicted by their features.

    There the prediction is off, and no cell.
    """
    flagged = column.log_odds + PRIOR_LOG_ODDS > 0
    if flagged.mean() >= MIN_FRACTION:
        all_rows = np.nan_to_num(X.at(slice(None)))
        exempt = exempt | flagged_groups(all_rows, flagged, np.ones(len(flagged)))
    if not exempt.any():
        return column
    return replace(column, log_odds=np.where(exempt, -np.inf, column.log_odds))


def _own_features(variable: Variable, variables: Sequence[Variable]) -> FloatArray:
    """Return features of a column's own: its values in neighbouring rows, and in its groups."""
    n = len(variable.missing)
    if not isinstance(variable, NumericVariable):
        return np.empty((n, 0))
    y = variable.standardised(variable.values)
    beside = [] if is_sorted(y) else [neighbours(y)]
    groups = [group_mean(y, other) for other in variables if isinstance(other, CategoricalVariable)]
    parts = [*beside, *(mean for mean in groups if mean is not None)]
    return np.column_stack(parts) if parts else np.empty((n, 0))


def _prior_log_odds(cells: Mapping[int, AssessedCells]) -> dict[int, float]:
    """Return the a priori log-odds of wrong cells: of each column of numbers, and of all levels."""
    shares: dict[int, float] = {}
    for kind in (NumericCells, LevelCells):
        own = {k: column for k, column in cells.items() if isinstance(column, kind)}
        if own:
            counted = {k: column.counted()[:2] for k, column in own.items()}
            share = share_of_wrong(*map(np.concatenate, zip(*counted.values(), strict=True)))
            for k, column in own.items():
                is_number = isinstance(column, NumericCells)
                shares[k] = (
                    column_share(counted[k][0], share, counted[k][1]) if is_number else share
                )
    return {k: float(np.log(share / (1 - share))) for k, share in shares.items()}


def _suspicious(
    cells: Mapping[int, AssessedCells], prior: dict[int, float]
) -> dict[int, list[int]]:
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
            mistake, share = column.variable.mistakes[column.mistake[row]], float(column.share[row])
            if share >= LIKELY:
                likely[row, position] = mistake, share
    count = Counter(mistake.words for mistake, _ in likely.values())
    return {
        place: mistake
        for place, (mistake, share) in likely.items()
        if share >= CLEAR or count[mistake.words] >= SEVERAL
    }
