"""The plan of an encoder for a column, in plain text and numbers; and notes on such plans."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..columns.column import Column
from ..errors import listed, shortened


@dataclass
class ColumnPlan:
    """The plan of an encoder for a column.

    Parameters
    ----------
    name : str
    kind : str
        What the column was found to hold.
    used : bool
        Whether features are made of it.
    missing : int
        Cells without a value, in the table that the encoder was fitted to.
    details : dict
        How its features are made, and what else is known.
    features : list of str
        Names of its features.
    """

    name: str
    kind: str
    used: bool
    missing: int
    details: dict[str, Any] = field(default_factory=dict)
    features: list[str] = field(default_factory=list)


_SEVERAL = 5


def notes_on_columns(columns: Sequence[Column], plans: Sequence[ColumnPlan]) -> list[str]:
    """Return notes on invalid cells, on missing cells, and on columns that are set aside."""
    used = [(column, plan) for column, plan in zip(columns, plans, strict=True) if plan.used]
    notes = [note for column, _ in used for note in column.notes]
    gaps = [plan for _, plan in used if plan.missing]
    n = len(columns[0].missing)
    if len(gaps) <= _SEVERAL:
        notes += [_filled_in(plan, n) for plan in gaps]
    else:
        notes.append(
            f"Cells are missing in {len(gaps)} columns, which the usual value of each stands in "
            f"for: {listed([plan.name for plan in gaps])}."
        )
    aside = [
        f"{shortened(plan.name, 80)} ({_why(plan)})"
        for plan in plans
        if not (plan.used or plan.details.keys() & {"target", "left_out"})  # as was requested
    ]
    if aside:
        notes.append(f"Set aside: {', '.join(aside)}.")
    return notes


def _filled_in(plan: ColumnPlan, n: int) -> str:
    cells = "1 cell" if plan.missing == 1 else f"{plan.missing} of {n} cells"
    note = f"{cells} of {shortened(plan.name, 80)} {'is' if plan.missing == 1 else 'are'} missing"
    if plan.kind == "number":
        note += f"; the median, {plan.details['centre']:.6g}, stands in"
    elif plan.kind != "category":
        note += "; the usual value stands in"
    return f"{note}, and a feature says where." if plan.details["indicator"] else f"{note}."


def _why(plan: ColumnPlan) -> str:
    if plan.kind == "duplicate":
        return f"the same as {plan.details['of']!r}"
    if plan.kind == "category":
        return "a category without frequent levels"
    return {"text": "free text", "constant": "always the same"}.get(plan.kind, plan.kind)
