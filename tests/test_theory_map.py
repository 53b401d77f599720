"""docs/theory/map.md is complete, true and up to date."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs" / "theory"
STATUSES = {"implemented", "corrected", "proof only", "not applicable"}


def load_generator():
    spec = importlib.util.spec_from_file_location("make_map", DOCS / "make_map.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_map = load_generator()
DATA = make_map.load()
ENTRIES = DATA["statements"]
ids = [f"{entry['paper']}: {entry['name']}" for entry in ENTRIES]
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=ids)
each_paper = pytest.mark.parametrize("paper", DATA["papers"])


def numbers(text):
    """``"45-46, 88"`` is 45, 46 and 88."""
    found = []
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


@each_paper
def test_every_numbered_statement_has_one_row(paper):
    named = [entry["name"] for entry in ENTRIES if entry["paper"] == paper]
    assert len(named) == len(set(named))
    missing = set(DATA["papers"][paper]["statements"]) - set(named)
    assert not missing


@each_paper
def test_every_numbered_equation_is_in_a_row(paper):
    found = [n for e in ENTRIES if e["paper"] == paper for n in numbers(e.get("equations", "0"))]
    assert set(found) - {0} == set(range(1, DATA["papers"][paper]["equations"] + 1))


def test_statements_of_a_paper_are_numbered_without_a_gap():
    """The lists themselves: the first two papers count all kinds of statement together."""
    for paper, last in (("first", 36), ("second", 18)):
        counted = {
            int(name.split()[1])
            for name in DATA["papers"][paper]["statements"]
            if name.split()[0] not in {"Algorithm", "Table", "Figure"}
        }
        assert counted == set(range(1, last + 1))


@each_entry
def test_what_a_row_names_exists(entry):
    for reference in entry.get("code", []):
        assert reference.startswith(("src/untaint/", "benchmarks/"))
        make_map.locate(reference)
    for reference in entry["tests"]:
        assert re.search(r"^(benchmarks/)?tests/.*::test_", reference)
        make_map.locate(reference)


@each_entry
def test_a_status_has_what_it_needs(entry):
    assert entry["status"] in STATUSES
    if entry["status"] == "implemented":
        assert entry["code"] and entry["tests"]
    if entry["status"] == "corrected":
        assert entry["note"] and entry["tests"]
    if entry["status"] == "not applicable" or not entry["tests"]:
        assert entry["note"]
    assert "|" not in entry["says"] + entry.get("note", "")


def test_the_page_is_up_to_date():
    written = make_map.PAGE.read_text(encoding="utf-8")
    assert written == make_map.page(), "run: python docs/theory/make_map.py"


def test_a_name_that_does_not_exist_is_refused():
    with pytest.raises(LookupError, match=r"trimmed\.py::Largest, which does not exist"):
        make_map.locate("src/untaint/weighting/trimmed.py::Largest")
    with pytest.raises(LookupError, match=r"nowhere\.py::f"):
        make_map.locate("src/untaint/nowhere.py::f")


def known_tests():
    folders = (make_map.ROOT / "tests", make_map.ROOT / "benchmarks" / "tests")
    paths = (path for folder in folders for path in folder.glob("**/test_*.py"))
    sources = (path.read_text(encoding="utf-8") for path in paths)
    return {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.M)}


def test_tests_that_a_page_names_exist():
    known = known_tests()
    for page in DOCS.glob("*.md"):
        named = set(re.findall(r"`(test_\w+)`", page.read_text(encoding="utf-8")))
        assert not named - known, page.name


def test_every_erratum_has_a_test():
    known, rows = known_tests(), []
    for line in (DOCS / "errata.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("|") and cells[0] != "where" and not cells[0].startswith("---"):
            rows.append(cells)
    assert len(rows) > 40
    for cells in rows:
        assert len(cells) == 4, cells[0]
        for words in cells[-1].split("; "):
            assert "test_" + words.replace(" ", "_") in known, (cells[0], words)
