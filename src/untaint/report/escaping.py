r"""Escapes for characters that hide text or change its direction.

Some characters are not seen, yet change what is: a right-to-left override turns ``exe.txt`` round,
a zero-width space makes two labels out of one. They are shown as escapes, such as ``\u202e``.
"""

from __future__ import annotations

import re

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

# A pattern that Python and JavaScript read alike, for the page has to apply it to its cells.
HIDDEN = "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES) + "]"
_HIDDEN = re.compile(HIDDEN)


def escape_html_text(text: str) -> str:
    r"""Return the text with every hidden character written as an escape.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> escape_html_text("tab\there") == r"tab\u0009here"
    True
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def shortened(text: str, longest: int) -> str:
    """Return the text, cut off with an ellipsis if it is longer than ``longest`` characters.

    Examples
    --------
    >>> shortened("a long story", 7)
    'a long…'
    """
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
