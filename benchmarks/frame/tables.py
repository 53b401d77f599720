"""Rows to Markdown: one line a setting, with statistics of its measures over the seeds.

``summary_table``      a column for each statistic
``against_table``      a column for each method, its mean ratio or difference, seed by seed, to the
                       oracle ("Genie"), the same learner fitted on the uncorrupted rows only
``comparison_table``   a column for each method with mean and deviation, the best in bold type, and
                       below it the settings where ours falls short

A statistic leaves failed cases out, and cases where the measure has no value (nan). Where some of
a setting's cases failed, its cell says how many did not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, TypeAlias

from .results import Row

SETTING = ("dataset", "kind", "epsilon")
TEXT_COLUMNS = {"dataset", "kind", "method"}
GENIE = "genie"
OURS = "subquantile"
OWN_METHODS = ("subquantile", "subquantile-auto")

Statistic: TypeAlias = Callable[[Sequence[Row]], float]
# Value of every seed, and that for every method.
Seeds: TypeAlias = dict[int, float]
Methods: TypeAlias = dict[str, Seeds]


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Draw a Markdown table; columns of text are set left, all others right."""
    rules = [":---" if name in TEXT_COLUMNS else "---:" for name in header]
    lines = [list(header), rules, *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def number(value: float, decimals: int = 2) -> str:
    """Return a number with some decimals; powers of ten where it is tiny or huge.

    Examples
    --------
    >>> from benchmarks.frame.tables import number
    >>> number(1.0345), number(0.0012), number(3.2e11), number(0.0), number(float("nan"))
    ('1.03', '1.2e-03', '3.2e+11', '0.00', '-')
    """
    if math.isnan(value):
        return "-"
    plain = value == 0 or 0.01 <= abs(value) < 1e4 or math.isinf(value)
    return f"{value:.{decimals}f}" if plain else f"{value:.1e}"


def show(value: float) -> str:
    """Return a number with three decimals, or a dash for what has no value."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def short(value: float) -> str:
    """Return a number with three decimals, or fewer for large numbers.

    Examples
    --------
    >>> from benchmarks.frame.tables import short
    >>> short(0.46812), short(141.69), short(2.3e7)
    ('0.468', '141.7', '2.3e+07')
    """
    size = abs(value)
    return f"{value:.3f}" if size < 10 else f"{value:.1f}" if size < 1e4 else f"{value:.1e}"


def groups(rows: Iterable[Row], by: Sequence[str] = SETTING) -> dict[tuple[Any, ...], list[Row]]:
    """Return rows of each setting, in order of appearance."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    return found


def values(rows: Iterable[Row], measure: str) -> list[float]:
    """Return the values of a measure, where it has one."""
    found = [row[measure] for row in rows]
    return [value for value in found if isinstance(value, float) and not math.isnan(value)]


def mean(measure: str) -> Statistic:
    """Return a statistic: the mean of a measure."""
    return lambda rows: _over(values(rows, measure), fmean)


def largest(measure: str) -> Statistic:
    """Return a statistic: the largest value of a measure."""
    return lambda rows: _over(values(rows, measure), max)


def _over(found: Sequence[float], statistic: Callable[[Sequence[float]], float]) -> float:
    return statistic(found) if found else math.nan


def means(measures: Iterable[str]) -> dict[str, Statistic]:
    """Return a column for the mean of each measure."""
    return {name.replace("_", " "): mean(name) for name in measures}


def summary_table(
    rows: Sequence[Row],
    columns: Mapping[str, Statistic],
    *,
    by: Sequence[str] = SETTING,
    form: Callable[[float], str] = show,
) -> str:
    """Return one line for each setting, in order of appearance, and a column for each statistic.

    Examples
    --------
    >>> from benchmarks.frame.tables import largest, mean, summary_table
    >>> rows = [{"dataset": "kiln", "error": "", "share": share} for share in (0.25, 0.75)]
    >>> columns = {"share": mean("share"), "largest": largest("share")}
    >>> print(summary_table(rows, columns, by=["dataset"]))
    | dataset | share | largest |
    | :--- | ---: | ---: |
    | kiln | 0.500 | 0.750 |
    """
    body = []
    for setting, found in groups(rows, by).items():
        good = [row for row in found if not row["error"]]
        cells = [form(statistic(good)) if good else "failed" for statistic in columns.values()]
        if good and len(good) < len(found):
            cells[0] += f" ({len(good)} of {len(found)})"
        body.append([*setting, *cells])
    return markdown([*by, *columns], body)


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


def by_method(rows: Iterable[Row], measure: str) -> dict[tuple[Any, ...], Methods]:
    """Return setting -> method -> seed -> value; a method that failed has no seed there."""
    found: dict[tuple[Any, ...], Methods] = {}
    for setting, part in groups(rows).items():
        methods = found.setdefault(setting, {})
        for row in part:
            seeds = methods.setdefault(row["method"], {})
            if values([row], measure):
                seeds[row["seed"]] = row[measure]
    return found


def against_table(
    rows: Sequence[Row],
    *,
    value: str = "rmse",
    reference: str = GENIE,
    decimals: int = 2,
    differences: bool = False,
) -> str:
    """Return mean ratios to the reference method, or means with the mean differences to it.

    Examples
    --------
    >>> from benchmarks.frame.tables import against_table
    >>> row = {"dataset": "kiln", "kind": "label", "epsilon": 0.2, "seed": 0}
    >>> rows = [row | {"method": "genie", "rmse": 0.5}, row | {"method": "plain", "rmse": 1.0}]
    >>> print(against_table(rows))
    | dataset | kind | epsilon | genie rmse | plain |
    | :--- | :--- | ---: | ---: | ---: |
    | kiln | label | 0.2 | 0.50 | 2.00 |
    >>> print(against_table(rows, differences=True).splitlines()[-1])
    | kiln | label | 0.2 | 0.500 | 1.000 (+0.500) |
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    competitors = [method for method in methods if method != reference]
    n_seeds = len({row["seed"] for row in rows})

    def compared(own: Seeds, base: Seeds) -> str:
        common = [seed for seed in own if seed in base]
        if not common:
            return "failed"
        if differences:
            difference = fmean(own[seed] - base[seed] for seed in common)
            text = f"{fmean(own[seed] for seed in common):.3f} ({difference:+.3f})"
        else:
            ratios = [RMSE.against(own[seed], base[seed]) for seed in common]
            text = number(fmean(ratios), decimals)
        return text + _some(len(common), n_seeds)

    body = []
    for setting, found in by_method(rows, value).items():
        base = found.get(reference, {})
        level = fmean(base.values()) if base else math.nan
        first = f"{level:.3f}" if differences else number(level, decimals)
        first = first + _some(len(base), n_seeds) if base else "failed"
        body.append([*setting, first, *(compared(found.get(m, {}), base) for m in competitors)])
    return markdown([*SETTING, f"{reference} {value.replace('_', ' ')}", *competitors], body)


def _some(count: int, wanted: int) -> str:
    return "" if count == wanted else f" ({count} of {wanted})"


def comparison_table(
    rows: Sequence[Row], measure: Measure = RMSE, printed: Mapping[Any, Any] | None = None
) -> str:
    r"""Draw every method beside the others, beside the oracle and beside what is in print.

    A cell is mean and deviation over the seeds; for ours also the mean ratio to the oracle (of
    errors) or the mean difference (of accuracies), seed by seed. ``printed`` maps data set, kind,
    share and method to the figure that stands below, if there is one.

    Examples
    --------
    >>> from benchmarks.frame.tables import comparison_table
    >>> row = {"dataset": "boston", "kind": "label", "epsilon": 0.2, "seed": 0}
    >>> found = {"genie": 0.4, "subquantile": 0.5, "krr": 0.7}
    >>> rows = [row | {"method": name, "rmse": rmse} for name, rmse in found.items()]
    >>> print(comparison_table(rows).partition("\n\n")[0])
    | dataset | kind | epsilon | genie | subquantile | krr |
    | :--- | :--- | ---: | ---: | ---: | ---: |
    | boston | label | 0.2 | 0.400 | **0.500** 1.25x | 0.700 |
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    n_seeds = len({row["seed"] for row in rows})
    body, settings = [], by_method(rows, measure.name)
    for setting, found in settings.items():
        best, line = _best(found, measure), []
        for name in methods:
            cell = _comparison_cell(name, found, measure, n_seeds, name == best)
            figure = (printed or {}).get((*setting, name))
            below = f"<br>*{short(figure.mean)} ({short(figure.deviation)})*" if figure else ""
            line.append(cell + below)
        body.append([*setting, *line])
    parts = [markdown([*SETTING, *methods], body)]
    parts += [_shortfalls(ours, settings, measure) for ours in OWN_METHODS if ours in methods]
    return "\n\n".join(parts)


def behind(own: Seeds, competitor: Seeds, measure: Measure) -> bool:
    """Return whether a competitor is better by more than the noise of the difference.

    The noise is twice the standard error of the mean difference, seed by seed.
    """
    differences = [competitor[seed] - own[seed] for seed in own if seed in competitor]
    if not differences:  # one of the two has failed
        return bool(competitor)
    mean = fmean(differences)
    if not measure.better(mean, 0.0):
        return False
    noise = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return abs(mean) >= 2 * noise


def _best(found: Methods, measure: Measure, without: Sequence[str] = ()) -> str | None:
    """Return method of the best mean, the oracle aside."""
    levels = {
        name: fmean(seeds.values())
        for name, seeds in found.items()
        if seeds and name != GENIE and name not in without
    }
    best = max if measure.large_is_good else min
    return best(levels, key=lambda name: levels[name]) if levels else None


def _comparison_cell(
    name: str, found: Methods, measure: Measure, n_seeds: int, is_best: bool
) -> str:
    seeds, genie = found.get(name, {}), found.get(GENIE, {})
    if not seeds:
        return "failed" if name in found else "-"
    own = list(seeds.values())
    text = f"{short(fmean(own))} ({short(stdev(own))})" if len(own) > 1 else short(own[0])
    text = f"**{text}**" if is_best else text
    common = [measure.against(seeds[seed], genie[seed]) for seed in seeds if seed in genie]
    if name.startswith(OURS) and common:
        text += f" {fmean(common):+z.3f}" if measure.large_is_good else f" {fmean(common):.2f}x"
    return text + _some(len(own), n_seeds)


def _shortfalls(ours: str, settings: Mapping[Any, Methods], measure: Measure) -> str:
    """Name the settings where ours is neither first nor within noise of the first."""
    lines, met = [], 0
    for setting, found in settings.items():
        own = found.get(ours, {})
        best = _best(found, measure, without=[name for name in found if name.startswith(OURS)])
        met += ours in found
        if best is not None and ours in found and behind(own, found[best], measure):
            mine = short(fmean(own.values())) if own else "failed"
            words = " ".join(str(part) for part in setting)
            lines.append(f"- {words}: {mine}, {best} {short(fmean(found[best].values()))}")
    head = f"{ours} is first or within noise of the best competitor "
    head += f"in {met - len(lines)} of {met} cells"
    return "\n".join([f"{head}; it is behind at:" if lines else f"{head}.", "", *lines]).strip()
