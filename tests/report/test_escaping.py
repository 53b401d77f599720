import pytest

from untaint._hidden_text import escape_html_text
from untaint.report.wording import shortened


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066", "\u200b", "\u200f", "\x00", "\x1b", "\n", "\ufeff", "\ud800"]
)
def test_characters_that_hide_are_written_out(hidden):
    assert escape_html_text(f"a{hidden}b") == f"a\\u{ord(hidden):04x}b"


@pytest.mark.parametrize("text", ["naïve", "日本語", "می\u200cخواهم", "👩\u200d🔬", "a b-c"])
def test_ordinary_writing_is_left_alone(text):
    assert escape_html_text(text) == text


def test_shortened_text_is_never_longer_than_asked():
    assert shortened("x" * 81, 80) == "x" * 79 + "…"
    assert shortened("x" * 80, 80) == "x" * 80
