r"""Escapes for characters that are not seen, yet change what is.

Cells, names and messages of parsers are untrusted text. A right-to-left override turns ``exe.txt``
round, a zero-width space makes two labels out of one, and a control character moves the cursor of a
terminal. Such characters are shown as escapes, such as ``\u202e``.
"""

import re
import unicodedata

# Control characters, invisible ones, those that change the direction of writing, halves of pairs
# that no encoding can write, and tags. The joiners U+200C and U+200D are left alone: Persian and
# some emoji cannot be written without them.
_RANGES = (
    (0x0000, 0x001F),
    (0x007F, 0x009F),
    (0x00AD, 0x00AD),
    (0x061C, 0x061C),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
# A pattern that Python and JavaScript read alike, for a page has to apply it to its cells.
HIDDEN = "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES) + "]"
_HIDDEN = re.compile(HIDDEN)
# What a terminal, which may have no glyph for them, is not given either: formats, private use and
# unassigned characters.
_NOT_FOR_TERMINALS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def escape_html_text(text: str) -> str:
    r"""Return text for a page, with every hidden character written as an escape.

    Examples
    --------
    >>> from untaint._hidden_text import escape_html_text
    >>> escape_html_text("tab\there") == r"tab\u0009here"
    True
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def escape_terminal(text: str, instead: str | None = None) -> str:
    r"""Return text for a terminal, with every character that it might not show as an escape.

    Parameters
    ----------
    text : str
    instead : str, optional
        What stands for such a character in place of its escape.

    Examples
    --------
    >>> from untaint._hidden_text import escape_terminal
    >>> escape_terminal("red\x1b[31m"), escape_terminal("naïve – ok")
    ('red\\x1b[31m', 'naïve – ok')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter
        if unicodedata.category(letter) not in _NOT_FOR_TERMINALS
        else letter.encode("unicode_escape", "backslashreplace").decode("ascii")
        if instead is None
        else instead
        for letter in text
    )
