"""Dot plots of the page on the papers' comparison, drawn from the tables of that page.

``python -m benchmarks.figures.dots docs/comparison.md docs/images`` writes the tables of the page
from the results of the studies, between ``<!-- NAME begins -->`` and ``<!-- NAME ends -->``, and
draws a picture for each table that has a column ``oracle``: a band for each setting, a dot for
each method, at

    error(method) / error(oracle)          or, for accuracies,
    accuracy(method) - accuracy(oracle).

A study's cells hold ``mean (deviation) ratio<br>*printed (deviation)*``; the page has the means,
then deviations, ratios and the paper's numbers in tables of their own.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .style import FAINT, INK, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL = re.compile(
    r"(?P<bold>\**)(?P<mean>[\d.]+)(?: \((?P<sd>[\d.]+)\))?\**"
    r"(?: (?P<ratio>[\d.]+x|[+-][\d.]+))?(?:<br>\*(?P<paper>[^*]+)\*)?"
)
HEADINGS = {
    "genie": "oracle",
    "subquantile": "untaint, given",
    "subquantile-auto": "untaint, estimated",
    "subquantile-gradient": "paper's steps",
    "krr": "KRR",
    "kernel-logistic": "kernel logistic",
    "random-forest": "random forest",
    **{name: name.upper() for name in ("sever", "term", "ransac", "crr", "stir", "torrent", "svm")},
    "svr": "SVR",
    "huber": "Huber",
}
# Ours are filled and dark; markers differ, so that no colour is needed.
LOOKS: dict[str, dict[str, Any]] = {
    "untaint, given": {"marker": "o", "color": "#0072b2", "s": 30},
    "untaint, estimated": {"marker": "D", "color": "#d55e00", "s": 26},
    "paper's steps": {"marker": "o", "facecolors": "none", "edgecolors": "#0072b2", "s": 30},
    "KRR": {"marker": "x", "color": INK, "s": 26},
    "SVM": {"marker": "x", "color": INK, "s": 26},
    "kernel logistic": {"marker": "+", "color": INK, "s": 36},
    "SEVER": {"marker": "s", "facecolors": "none", "edgecolors": "#5b7f36", "s": 26},
    "TERM": {"marker": "^", "facecolors": "none", "edgecolors": "#9a4d9e", "s": 30},
    "RANSAC": {"marker": "v", "facecolors": "none", "edgecolors": "#8a6d1f", "s": 28},
    "CRR": {"marker": "<", "facecolors": "none", "edgecolors": FAINT, "s": 24},
    "STIR": {"marker": ">", "facecolors": "none", "edgecolors": FAINT, "s": 24},
    "TORRENT": {"marker": "d", "facecolors": "none", "edgecolors": FAINT, "s": 24},
    "SVR": {"marker": "v", "facecolors": "none", "edgecolors": "#8a6d1f", "s": 28},
    "Huber": {"marker": "p", "facecolors": "none", "edgecolors": FAINT, "s": 28},
    "random forest": {"marker": "*", "facecolors": "none", "edgecolors": "#5b7f36", "s": 36},
}
RESULTS = Path(__file__).resolve().parents[1] / "results"
LARGEST = 4.0  # beyond this ratio dots are drawn at the edge


@dataclass
class Table:
    """A table of means: settings, methods, and a number for each pair."""

    settings: list[str]
    methods: list[str]
    values: dict[tuple[str, str], float]


def read_tables(text: str) -> list[Table]:
    """Return the tables of a page that have a column for the oracle, in their order."""
    text = re.sub(r"^:::\{dropdown.*?^:::$", "", text, flags=re.S | re.M)
    found = re.findall(r"^\| setting \| oracle .*(?:\n\|.*)+", text, re.M)
    return [_read_table(lines.splitlines()) for lines in found]


def _read_table(lines: list[str]) -> Table:
    _, *methods = _cells(lines[0])
    settings, values = [], {}
    for line in lines[2:]:
        setting, *cells = _cells(line)
        settings.append(setting)
        values |= {
            (setting, method): float(cell.strip("*"))
            for method, cell in zip(methods, cells, strict=True)
        }
    return Table(settings, methods, values)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def split(table: str) -> str:
    """Split a study's table into one of means and tables of what stood beside them."""
    head, _, *body = table.strip().splitlines()
    names = [HEADINGS.get(name, name) for name in _cells(head)[3:]]
    rows: list[tuple[str, list[re.Match[str]]]] = []
    for line in body:
        data, kind, share, *cells = _cells(line)
        found = [CELL.fullmatch(cell) for cell in cells]
        rows.append((f"{data}, {kind}, {100 * float(share):.0f} %", [f for f in found if f]))
        assert len(rows[-1][1]) == len(cells), line

    def part(title: str, group: str) -> str:
        kept = [k for k in range(len(names)) if any(found[k][group] for _, found in rows)]
        if not kept:
            return ""
        lines = [["setting", *(names[k] for k in kept)], [":---", *("---:" for _ in kept)]]
        for setting, found in rows:
            shown = [
                f"{found[k]['bold']}{found[k][group] or ''}{found[k]['bold']}"
                if group == "mean"
                else (found[k][group] or "").replace(" (", "<br>(")
                for k in kept
            ]
            if any(shown):
                lines.append([setting, *shown])
        return f"{title}\n\n" * bool(title) + "\n".join(f"| {' | '.join(c)} |" for c in lines)

    against = "minus" if "svm" in head else "over"
    parts = [
        part("", "mean"),
        part(f"Ours {against} the oracle (mean over the seeds):", "ratio"),
        part("Standard deviations over the seeds:", "sd"),
        part("The paper's values:", "paper"),
    ]
    means, *others = [one for one in parts if one]
    more = "\n\n".join(others)
    return (
        f"{means}\n\n:::{{dropdown}} Standard deviations, ratios, the paper's values\n{more}\n:::"
    )


