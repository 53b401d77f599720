"""Rows to Markdown: every method beside the others, beside Genie and beside what is in print.

One line for each setting, one cell a method: mean and deviation over the seeds; for ours also the
mean ratio to Genie (of errors) or the mean difference (of accuracies), seed by seed. The best
method but Genie is in bold type. What the paper prints stands below.

A method is within noise of another if their mean difference, seed by seed, is less than twice its
standard error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, TypeAlias

from ..results import Row
from ..summary import groups
from ..table import SETTING, markdown
from .printed import PRINTED, Cell

GENIE = "genie"
OURS = "subquantile"
OWN_METHODS = ("subquantile", "subquantile-auto")

# Data set, kind and share.
Setting: TypeAlias = tuple[Any, ...]
# Value of every seed.
Seeds: TypeAlias = dict[int, float]


@dataclass(frozen=True)
class Measure:
    """A measure of a comparison: its column, and whether large values are good."""

    name: str
    large_is_good: bool = False

    def better(self, one: float, other: float) -> bool:
        """Return whether one value is better than another."""
        return one > other if self.large_is_good else one < other

    def against(self, own: float, base: float) -> float:
        """Return difference of accuracies or ratio of errors."""
        if self.large_is_good:
            return own - base
        return own / base if base else math.nan


RMSE = Measure("rmse")


def comparison(rows: Sequence[Row], measure: Measure = RMSE, table: str = "") -> str:
    r"""Draw the table and, below it, the settings where we fall short.

    Parameters
    ----------
    rows : sequence of dict
    measure : Measure
    table : str
        Whose printed figures to put below ours.

    Examples
    --------
    >>> from benchmarks.papers.comparison import comparison
    >>> row = {"dataset": "boston", "kind": "label", "epsilon": 0.2, "seed": 0}
    >>> rows = [
    ...     row | {"method": name, "rmse": rmse}
    ...     for name, rmse in [("genie", 0.4), ("subquantile", 0.5), ("krr", 0.7)]
    ... ]
    >>> print(comparison(rows, table="table1").partition("\n\n")[0])
    | dataset | kind | epsilon | genie | subquantile | krr |
    | :--- | :--- | ---: | ---: | ---: | ---: |
    | boston | label | 0.2 | 0.400 | **0.500** 1.25x<br>*0.468 (0.090)* | 0.700<br>*1.285 (0.090)* |
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    n_seeds = len({row["seed"] for row in rows})
    body, settings = [], _values(rows, measure.name)
    for setting, values in settings.items():
        best = _best(values, measure)
        cells = [_cell(name, values, measure, n_seeds, name == best) for name in methods]
        printed = [_printed(table, setting, name) for name in methods]
        body.append([*setting, *map("".join, zip(cells, printed, strict=True))])
    parts = [markdown([*SETTING, *methods], body)]
    parts += [_summary(ours, settings, measure) for ours in OWN_METHODS if ours in methods]
    return "\n\n".join(parts)


def behind(own: Seeds, competitor: Seeds, measure: Measure) -> bool:
    """Return whether a competitor is better by more than the noise of the difference.

    Examples
    --------
    >>> from benchmarks.papers.comparison import RMSE, behind
    >>> own = {0: 1.0, 1: 1.1, 2: 1.3}
    >>> behind(own, {0: 0.9, 1: 1.0, 2: 1.1}, RMSE), behind(own, {0: 0.9, 1: 1.3, 2: 1.0}, RMSE)
    (True, False)
    """
    differences = [competitor[seed] - own[seed] for seed in own if seed in competitor]
    if not differences:  # one of the two has failed
        return bool(competitor)
    mean = fmean(differences)
    if not measure.better(mean, 0.0):
        return False
    noise = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return abs(mean) >= 2 * noise


def _values(rows: Sequence[Row], name: str) -> dict[Setting, dict[str, Seeds]]:
    """Return setting -> method -> seed -> value; a method that failed has no seed there."""
    found: dict[Setting, dict[str, Seeds]] = {}
    for setting, part in groups(rows).items():
        methods = found.setdefault(setting, {})
        for row in part:
            seeds = methods.setdefault(row["method"], {})
            if isinstance(row[name], float) and not math.isnan(row[name]):
                seeds[row["seed"]] = row[name]
    return found


def _best(values: dict[str, Seeds], measure: Measure, without: Sequence[str] = ()) -> str | None:
    """Return method of the best mean, Genie aside."""
    means = {
        name: fmean(seeds.values())
        for name, seeds in values.items()
        if seeds and name != GENIE and name not in without
    }
    if not means:
        return None
    return (max if measure.large_is_good else min)(means, key=lambda name: means[name])


def _cell(
    name: str, values: dict[str, Seeds], measure: Measure, n_seeds: int, is_best: bool
) -> str:
    seeds, genie = values.get(name, {}), values.get(GENIE, {})
    if not seeds:
        return "failed" if name in values else "-"
    found = list(seeds.values())
    text = f"{show(fmean(found))} ({show(stdev(found))})" if len(found) > 1 else show(found[0])
    text = f"**{text}**" if is_best else text
    common = [measure.against(seeds[seed], genie[seed]) for seed in seeds if seed in genie]
    if name.startswith(OURS) and common:
        text += f" {fmean(common):+z.3f}" if measure.large_is_good else f" {fmean(common):.2f}x"
    return text if len(found) == n_seeds else f"{text} ({len(found)} of {n_seeds})"


def _printed(table: str, setting: Setting, method: str) -> str:
    dataset, kind, epsilon = setting
    figure = PRINTED.get(Cell(table, dataset, kind, epsilon, method))
    return f"<br>*{show(figure.mean)} ({show(figure.deviation)})*" if figure else ""


def _summary(ours: str, settings: dict[Setting, dict[str, Seeds]], measure: Measure) -> str:
    """Name the settings where ours is neither first nor within noise of the first."""
    lines, met = [], 0
    for setting, values in settings.items():
        own = values.get(ours, {})
        competitors = [name for name in values if name.startswith(OURS)]
        best = _best(values, measure, without=competitors)
        met += ours in values
        if best is not None and ours in values and behind(own, values[best], measure):
            mine = show(fmean(own.values())) if own else "failed"
            words = " ".join(str(part) for part in setting)
            lines.append(f"- {words}: {mine}, {best} {show(fmean(values[best].values()))}")
    head = f"{ours} is first or within noise of the best competitor "
    head += f"in {met - len(lines)} of {met} cells"
    return "\n".join([f"{head}; it is behind at:" if lines else f"{head}.", "", *lines]).strip()


def show(value: float) -> str:
    """Return a number with three decimals, or fewer for large numbers.

    Examples
    --------
    >>> from benchmarks.papers.comparison import show
    >>> show(0.46812), show(141.69), show(2.3e7)
    ('0.468', '141.7', '2.3e+07')
    """
    size = abs(value)
    if size < 10:
        return f"{value:.3f}"
    return f"{value:.1f}" if size < 1e4 else f"{value:.1e}"
