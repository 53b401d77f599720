"""Write evidence.md from the result files: what was measured, how, when, and in which time.

    python docs/make_evidence.py

Result files are benchmarks/results/NAME.csv (rows), NAME.md (their table) and NAME.toml (the
record of the runs); pages.toml says which page uses which result. Figures are copied from beside
the rows, where they were drawn.

Result files name methods and settings as the code does; the page has the words of the
documentation. The longest tables are links to the result files.
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from benchmarks.figures.dots import HEADINGS  # noqa: E402, from the checkout

RESULTS = DOCS.parent / "benchmarks" / "results"
STUDIES = DOCS.parent / "benchmarks" / "README.md"
PAGE, IMAGES = DOCS / "evidence.md", DOCS / "images"
NOT_STUDIES = ("pages",)
# They look for errors, or compare two states of the code: no page has a number of theirs.
TOOLS = ("fuzz-files", "fuzz-properties", "stored-outputs", "side-by-side", "outlier-test-null")

HEAD = """\
---
html_theme.sidebar_secondary.remove: true
---

# Evidence

<!-- Written by make_evidence.py from benchmarks/results: run a study again, then that script. -->

Accuracy, speed, comparisons with other methods, and limits. Every number names its source, and a
test fails for a number that is in no result file (`tests/test_evidence.py`).

```{toctree}
:maxdepth: 2
:glob:

results
limits
alternatives
comparison
[bs]*
```

## Result files

Each study is run by `make bench ARGS="NAME --seeds N --out benchmarks/results/NAME.csv"`, goes on
where it was stopped, and keeps its rows in `benchmarks/results/NAME.csv`, their table in `NAME.md`
and this record in `NAME.toml`. Seconds are those of all runs together, on one thread of a machine
of two cores that was busy with other work, unless the study itself is about time; *code* is the
last commit that had changed the library; that of methods which were measured again on later code
(`--again METHOD`) comes first.
"""

# Results that are shown here, since no other page is about them: what they say comes first.
SHOWN = {
    "error-curve": "Error against contamination",
    "wrong-share": "A wrong contamination",
    "detection-curves": "Ranking wrong rows",
    "multiclass": "Several classes",
    "runtime-growth": "Seconds against the number of rows",
    "gaussian-processes": "Robust Gaussian processes",
}
REMARKS = {
    "error-curve": "Random targets lie on both sides of the truth: TERM, which is tuned, "
    "withstands them about as well as trimmed fits do, and better than the fit with estimated "
    "contamination where 40 % of Boston housing or of diabetes are wrong. Where wrong targets "
    "agree, the competing methods follow them from 20 to 40 % on, and so do trimmed fits that are "
    "given the contamination and tuned by folds; the fit that estimates the contamination and "
    "selects its settings jointly stays with the oracle.",
    "detection-curves": "Where targets are random, scores of the fit with estimated contamination "
    "rank wrong rows about as well as residuals of the oracle, and better than the others. Targets "
    "at one value are easy for all but IsolationForest. Shifted targets are ranked worse than by "
    "the oracle, most on red wine, and better than by the others.",
    "multiclass": "Given the contamination, untaint is first or within noise of the best "
    "competitor in seven of eight cells; with the noise estimated, it is behind the SVM, which is "
    "tuned on the flipped labels, in four.",
    "gaussian-processes": "A drawn surface, 80 training rows, two seeds; processes of BoTorch and "
    "GPyTorch select their parameters by their own likelihood, and other work ran at the same "
    "time. Relevance pursuit is as close to its oracle (the process of the correct rows) as ours "
    "is to ours at 20 % wrong targets, and follows the wrong ones at 40 %.",
    "wrong-share": "A contamination that is too small leaves wrong rows in the fit, and costs far "
    "more than one that is too large by as much.",
}
# Their tables have up to sixty rows, and their figures show the same.
LINKED = ("error-curve", "detection-curves")
# Columns, methods and settings of result files in the words of the documentation.
WORDS = HEADINGS | {
    "genie rmse": "oracle, RMSE",
    "genie's": "the oracle's",
    "untaint-given": "untaint, given",
    "untaint-auto": "untaint, estimated",
    "untaint-cv": "untaint CV",
    "auto": "estimated",
    "stack": "stack of learners",
    "kernel-ridge": "KRR",
    "gp": "Gaussian process",
    "gp-clean": "Gaussian process, clean rows",
    "student-t": "Student's t",
    "relevance-pursuit": "relevance pursuit",
}
TARGETS = {
    "label": "random targets",
    "cluster": "targets at one value",
    "shift": "shifted targets",
    "flip": "flipped labels",
}
DATASETS = {"smooth3-100": "surface"}
FIGURES = {
    "error-curve": ["boston-label", "concrete-label", "diabetes-label", "concrete-cluster"],
    "detection-curves": [""],
    "runtime-growth": [""],
}
# Figures that other pages show.
ELSEWHERE = {"error-curve": ["overview"], "simulation": ["bias", "efficiency"]}


def main() -> None:
    """Copy the figures, and write the page."""
    for name, endings in [*FIGURES.items(), *ELSEWHERE.items()]:
        for source in _figures(name, endings):
            if source.exists():
                shutil.copyfile(source, IMAGES / source.name)
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page that the result files make."""
    records = load()
    parts = [HEAD, studies(records), *(shown(name) for name in SHOWN if name in records)]
    parts.append(not_run(records))
    return "\n".join(part for part in parts if part)


