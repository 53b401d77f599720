"""Write map.md from map.toml: every numbered statement of the papers, its code and its tests.

    python docs/theory/make_map.py

Symbols are named as ``path/to/file.py::qualified.name``. Each is looked up in the source when the
page is written; the page names it without its line, which every edit above it would move.
"""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCE, PAGE = HERE / "map.toml", HERE / "map.md"

HEAD = """\
---
html_theme.sidebar_secondary.remove: true
---

# Every statement of the papers, its code and its tests

<!-- Written by make_map.py from map.toml: change that file, then run `make_map.py`. -->

One row for each numbered definition, claim, lemma, theorem, algorithm, table and figure, and rows
for the equations that stand between them. The meaning is in our words. Status:

* **implemented**: the library does this;
* **corrected**: the library, or a test, has the right form of something printed wrongly;
* **proof only**: nothing to compute for a user; tests check it where it can be checked;
* **not applicable**: left blank in print, or false without a right form of use to the library.

Symbols and tests are followed by their files; tests are named by what they say.
`tests/test_theory_map.py` holds this page to the source: every symbol and test exists, and no
number is missing.
"""


def load() -> dict[str, Any]:
    """The papers with what they number, and the statements."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


@cache
def names_in(path: str) -> set[str]:
    """Every class, function, method and module-level name of a file."""
    found: set[str] = set()

    def walk(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(prefix + node.name)
                walk(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found.update(prefix + t.id for t in targets if hasattr(t, "id"))

    walk(ast.parse((ROOT / path).read_text(encoding="utf-8")).body, "")
    return found


def locate(reference: str) -> tuple[str, str]:
    """Return file and name of a symbol, or raise an error that names it."""
    path, _, name = reference.partition("::")
    if not (ROOT / path).is_file() or name not in names_in(path):
        raise LookupError(f"{SOURCE.name} names {reference}, which does not exist")
    return path, name


def places(references: list[str]) -> list[str]:
    """Return symbols with their files, and tests in words, which a narrow column can wrap."""
    shown = []
    for reference in references:
        path, name = locate(reference)
        words = name.removeprefix("test_").replace("_", " ")
        label = words if name.startswith("test_") else f"`{name}`"
        shown.append(f"{label}<br>`{path}`")
    return shown


def row(entry: dict[str, Any]) -> str:
    """Return one line of a table."""
    title = f"**{entry['name']}**"
    if "equations" in entry:
        title += f", eq. {entry['equations']}"
    status = f"*{entry['status']}*"
    if "note" in entry:
        status += f": {entry['note']}"
    where = "<br>".join(places(entry.get("code", [])) + places(entry["tests"])) or "none"
    return f"| {title}<br>{entry['says']} | {status} | {where} |"


def page() -> str:
    """Return the whole page."""
    data = load()
    parts = [HEAD]
    for key, paper in data["papers"].items():
        entries = [entry for entry in data["statements"] if entry["paper"] == key]
        parts.append(f"\n## {paper['title']}\n")
        parts.append("| statement | status | code, then tests |\n|---|---|---|")
        parts.extend(map(row, entries))
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
