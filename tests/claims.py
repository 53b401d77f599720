"""Numbers of the documentation that claim a measurement, and whether a result file holds them.

A claim is a number with a decimal point, or one with a unit: percent, times, seconds, bytes; in a
row of a table with such a number, whole numbers that fill a cell are claims as well. Code,
formulas, links and comments are not read. A page's results, and its numbers that define something
(parameters, levels, versions), are declared in benchmarks/results/pages.toml:

row of a table   its claims must follow one another, in this order, in one row of a result's table
prose            every claim must be in a result's text, or among the ``numbers`` of its record

A comment ``<!-- results: NAME, NAME -->`` before a table or a paragraph names its results instead;
prose may then also use the cells of their tables. (Without it, one of the many numbers of large
tables would support nearly any claim.) A number stands for all numbers that are rounded to it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

UNITS = {
    "%": "%",
    "percent": "%",
    "times": "times",
    "x": "times",
    "ns": "ns",
    "us": "us",
    "µs": "us",
    "ms": "ms",
    "s": "s",
    "seconds": "s",
    "minutes": "minutes",
    "hours": "hours",
    "KB": "KB",
    "MB": "MB",
    "MiB": "MiB",
    "GB": "GB",
    "GiB": "GiB",
    "TB": "TB",
    "bytes": "bytes",
}
NUMBER = re.compile(
    r"(?<![\w.,^/])(?P<value>(?:(?<![^\s(|])[-+])?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"(?:[ \u00a0]?(?P<unit>" + "|".join(map(re.escape, UNITS)) + r")(?!\w))?(?![\w^])"
)
MARKER = re.compile(r"<!--\s*results:\s*(?P<names>[^>]*?)\s*-->")
# What is not read; lines stay, so that their numbers are right.
FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,}).*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
HIDDEN = re.compile(
    r"`[^`\n]+`|\$[^$\n]+\$|\]\([^)]*\)|<!--.*?-->|\bhttps?://\S+|\d{4}-\d\d-\d\d", re.DOTALL
)
INDENTED = re.compile(r"(?<=\n\n) {4}\S.*(?:\n {4}.*)*")


@dataclass(frozen=True)
class Claim:
    """A number of a page."""

    line: int
    text: str
    value: float
    digits: int
    unit: str
    row: int | None  # of a table, by its line

    def equals(self, other: Claim) -> bool:
        """Return whether the numbers are the same, with the same unit or without one."""
        return self.value == other.value and (
            self.unit == other.unit or not self.unit or not other.unit
        )

    def stands_for(self, other: Claim) -> bool:
        """Return whether the other number is this one after rounding, perhaps to percents."""
        half = 0.5000001 * 10.0**-self.digits
        if self.unit == "%" and not other.unit and abs(self.value - 100 * other.value) <= half:
            return True
        if self.digits > other.digits or (self.unit and other.unit):
            return self.equals(other)
        return abs(self.value - other.value) <= half


class Page:
    """A page in Markdown: its claims, and the results that its markers name."""

    def __init__(self, text: str) -> None:
        self.lines = _readable(text).split("\n")
        self.raw = text.split("\n")

    @cached_property
    def claims(self) -> list[Claim]:
        """All numbers that are measured or defined."""
        found = []
        for place, line in enumerate(self.lines):
            in_table = line.lstrip().startswith("|")
            numbers = [_claim(match, place, in_table) for match in NUMBER.finditer(line)]
            claims = [n for n in numbers if n.unit or n.digits or "e" in n.text]
            if in_table and claims:
                cells = {cell.strip(" *") for cell in line.split("|")}
                claims = [n for n in numbers if n in claims or n.text in cells]
            found += claims
        return found

    def rows(self) -> dict[int, list[Claim]]:
        """Return the claims of each row of a table."""
        found: dict[int, list[Claim]] = {}
        for claim in self.claims:
            if claim.row is not None:
                found.setdefault(claim.row, []).append(claim)
        return found

    def results_of(self, line: int) -> list[str] | None:
        """Return what the marker of the block names, if it has one."""
        place = line
        while place > 0 and self.raw[place - 1].strip():
            place -= 1
        # The marker is the block's first line, or a block of its own before it.
        for candidate in (place, place - 2):
            match = MARKER.fullmatch(self.raw[candidate].strip()) if candidate >= 0 else None
            if match:
                return [name.strip() for name in match["names"].split(",")]
        return None


class Result:
    """A result: rows of its tables, and all its numbers.

    It is NAME.md (tables and text as they were printed when it was measured) with the record
    NAME.toml.
    """

    def __init__(self, record: dict[str, Any], text: str) -> None:
        self.record = record
        lines = Page(text).lines
        tables = [line for line in lines if line.lstrip().startswith("|")]
        prose = [line for line in lines if not line.lstrip().startswith("|")]
        self.rows = [row for line in tables if (row := _numbers_of(line))]
        prose.append(str(record.get("seconds", "")))
        self.numbers = [number for line in prose for number in _numbers_of(line)]

    def holds(self, claim: Claim, *, cells: bool = True) -> bool:
        """Return whether the claim is in the text, or in a cell of a table where that counts."""
        places = [self.numbers, *(self.rows if cells else [])]
        return any(claim.stands_for(number) for place in places for number in place)

    def holds_row(self, claims: Sequence[Claim]) -> bool:
        """Return whether the claims follow one another in one row of the result."""
        return any(_in_order(claims, row) for row in self.rows)


def load_results(folder: Path) -> dict[str, Result]:
    """Return all results by name."""
    results = {}
    for path in sorted(folder.glob("*.toml")):
        record = tomllib.loads(path.read_text(encoding="utf-8"))
        if path.stem != "pages":
            table = path.with_suffix(".md")
            text = table.read_text(encoding="utf-8") if table.exists() else ""
            results[path.stem] = Result(record, text)
    return results


def unsupported(
    page: Page, results: dict[str, Result], own: Sequence[str], definitions: Sequence[str]
) -> Iterator[tuple[Claim, list[str]]]:
    """Yield the claims that no result of the page holds, with the results that would."""
    defined = {(c.value, c.unit) for text in definitions for c in _numbers_of(text)}

    def measured(claims: Sequence[Claim]) -> list[Claim]:
        return [c for c in claims if (c.value, c.unit) not in defined]

    for row, everything in page.rows().items():
        claims = measured(everything)
        allowed = [results[name] for name in page.results_of(row) or own]
        if claims and not any(result.holds_row(claims) for result in allowed):
            yield claims[0], [name for name, r in results.items() if r.holds_row(claims)]
    for claim in measured([c for c in page.claims if c.row is None]):
        marked = page.results_of(claim.line)
        allowed = [results[name] for name in marked or own]
        if not any(result.holds(claim, cells=marked is not None) for result in allowed):
            yield claim, [name for name, result in results.items() if result.holds(claim)]


def _readable(text: str) -> str:
    for pattern in (FENCE, INDENTED, HIDDEN):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return text.replace("\u2212", "-")


def _claim(match: re.Match[str], line: int, in_table: bool) -> Claim:
    text = match["value"].rstrip(",").replace(",", "")
    mantissa, _, power = text.partition("e")
    digits = len(mantissa.partition(".")[2]) - int(power or 0)
    unit = UNITS.get(match["unit"] or "", "")
    return Claim(line, match[0].strip(), float(text), digits, unit, line if in_table else None)


def _numbers_of(text: str) -> list[Claim]:
    return [_claim(match, 0, False) for match in NUMBER.finditer(text)]


def _in_order(claims: Sequence[Claim], row: Sequence[Claim]) -> bool:
    rest = iter(row)
    return all(any(claim.stands_for(number) for number in rest) for claim in claims)
