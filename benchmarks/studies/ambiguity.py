"""A study of whether a fit warns when the contamination is ambiguous, and only then.

Ambiguous: 40 % of the targets raised by 3 or 5 deviations, where features explain little of them.
Ordinary: random targets, and none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..data.protocol import Split, split_of
from ..data.sets import FIVE
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import mean, summary_table, values
from ..methods.search import estimator, watch

# Deviations by which targets are raised; the protocol knows the first.
SHIFTS = {"shift": 3.0, "shift-5": 5.0}
# Four fifths of them are training rows: 300 and 1,000.
SIZES, QUICK_SIZES = (375, 1250), (250,)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return cases with shifts of two sizes under two signals, and with ordinary rows."""
    sizes, ours = QUICK_SIZES if quick else SIZES, ["untaint-cv"]
    weak = [f"{signal}-{n}" for signal in ("weak", "faint") for n in sizes]
    cells = [
        Cells(weak, list(SHIFTS), [0.4], ours),
        Cells([*weak, *(("kiln",) if quick else FIVE)], ["label"], [0.0, 0.2, 0.4], ours),
    ]
    return crossed(cells)(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Fit with no argument and take note of the warning."""
    split = shifted(case) if case.kind in SHIFTS else split_of(case)
    model, warned, seconds = watch(estimator("label", case.seed), split.X_train, split.y_train)
    low, high = model.contamination_interval_
    return {
        "warned": float(warned),
        "share": float(model.contamination_),
        "low": float(low),
        "high": float(high),
        "seconds": seconds,
    }


def shifted(case: Case) -> Split:
    """Raise the targets by as many deviations as the case says; clean ones have deviation 1."""
    split = split_of(replace(case, kind="shift"))
    more = (SHIFTS[case.kind] - SHIFTS["shift"]) * ~split.clean_mask
    return replace(split, y_train=split.y_train + more)


def table(rows: list[Row]) -> str:
    """Return where a warning is due, and where it is not."""
    due = [row for row in rows if row["kind"] in SHIFTS]
    others = [row for row in rows if row["kind"] not in SHIFTS]
    return "\n\n".join(
        [_part("A warning is due", due), _part("Ordinary rows, no warning is due", others)]
    )


def _part(words: str, rows: Sequence[Row]) -> str:
    found = values(rows, "warned")
    total = f"warned in {sum(found):.0f} of {len(found)} fits"
    columns = {"warned": mean("warned"), "estimated": mean("share")}
    columns |= {"low": mean("low"), "high": mean("high")}
    return f"{words}: {total}.\n\n{summary_table(rows, columns)}"


STUDIES = {
    "ambiguity": Study(
        "Fraction of fits that warn of two explanations.",
        cases,
        run,
        ("warned", "share", "low", "high", "seconds"),
        table,
        seeds=10,
    )
}