def load() -> dict[str, dict[str, Any]]:
    """Return the records of all studies that have a table."""
    return {
        path.stem: _toml(path.stem)
        for path in sorted(RESULTS.glob("*.toml"))
        if path.stem not in NOT_STUDIES and path.with_suffix(".md").exists()
    }


def studies(records: dict[str, dict[str, Any]]) -> str:
    """Return one line for each study."""
    used = _toml("pages")["pages"]
    body = []
    for name, record in records.items():
        pages = [_link(page) for page, names in used.items() if name in names]
        where = "below" if name in SHOWN else ", ".join(pages)
        count = f"{record['cases']:,}" + (f", {n} failed" if (n := record["failed"]) else "")
        body.append(
            [
                f"[`{name}`](../benchmarks/results/{name}.md)",
                where,
                _days(record["first_day"], record["last_day"]),
                _code(record),
                record["seeds"],
                count,
                f"{record['seconds']:,} s",
            ]
        )
    return _table(["study", "used in", "day", "code", "seeds", "cases", "took"], body)


def _code(record: dict[str, Any]) -> str:
    """Return the commits, that of methods which were measured again first."""
    listed = ", ".join(f"`{commit}`" for commit in record["code"])
    if "again" not in record:
        return listed
    return f"{', '.join(record['again'])} `{record['again_code'][0]}`; {listed}"


def shown(name: str) -> str:
    """Return a section with the figures and the table of a study."""
    pictures = [
        f"![{_alternative(name, source.stem)}](images/{source.name})"
        for source in _figures(name, FIGURES.get(name, []))
        if (IMAGES / source.name).exists()
    ]
    record = _toml(name)
    seeds = "one seed" if record["seeds"] == 1 else f"{record['seeds']} seeds"
    about = f"`{record['command']}`; {seeds}"
    about += ", so that a cell is a single split." if record["seeds"] == 1 else "."
    about += f" {REMARKS[name]}" if name in REMARKS else ""
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8").strip()
    table = in_words(text, tables=name not in LINKED)
    if name in LINKED:
        table += f"\n\nTable: {_file(name, 'md')}; rows: {_file(name, 'csv')}."
    return "\n\n".join([f"\n## {SHOWN[name]}", about, *pictures, table]) + "\n"


