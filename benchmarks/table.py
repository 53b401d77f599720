"""Rows to Markdown: for every setting, each method next to Genie, averaged over the seeds.

    ratio(method)      = mean over seeds of  value(method, seed) / value(genie, seed)
    difference(method) = mean over seeds of  value(method, seed) - value(genie, seed)

Genie is the same learner fitted on the uncorrupted rows only; its own column shows the mean value.
A cell whose seeds did not all succeed says how many did.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, TypeVar

from .results import Row

SETTING = ("dataset", "kind", "epsilon")

T = TypeVar("T")


def ratio_table(
    rows: Iterable[Row], *, value: str = "rmse", reference: str = "genie", decimals: int = 2
) -> str:
    """Pivot flat rows into a Markdown table of mean ratios to the reference method.

    Examples
    --------
    >>> from benchmarks import ratio_table
    >>> row = {"dataset": "kiln", "kind": "label", "epsilon": 0.2, "seed": 0}
    >>> print(
    ...     ratio_table(
    ...         [row | {"method": "genie", "rmse": 0.5}, row | {"method": "plain", "rmse": 1.0}]
    ...     )
    ... )
    | dataset | kind | epsilon | genie rmse | plain |
    | :--- | :--- | ---: | ---: | ---: |
    | kiln | label | 0.2 | 0.50 | 2.00 |
    """
    return _pivot(
        rows,
        value,
        reference,
        show=lambda values: number(fmean(values), decimals),
        compare=lambda pairs: number(fmean(_ratio(own, base) for own, base in pairs), decimals),
    )


def difference_table(
    rows: Iterable[Row], *, value: str = "accuracy", reference: str = "genie"
) -> str:
    """Pivot flat rows into a Markdown table of means, and of mean differences to the reference.

    Examples
    --------
    >>> from benchmarks import difference_table
    >>> row = {"dataset": "heart", "kind": "flip", "epsilon": 0.2, "seed": 0}
    >>> print(
    ...     difference_table(
    ...         [
    ...             row | {"method": "genie", "accuracy": 0.8},
    ...             row | {"method": "svc", "accuracy": 0.75},
    ...         ]
    ...     )
    ... )
    | dataset | kind | epsilon | genie accuracy | svc |
    | :--- | :--- | ---: | ---: | ---: |
    | heart | flip | 0.2 | 0.800 | 0.750 (-0.050) |
    """

    def compare(pairs: Sequence[tuple[float, float]]) -> str:
        mean, difference = fmean(own for own, _ in pairs), fmean(own - base for own, base in pairs)
        return f"{mean:.3f} ({difference:+.3f})"

    return _pivot(
        rows, value, reference, show=lambda values: f"{fmean(values):.3f}", compare=compare
    )


def mean_table(
    rows: Sequence[Row],
    measures: Sequence[str],
    *,
    header: str = "dataset",
    name: Callable[[str], Any] = str,
) -> str:
    """Return one line for each data set, with the measures averaged over its rows.

    Examples
    --------
    >>> from benchmarks.table import mean_table
    >>> row = {"dataset": "smooth-100", "error": ""}
    >>> print(mean_table([row | {"seconds": 1.0}, row | {"seconds": 2.0}], ["seconds"]))
    | dataset | seconds |
    | :--- | ---: |
    | smooth-100 | 1.50 |
    """
    body = []
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        good = [row for row in rows if row["dataset"] == dataset and not row["error"]]
        means = [number(fmean(row[m] for row in good)) if good else "failed" for m in measures]
        body.append([name(dataset), *means])
    return markdown([header, *(measure.replace("_", " ") for measure in measures)], body)


def _pivot(
    rows: Iterable[Row],
    value: str,
    reference: str,
    *,
    show: Callable[[Sequence[float]], str],
    compare: Callable[[Sequence[tuple[float, float]]], str],
) -> str:
    """Return one line for each setting: values of the reference and of each competitor."""
    values, methods, seeds = _collect(rows, value)
    competitors = [method for method in methods if method != reference]
    body = []
    for setting, scores in values.items():
        base = scores.get(reference, {})
        cells = [_cell(list(base.values()), len(seeds), show)]
        for method in competitors:
            own = scores.get(method, {})
            pairs = [(own[seed], base[seed]) for seed in own if seed in base]
            cells.append(_cell(pairs, len(seeds), compare))
        body.append([*setting, *cells])
    return markdown([*SETTING, f"{reference} {value.replace('_', ' ')}", *competitors], body)


def _collect(
    rows: Iterable[Row], value: str
) -> tuple[dict[tuple[Any, ...], dict[str, dict[int, float]]], list[str], set[int]]:
    """Group as setting -> method -> seed -> value, methods in order of first appearance."""
    values: dict[tuple[Any, ...], dict[str, dict[int, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    methods: dict[str, None] = {}
    seeds: set[int] = set()
    for row in rows:
        setting = tuple(row[name] for name in SETTING)
        methods[row["method"]] = None
        seeds.add(row["seed"])
        scores = values[setting][row["method"]]  # a failed method still gets its empty cell
        if isinstance(row[value], float):
            scores[row["seed"]] = row[value]
    return values, list(methods), seeds


def _ratio(own: float, base: float) -> float:
    return own / base if base else math.nan


def _cell(values: Sequence[T], wanted: int, show: Callable[[Sequence[T]], str]) -> str:
    if not values:
        return "failed"
    return show(values) + ("" if len(values) == wanted else f" ({len(values)} of {wanted})")


def number(value: float, decimals: int = 2) -> str:
    """Return a number with two decimals, or as many as requested; powers of ten where it is tiny.

    Examples
    --------
    >>> from benchmarks.table import number
    >>> number(1.0345), number(0.0012), number(3.2e11), number(0.0)
    ('1.03', '1.2e-03', '3.2e+11', '0.00')
    """
    small, large = 0.01, 1e4
    plain = value == 0 or small <= abs(value) < large or not math.isfinite(value)
    return f"{value:.{decimals}f}" if plain else f"{value:.1e}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Draw a Markdown table; columns of text are set left, all others right."""
    body = [list(row) for row in rows]
    text_columns = {"dataset", "kind", "method"}
    rules = [":---" if name in text_columns else "---:" for name in header]
    lines = [list(header), rules, *body]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
