"""Text that is cut where it would take too much room."""


def shortened(text: str, longest: int) -> str:
    """Return the text, cut off with an ellipsis if it is longer than ``longest`` characters.

    Examples
    --------
    >>> shortened("a long story", 7)
    'a long…'
    """
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
