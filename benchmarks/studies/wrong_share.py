"""Sensitivity to a wrong contamination: fits that are given another share than the true one.

gamma and alpha are those that the oracle selects on the clean rows, for all methods, so that the
share alone makes the difference. The method's name ends with the share that it is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from untaint import SubquantileRegressor, SubquantileRegressorCV

from ..data.protocol import Split, prepare
from ..data.sets import load
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import against_table

GIVEN = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.45)
METHODS = ("genie", "auto", *(f"{name}@{share:g}" for name in ("trim", "sever") for share in GIVEN))


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return two true shares of random targets, and one of clustered targets."""
    datasets = ("kiln",) if quick else ("boston", "concrete", "diabetes", "wine")
    cells = [
        Cells(datasets, ["label"], [0.2, 0.4], METHODS),
        Cells(datasets, ["cluster"], [0.2], METHODS),
    ]
    return crossed(cells)(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Fit with the share that the method's name gives."""
    split, gamma, alpha = _oracle(case.dataset, case.kind, case.epsilon, case.seed)
    name, _, share = case.method.partition("@")
    options: dict[str, Any] = {"gamma": gamma, "alpha": alpha}
    if name == "genie":
        clean = split.clean_mask
        model = SubquantileRegressor(contamination=0.0, **options)
        return {"rmse": split.rmse(model.fit(split.X_train[clean], split.y_train[clean]))}
    if name == "sever":
        from untaint.baselines import SeverRegressor

        model = SeverRegressor(contamination=float(share), n_rounds=8, **options)
    else:
        model = SubquantileRegressor(
            contamination=float(share) if share else "auto", random_state=case.seed, **options
        )
    return {"rmse": split.rmse(model.fit(split.X_train, split.y_train))}


@cache
def _oracle(dataset: str, kind: str, epsilon: float, seed: int) -> tuple[Split, float, float]:
    split = prepare(*load(dataset, seed), kind=kind, epsilon=epsilon, seed=seed)
    clean = split.clean_mask
    found = SubquantileRegressorCV(contamination=0.0, random_state=seed).fit(
        split.X_train[clean], split.y_train[clean]
    )
    return split, float(found.gamma_), float(found.alpha_)


def table(rows: list[Row]) -> str:
    """Return ratios to the oracle, a table for each method and a column for each given share."""
    parts = []
    for name, words in (("trim", "Trimmed fits"), ("sever", "SEVER")):
        own = [row for row in rows if row["method"].partition("@")[0] in ("genie", "auto", name)]
        shown = [row | {"method": row["method"].removeprefix(f"{name}@")} for row in own]
        parts.append(f"{words}; a column for each share that is given:\n\n{against_table(shown)}")
    return "\n\n".join(parts)


STUDIES = {
    "wrong-share": Study(
        "Clean-test RMSE over the oracle's of fits that are given a share, right or wrong.",
        cases,
        run,
        ("rmse",),
        table,
        seeds=5,
    )
}