def fill(page: str, results: Path = RESULTS) -> str:
    """Return the page with the tables of the studies that have a result."""

    def written(block: re.Match[str]) -> str:
        study = results / f"{block['name']}.md"
        if not study.exists():
            return block[0]
        text = study.read_text("utf-8")
        found = re.search(r"^\| dataset .*(?:\n\|.*)+", text, re.M)
        assert found, study
        parts = [split(found[0]), _in_words(text[found.end() :].strip())]
        return f"{block['head']}\n\n" + "\n\n".join(parts) + f"\n\n{block['tail']}"

    pattern = r"(?P<head><!-- (?P<name>[\w-]+) begins -->).*?(?P<tail><!-- (?P=name) ends -->)"
    return re.sub(pattern, written, page, flags=re.S)


def _in_words(remarks: str) -> str:
    """Return the remarks below a study's table with the names and shares of the page."""
    remarks = re.sub(
        r"^(subquantile(?:-auto)?) is",
        lambda found: f"*{HEADINGS[found[1]]}*, is",
        remarks,
        flags=re.M,
    )

    def behind(found: re.Match[str]) -> str:
        name = HEADINGS.get(found["best"], found["best"])
        share = f"{100 * float(found['share']):.0f} %"
        return (
            f"- {found['data']}, {found['kind']}, {share}: {found['own']}, {name} {found['their']}"
        )

    line = (
        r"^- (?P<data>\S+) (?P<kind>\S+) (?P<share>[\d.]+): (?P<own>\S+), "
        r"(?P<best>\S+) (?P<their>\S+)$"
    )
    return re.sub(line, behind, remarks, flags=re.M)


def draw(table: Table, picture: Path) -> None:
    """Draw a table: settings from top to bottom, a dot for each method."""
    import matplotlib.pyplot as plt

    accuracy = "SVM" in table.methods
    with drawing():
        n = len(table.settings)
        figure, ax = plt.subplots(figsize=(5.4, 0.9 + 0.27 * n), dpi=160, layout="constrained")
        methods = table.methods[1:]
        for k, method in enumerate(methods):
            places = [_place(table, setting, method, accuracy) for setting in table.settings]
            heights = [row + (k + 0.5) / len(methods) * 0.76 - 0.38 for row in range(n)]
            ax.scatter(places, heights, label=method, **LOOKS[method])
        _dress(ax, table.settings, accuracy)
        figure.legend(loc="outside upper center", ncols=5, frameon=False, handletextpad=0.1)
        figure.savefig(picture, facecolor="white")
        plt.close(figure)


def _place(table: Table, setting: str, method: str, accuracy: bool) -> float:
    own, oracle = table.values[setting, method], table.values[setting, "oracle"]
    return own - oracle if accuracy else min(own / oracle, LARGEST)


def _dress(ax: Axes, settings: list[str], accuracy: bool) -> None:
    ax.set_yticks(range(len(settings)), settings)
    ax.set_ylim(len(settings) - 0.5, -0.5)
    for row in range(1, len(settings), 2):
        ax.axhspan(row - 0.5, row + 0.5, color="#f1f3f5", lw=0, zorder=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.axvline(0 if accuracy else 1, color=INK, lw=0.8, zorder=1)
    if accuracy:
        ax.set_xlabel("accuracy minus that of the oracle (right is better)")
        return
    ax.set_xscale("log")
    ticks = [1, 1.2, 1.5, 2, 3, LARGEST]
    ax.set_xlim(0.88, LARGEST * 1.05)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks[:-1]] + [f"≥ {LARGEST:g}"])
    ax.minorticks_off()
    ax.set_xlabel("error over that of the oracle (left is better)")


def main(words: list[str]) -> None:
    """Write the tables of a page, and draw its pictures."""
    page, folder = map(Path, words)
    text = fill(page.read_text("utf-8"))
    page.write_text(text, "utf-8")
    for number, table in enumerate(read_tables(text), 1):
        draw(table, folder / f"comparison-{number}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
