"""What the README shows works as it stands; all other pages are in test_docs.py."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")
CODE, PRINTED = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", TEXT, re.S).groups()
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def ran():
    """What the code prints, and the names that it leaves."""
    names, out = {}, io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(CODE, names)
    return out.getvalue(), names


def test_the_lines_find_the_wrong_rows(ran):
    names = ran[1]
    caught = ~names["model"].inlier_mask_ & names["wrong"]
    assert caught.sum() > 0.9 * names["wrong"].sum()


def test_the_lines_print_what_is_shown(ran):
    """The same words, and the same numbers up to what another linear algebra library changes."""
    pytest.importorskip("pandas", reason="the audit shown is a pandas frame")
    printed = ran[0]
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", PRINTED).split()
    expected = [float(number) for number in NUMBER.findall(PRINTED)]
    assert [float(n) for n in NUMBER.findall(printed)] == pytest.approx(expected, rel=1e-3)


def test_a_visitor_reads_it_in_a_minute():
    assert len(TEXT.splitlines()) <= 120


CONSOLE = {
    "README.md": re.search(r"```\n\$ untaint clean.*?\n(.*?)```", TEXT, re.S)[1],
    "docs/guides/dirty-table.md": re.search(
        r"\$ untaint demo\n(.*?)```", (ROOT / "docs/guides/dirty-table.md").read_text("utf-8"), re.S
    )[1],
}
AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What ``untaint demo`` prints, on one line."""
    pytest.importorskip("typer", reason="the command needs the extra cli")
    run = subprocess.run(
        [sys.executable, "-m", "untaint", "demo", "--out", tmp_path_factory.mktemp("demo")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
    )
    return " ".join(run.stdout.split())


@pytest.mark.parametrize("page", CONSOLE)
def test_the_command_prints_what_is_shown(page, shown):
    """The same words, and numbers up to what another linear algebra library changes."""
    text = re.sub(r"^(Report|Cleaned table):.*$", "...", CONSOLE[page], flags=re.M)
    for part in re.split(r",? ?(?:\.\.\.|…)", text):
        words = " ".join(part.split())
        pattern = f"({AMOUNT.pattern})".join(map(re.escape, AMOUNT.split(words)))
        found = re.search(pattern, shown)
        assert found, words
        expected = [float(number.replace(",", "")) for number in AMOUNT.findall(words)]
        printed = [float(number.replace(",", "")) for number in found.groups()]
        assert printed == pytest.approx(expected, rel=0.02), words
