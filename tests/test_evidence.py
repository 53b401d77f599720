"""Every number that README.md and the documentation claim to have measured is in a result file.

benchmarks/results/pages.toml says which results a page may use, and which of its numbers are not
measured but defined. ``claims.py`` says what counts as a claim, and when a result holds it.
"""

import importlib.util
import tomllib
from pathlib import Path

import pytest

from claims import Page, Result, load_results, unsupported

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks" / "results"
RESULTS = load_results(FOLDER)
DECLARED = tomllib.loads((FOLDER / "pages.toml").read_text(encoding="utf-8"))
# Pages that are generated, and the theory, whose numbers follow from formulas (tests/theory).
NOT_MEASURED = {"_build", "gallery", "generated", "api", "theory"}
PAGES = ["README.md"] + [
    path.relative_to(ROOT).as_posix()
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not NOT_MEASURED & set(path.parts) and path.name != "evidence.md"
]


def failures(name, text):
    own = DECLARED["pages"].get(name, [])
    definitions = DECLARED["definitions"]
    defined = [*definitions["everywhere"], *definitions.get(name, [])]
    page = Page(text)
    for claim, elsewhere in unsupported(page, RESULTS, own, defined):
        what = f"{claim.text!r} is"
        if claim.row is not None:
            what = f"numbers of the row {page.raw[claim.row].strip()[:90]!r} are"
        hint = f" (but in {', '.join(elsewhere[:4])})" if elsewhere else ""
        yield f"{name}:{claim.line + 1}: {what} in no result of the page{hint}"


@pytest.mark.parametrize("name", PAGES)
def test_every_measured_number_is_in_a_result_file(name):
    found = list(failures(name, (ROOT / name).read_text(encoding="utf-8")))
    advice = (
        "Correct the number; or measure it (make bench ARGS=NAME, rows to benchmarks/results) and "
        "name the result in benchmarks/results/pages.toml; or put <!-- results: NAME --> before a "
        "sentence that quotes a table; or, for a parameter, define it in pages.toml."
    )
    assert not found, "\n".join([*found, advice])


def test_pages_name_results_that_exist():
    named = {result for results in DECLARED["pages"].values() for result in results}
    assert named <= set(RESULTS)
    assert {*DECLARED["pages"], *DECLARED["definitions"]} - {"everywhere"} <= set(PAGES)


RESULT = Result({"seconds": 12}, "Off by 0.0114 on average.\n\n| wine | 0.2 | 1.02 | 1.034 |\n")
OTHER = Result({}, "R took 44 s.\n\n| lmrob | 44.1 | 0.0031 |\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Off by 0.011 on average.", []),
        ("Off by 0.012 on average.", ["0.012"]),
        ("Off by 1.1 %.", []),
        ("| red wine | 1.02 | 1.03 |", []),
        ("| red wine | 1.03 | 1.02 |", ["1.03"]),  # in this order
        ("| red wine | 1.02 | 1.04 |", ["1.02"]),
        ("The error is 1.02 times as large.", ["1.02 times"]),  # a cell, without a marker
        ("<!-- results: new -->\nThe error is 1.02 times as large.", []),
        ("<!-- results: new -->\n\nThe error is 1.05 times as large.", ["1.05 times"]),
        ("R took 44 s, a limit of 4 GB.", []),
        ("R took 45 s.", ["45 s"]),
        ("| R | 44.1 | 0.0031 |", []),
        ("| R | 44 | 0.003 |", []),  # rounded
        ("| R | 44.2 | 0.003 |", ["44.2"]),
    ],
)
def test_a_claim_without_a_result_is_found(text, found):
    results = {"new": RESULT, "other": OTHER}
    claims = unsupported(Page(text), results, ["new", "other"], ["4 GB"])
    assert [claim.text for claim, _ in claims] == found


def test_records_say_how_a_result_was_measured():
    for name, result in RESULTS.items():
        wanted = {"command", "first_day", "last_day", "code", "seeds", "seconds", "machine"}
        assert wanted <= set(result.record), name


def test_the_page_of_evidence_is_what_the_result_files_make():
    spec = importlib.util.spec_from_file_location(
        "make_evidence", ROOT / "docs" / "make_evidence.py"
    )
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    written = generator.PAGE.read_text(encoding="utf-8")
    assert written == generator.page(), "run python docs/make_evidence.py"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 3.2 s, 4 times as long.", ["3.2 s", "4 times"]),
        ("Run `x=0.3`, see [it](a-0.5.md), $0.7$, 2026-11-17, 5 rows.", []),
        ("```\n0.123\n```\n\n9 % of 1,197 rows", ["9 %"]),
        ("| a | 0.120 | 1.5e+06 |", ["0.120", "1.5e+06"]),
    ],
)
def test_what_counts_as_a_claim(text, found):
    assert [claim.text for claim in Page(text).claims] == found
