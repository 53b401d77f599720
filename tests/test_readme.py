"""What the README shows works as it stands; all other pages are in test_docs.py."""

import contextlib
import io
import re
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