def in_words(text: str, *, tables: bool = True) -> str:
    """Return a study's table and remarks in the documentation's words, perhaps without tables."""
    blocks = [_block(block) for block in text.split("\n\n")]
    if not tables:
        # A line that ends in a colon announces a table; the legend explains its cells.
        dropped = re.compile(r"\||Clean-test \w+:$|Mean \(deviation")
        blocks = [block for block in blocks if not dropped.match(block)]
    return "\n\n".join(blocks)


def _block(text: str) -> str:
    if not text.startswith("|"):
        return _remark(text)
    head, rule, *body = [
        [c.strip() for c in line.strip("|").split("|")] for line in text.split("\n")
    ]
    names = [WORDS.get(cell, cell) for cell in head]
    if head[:3] != ["dataset", "kind", "epsilon"]:
        return _table(
            names, [[WORDS.get(line[0], line[0]), *line[1:]] for line in body], rule
        ).strip()
    lines = [[_setting(*line[:3]), *line[3:]] for line in body]
    return _table(["setting", *names[3:]], lines, [":---", *rule[3:]]).strip()


def _remark(text: str) -> str:
    """Return a paragraph or a list that a study writes below its table."""
    text = re.sub(
        r"^- (\S+) (\S+) ([\d.]+): (\S+), (\S+) (\S+)$",
        lambda m: f"- {_setting(*m.groups()[:3])}: {m[4]}, {WORDS.get(m[5], m[5])} {m[6]}",
        text,
        flags=re.MULTILINE,
    )
    text = re.sub(
        r"^(subquantile\S*) is", lambda m: f"*{WORDS[m[1]]}*, is", text, flags=re.MULTILINE
    )
    text = text.replace("Genie's", "the oracle's").replace("rmse", "RMSE")
    return (
        text.replace("in bold the best but Genie", "the best method except the oracle in bold")
        .replace("given a share", "given a contamination")
        .replace("each share", "each contamination")
    )


def _setting(dataset: str, kind: str, epsilon: str) -> str:
    where = DATASETS.get(dataset, dataset)
    return f"{where}, {TARGETS.get(kind, kind)}, {100 * float(epsilon):.0f} %"


def _alternative(name: str, stem: str) -> str:
    """Return what a figure shows, and of which data set."""
    dataset, _, kind = stem.removeprefix(name).strip("-").partition("-")
    return f"{SHOWN[name]}: {dataset}, {TARGETS[kind]}" if kind else SHOWN[name]


def _file(name: str, ending: str) -> str:
    return f"[{name}.{ending}](../benchmarks/results/{name}.{ending})"


def not_run(records: dict[str, dict[str, Any]]) -> str:
    """Return the studies without a result file."""
    text = STUDIES.read_text(encoding="utf-8")
    names = dict.fromkeys(re.findall(r"`make bench ARGS=\"?([a-z0-9-]+)", text))
    # The study of speed has all its families but one.
    families = {name for name in names if name.startswith("speed-")} - {"speed-map"}
    rest = [f"`{name}`" for name in names if name not in {*records, *TOOLS, *families}]
    return (
        "\n## Studies without a result file\n\n"
        f"{', '.join(rest)}. No page prints a number of theirs.\n"
    )


def _figures(name: str, endings: Iterable[str]) -> list[Path]:
    return [RESULTS / f"{name}{'-' if ending else ''}{ending}.png" for ending in endings]


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((RESULTS / f"{name}.toml").read_text(encoding="utf-8"))


def _days(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def _link(page: str) -> str:
    if not page.startswith("docs/"):
        return page
    return f"[{Path(page).stem}]({page.removeprefix('docs/')})"


def _command(text: str) -> str:
    """Return what was run as code, so that no dash is made of two hyphens; other words as text."""
    return f"`{text}`" if text.startswith("make bench") else text


def _table(header: list[str], body: list[list[Any]], rule: list[str] | None = None) -> str:
    lines = [header, rule or ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    main()
